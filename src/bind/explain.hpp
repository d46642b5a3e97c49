// The causes of the disagreement of two segmentations, for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <span>
#include <type_traits>
#include <vector>

#include "../core/evaluation.hpp"
#include "../core/explain.hpp"
#include "load.hpp"
#include "options.hpp"
#include "values.hpp"

namespace segscore {

// (cells, predicted, missed, matched), each as the bytes of its causes, and the length.
inline nb::tuple explained(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration) {
    return with_sides(truth, pred, n, duration, [&](const auto& sides) {
        if (sides.has_labels()) refuse_labels("explain");
        using T = std::remove_cvref_t<decltype(sides.n)>;
        const Blame<T> blame = unlocked(sides.truth.size() + sides.pred.size(), false,
                                        [&] { return explain(sides.truth, sides.pred, sides.n); });
        const auto listed = [](const std::vector<Cause<T>>& causes) {
            return to_bytes(std::span<const Cause<T>>(causes));
        };
        return nb::make_tuple(listed(blame.cells), listed(blame.predicted), listed(blame.missed), listed(blame.matched),
                              sides.n);
    });
}

inline void define_explain(nb::module_& module) {
    using namespace nb::literals;
    module.def("explain", &explained, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "duration"_a.none());
}

}  // namespace segscore
