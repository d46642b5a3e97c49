// The rows of a table: the cuts and labels of both sides and the length of each row, read and checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "../core/cuts.hpp"
#include "../core/evaluation.hpp"
#include "../core/pace.hpp"
#include "../core/states.hpp"
#include "../core/text.hpp"
#include "arrow.hpp"
#include "columns.hpp"
#include "label_columns.hpp"

namespace segscore {

// The interior cuts of a list, checked.
template <class T>
std::span<const T> checked(std::span<const T> values, T n, const char* name) {
    WholeSource<T> whole{values};
    return checked_in_place(whole, name, n);
}

// The last value of a list that ends with the length.
template <class T>
T end_of(std::span<const T> values, const char* name) {
    if (values.empty())
        throw InputError(std::string(name) + " is empty; with ends=True, expected a list that ends with the length");
    if (!(values.back() >= 0))
        throw InputError(std::string(name) + " ends with " + text(values.back()) +
                         "; with ends=True, expected a length, 0 or more");
    return values.back();
}

// The columns in which the rows of a table have their cuts, labels and lengths.
struct RowForm {
    std::string truth, pred;
    std::optional<std::string> truth_labels, pred_labels;
    std::optional<std::string> length_column;
    std::int64_t n = 0;      // the length, if it is not a column
    double duration = 0;     // the duration, if it is not a column
    bool ends = false;       // whether every list ends with the length
    bool is_nested = false;  // whether some texts of truths are lists of lists
};

// An error in the prediction. Every other error of a row is an error of the table.
struct PredictionError : InputError {
    using InputError::InputError;
};

// A row that passed the gate.
template <class T>
struct Row {
    RowLists<T> truth, pred;
    std::vector<std::span<const T>> truths;  // the interior cuts of each annotator
    std::span<const T> found;                // the interior cuts of the prediction
    T n{};
    RowLabels truth_labels, pred_labels;
    bool has_labels = false;                       // if one side has labels, both have
    bool empty_truth = false, empty_pred = false;  // whether a cell is an empty text

    // Both sides, with the truth of one annotator.
    Sides<T> sides(std::size_t annotator) const {
        if (!has_labels) return {truths[annotator], found, n};
        return {truths[annotator], found, n, truth_labels.at(annotator), pred_labels.at(0)};
    }
};

// Reads the rows of a batch.
template <class T>
class RowReader {
public:
    RowReader(const Batches& batches, const ArrowArray& batch, const RowForm& form)
        : form_(form),
          batch_(batch),
          truth_(column<CutsColumn<T>>(batches, form.truth, true)),
          pred_(column<CutsColumn<T>>(batches, form.pred, false)) {
        const auto labels_of = [&](const std::optional<std::string>& name, bool several) {
            std::optional<LabelsColumn> labels;
            if (!name.has_value()) return labels;
            const std::int64_t k = batches.column(*name);
            labels.emplace(*batches.schema.value.children[k], *batch.children[k], *name, several);
            return labels;
        };
        truth_labels_ = labels_of(form.truth_labels, true);
        pred_labels_ = labels_of(form.pred_labels, false);
        if (!form.length_column.has_value()) return;
        const std::int64_t k = batches.column(*form.length_column);
        lengths_ = LengthColumn<T>(*batches.schema.value.children[k], *batch.children[k], *form.length_column);
    }
    bool has_nested_text() const { return truth_.has_nested_text(batch_.offset, batch_.length); }

    // Reads and checks a row; `scored` means that it can be scored.
    State load(std::int64_t number, Row<T>& row, Pace& pace) const {
        row.empty_truth = row.empty_pred = false;
        if (!is_valid(batch_, number)) return State::without_truth;
        const std::int64_t at = number + batch_.offset;  // the offset of the table is not applied to its columns
        const Answer truth = truth_.read(at, "truth", form_.is_nested, row.truth, pace);
        const Answer pred = of_prediction([&] { return pred_.read(at, "pred", false, row.pred, pace); });
        row.empty_truth = truth == Answer::empty;
        row.empty_pred = pred == Answer::empty;
        if (truth != Answer::cuts) return State::without_truth;
        if (row.truth.lists.empty())
            throw InputError("truth is an empty list of annotators; expected at least one, or null for no truth");
        if (!form_.ends) {
            const std::optional<T> length = length_of(at);
            if (!length.has_value()) return State::without_truth;
            row.n = *length;
        }
        if (pred != Answer::cuts) return State::failed;
        if (form_.ends) row.n = end_of_row(row);
        row.truths.clear();  // checked first, because a wrong truth or length is not a failure of the method
        for (const std::span<const T> list : row.truth.lists) row.truths.push_back(checked(list, row.n, "truth"));
        row.has_labels = truth_labels_.has_value() || pred_labels_.has_value();
        load_labels(truth_labels_, at, "truth_labels", row.truths, row.n, row.truth_labels, pace);
        of_prediction([&] {
            row.found = checked(row.pred.lists[0], row.n, "pred");
            load_labels(pred_labels_, at, "pred_labels", {&row.found, 1}, row.n, row.pred_labels, pace);
        });
        return State::scored;
    }

private:
    // Turns errors of the gate into errors of the prediction.
    template <class Read>
    static auto of_prediction(const Read& read) {
        try {
            return read();
        } catch (const UnreadableText&) {
            throw;
        } catch (const InputError& error) {
            throw PredictionError(error.what());
        }
    }
    // The length of a row whose lists end with it.
    static T end_of_row(const Row<T>& row) {
        const T n = of_prediction([&] { return end_of(row.pred.lists[0], "pred"); });
        for (std::size_t a = 0; a < row.truth.lists.size(); ++a) {
            const T end = end_of(row.truth.lists[a], "truth");
            if (end == n) continue;
            const std::string message = "truth ends with " + text(end) + " but pred ends with " + text(n) +
                                        "; with ends=True, expected every list to end with the length";
            if (a == 0) throw PredictionError(message);
            throw InputError(message);
        }
        return n;
    }
    // Reads one label per segment. On a side without labels, every segment has a label of its own.
    void load_labels(const std::optional<LabelsColumn>& column, std::int64_t at, const char* name,
                     std::span<const std::span<const T>> sides, T n, RowLabels& to, Pace& pace) const {
        if (!truth_labels_.has_value() && !pred_labels_.has_value()) return;
        const auto segments_of = [n](std::span<const T> cuts) { return n > 0 ? cuts.size() + 1 : 0; };
        if (!column.has_value()) {
            to.count = 0;
            for (const std::span<const T> cuts : sides) {
                std::vector<std::int64_t>& own = to.add();
                own.resize(segments_of(cuts));
                std::iota(own.begin(), own.end(), 0);
                pace.step(own.size());
            }
            return;
        }
        column->read(at, name, to, pace);
        if (to.count != sides.size())
            throw InputError(std::string(name) + " has " + count_text(to.count, "list") + " for " +
                             count_text(sides.size(), "annotator") + "; expected one list of labels per annotator");
        for (std::size_t k = 0; k < sides.size(); ++k)
            if (to.at(k).size() != segments_of(sides[k]))
                throw InputError(std::string(name) + " has " + count_text(to.at(k).size(), "label") + " for " +
                                 count_text(segments_of(sides[k]), "segment") + "; expected one label per segment");
    }
    std::optional<T> length_of(std::int64_t row) const {
        if (lengths_.has_value()) return lengths_->at(row);
        if constexpr (std::is_integral_v<T>)
            return form_.n;
        else
            return form_.duration;
    }
    template <class Column>
    Column column(const Batches& batches, const std::string& name, bool several) const {
        const std::int64_t k = batches.column(name);
        return Column(*batches.schema.value.children[k], *batch_.children[k], name, several);
    }

    const RowForm& form_;
    const ArrowArray& batch_;
    CutsColumn<T> truth_, pred_;
    std::optional<LabelsColumn> truth_labels_, pred_labels_;
    std::optional<LengthColumn<T>> lengths_;
};

}  // namespace segscore
