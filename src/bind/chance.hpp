// Chance for Python: expected values and random draws.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../core/chance.hpp"
#include "../core/cuts.hpp"
#include "../core/evaluation.hpp"
#include "../core/pause.hpp"
#include "../core/random.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "values.hpp"

namespace segscore {

inline Points points_of(const nb::bytes& cuts) {
    return {reinterpret_cast<const std::int64_t*>(cuts.c_str()), cuts.size() / sizeof(std::int64_t)};
}

// The score of the pair itself, and the scores of random draws under a null hypothesis. The plan has one entry.
inline nb::tuple drawn_scores(const Plan& plan, const nb::bytes& truth, const nb::bytes& pred, std::int64_t n, int null,
                              double p, std::size_t draws, std::uint64_t seed) {
    const auto& [metric, options] = plan.entries.at(0);
    double observed = 0;
    std::vector<double> scores;
    {
        const nb::gil_scoped_release released;
        const Pause pause{check_signals};
        const auto scored = [&](Points left, Points right) {
            return finalized(*metric, options, Evaluation(Sides<std::int64_t>{left, right, n}, metric->needs, pause));
        };
        observed = scored(points_of(truth), points_of(pred));
        Draws drawn(static_cast<Null>(null), points_of(truth), points_of(pred), n, p, seed, pause);
        scores.reserve(draws);
        Pace pace(pause);
        for (std::size_t k = 0; k < draws; ++k) {
            drawn.next();
            pace.step(1 + drawn.truth().size() + drawn.pred().size());
            scores.push_back(scored(drawn.truth(), drawn.pred()));
        }
    }
    return nb::make_tuple(observed, to_list(std::span<const double>(scores)));
}

// Random segmentations, each as the bytes of its cuts. `pred` gives the number of cuts, or the lengths to shuffle.
inline nb::list drawn_cuts(const nb::bytes& pred, std::int64_t n, int null, double p, std::size_t count,
                           std::uint64_t seed) {
    Draws drawn(static_cast<Null>(null), {}, points_of(pred), n, p, seed, {check_signals});
    nb::list found;
    for (std::size_t k = 0; k < count; ++k) {
        check_signals();
        {
            const nb::gil_scoped_release released;
            drawn.next();
        }
        found.append(to_bytes(drawn.pred()));
    }
    return found;
}

inline void define_chance(nb::module_& module) {
    using namespace nb::literals;
    module.def(
        "expected_disagreement",
        [](const nb::bytes& truth, std::int64_t n, std::int64_t r) {
            return expected_disagreement(points_of(truth), n, r, {check_signals});
        },
        "truth"_a, "n"_a, "r"_a);
    module.def("log_chance_to_miss", &log_chance_to_miss, "n"_a, "length"_a, "m"_a);
    module.def("expected_disagreement_of_both", &expected_disagreement_of_both, "n"_a, "r"_a, "s"_a);
    module.def(
        "expected_disagreement_of_bernoulli",
        [](const nb::bytes& truth, std::int64_t n, double p) {
            return expected_disagreement_of_bernoulli(points_of(truth), n, p, {check_signals});
        },
        "truth"_a, "n"_a, "p"_a);
    module.def("drawn_scores", &drawn_scores, "plan"_a, "truth"_a, "pred"_a, "n"_a, "null"_a, "p"_a, "draws"_a,
               "seed"_a);
    module.def("drawn_cuts", &drawn_cuts, "pred"_a, "n"_a, "null"_a, "p"_a, "count"_a, "seed"_a);
}

}  // namespace segscore
