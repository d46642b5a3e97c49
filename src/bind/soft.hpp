// Soft segmentations for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "../core/cuts.hpp"
#include "../core/pace.hpp"
#include "../core/pairs.hpp"
#include "../core/soft.hpp"
#include "load.hpp"
#include "options.hpp"
#include "values.hpp"

namespace segscore {

[[noreturn]] inline void refuse_probability(const std::string& where, double value) {
    throw InputError(where + " = " + text(value) + " is not a probability; expected a number from 0 to 1");
}
[[noreturn]] inline void refuse_logit(const std::string& where) {
    throw InputError(where + " = nan is not a number; expected logits, which may be infinite");
}

// (probabilities, keeps) as bytes of doubles, from probabilities or from logits.
inline nb::tuple load_chances(nb::handle given, const char* name, bool is_logits) {
    const std::vector<double> values = all_values<double>(given, name);
    std::vector<double> cuts(values.size()), keeps(values.size());
    Pace pace;
    for (std::size_t k = 0; k < values.size(); ++k, pace.step()) {
        const auto here = [&] { return std::string(name) + "[" + std::to_string(k) + "]"; };
        if (is_logits && std::isnan(values[k])) refuse_logit(here());
        if (!is_logits && !(values[k] >= 0 && values[k] <= 1)) refuse_probability(here(), values[k]);
        // Adding 0 turns -0 into 0, so that equal probabilities have equal bytes.
        const Chance chance = is_logits ? chance_of_logit(values[k]) : chance_of(values[k] + 0.0);
        cuts[k] = chance.cut;
        keeps[k] = chance.keep;
    }
    return nb::make_tuple(to_bytes(std::span<const double>(cuts)), to_bytes(std::span<const double>(keeps)));
}

// The chances of one side, as the bytes that load_chances made, or None for a side whose cuts are certain.
template <class T>
SoftCuts<T> with_chances(std::span<const T> cuts, nb::handle chances) {
    if (chances.is_none()) return SoftCuts<T>(cuts);
    const auto read = [&](std::size_t part) {
        const nb::object bytes = chances[part];
        if (!PyBytes_CheckExact(bytes.ptr()) ||
            static_cast<std::size_t>(PyBytes_Size(bytes.ptr())) != cuts.size() * sizeof(double))
            refuse_change();
        return std::span(reinterpret_cast<const double*>(PyBytes_AsString(bytes.ptr())), cuts.size());
    };
    return SoftCuts<T>(cuts, read(0), read(1));
}

// Loads both sides with their chances, and runs use(truth, pred, length), without the interpreter's lock if that is
// worth it.
template <class Use>
auto with_soft_sides(const char* name, nb::handle truth, nb::handle truth_chances, nb::handle pred,
                     nb::handle pred_chances, nb::handle n, nb::handle duration, const Use& use) {
    return with_sides(truth, pred, n, duration, [&](const auto& sides) {
        if (sides.has_labels()) refuse_labels(name);
        const auto truth_cuts = with_chances(sides.truth, truth_chances);
        const auto pred_cuts = with_chances(sides.pred, pred_chances);
        return unlocked(truth_cuts.size() + pred_cuts.size(), false,
                        [&] { return use(truth_cuts, pred_cuts, sides.n); });
    });
}

// (Rand Index, Rand distance)
inline nb::tuple soft_rand(nb::handle truth, nb::handle truth_chances, nb::handle pred, nb::handle pred_chances,
                           nb::handle n, nb::handle duration, const char* name) {
    const auto walk = [](const auto& one, const auto& other, auto length) {
        return soft_pairs(one, other, length, SoftDisagreement());
    };
    const Pairs<double> pairs = with_soft_sides(name, truth, truth_chances, pred, pred_chances, n, duration, walk);
    return nb::make_tuple(rand_index(pairs), rand_distance(pairs));
}

// (both, only the truth, only the prediction, neither, then the scores of these counts: precision, recall, F1, Jaccard
// index, adjusted Rand Index)
inline nb::tuple soft_counts(nb::handle truth, nb::handle truth_chances, nb::handle pred, nb::handle pred_chances,
                             nb::handle n, nb::handle duration) {
    const auto walk = [](const auto& one, const auto& other, auto length) {
        return soft_pairs(one, other, length, SoftPairCounts(std::is_integral_v<decltype(length)>));
    };
    const Pairs<double> pairs =
        with_soft_sides("soft_pair_counts", truth, truth_chances, pred, pred_chances, n, duration, walk);
    return nb::make_tuple(pairs.both * pairs.unit, pairs.truth_only * pairs.unit, pairs.pred_only * pairs.unit,
                          pairs.neither * pairs.unit, pair_precision(pairs), pair_recall(pairs), pair_f1(pairs),
                          jaccard_index(pairs), adjusted_rand_index(pairs));
}

// The mean of the squared errors of the probabilities over all gaps; 0 without a gap.
inline double soft_brier(nb::handle truth, nb::handle truth_chances, nb::handle pred, nb::handle pred_chances,
                         nb::handle n) {
    const auto walk = [](const auto& one, const auto& other, auto length) {
        SoftSquares squares;
        walk_soft(one, other, length, 1, squares);
        return length < 2 ? 0.0 : squares.sum.value() / (static_cast<double>(length) - 1);
    };
    return with_soft_sides("soft_brier", truth, truth_chances, pred, pred_chances, n, nb::none(), walk);
}

// (probabilities that the prediction has a cut within the margin of each predicted cut, whether the truth has one)
inline nb::tuple near_chances(nb::handle truth, nb::handle pred, nb::handle pred_chances, nb::handle n,
                              nb::handle duration, nb::handle margin, nb::handle relative_margin) {
    const Margin given = load_margin(margin, relative_margin, {truth, pred});
    if (!given.is_given()) raise_type("soft_calibration" + std::string(no_margin));
    return with_sides(truth, pred, n, duration, [&](const auto& sides) {
        const auto pred_cuts = with_chances(sides.pred, pred_chances);
        using T = std::remove_cvref_t<decltype(sides.n)>;
        const T reach = checked_distance<T>(given, "margin").within(sides.n);
        const std::vector<NearCut> found = unlocked(sides.truth.size() + pred_cuts.size(), false,
                                                    [&] { return near_cuts(sides.truth, pred_cuts, reach); });
        std::vector<double> chances, hits;
        for (const NearCut& each : found) {
            chances.push_back(each.probability);
            hits.push_back(each.is_true ? 1 : 0);
        }
        return nb::make_tuple(to_bytes(std::span<const double>(chances)), to_bytes(std::span<const double>(hits)));
    });
}

// The cuts with the highest expected Rand Index, whose segments have at least a length.
inline nb::list soft_best_cuts(nb::handle pred, nb::handle pred_chances, nb::handle n, nb::handle duration,
                               nb::handle least_length) {
    return with_sides(pred, pred, n, duration, [&](const auto& sides) {
        using T = std::remove_cvref_t<decltype(sides.n)>;
        T least = std::is_integral_v<T> ? 1 : 0;
        if (!least_length.is_none()) {
            if constexpr (std::is_integral_v<T>)
                least = load_positive(in_unit(least_length, "least_length", {pred, pred}), "least_length");
            else
                least = load_nonnegative(least_length, "least_length");
            if (least > sides.n)
                throw InputError("least_length = " + text(least) + " exceeds " +
                                 (std::is_integral_v<T> ? "n = " : "duration = ") + text(sides.n) +
                                 "; expected a length that one segment can have");
        }
        const auto cuts = with_chances(sides.pred, pred_chances);
        const std::vector<T> found = unlocked(0, true, [&] { return best_cuts(cuts, sides.n, least); });
        return to_list(std::span<const T>(found));
    });
}

inline void define_soft(nb::module_& module) {
    using namespace nb::literals;
    module.def("load_chances", &load_chances, "values"_a.none(), "name"_a, "is_logits"_a);
    const auto define = [&](const char* name, auto function, const auto&... more) {
        module.def(name, function, "truth"_a.none(), "truth_chances"_a.none(), "pred"_a.none(), "pred_chances"_a.none(),
                   "n"_a.none(), "duration"_a.none(), more...);
    };
    define("soft_rand", &soft_rand, "name"_a);
    define("soft_counts", &soft_counts);
    module.def("soft_brier", &soft_brier, "truth"_a.none(), "truth_chances"_a.none(), "pred"_a.none(),
               "pred_chances"_a.none(), "n"_a.none());
    module.def("near_chances", &near_chances, "truth"_a.none(), "pred"_a, "pred_chances"_a, "n"_a.none(),
               "duration"_a.none(), "margin"_a.none(), "relative_margin"_a.none());
    module.def("soft_best_cuts", &soft_best_cuts, "pred"_a, "pred_chances"_a, "n"_a.none(), "duration"_a.none(),
               "least_length"_a.none());
}

}  // namespace segscore
