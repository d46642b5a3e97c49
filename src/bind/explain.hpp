// The causes of the disagreement of two segmentations, for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>
#include <vector>

#include "../core/evaluation.hpp"
#include "../core/explain.hpp"
#include "families.hpp"
#include "interrupt.hpp"
#include "load.hpp"
#include "values.hpp"

namespace segscore {

// (cells, predicted, missed, matched), each as the bytes of its causes, and n.
inline nb::tuple explained(nb::handle truth, nb::handle pred, nb::handle n) {
    return with_points("explain", truth, pred, n, [&](const Sides<std::int64_t>& sides) {
        const Blame blame = unlocked(sides.truth.size() + sides.pred.size(), false,
                                     [&] { return explain(sides.truth, sides.pred, sides.n, {check_signals}); });
        const auto listed = [](const std::vector<Cause>& causes) { return to_bytes(std::span<const Cause>(causes)); };
        return nb::make_tuple(listed(blame.cells), listed(blame.predicted), listed(blame.missed), listed(blame.matched),
                              sides.n);
    });
}

inline void define_explain(nb::module_& module) {
    using namespace nb::literals;
    module.def("explain", &explained, "truth"_a.none(), "pred"_a.none(), "n"_a.none());
}

}  // namespace segscore
