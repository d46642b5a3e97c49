// The catalog for Python: one score, or many from one walk and one match.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../core/catalog.hpp"
#include "interrupt.hpp"
#include "load.hpp"

namespace segscore {

inline constexpr std::string_view no_margin =
    " has no margin; expected margin= (0 for the same cut) or relative_margin=";
inline constexpr std::string_view no_labels = " compares cuts, not labels; expected .segmentation of the labelled one";

// margin= and relative_margin= as the user gave them, in the unit of the cuts; nothing if neither was given.
template <class T>
std::optional<T> load_margin(nb::handle margin, nb::handle relative, T n) {
    if (!margin.is_none() && !relative.is_none())
        raise_type("margin= and relative_margin= exclude each other; expected one of them");
    if (margin.is_none() && relative.is_none()) return std::nullopt;
    // More than any distance is as good as infinity.
    if (const nb::object integer = PyLong_CheckExact(margin.ptr()) ? nb::borrow(margin) : as_integer(margin);
        integer.is_valid() && PyObject_RichCompareBool(integer.ptr(), nb::int_(0).ptr(), Py_GE) == 1) {
        const auto exact = as_int64(integer.ptr());
        return exact.has_value() ? static_cast<T>(*exact) : n;
    }
    const double value = margin.is_none() ? load_nonnegative(relative, "relative_margin") * static_cast<double>(n)
                                          : load_nonnegative(margin, "margin");
    return value < static_cast<double>(n) ? static_cast<T>(value) : n;
}
inline void set_margin(Options& options, std::int64_t margin) { options.margin = margin; }
inline void set_margin(Options& options, double margin) { options.margin_in_time = margin; }

// Both sides, gathered and checked, handed to use(sides) in points or in time.
template <class Use>
auto with_sides(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration, const Use& use) {
    if (!duration.is_none()) {
        if (!n.is_none()) raise_type("n= and duration= exclude each other; expected one of them");
        double length = load_duration(duration);
        Input<double> truth_input(truth, "truth"), pred_input(pred, "pred");
        refuse_one_iterator(truth_input, pred_input);
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
    Sides<std::int64_t> sides{truth_cuts, pred_cuts, truth_n};
    std::vector<std::int64_t> truth_own, pred_own;
    if (!truth_input.labels().empty() || !pred_input.labels().empty()) {
        // A side without labels has a label of its own for each segment.
        const auto labels = [](const Input<std::int64_t>& input, Points cuts, std::vector<std::int64_t>& own) {
            if (!input.labels().empty()) return input.labels();
            own.resize(cuts.size() + 1);
            std::iota(own.begin(), own.end(), 0);
            return Labels(own);
        };
        sides.truth_labels = labels(truth_input, truth_cuts, truth_own);
        sides.pred_labels = labels(pred_input, pred_cuts, pred_own);
    }
    return use(sides);
}

// Runs without the interpreter's lock where that is worth the switch: many cuts, or a score that takes long of few.
template <class T, class Run>
auto unlocked(const Sides<T>& sides, const Run& run, bool takes_long = false) {
    constexpr std::size_t worth_a_thread_switch = 512;
    if (!takes_long && sides.truth.size() + sides.pred.size() < worth_a_thread_switch) return run();
    const nb::gil_scoped_release released;
    return run();
}

template <class T>
double finalized(const Row& row, const Evaluation<T>& evaluation) {
    if (evaluation.sides.has_labels() && !row.takes_labels())
        throw CutError(std::string(row.name) + std::string(no_labels));
    if constexpr (std::is_integral_v<T>)
        return row.in_points(evaluation);
    else if (row.in_time != nullptr)
        return row.in_time(evaluation);
    throw CutError(std::string(row.name) + " counts points; expected n=, not duration=");
}

// One score, with its options.
inline double score(std::size_t row, nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration,
                    Options options) {
    const Row& chosen = catalog.at(row);
    options.pause = {check_signals};
    return with_sides(truth, pred, n, duration, [&](const auto& sides) {
        const auto run = [&] { return finalized(chosen, Evaluation(sides, options, chosen.needs)); };
        return unlocked(sides, run, chosen.takes_long());
    });
}
inline double score_at_margin(std::size_t row, nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration,
                              nb::handle margin, nb::handle relative_margin, nb::handle beta) {
    const Row& chosen = catalog.at(row);
    Options options;
    options.pause = {check_signals};
    options.beta = load_nonnegative(beta, "beta");
    return with_sides(truth, pred, n, duration, [&](const auto& sides) {
        const auto given = load_margin(margin, relative_margin, sides.n);
        if (!given.has_value()) raise_type(std::string(chosen.name) + std::string(no_margin));
        set_margin(options, *given);
        return unlocked(sides, [&] { return finalized(chosen, Evaluation(sides, options, chosen.needs)); });
    });
}
inline Average load_average(nb::handle average) {
    constexpr std::array<const char*, 5> names{"arithmetic", "geometric", "min", "max", "joint"};
    for (std::size_t k = 0; k < names.size(); ++k)
        if (PyUnicode_Check(average.ptr()) && PyUnicode_CompareWithASCIIString(average.ptr(), names[k]) == 0)
            return static_cast<Average>(k);
    throw CutError("average = " + shown(average) +
                   " is unknown; expected one of arithmetic, geometric, min, max, joint");
}

inline PyObject* to_python_object(std::int64_t value) { return PyLong_FromLongLong(value); }
inline PyObject* to_python_object(std::size_t value) { return PyLong_FromSize_t(value); }
inline PyObject* to_python_object(double value) { return PyFloat_FromDouble(value); }

template <class T>
nb::list to_list(std::span<const T> values) {
    PyObject* list = PyList_New(static_cast<Py_ssize_t>(values.size()));
    if (list == nullptr) nb::raise_python_error();
    for (std::size_t k = 0; k < values.size(); ++k)
        PyList_SET_ITEM(list, static_cast<Py_ssize_t>(k), to_python_object(values[k]));
    return nb::steal<nb::list>(list);
}

// The scores of several rows, given by their names and the bytes of their numbers, from one evaluation.
inline nb::dict scores(const nb::tuple& names, const nb::bytes& rows, nb::handle truth, nb::handle pred, nb::handle n,
                       nb::handle duration, nb::handle margin, nb::handle relative_margin) {
    std::vector<const Row*> chosen;
    bool takes_long = false;
    unsigned needs = 0;
    chosen.reserve(rows.size());
    for (const char row : std::string_view(rows.c_str(), rows.size())) {
        chosen.push_back(&catalog.at(static_cast<unsigned char>(row)));
        needs |= chosen.back()->needs;
        takes_long |= chosen.back()->takes_long();
    }
    const auto values = with_sides(truth, pred, n, duration, [&](const auto& sides) {
        Options options;
        options.pause = {check_signals};
        const auto given = load_margin(margin, relative_margin, sides.n);
        if ((needs & Need::matching) != 0 && !given.has_value()) raise_type("compare" + std::string(no_margin));
        set_margin(options, given.value_or(0));
        const auto run = [&] {
            const Evaluation evaluation(sides, options, needs);
            std::vector<double> computed;
            computed.reserve(chosen.size());
            for (const Row* row : chosen) computed.push_back(finalized(*row, evaluation));
            return computed;
        };
        return unlocked(sides, run, takes_long);
    });
    nb::dict named;
    for (std::size_t k = 0; k < values.size(); ++k) named[names[k]] = values[k];
    return named;
}

// Whether either side has labels that recur, so that cells alone do not tell.
inline bool is_labelled(nb::handle truth, nb::handle pred) {
    const auto has_labels = [](nb::handle side) {
        return !PyList_CheckExact(side.ptr()) && !PyTuple_CheckExact(side.ptr()) && !PyObject_CheckBuffer(side.ptr()) &&
               nb::hasattr(side, "_labels");
    };
    return has_labels(truth) || has_labels(pred);
}

inline std::size_t row_named(std::string_view name) {
    std::size_t row = 0;
    while (catalog.at(row).name != name) ++row;
    return row;
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

// (indices of the truth, indices of the prediction, cuts of the truth, cuts of the prediction)
inline nb::tuple matched_pairs(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration, nb::handle margin,
                               nb::handle relative_margin, bool closest) {
    return with_sides(truth, pred, n, duration, [&](const auto& sides) {
        using T = std::remove_const_t<decltype(sides.n)>;
        const auto given = load_margin(margin, relative_margin, sides.n);
        if (!given.has_value()) raise_type("match" + std::string(no_margin));
        const T reach = *given;
        if (sides.has_labels()) throw CutError("match" + std::string(no_labels));
        std::vector<std::size_t> truth_found, pred_found;
        unlocked(
            sides,
            [&] {
                const auto found = [&](std::size_t i, std::size_t j) {
                    truth_found.push_back(i);
                    pred_found.push_back(j);
                };
                const Pause pause{check_signals};
                closest ? match_closest(sides.truth, sides.pred, reach, found, pause)
                        : match(sides.truth, sides.pred, reach, found, pause);
            },
            closest);
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
auto with_points(const char* name, nb::handle truth, nb::handle pred, nb::handle n, const Use& use) {
    return with_sides(truth, pred, n, nb::none(), [&](const auto& sides) {
        using T = std::remove_const_t<decltype(sides.n)>;
        if constexpr (std::is_integral_v<T>) {
            if (sides.has_labels()) throw CutError(std::string(name) + std::string(no_labels));
            return use(sides);
        } else {
            throw CutError(std::string(name) + " counts points; expected n=, not duration=");
            return use({});
        }
    });
}

inline nb::list window_curve(nb::handle truth, nb::handle pred, nb::handle n, const nb::list& given, bool is_pk,
                             bool weighted, bool lamprier) {
    return with_points(is_pk ? "pk_curve" : "window_diff_curve", truth, pred, n, [&](const Sides<std::int64_t>& sides) {
        std::vector<std::int64_t> windows;
        for (const nb::handle k : given) windows.push_back(load_positive(k, "k"));
        std::vector<double> values;
        unlocked(
            sides,
            [&] {
                for (const std::int64_t k : windows) {
                    const Pause pause{check_signals};
                    pause();
                    values.push_back(is_pk
                                         ? pk(sides.truth, sides.pred, sides.n, k, pause)
                                         : window_diff(sides.truth, sides.pred, sides.n, k, weighted, lamprier, pause));
                }
            },
            true);
        return to_list(std::span<const double>(values));
    });
}

// The edits themselves, in the order of their kind's discovery.
struct EditLists {
    std::vector<std::int64_t> matched_cuts, missed_cuts, added_cuts;
    std::vector<std::pair<std::int64_t, std::int64_t>> moves;

    void matched(std::int64_t cut) { matched_cuts.push_back(cut); }
    void moved(std::int64_t truth, std::int64_t pred) { moves.emplace_back(truth, pred); }
    void missed(std::int64_t cut) { missed_cuts.push_back(cut); }
    void added(std::int64_t cut) { added_cuts.push_back(cut); }
};

inline nb::tuple boundary_edits_of(nb::handle truth, nb::handle pred, nb::handle n, nb::handle given) {
    const std::int64_t n_t = load_positive(given, "n_t");
    return with_points("boundary_edits", truth, pred, n, [&](const Sides<std::int64_t>& sides) {
        EditLists edits;
        unlocked(sides, [&] { visit_edits(sides.truth, sides.pred, n_t, edits, {check_signals}); }, true);
        nb::list moved;
        for (const auto& [from, to] : edits.moves) moved.append(nb::make_tuple(from, to));
        return nb::make_tuple(to_list(Points(edits.matched_cuts)), moved, to_list(Points(edits.missed_cuts)),
                              to_list(Points(edits.added_cuts)));
    });
}

inline nb::list best_ious(nb::handle truth, nb::handle pred, nb::handle n) {
    return with_points("best_ious", truth, pred, n, [&](const Sides<std::int64_t>& sides) {
        BestIous ious;
        unlocked(sides, [&] { walk_checked(sides.truth, sides.pred, sides.n, ious); });
        return to_list(std::span<const double>(ious.found));
    });
}

inline void define_scores(nb::module_& module) {
    using namespace nb::literals;
    module.def("metrics", &metrics);
    module.def(
        "score",
        [](std::size_t row, nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration) {
            return score(row, truth, pred, n, duration, Options{});
        },
        "row"_a, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "duration"_a.none());
    module.def("score_at_margin", &score_at_margin, "row"_a, "truth"_a.none(), "pred"_a.none(), "n"_a.none(),
               "duration"_a.none(), "margin"_a.none(), "relative_margin"_a.none(), "beta"_a.none());
    module.def(
        "score_information",
        [](std::size_t row, nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration, nb::handle average,
           nb::handle beta) {
            Options options;
            options.average = load_average(average);
            options.beta = load_nonnegative(beta, "beta");
            return score(row, truth, pred, n, duration, options);
        },
        "row"_a, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "duration"_a.none(), "average"_a.none(),
        "beta"_a.none());
    module.def(
        "score_overlap",
        [](std::size_t row, nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration, bool symmetric) {
            Options options;
            options.symmetric = symmetric;
            return score(row, truth, pred, n, duration, options);
        },
        "row"_a, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "duration"_a.none(), "symmetric"_a);
    module.def(
        "score_windows",
        [](std::size_t row, nb::handle truth, nb::handle pred, nb::handle n, nb::handle k, bool weighted,
           bool lamprier) {
            Options options;
            if (!k.is_none()) options.k = load_positive(k, "k");
            options.weighted = weighted;
            options.lamprier = lamprier;
            return score(row, truth, pred, n, nb::none(), options);
        },
        "row"_a, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "k"_a.none(), "weighted"_a, "lamprier"_a);
    module.def(
        "score_edits",
        [](std::size_t row, nb::handle truth, nb::handle pred, nb::handle n, nb::handle n_t) {
            Options options;
            options.n_t = load_positive(n_t, "n_t");
            return score(row, truth, pred, n, nb::none(), options);
        },
        "row"_a, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "n_t"_a.none());
    module.def(
        "score_shifts",
        [](std::size_t row, nb::handle truth, nb::handle pred, nb::handle n, nb::handle insertion, nb::handle deletion,
           nb::handle shift) {
            Options options;
            options.insertion = load_cost(insertion, "insertion");
            options.deletion = load_cost(deletion, "deletion");
            options.shift = load_cost(shift, "shift");
            return score(row, truth, pred, n, nb::none(), options);
        },
        "row"_a, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "insertion"_a.none(), "deletion"_a.none(),
        "shift"_a.none());
    module.def("scores", &scores, "names"_a, "rows"_a, "truth"_a.none(), "pred"_a.none(), "n"_a.none(),
               "duration"_a.none(), "margin"_a.none(), "relative_margin"_a.none());
    module.def("match", &matched_pairs, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "duration"_a.none(),
               "margin"_a.none(), "relative_margin"_a.none(), "closest"_a);
    module.def("information", &information_sums, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "duration"_a.none());
    module.def("window_curve", &window_curve, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "windows"_a, "is_pk"_a,
               "weighted"_a, "lamprier"_a);
    module.def("best_ious", &best_ious, "truth"_a.none(), "pred"_a.none(), "n"_a.none());
    module.def("boundary_edits", &boundary_edits_of, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "n_t"_a.none());
}

}  // namespace segscore
