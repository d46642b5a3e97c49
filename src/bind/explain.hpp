// The causes of the disagreement of two segmentations, for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "../core/evaluation.hpp"
#include "../core/exact.hpp"
#include "../core/explain.hpp"
#include "../core/pause.hpp"
#include "families.hpp"
#include "interrupt.hpp"
#include "load.hpp"
#include "values.hpp"

namespace segscore {

// (cells, predicted, missed, matched), each a list of tuples, and n.
inline nb::tuple explained(nb::handle truth, nb::handle pred, nb::handle n) {
    return with_points("explain", truth, pred, n, [&](const Sides<std::int64_t>& sides) {
        const Blame blame = unlocked(sides.truth.size() + sides.pred.size(), false,
                                     [&] { return explain(sides.truth, sides.pred, sides.n); });
        const auto signed_integer = [](i128 value) {
            const nb::object magnitude = to_integer(static_cast<u128>(value < 0 ? -value : value));
            return value < 0 ? -magnitude : magnitude;
        };
        Pace pace({check_signals});
        const auto listed = [&](const auto& found, const auto& to_tuple) {
            nb::list tuples;
            for (const auto& each : found) {
                pace.step(100);  // an object takes as long as some hundred cuts
                tuples.append(to_tuple(each));
            }
            return tuples;
        };
        const auto change = [&](const Blame::CutChange& each) {
            return nb::make_tuple(each.cut, signed_integer(each.change));
        };
        const nb::list cells = listed(blame.cells, [](const Blame::CellShare& cell) {
            return nb::make_tuple(cell.start, cell.end, to_integer(cell.pairs));
        });
        const nb::list predicted = listed(blame.predicted, change), missed = listed(blame.missed, change);
        const nb::list matched = listed(blame.matched, [&](const Blame::MatchedPair& pair) {
            return nb::make_tuple(pair.truth, pair.pred, signed_integer(pair.cost));
        });
        return nb::make_tuple(cells, predicted, missed, matched, sides.n);
    });
}

inline void define_explain(nb::module_& module) {
    using namespace nb::literals;
    module.def("explain", &explained, "truth"_a.none(), "pred"_a.none(), "n"_a.none());
}

}  // namespace segscore
