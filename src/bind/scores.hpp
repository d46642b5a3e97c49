// The catalog for Python: one score, or many from one walk and one match.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../core/catalog.hpp"
#include "load.hpp"

namespace segscore {

// margin= and relative_margin= as the user gave them, in the unit of the cuts; nothing if neither was given.
template <class T>
std::optional<double> load_margin(nb::handle margin, nb::handle relative, T n) {
    if (!margin.is_none() && !relative.is_none())
        raise_type("margin= and relative_margin= exclude each other; expected one of them");
    if (margin.is_none() && relative.is_none()) return std::nullopt;
    const char* name = margin.is_none() ? "relative_margin" : "margin";
    const nb::handle given = margin.is_none() ? relative : margin;
    if (PyBool_Check(given.ptr()))
        raise_type(std::string(name) + " = " + shown(given) + " is a bool; expected a number");
    double value = PyFloat_AsDouble(given.ptr());
    if (value == -1.0 && PyErr_Occurred() != nullptr) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_OverflowError))
            nb::raise_python_error();
        PyErr_Clear();
        raise_type(std::string(name) + " = " + shown(given) + " is " + with_article(kind_of(given)) +
                   "; expected a number");
    }
    if (!(value >= 0))
        throw CutError(std::string(name) + " = " + text(value) + " is negative or not a number; expected 0 or more");
    if (margin.is_none()) value *= static_cast<double>(n);
    return std::is_integral_v<T> ? std::floor(value) : value;
}

// Both sides, gathered and checked, handed to use(sides) in points or in time.
template <class Use>
auto with_sides(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration, const Use& use) {
    if (!duration.is_none()) {
        if (!n.is_none()) raise_type("n= and duration= exclude each other; expected one of them");
        double length = load_duration(duration);
        Input<double> truth_input(truth, "truth"), pred_input(pred, "pred");
        std::vector<double> truth_kept, pred_kept;
        const auto truth_cuts = gather(truth_input, length, End::given, truth_kept);
        const auto pred_cuts = gather(pred_input, length, End::given, pred_kept);
        return use(Sides<double>{truth_cuts, pred_cuts, length});
    }
    Input<std::int64_t> truth_input(truth, "truth"), pred_input(pred, "pred");
    const Length length = agree_on_length(n, truth_input, pred_input);
    std::vector<std::int64_t> truth_kept, pred_kept;
    std::int64_t truth_n = length.n, pred_n = length.n;
    const auto truth_cuts = gather(truth_input, truth_n, length.truth, truth_kept);
    const auto pred_cuts = gather(pred_input, pred_n, length.pred, pred_kept);
    if (truth_n != pred_n)
        throw CutError("truth ends at " + text(truth_n) + " but pred ends at " + text(pred_n) +
                       "; without n= both must end with the length");
    return use(Sides<std::int64_t>{truth_cuts, pred_cuts, truth_n});
}

// Runs without the interpreter's lock where that is worth the switch.
template <class T, class Run>
auto unlocked(const Sides<T>& sides, const Run& run) {
    constexpr std::size_t worth_a_thread_switch = 512;
    if (sides.truth.size() + sides.pred.size() < worth_a_thread_switch) return run();
    const nb::gil_scoped_release released;
    return run();
}

template <class T>
double finalized(const Row& row, const Evaluation<T>& evaluation) {
    if constexpr (std::is_integral_v<T>)
        return row.in_points(evaluation);
    else if (row.in_time != nullptr)
        return row.in_time(evaluation);
    throw CutError(std::string(row.name) + " counts points; expected n=, not duration=");
}

// One score, with its options.
inline double score(std::size_t row, nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration,
                    nb::handle margin, nb::handle relative_margin, Options options) {
    const Row& chosen = catalog.at(row);
    return with_sides(truth, pred, n, duration, [&](const auto& sides) {
        options.margin = load_margin(margin, relative_margin, sides.n).value_or(options.margin);
        return unlocked(sides, [&] { return finalized(chosen, Evaluation(sides, options, chosen.needs)); });
    });
}

// The scores of several rows, from one evaluation. Without a margin, those that need one are None; in continuous time,
// those that count points.
inline nb::list scores(const std::vector<std::size_t>& rows, nb::handle truth, nb::handle pred, nb::handle n,
                       nb::handle duration, nb::handle margin, nb::handle relative_margin) {
    return with_sides(truth, pred, n, duration, [&](const auto& sides) {
        using T = std::remove_const_t<decltype(sides.n)>;
        Options options;
        const auto given = load_margin(margin, relative_margin, sides.n);
        options.margin = given.value_or(0);
        const auto has_value = [&](const Row& row) {
            return (given.has_value() || (row.needs & Need::matching) == 0) &&
                   (std::is_integral_v<T> || row.in_time != nullptr);
        };
        unsigned needs = 0;
        for (const std::size_t row : rows)
            if (has_value(catalog.at(row))) needs |= catalog[row].needs;
        const auto values = unlocked(sides, [&] {
            const Evaluation<T> evaluation(sides, options, needs);
            std::vector<double> computed(rows.size());
            for (std::size_t k = 0; k < rows.size(); ++k)
                if (has_value(catalog[rows[k]])) computed[k] = finalized(catalog[rows[k]], evaluation);
            return computed;
        });
        nb::list result;
        for (std::size_t k = 0; k < rows.size(); ++k)
            result.append(has_value(catalog[rows[k]]) ? nb::object(nb::float_(values[k])) : nb::none());
        return result;
    });
}

inline nb::list metrics() {
    nb::list rows;
    for (const Row& row : catalog)
        rows.append(nb::make_tuple(nb::str(row.name.data(), row.name.size()),
                                   nb::str(row.family.data(), row.family.size()), row.best, row.low, row.high,
                                   row.symmetric, nb::str(row.cost.data(), row.cost.size()), row.in_time != nullptr,
                                   (row.needs & Need::matching) != 0));
    return rows;
}

template <class T>
nb::list to_list(std::span<const T> values) {
    nb::list list;
    for (const T value : values) list.append(value);
    return list;
}

// (indices of the truth, indices of the prediction, cuts of the truth, cuts of the prediction)
inline nb::tuple matched_pairs(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration, nb::handle margin,
                               nb::handle relative_margin, bool closest) {
    return with_sides(truth, pred, n, duration, [&](const auto& sides) {
        using T = std::remove_const_t<decltype(sides.n)>;
        const double given = load_margin(margin, relative_margin, sides.n).value_or(0);
        const T reach = given < static_cast<double>(sides.n) ? static_cast<T>(given) : sides.n;
        std::vector<std::size_t> truth_found, pred_found;
        unlocked(sides, [&] {
            const auto found = [&](std::size_t i, std::size_t j) {
                truth_found.push_back(i);
                pred_found.push_back(j);
            };
            closest ? match_closest(sides.truth, sides.pred, reach, found)
                    : match(sides.truth, sides.pred, reach, found);
        });
        return nb::make_tuple(to_list(std::span<const std::size_t>(truth_found)),
                              to_list(std::span<const std::size_t>(pred_found)), to_list(sides.truth),
                              to_list(sides.pred));
    });
}

inline nb::tuple information_sums(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration) {
    return with_sides(truth, pred, n, duration, [&](const auto& sides) {
        const Information sums =
            unlocked(sides, [&] { return Evaluation(sides, Options{}, Need::information).information; });
        return nb::make_tuple(sums.truth, sums.pred, sums.joint(), sums.truth_given_pred, sums.pred_given_truth);
    });
}

template <class Use>
auto with_points(nb::handle truth, nb::handle pred, nb::handle n, const Use& use) {
    return with_sides(truth, pred, n, nb::none(), [&](const auto& sides) {
        using T = std::remove_const_t<decltype(sides.n)>;
        if constexpr (std::is_integral_v<T>)
            return use(sides);
        else
            return decltype(use(Sides<std::int64_t>{}))();
    });
}

inline nb::list window_curve(nb::handle truth, nb::handle pred, nb::handle n, const std::vector<std::int64_t>& windows,
                             bool is_pk, bool weighted, bool lamprier) {
    return with_points(truth, pred, n, [&](const Sides<std::int64_t>& sides) {
        std::vector<double> values;
        unlocked(sides, [&] {
            for (const std::int64_t k : windows)
                values.push_back(is_pk ? pk(sides.truth, sides.pred, sides.n, k)
                                       : window_diff(sides.truth, sides.pred, sides.n, k, weighted, lamprier));
        });
        return to_list(std::span<const double>(values));
    });
}

inline nb::tuple boundary_edits_of(nb::handle truth, nb::handle pred, nb::handle n, std::int64_t n_t) {
    return with_points(truth, pred, n, [&](const Sides<std::int64_t>& sides) {
        const BoundaryEdits edits = unlocked(sides, [&] { return boundary_edits(sides.truth, sides.pred, n_t); });
        nb::list moved;
        for (const auto& move : edits.moved) moved.append(nb::make_tuple(move.truth, move.pred));
        return nb::make_tuple(to_list(Points(edits.matched)), moved, to_list(Points(edits.missed)),
                              to_list(Points(edits.added)));
    });
}

inline void define_scores(nb::module_& module) {
    using namespace nb::literals;
    module.def("metrics", &metrics);
    module.def(
        "score",
        [](std::size_t row, nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration) {
            return score(row, truth, pred, n, duration, nb::none(), nb::none(), Options{});
        },
        "row"_a, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "duration"_a.none());
    module.def(
        "score_with",
        [](std::size_t row, nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration, nb::handle margin,
           nb::handle relative_margin, double beta, double base, int average, std::int64_t k, std::int64_t n_t,
           double insertion, double deletion, double shift, bool symmetric, bool weighted, bool lamprier) {
            Options options;
            options.insertion = insertion;
            options.deletion = deletion;
            options.shift = shift;
            options.beta = beta;
            options.base = base;
            options.average = static_cast<Average>(average);
            options.k = k;
            options.n_t = n_t;
            options.symmetric = symmetric;
            options.weighted = weighted;
            options.lamprier = lamprier;
            return score(row, truth, pred, n, duration, margin, relative_margin, options);
        },
        "row"_a, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "duration"_a.none(), "margin"_a.none(),
        "relative_margin"_a.none(), "beta"_a, "base"_a, "average"_a, "k"_a, "n_t"_a, "insertion"_a, "deletion"_a,
        "shift"_a, "symmetric"_a, "weighted"_a, "lamprier"_a);
    module.def("scores", &scores, "rows"_a, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "duration"_a.none(),
               "margin"_a.none(), "relative_margin"_a.none());
    module.def("match", &matched_pairs, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "duration"_a.none(),
               "margin"_a.none(), "relative_margin"_a.none(), "closest"_a);
    module.def("information", &information_sums, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "duration"_a.none());
    module.def("window_curve", &window_curve, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "windows"_a, "is_pk"_a,
               "weighted"_a, "lamprier"_a);
    module.def("boundary_edits", &boundary_edits_of, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "n_t"_a);
}

}  // namespace segscore
