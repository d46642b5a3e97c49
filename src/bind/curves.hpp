// Curves for Python: over all margins, and over all thresholds.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "../core/boundaries.hpp"
#include "../core/curves.hpp"
#include "../core/evaluation.hpp"
#include "../core/thresholds.hpp"
#include "chance.hpp"
#include "load.hpp"
#include "options.hpp"
#include "values.hpp"

namespace segscore {

// get(item) of each item, as a list of Python.
template <class Item, class Get>
nb::list to_list_of(const std::vector<Item>& items, const Get& get) {
    using Value = std::invoke_result_t<Get, const Item&>;
    std::vector<Value> values;
    values.reserve(items.size());
    for (const Item& item : items) values.push_back(get(item));
    return to_list(std::span<const Value>(values));
}

// (margins, matched pairs, precisions, recalls, values of F1, number of true cuts, number of predicted cuts, length)
inline nb::tuple margin_curve(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration) {
    return with_sides(truth, pred, n, duration, [&](const auto& sides) {
        using T = std::remove_cvref_t<decltype(sides.n)>;
        using Step = MarginStep<T>;
        const std::vector<Step> steps =
            unlocked(0, true, [&] { return MarginSteps<T>(sides.truth, sides.pred, sides.n).find(); });
        const auto at = [&](const Step& step) { return Matched{step.matched, sides.truth.size(), sides.pred.size()}; };
        return nb::make_tuple(to_list_of(steps, [](const Step& step) { return step.margin; }),
                              to_list_of(steps, [](const Step& step) { return step.matched; }),
                              to_list_of(steps, [&](const Step& step) { return at(step).precision(); }),
                              to_list_of(steps, [&](const Step& step) { return at(step).recall(); }),
                              to_list_of(steps, [&](const Step& step) { return at(step).f(1); }), sides.truth.size(),
                              sides.pred.size(), sides.n);
    });
}

template <class T>
double area_of(const nb::list& margins, const nb::list& matched, T n, const Margin& upto, std::size_t weight,
               std::size_t whole) {
    std::vector<MarginStep<T>> steps;
    for (std::size_t k = 0; k < margins.size(); ++k)
        steps.push_back({nb::cast<T>(margins[k]), nb::cast<std::size_t>(matched[k])});
    return mean_of_steps(std::span<const MarginStep<T>>(steps),
                         std::min(checked_distance<T>(upto, "margin").limited(n), n), weight, whole);
}

// The mean over the margins from 0 to `margin` of weight * (matched pairs) / whole, from the steps of a curve.
inline double margin_area(const nb::list& margins, const nb::list& matched, nb::handle n, nb::handle margin,
                          nb::handle relative_margin, std::size_t weight, std::size_t whole) {
    const Margin upto = load_margin(margin, relative_margin);
    if (!upto.is_given()) raise_type("area" + std::string(no_margin));
    if (PyFloat_Check(n.ptr())) return area_of(margins, matched, nb::cast<double>(n), upto, weight, whole);
    return area_of(margins, matched, nb::cast<std::int64_t>(n), upto, weight, whole);
}

// The confidence of each predicted cut.
inline std::vector<double> load_confidences(nb::handle given, std::size_t cuts) {
    std::vector<double> values = all_values<double>(given, "confidence");
    if (values.size() != cuts)
        throw InputError("confidence has " + count_text(values.size(), "value") + " for " +
                         count_text(cuts, "predicted cut") + "; expected one value per cut (0 and n are not cuts)");
    for (std::size_t k = 0; k < cuts; ++k)
        if (std::isnan(values[k]))
            throw InputError("confidence[" + std::to_string(k) + "] = nan is not a number; expected numbers");
    return values;
}

// (thresholds, kept cuts, matched pairs, precisions, recalls, values of F1, number of true cuts, average precision)
inline nb::tuple threshold_curve(nb::handle truth, nb::handle pred, nb::handle confidence, nb::handle n,
                                 nb::handle duration, nb::handle margin, nb::handle relative_margin, const char* name) {
    return with_sides(truth, pred, n, duration, [&](const auto& sides) {
        const Margin given = load_margin(margin, relative_margin, {truth, pred});
        if (!given.is_given()) raise_type(name + std::string(no_margin));
        using T = std::remove_cvref_t<decltype(sides.n)>;
        const T reach = checked_distance<T>(given, "margin").within(sides.n);
        const std::vector<double> confidences = load_confidences(confidence, sides.pred.size());
        using Step = ThresholdStep;
        const std::vector<Step> steps = unlocked(sides.truth.size() + sides.pred.size(), false, [&] {
            return threshold_steps(sides.truth, sides.pred, std::span<const double>(confidences), reach);
        });
        const auto at = [&](const Step& step) { return Matched{step.matched, sides.truth.size(), step.kept}; };
        return nb::make_tuple(to_list_of(steps, [](const Step& step) { return step.threshold; }),
                              to_list_of(steps, [](const Step& step) { return step.kept; }),
                              to_list_of(steps, [](const Step& step) { return step.matched; }),
                              to_list_of(steps, [&](const Step& step) { return at(step).precision(); }),
                              to_list_of(steps, [&](const Step& step) { return at(step).recall(); }),
                              to_list_of(steps, [&](const Step& step) { return at(step).f(1); }), sides.truth.size(),
                              average_precision(steps, sides.truth.size()));
    });
}

// The distance up to which two cuts are matched at a margin.
inline nb::object reach(nb::handle margin, nb::handle n) {
    return with_length(n, [&](auto length) {
        return nb::cast(checked_distance<decltype(length)>(load_margin(margin, nb::none()), "margin").within(length));
    });
}

inline void define_curves(nb::module_& module) {
    using namespace nb::literals;
    module.def("reach", &reach, "margin"_a, "n"_a);
    module.def("threshold_curve", &threshold_curve, "truth"_a.none(), "pred"_a.none(), "confidence"_a.none(),
               "n"_a.none(), "duration"_a.none(), "margin"_a.none(), "relative_margin"_a.none(), "name"_a);
    module.def("margin_curve", &margin_curve, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "duration"_a.none());
    module.def("margin_area", &margin_area, "margins"_a, "matched"_a, "n"_a, "margin"_a.none(),
               "relative_margin"_a.none(), "weight"_a, "whole"_a);
}

}  // namespace segscore
