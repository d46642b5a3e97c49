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
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "../core/catalog.hpp"
#include "../core/cuts.hpp"
#include "../core/evaluation.hpp"
#include "../core/pause.hpp"
#include "arrow.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "values.hpp"

namespace segscore {

// One side of a batch: lists of cuts, or lists of lists for several annotators.
template <class T>
struct CutsColumn {
    ListColumn rows;
    std::optional<ListColumn> inner;
    NumberColumn<T> cuts;
    bool is_null = false;  // the whole column

    CutsColumn(const ArrowSchema& schema, const ArrowArray& array, const std::string& name, bool several) {
        const std::string where = "column '" + name + "'";
        const char* takes = std::is_integral_v<T> ? "a list of integers per row" : "a list of numbers per row";
        const auto outer = ListColumn::of(schema, array);
        if (!outer.has_value() && std::string_view(schema.format) == "n") {  // a column in which every row is null
            is_null = true;
            return;
        }
        if (!outer.has_value()) raise_type(where + " holds " + described(schema) + "; expected " + takes);
        rows = *outer;
        inner = ListColumn::of(*rows.items_schema, *rows.items);
        if (inner.has_value() && !several)
            raise_type(where + " holds lists of lists; expected " + takes + " (only the truth may have several)");
        cuts = inner.has_value() ? NumberColumn<T>(*inner->items_schema, *inner->items, where, takes)
                                 : NumberColumn<T>(*rows.items_schema, *rows.items, where, takes);
    }
    bool valid(std::int64_t row) const { return !is_null && is_valid(*rows.array, row); }
    std::size_t annotators(std::int64_t row) const {
        return inner.has_value() ? static_cast<std::size_t>(rows.at(row).second) : 1;
    }
    // The list of one annotator, in place or in `kept`; nothing if the list is null.
    std::optional<std::span<const T>> at(std::int64_t row, std::size_t annotator, const char* name,
                                         std::vector<T>& kept) const {
        auto [start, count] = rows.at(row);
        if (inner.has_value()) {
            const std::int64_t which = start + static_cast<std::int64_t>(annotator);
            if (!is_valid(*inner->array, which)) return std::nullopt;
            std::tie(start, count) = inner->at(which);
        }
        const ArrowArray& items = *cuts.array;
        const auto size = static_cast<std::size_t>(count);
        const bool all_null = cuts.convert == nullptr;
        if (all_null || items.null_count != 0)
            for (std::int64_t k = 0; k < count; ++k)
                if (all_null || !is_valid(items, start + k))
                    throw InputError(std::string(name) + "[" + std::to_string(k) +
                                     "] is null or not an exact integer; expected only integers (3, not 3.0)");
        std::span<const T> values;
        if (size > 0 && cuts.in_place) {
            values = {reinterpret_cast<const T*>(cuts.data) + start, size};
        } else if (size > 0) {
            kept.resize(size);
            if (const std::size_t read = cuts.read(start, size, kept.data()); read < size)
                throw InputError(std::string(name) + "[" + std::to_string(read) + "] is outside 0 < cut < 2**63");
            values = kept;
        }
        return values;
    }
};

// The interior cuts of a list, checked.
template <class T>
std::span<const T> checked(std::span<const T> values, T n, const char* name) {
    WholeSource<T> whole{values};
    Cuts<T, WholeSource<T>> gate(whole, name, n);
    if (!gate.more()) return {};
    if (!gate.is_in_order()) gate.check();
    return gate.block();
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
    std::int64_t n = 0;   // the length, if it is not a column
    double duration = 0;  // the duration, if it is not a column
    bool ends = false;    // whether every list ends with the length
};

// Scores the rows [begin, end) of a batch into results[metric][row].
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
    // False if the row is null.
    bool score(std::int64_t row, std::vector<double>& values, std::vector<T>& truth_kept, std::vector<T>& pred_kept,
               const Pause& pause, Pace& pace) {
        if (!is_valid(batch_, row)) return false;
        row += batch_.offset;  // the offset of the table is not applied to its columns
        if (!truth_.valid(row) || !pred_.valid(row)) return false;
        T n;
        if constexpr (std::is_integral_v<T>)
            n = job_.n;
        else
            n = job_.duration;
        if (real_lengths_.convert != nullptr) {
            double length;
            real_lengths_.read(row, 1, &length);
            if (!is_valid(*real_lengths_.array, row) || std::isnan(length)) return false;
            if (!(length >= 0 && length < 0x1p63) || length != std::floor(length))
                throw InputError("n = " + text(length) + " is not a length; expected an integer, 0 <= n < 2**63");
            if (length >= exact_below_)
                throw InputError("n = " + text(length) + " is a real number that may be rounded; expected an integer");
            n = static_cast<T>(length);
        } else if (job_.length_column.has_value()) {
            if (lengths_.convert == nullptr || !is_valid(*lengths_.array, row)) return false;
            [[maybe_unused]] const bool fits = lengths_.read(row, 1, &n) == 1;
            if constexpr (std::is_integral_v<T>) {
                if (!fits || n < 0) throw InputError("n is out of range; expected 0 <= n < 2**63");
            } else {
                checked_duration(n);
            }
        }
        const auto pred_list = pred_.at(row, 0, "pred", pred_kept);
        const std::size_t annotators = truth_.annotators(row);
        if (!pred_list.has_value()) return false;
        if (job_.ends) n = end_of(*pred_list, "pred");
        const std::span<const T> pred = checked(*pred_list, n, "pred");
        if (annotators == 0)
            throw InputError("truth is an empty list of annotators; expected at least one, or null for no truth");
        values.assign(job_.plan.entries.size(), 0.0);
        for (std::size_t a = 0; a < annotators; ++a) {
            const auto truth_list = truth_.at(row, a, "truth", truth_kept);
            if (!truth_list.has_value()) return false;
            if (job_.ends)
                if (const T end = end_of(*truth_list, "truth"); end != n)
                    throw InputError("truth ends with " + text(end) + " but pred ends with " + text(n) +
                                     "; with ends=True, expected every list to end with the length");
            const std::span<const T> truth = checked(*truth_list, n, "truth");
            pace.step(1 + truth.size() + pred.size());
            const Evaluation<T> evaluation(Sides<T>{truth, pred, n}, job_.plan.needs, pause);
            for (std::size_t m = 0; m < values.size(); ++m) {
                const auto& [metric, options] = job_.plan.entries[m];
                values[m] += finalized(*metric, options, evaluation);
            }
        }
        if (annotators > 1)
            for (double& value : values) value /= static_cast<double>(annotators);
        return true;
    }

private:
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

// The scores of a table: one column per metric, the rows that have scores, and the errors of other rows.
struct TableScores {
    std::vector<std::vector<double>> values;
    std::vector<std::uint8_t> valid;
    std::map<std::int64_t, std::string> errors;
};

template <class T>
TableScores score_batches(const Batches& batches, const std::string& truth, const std::string& pred,
                          const TableJob& job, std::size_t threads) {
    struct Piece {
        std::size_t batch;
        std::int64_t begin, end;
        std::size_t at;  // index of the first row in the results
    };
    std::vector<Piece> pieces;
    std::vector<std::unique_ptr<BatchScorer<T>>> scorers;
    std::size_t rows = 0;
    constexpr std::int64_t rows_a_piece = 4096;
    for (std::size_t b = 0; b < batches.arrays.size(); ++b) {
        const ArrowArray& batch = batches.arrays[b].value;
        scorers.push_back(std::make_unique<BatchScorer<T>>(batches, batch, truth, pred, job));
        for (std::int64_t begin = 0; begin < batch.length; begin += rows_a_piece)
            pieces.push_back(
                {b, begin, std::min(batch.length, begin + rows_a_piece), rows + static_cast<std::size_t>(begin)});
        rows += static_cast<std::size_t>(batch.length);
    }
    if (batches.arrays.empty()) {  // the columns are checked even in an empty table
        batches.column(truth);
        batches.column(pred);
    }
    TableScores scores;
    scores.values.assign(job.plan.entries.size(), std::vector<double>(rows, std::numeric_limits<double>::quiet_NaN()));
    scores.valid.assign(rows, 0);
    std::mutex lock;
    in_parallel(pieces.size(), threads, [&](std::size_t k, const Pause& pause) {
        Pace pace(pause);
        const Piece& piece = pieces[k];
        std::vector<double> values;
        std::vector<T> truth_kept, pred_kept;
        for (std::int64_t row = piece.begin; row < piece.end; ++row) {
            const std::size_t at = piece.at + static_cast<std::size_t>(row - piece.begin);
            try {
                if (!scorers[piece.batch]->score(row, values, truth_kept, pred_kept, pause, pace)) continue;
            } catch (const InputError& error) {
                const std::lock_guard guard(lock);
                scores.errors.emplace(static_cast<std::int64_t>(at), error.what());
                continue;
            }
            scores.valid[at] = 1;
            for (std::size_t m = 0; m < values.size(); ++m) scores.values[m][at] = values[m];
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

// (one array per metric, the valid rows, {row: error}); without a length every list ends with it
inline nb::tuple score_table(nb::handle stream, const char* truth, const char* pred, const Plan& plan,
                             nb::handle length, bool in_time, std::size_t threads) {
    TableJob job{plan, std::nullopt};
    if (PyUnicode_Check(length.ptr()))
        job.length_column = nb::borrow<nb::str>(length).c_str();
    else if (length.is_none())
        job.ends = true;
    else if (in_time)
        job.duration = load_duration(length);
    else
        job.n = load_n(length);
    const Batches batches(stream);
    const InterruptWatch watch;
    TableScores scores = in_time ? score_batches<double>(batches, truth, pred, job, threads)
                                 : score_batches<std::int64_t>(batches, truth, pred, job, threads);
    nb::list columns;
    for (auto& values : scores.values) columns.append(as_array(std::move(values)));
    nb::dict errors;
    for (const auto& [row, message] : scores.errors) errors[nb::int_(row)] = nb::str(message.c_str());
    return nb::make_tuple(columns, as_array(std::move(scores.valid)), errors);
}

inline void define_tables(nb::module_& module) {
    using namespace nb::literals;
    module.def("score_table", &score_table, "stream"_a, "truth"_a, "pred"_a, "plan"_a, "length"_a.none(), "in_time"_a,
               "threads"_a);
}

}  // namespace segscore
