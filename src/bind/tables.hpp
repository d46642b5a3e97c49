// Whole tables: scores for each row of two columns of cuts.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../core/annotators.hpp"
#include "../core/catalog.hpp"
#include "../core/cuts.hpp"
#include "../core/evaluation.hpp"
#include "../core/pause.hpp"
#include "../core/text.hpp"
#include "arrow.hpp"
#include "columns.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "values.hpp"

namespace segscore {

// The interior cuts of a list, checked.
template <class T>
std::span<const T> checked(std::span<const T> values, T n, const char* name, const Pause& pause) {
    WholeSource<T> whole{values};
    return checked_in_place(whole, name, n, pause);
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

struct TableJob {
    const Plan& plan;
    std::optional<std::string> length_column;
    std::int64_t n = 0;           // the length, if it is not a column
    double duration = 0;          // the duration, if it is not a column
    bool ends = false;            // whether every list ends with the length
    bool is_nested = false;       // whether some texts of truths are lists of lists
    bool against_others = false;  // whether each annotator is left out in turn
};

// An error in the prediction. Every other error of a row is an error of the table.
struct PredictionError : InputError {
    using InputError::InputError;
};

// What became of a row. `unknown` has no truth or no length, `missing` has no prediction, `invalid` has a prediction
// that is not a segmentation, `unreadable` has an error that is not one of the prediction.
enum class RowState : std::uint8_t { missing, scored, invalid, unreadable, unknown };

// A row that passed the gate.
template <class T>
struct Row {
    RowLists<T> truth, pred;
    std::vector<std::span<const T>> truths;  // the interior cuts of each annotator
    std::span<const T> found;                // the interior cuts of the prediction
    T n{};
    bool empty_truth = false, empty_pred = false;  // whether a cell is an empty text
    std::vector<double> each;                      // the scores against each annotator
};

// Reads and scores the rows of a batch.
template <class T>
class BatchScorer {
public:
    BatchScorer(const Batches& batches, const ArrowArray& batch, const std::string& truth, const std::string& pred,
                const TableJob& job)
        : job_(job),
          batch_(batch),
          truth_(column<CutsColumn<T>>(batches, truth, true)),
          pred_(column<CutsColumn<T>>(batches, pred, false)) {
        if (!job.length_column.has_value()) return;
        const std::int64_t k = batches.column(*job.length_column);
        const ArrowSchema& schema = *batches.schema.value.children[k];
        const std::string where = "column '" + *job.length_column + "'";
        // pandas stores integers with nulls as real numbers.
        const bool is_real = std::string_view(schema.format) == "f" || std::string_view(schema.format) == "g";
        exact_below_ = std::string_view(schema.format) == "f" ? 0x1p24 : 0x1p53;
        if (std::is_integral_v<T> && is_real)
            real_lengths_ = NumberColumn<double>(schema, *batch.children[k], where, "a number per row");
        else
            lengths_ = NumberColumn<T>(schema, *batch.children[k], where,
                                       std::is_integral_v<T> ? "an integer per row" : "a number per row");
    }
    bool has_nested_text() const { return truth_.has_nested_text(batch_.offset, batch_.length); }

    // Reads and checks a row; `scored` means that it can be scored.
    RowState load(std::int64_t number, Row<T>& row, const Pause& pause, Pace& pace) const {
        row.empty_truth = row.empty_pred = false;
        if (!is_valid(batch_, number)) return RowState::unknown;
        const std::int64_t at = number + batch_.offset;  // the offset of the table is not applied to its columns
        const Answer truth = truth_.read(at, "truth", job_.is_nested, row.truth, pace);
        const Answer pred = of_prediction([&] { return pred_.read(at, "pred", false, row.pred, pace); });
        row.empty_truth = truth == Answer::empty;
        row.empty_pred = pred == Answer::empty;
        if (truth != Answer::cuts) return RowState::unknown;
        if (row.truth.lists.empty())
            throw InputError("truth is an empty list of annotators; expected at least one, or null for no truth");
        if (!job_.ends) {
            const std::optional<T> length = length_of(at);
            if (!length.has_value()) return RowState::unknown;
            row.n = *length;
        }
        if (pred != Answer::cuts) return RowState::missing;
        if (job_.ends) row.n = end_of_row(row);
        row.truths.clear();  // checked first, because a wrong truth or length is not a failure of the method
        for (const std::span<const T> list : row.truth.lists)
            row.truths.push_back(checked(list, row.n, "truth", pause));
        row.found = of_prediction([&] { return checked(row.pred.lists[0], row.n, "pred", pause); });
        if (job_.against_others && row.truths.size() < 2)
            throw InputError("truth has one annotator; with against='others', expected at least two");
        return RowState::scored;
    }

    // The scores of a row: first the metrics of the plan, then its metrics of all annotators together.
    void score(Row<T>& row, std::vector<double>& values, const Pause& pause, Pace& pace) const {
        const std::size_t metrics = job_.plan.entries.size(), people = row.truths.size();
        values.assign(metrics + job_.plan.together.size(), 0.0);
        const auto add_up = [&](std::size_t left_out) {
            const std::size_t count = people - (left_out < people ? 1 : 0);
            for (std::size_t m = 0; m < metrics; ++m) {
                double sum = 0;
                for (std::size_t a = 0; a < people; ++a)
                    if (a != left_out) sum += row.each[a * metrics + m];
                values[m] += count > 1 ? sum / static_cast<double>(count) : sum;
            }
            if (job_.plan.together.empty()) return;
            std::vector<std::span<const T>> truths = row.truths;
            if (left_out < people) truths.erase(truths.begin() + static_cast<std::ptrdiff_t>(left_out));
            for (std::size_t m = 0; m < job_.plan.together.size(); ++m) {
                const auto& [part, margin] = job_.plan.together[m];
                values[metrics + m] += segscore::together(truths, row.found, margin.within(row.n), pause).*part;
            }
        };
        row.each.assign(people * metrics, 0.0);
        for (std::size_t a = 0; a < people; ++a) {
            pace.step(1 + row.truths[a].size() + row.found.size());
            const Evaluation<T> evaluation(Sides<T>{row.truths[a], row.found, row.n}, job_.plan.needs, pause);
            for (std::size_t m = 0; m < metrics; ++m) {
                const auto& [metric, options] = job_.plan.entries[m];
                row.each[a * metrics + m] = finalized(*metric, options, evaluation);
            }
        }
        if (!job_.against_others) return add_up(people);
        for (std::size_t a = 0; a < people; ++a) add_up(a);
        for (double& value : values) value /= static_cast<double>(people);
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
    std::optional<T> length_of(std::int64_t row) const {
        T n;
        if constexpr (std::is_integral_v<T>)
            n = job_.n;
        else
            n = job_.duration;
        if (real_lengths_.convert != nullptr) {
            double length;
            real_lengths_.read(row, 1, &length);
            if (!is_valid(*real_lengths_.array, row) || std::isnan(length)) return std::nullopt;
            if (!(length >= 0 && length < 0x1p63) || length != std::floor(length))
                throw InputError("n = " + text(length) + " is not a length; expected an integer, 0 <= n < 2**63");
            if (length >= exact_below_)
                throw InputError("n = " + text(length) + " is a real number that may be rounded; expected an integer");
            n = static_cast<T>(length);
        } else if (job_.length_column.has_value()) {
            if (lengths_.convert == nullptr || !is_valid(*lengths_.array, row)) return std::nullopt;
            [[maybe_unused]] const bool fits = lengths_.read(row, 1, &n) == 1;
            if constexpr (std::is_integral_v<T>) {
                if (!fits || n < 0) throw InputError("n is out of range; expected 0 <= n < 2**63");
            } else {
                checked_duration(n);
            }
        }
        return n;
    }
    template <class Column>
    Column column(const Batches& batches, const std::string& name, bool several) const {
        const std::int64_t k = batches.column(name);
        return Column(*batches.schema.value.children[k], *batch_.children[k], name, several);
    }

    const TableJob& job_;
    const ArrowArray& batch_;
    CutsColumn<T> truth_, pred_;
    NumberColumn<T> lengths_;
    NumberColumn<double> real_lengths_;  // lengths that are stored as real numbers
    double exact_below_ = 0;             // larger numbers may be rounded
};

// The scores of a table: one column per metric, the states of rows, the errors of rows, and the first row of each side
// whose cell is an empty text.
struct TableScores {
    std::vector<std::vector<double>> values;
    std::vector<std::uint8_t> states;
    std::map<std::int64_t, std::string> errors;
    std::map<std::string, std::int64_t> empties;
};

// Makes a scorer per batch.
template <class T>
std::vector<BatchScorer<T>> scorers_of(const Batches& batches, const std::string& truth, const std::string& pred,
                                       TableJob& job) {
    if (batches.arrays.empty()) {  // the columns are checked even in an empty table
        batches.column(truth);
        batches.column(pred);
    }
    std::vector<BatchScorer<T>> scorers;
    scorers.reserve(batches.arrays.size());
    for (const auto& batch : batches.arrays) scorers.emplace_back(batches, batch.value, truth, pred, job);
    for (const auto& scorer : scorers) job.is_nested = job.is_nested || scorer.has_nested_text();
    return scorers;
}

template <class T>
TableScores score_batches(const Batches& batches, const std::string& truth, const std::string& pred, TableJob& job,
                          std::size_t threads) {
    struct Piece {
        std::size_t batch;
        std::int64_t begin, end;
        std::size_t at;  // index of the first row in the results
    };
    const std::vector<BatchScorer<T>> scorers = scorers_of<T>(batches, truth, pred, job);
    std::vector<Piece> pieces;
    std::size_t rows = 0;
    constexpr std::int64_t rows_a_piece = 4096;
    for (std::size_t b = 0; b < batches.arrays.size(); ++b) {
        const ArrowArray& batch = batches.arrays[b].value;
        for (std::int64_t begin = 0; begin < batch.length; begin += rows_a_piece)
            pieces.push_back(
                {b, begin, std::min(batch.length, begin + rows_a_piece), rows + static_cast<std::size_t>(begin)});
        rows += static_cast<std::size_t>(batch.length);
    }
    TableScores scores;
    scores.values.assign(job.plan.entries.size() + job.plan.together.size(),
                         std::vector<double>(rows, std::numeric_limits<double>::quiet_NaN()));
    scores.states.assign(rows, 0);
    std::mutex lock;
    in_parallel(pieces.size(), threads, [&](std::size_t k, const Pause& pause) {
        Pace pace(pause);
        const Piece& piece = pieces[k];
        std::vector<double> values;
        Row<T> row;
        for (std::int64_t number = piece.begin; number < piece.end; ++number) {
            const std::size_t at = piece.at + static_cast<std::size_t>(number - piece.begin);
            RowState state = RowState::missing;
            std::string problem;
            try {
                state = scorers[piece.batch].load(number, row, pause, pace);
                if (state == RowState::scored) scorers[piece.batch].score(row, values, pause, pace);
            } catch (const PredictionError& error) {
                state = RowState::invalid;
                problem = error.what();
            } catch (const InputError& error) {
                state = RowState::unreadable;
                problem = error.what();
            }
            scores.states[at] = static_cast<std::uint8_t>(state);
            if (state == RowState::scored) {
                for (std::size_t m = 0; m < values.size(); ++m) scores.values[m][at] = values[m];
                continue;
            }
            const std::lock_guard guard(lock);
            const auto place = static_cast<std::int64_t>(at);
            if (!problem.empty()) scores.errors.emplace(place, problem);
            for (const auto& [is_empty, side] : {std::pair{row.empty_truth, "truth"}, {row.empty_pred, "pred"}})
                if (is_empty) {
                    const auto first = scores.empties.try_emplace(side, place).first;
                    first->second = std::min(first->second, place);
                }
        }
    });
    return scores;
}

template <class Value>
nb::object as_array(std::vector<Value>&& values) {
    auto* kept = new std::vector<Value>(std::move(values));
    const nb::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<std::vector<Value>*>(pointer); });
    return nb::cast(nb::ndarray<nb::numpy, Value, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

inline TableJob job_of(const Plan& plan, nb::handle length, bool in_time) {
    TableJob job{plan, std::nullopt};
    if (PyUnicode_Check(length.ptr()))
        job.length_column = nb::borrow<nb::str>(length).c_str();
    else if (length.is_none())
        job.ends = true;
    else if (in_time)
        job.duration = load_duration(length);
    else
        job.n = load_n(length);
    return job;
}

// (one array per metric, the states of rows, {row: error}, {side: first row with an empty text}); without a length
// every list ends with it
inline nb::tuple score_table(nb::handle stream, const char* truth, const char* pred, const Plan& plan,
                             nb::handle length, bool in_time, std::size_t threads, bool nested, bool against_others) {
    TableJob job = job_of(plan, length, in_time);
    job.is_nested = nested;
    job.against_others = against_others;
    const Batches batches(stream);
    const InterruptWatch watch;
    TableScores scores = in_time ? score_batches<double>(batches, truth, pred, job, threads)
                                 : score_batches<std::int64_t>(batches, truth, pred, job, threads);
    nb::list columns;
    for (auto& values : scores.values) columns.append(as_array(std::move(values)));
    nb::dict errors, empties;
    for (const auto& [row, message] : scores.errors) errors[nb::int_(row)] = nb::str(message.c_str(), message.size());
    for (const auto& [side, row] : scores.empties) empties[side.c_str()] = nb::int_(row);
    return nb::make_tuple(columns, as_array(std::move(scores.states)), errors, empties);
}

// The rows that can be scored, for metrics that Python computes: (truths, pred, n), or None
inline nb::list table_rows(nb::handle stream, const char* truth, const char* pred, nb::handle length, bool nested) {
    const Plan plan;
    TableJob job = job_of(plan, length, false);
    job.is_nested = nested;
    const Batches batches(stream);
    const auto scorers = scorers_of<std::int64_t>(batches, truth, pred, job);
    nb::list found;
    Row<std::int64_t> row;
    const Pause pause{check_signals};
    Pace pace(pause);
    for (std::size_t b = 0; b < scorers.size(); ++b)
        for (std::int64_t number = 0; number < batches.arrays[b].value.length; ++number) {
            bool is_scored = false;
            pace.step(work_per_object);
            try {
                is_scored = scorers[b].load(number, row, pause, pace) == RowState::scored;
            } catch (const InputError&) {  // score_table gives the reason
            }
            if (!is_scored) {
                found.append(nb::none());
                continue;
            }
            nb::list truths;
            for (const auto& cuts : row.truths) truths.append(to_list(cuts));
            found.append(nb::make_tuple(truths, to_list(row.found), row.n));
        }
    return found;
}

// The cuts in a text: a list, a list of lists, or None if the text says that there is none. An empty text is an error.
inline nb::object read_text(nb::str given, const char* name) {
    TextLists<std::int64_t> lists;
    Py_ssize_t size = 0;
    const char* letters = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
    if (letters == nullptr) nb::raise_python_error();
    Pace pace({check_signals});
    const Answer answer = TextReader<std::int64_t>({letters, static_cast<std::size_t>(size)}, name, lists, pace).read();
    if (answer != Answer::cuts) return nb::none();
    if (!lists.is_nested) return to_list(lists.at(0));
    nb::list found;
    for (std::size_t k = 0; k < lists.ends.size(); ++k) found.append(to_list(lists.at(k)));
    return found;
}

inline void define_tables(nb::module_& module) {
    using namespace nb::literals;
    module.def("score_table", &score_table, "stream"_a, "truth"_a, "pred"_a, "plan"_a, "length"_a.none(), "in_time"_a,
               "threads"_a, "nested"_a, "against_others"_a);
    module.def("table_rows", &table_rows, "stream"_a, "truth"_a, "pred"_a, "length"_a.none(), "nested"_a);
    module.def("read_text", &read_text, "text"_a, "name"_a);
}

}  // namespace segscore
