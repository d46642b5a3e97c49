// Chance for Python: what is expected, what is drawn, and who is to blame.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../core/catalog.hpp"
#include "../core/explain.hpp"
#include "../core/random.hpp"
#include "scores.hpp"

namespace segscore {

inline Points points_of(const nb::bytes& cuts) {
    return {reinterpret_cast<const std::int64_t*>(cuts.c_str()), cuts.size() / sizeof(std::int64_t)};
}

// The score of the pair itself, and those of as many draws under a null.
inline nb::tuple drawn_scores(std::size_t row, const nb::bytes& truth, const nb::bytes& pred, std::int64_t n, int null,
                              double p, std::size_t draws, std::uint64_t seed, nb::handle margin) {
    const Row& chosen = catalog.at(row);
    Options options;
    options.pause = {check_signals};
    const auto given = load_margin<std::int64_t>(margin, nb::none(), n);
    if ((chosen.needs & Need::matching) != 0 && !given.has_value())
        raise_type(std::string(chosen.name) + std::string(no_margin));
    set_margin(options, given.value_or(0));
    double observed = 0;
    std::vector<double> scores;
    {
        const nb::gil_scoped_release released;
        const auto scored = [&](Points left, Points right) {
            return chosen.in_points(Evaluation(Sides<std::int64_t>{left, right, n}, options, chosen.needs));
        };
        observed = scored(points_of(truth), points_of(pred));
        Draws drawn(static_cast<Null>(null), points_of(truth), points_of(pred), n, p, seed);
        scores.reserve(draws);
        Pace pace(options.pause);
        for (std::size_t k = 0; k < draws; ++k) {
            drawn.next();
            pace.step(1 + drawn.truth().size() + drawn.pred().size());
            scores.push_back(scored(drawn.truth(), drawn.pred()));
        }
    }
    return nb::make_tuple(observed, to_list(std::span<const double>(scores)));
}

// Random segmentations, each the bytes of its cuts. `pred` says how many cuts, or which lengths.
inline nb::list drawn_cuts(const nb::bytes& pred, std::int64_t n, int null, double p, std::size_t count,
                           std::uint64_t seed) {
    Draws drawn(static_cast<Null>(null), {}, points_of(pred), n, p, seed);
    nb::list found;
    for (std::size_t k = 0; k < count; ++k) {
        check_signals();
        {
            const nb::gil_scoped_release released;
            drawn.next();
        }
        found.append(nb::bytes(drawn.pred().data(), drawn.pred().size_bytes()));
    }
    return found;
}

// (cells, predicted, missed, matched), each a list of tuples, and n.
inline nb::tuple explained(nb::handle truth, nb::handle pred, nb::handle n) {
    return with_points("explain", truth, pred, n, [&](const Sides<std::int64_t>& sides) {
        const Blame blame = unlocked(sides, [&] { return explain(sides.truth, sides.pred, sides.n); });
        const auto signed_integer = [](i128 value) {
            const nb::object magnitude = to_integer(static_cast<u128>(value < 0 ? -value : value));
            return value < 0 ? -magnitude : magnitude;
        };
        nb::list cells, predicted, missed, matched;
        for (const auto& cell : blame.cells) cells.append(nb::make_tuple(cell.start, cell.end, to_integer(cell.pairs)));
        for (const auto& [cut, change] : blame.predicted) predicted.append(nb::make_tuple(cut, signed_integer(change)));
        for (const auto& [cut, change] : blame.missed) missed.append(nb::make_tuple(cut, signed_integer(change)));
        for (const auto& pair : blame.matched)
            matched.append(nb::make_tuple(pair.truth, pair.pred, signed_integer(pair.cost)));
        return nb::make_tuple(cells, predicted, missed, matched, sides.n);
    });
}

inline void define_chance(nb::module_& module) {
    using namespace nb::literals;
    module.def(
        "expected_disagreement",
        [](const nb::bytes& truth, std::int64_t n, std::int64_t r) {
            return expected_disagreement(points_of(truth), n, r);
        },
        "truth"_a, "n"_a, "r"_a);
    module.def("log_chance_to_miss", &log_chance_to_miss, "n"_a, "length"_a, "m"_a);
    module.def("expected_disagreement_of_both", &expected_disagreement_of_both, "n"_a, "r"_a, "s"_a);
    module.def(
        "expected_disagreement_of_bernoulli",
        [](const nb::bytes& truth, std::int64_t n, double p) {
            return expected_disagreement_of_bernoulli(points_of(truth), n, p);
        },
        "truth"_a, "n"_a, "p"_a);
    module.def("drawn_scores", &drawn_scores, "row"_a, "truth"_a, "pred"_a, "n"_a, "null"_a, "p"_a, "draws"_a, "seed"_a,
               "margin"_a.none());
    module.def("drawn_cuts", &drawn_cuts, "pred"_a, "n"_a, "null"_a, "p"_a, "count"_a, "seed"_a);
    module.def("explain", &explained, "truth"_a.none(), "pred"_a.none(), "n"_a.none());
}

}  // namespace segscore
