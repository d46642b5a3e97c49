// Whole tables: scores for each row of two columns of cuts.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/annotators.hpp"
#include "../core/cuts.hpp"
#include "../core/label_text.hpp"
#include "../core/pace.hpp"
#include "../core/states.hpp"
#include "../core/text.hpp"
#include "arrow.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "rows.hpp"
#include "values.hpp"

namespace segscore {

struct TableJob {
    const Plan& plan;
    RowForm form;
    bool against_others = false;  // whether each annotator is left out in turn
};

// The scores of a row: first the metrics of the plan, then its metrics of all annotators together. `each` is memory.
template <class T>
void row_scores(const Row<T>& row, const TableJob& job, std::vector<double>& each, std::vector<double>& values,
                Pace& pace) {
    const std::size_t metrics = job.plan.entries.size(), people = row.truths.size();
    if (job.against_others && people < 2)
        throw InputError("truth has one annotator; with against='others', expected at least two");
    values.assign(metrics + job.plan.together.size(), 0.0);
    const auto add_up = [&](std::size_t left_out) {
        const std::size_t count = people - (left_out < people ? 1 : 0);
        for (std::size_t m = 0; m < metrics; ++m) {
            double sum = 0;
            for (std::size_t a = 0; a < people; ++a)
                if (a != left_out) sum += each[a * metrics + m];
            values[m] += count > 1 ? sum / static_cast<double>(count) : sum;
        }
        if (job.plan.together.empty()) return;
        std::vector<std::span<const T>> truths = row.truths;
        if (left_out < people) truths.erase(truths.begin() + static_cast<std::ptrdiff_t>(left_out));
        for (std::size_t m = 0; m < job.plan.together.size(); ++m) {
            const auto& [part, margin] = job.plan.together[m];
            values[metrics + m] +=
                segscore::together(truths, row.found, checked_distance<T>(margin, "margin").within(row.n)).*part;
        }
    };
    each.assign(people * metrics, 0.0);
    for (std::size_t a = 0; a < people; ++a) {
        pace.step(1 + row.truths[a].size() + row.found.size());
        finalize_all(job.plan, row.sides(a), each.data() + a * metrics);
    }
    if (!job.against_others) return add_up(people);
    for (std::size_t a = 0; a < people; ++a) add_up(a);
    for (double& value : values) value /= static_cast<double>(people);
}

// The scores of a table: one column per metric, the states of rows, the errors of rows, and the first row of each side
// whose cell is an empty text.
struct TableScores {
    std::vector<std::vector<double>> values;
    std::vector<std::uint8_t> states;
    std::map<std::int64_t, std::string> errors;
    std::map<std::string, std::int64_t> empties;
};

// Makes a reader per batch.
template <class T>
std::vector<RowReader<T>> readers_of(const Batches& batches, RowForm& form) {
    if (batches.arrays.empty()) {  // the columns are checked even in an empty table
        for (const std::string& name : {form.truth, form.pred}) batches.column(name);
        for (const auto& name : {form.truth_labels, form.pred_labels})
            if (name.has_value()) batches.column(*name);
    }
    std::vector<RowReader<T>> readers;
    readers.reserve(batches.arrays.size());
    for (const auto& batch : batches.arrays) readers.emplace_back(batches, batch.value, form);
    for (const auto& reader : readers) form.is_nested = form.is_nested || reader.has_nested_text();
    return readers;
}

template <class T>
TableScores score_batches(const Batches& batches, TableJob& job, std::size_t threads) {
    struct Piece {
        std::size_t batch;
        std::int64_t begin, end;
        std::size_t at;  // index of the first row in the results
    };
    const std::vector<RowReader<T>> readers = readers_of<T>(batches, job.form);
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
    in_parallel(pieces.size(), threads, [&](std::size_t k) {
        Pace pace;
        const Piece& piece = pieces[k];
        std::vector<double> each, values;
        Row<T> row;
        for (std::int64_t number = piece.begin; number < piece.end; ++number) {
            const std::size_t at = piece.at + static_cast<std::size_t>(number - piece.begin);
            State state = State::failed;
            std::string problem;
            try {
                state = readers[piece.batch].load(number, row, pace);
                if (state == State::scored) row_scores(row, job, each, values, pace);
            } catch (const PredictionError& error) {
                state = State::invalid;
                problem = error.what();
            } catch (const InputError& error) {
                state = State::unreadable;
                problem = error.what();
            }
            scores.states[at] = static_cast<std::uint8_t>(state);
            if (state == State::scored) {
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

inline RowForm form_of(const char* truth, const char* pred, nb::handle truth_labels, nb::handle pred_labels,
                       nb::handle length, bool in_time, bool nested) {
    RowForm form;
    form.truth = truth;
    form.pred = pred;
    if (!truth_labels.is_none()) form.truth_labels = nb::borrow<nb::str>(truth_labels).c_str();
    if (!pred_labels.is_none()) form.pred_labels = nb::borrow<nb::str>(pred_labels).c_str();
    form.is_nested = nested;
    if (PyUnicode_Check(length.ptr()))
        form.length_column = nb::borrow<nb::str>(length).c_str();
    else if (length.is_none())
        form.ends = true;
    else if (in_time)
        form.duration = load_duration(length);
    else
        form.n = load_n(length);
    return form;
}

// (one array per metric, the states of rows, {row: error}, {side: first row with an empty text}); without a length
// every list ends with it. The columns of labels may be None.
inline nb::tuple score_table(nb::handle stream, const char* truth, const char* pred, nb::handle truth_labels,
                             nb::handle pred_labels, const Plan& plan, nb::handle length, bool in_time,
                             std::size_t threads, bool nested, bool against_others) {
    TableJob job{plan, form_of(truth, pred, truth_labels, pred_labels, length, in_time, nested), against_others};
    const Batches batches(stream);
    const InterruptWatch watch;
    TableScores scores =
        in_time ? score_batches<double>(batches, job, threads) : score_batches<std::int64_t>(batches, job, threads);
    nb::list columns;
    for (auto& values : scores.values) columns.append(as_array(std::move(values)));
    nb::dict errors, empties;
    for (const auto& [row, message] : scores.errors) errors[nb::int_(row)] = nb::str(message.c_str(), message.size());
    for (const auto& [side, row] : scores.empties) empties[side.c_str()] = nb::int_(row);
    return nb::make_tuple(columns, as_array(std::move(scores.states)), errors, empties);
}

template <class T>
nb::list rows_of(const Batches& batches, RowForm& form) {
    const auto readers = readers_of<T>(batches, form);
    nb::list found;
    Row<T> row;
    Pace pace;
    for (std::size_t b = 0; b < readers.size(); ++b)
        for (std::int64_t number = 0; number < batches.arrays[b].value.length; ++number) {
            bool is_scored = false;
            pace.step(work_per_object);
            try {
                is_scored = readers[b].load(number, row, pace) == State::scored;
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

// The rows that can be scored, for metrics that Python computes: (truths, pred, n), or None
inline nb::list table_rows(nb::handle stream, const char* truth, const char* pred, nb::handle truth_labels,
                           nb::handle pred_labels, nb::handle length, bool in_time, bool nested) {
    RowForm form = form_of(truth, pred, truth_labels, pred_labels, length, in_time, nested);
    const Batches batches(stream);
    return in_time ? rows_of<double>(batches, form) : rows_of<std::int64_t>(batches, form);
}

template <class T>
nb::object read_cuts(std::string_view text, const char* name) {
    TextLists<T> lists;
    Pace pace;
    if (TextReader<T>(text, name, lists, pace).read() != Answer::cuts) return nb::none();
    if (!lists.is_nested) return to_list(lists.at(0));
    nb::list found;
    for (std::size_t k = 0; k < lists.ends.size(); ++k) found.append(to_list(lists.at(k)));
    return found;
}
// The cuts in a text: a list, a list of lists, or None if the text says that there is none. An empty text is None too.
inline nb::object read_text(nb::str given, const char* name, bool in_time) {
    Py_ssize_t size = 0;
    const char* letters = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
    if (letters == nullptr) nb::raise_python_error();
    const std::string_view text{letters, static_cast<std::size_t>(size)};
    return in_time ? read_cuts<double>(text, name) : read_cuts<std::int64_t>(text, name);
}

// The labels in a text: a list, a list of lists, or None if the text says that there are none.
inline nb::object read_labels(nb::str given, const char* name) {
    Py_ssize_t size = 0;
    const char* letters = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
    if (letters == nullptr) nb::raise_python_error();
    LabelLists lists;
    Pace pace;
    if (!LabelReader({letters, static_cast<std::size_t>(size)}, name, lists, pace).read()) return nb::none();
    const auto value = [](const std::string& label) -> nb::object {  // the first letter is the kind of the label
        const std::string rest = label.substr(1);
        if (label[0] == 't') return nb::str(rest.data(), rest.size());
        if (label[0] == 'b') return nb::bool_(rest == "1");
        return nb::steal(rest.find_first_of(".en") == rest.npos ? PyLong_FromString(rest.c_str(), nullptr, 10)
                                                                : PyFloat_FromString(nb::str(rest.c_str()).ptr()));
    };
    nb::list found;
    for (std::size_t k = 0; k < lists.ends.size(); ++k) {
        nb::list list;
        for (const std::string& label : lists.at(k)) {
            pace.step(work_per_object);
            list.append(value(label));
        }
        if (!lists.is_nested) return list;
        found.append(list);
    }
    return found;
}

inline void define_tables(nb::module_& module) {
    using namespace nb::literals;
    nb::list states;
    for (const char* name : state_names) states.append(name);
    module.attr("STATES") = nb::tuple(states);
    module.def("score_table", &score_table, "stream"_a, "truth"_a, "pred"_a, "truth_labels"_a.none(),
               "pred_labels"_a.none(), "plan"_a, "length"_a.none(), "in_time"_a, "threads"_a, "nested"_a,
               "against_others"_a);
    module.def("table_rows", &table_rows, "stream"_a, "truth"_a, "pred"_a, "truth_labels"_a.none(),
               "pred_labels"_a.none(), "length"_a.none(), "in_time"_a, "nested"_a);
    module.def("read_labels", &read_labels, "text"_a, "name"_a);
    module.def("read_text", &read_text, "text"_a, "name"_a, "in_time"_a = false);
}

}  // namespace segscore
