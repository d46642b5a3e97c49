// Scores between many segmentations, and the nearest of them, for Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "../core/catalog.hpp"
#include "../core/cuts.hpp"
#include "../core/evaluation.hpp"
#include "../core/nearest.hpp"
#include "../core/pause.hpp"
#include "interrupt.hpp"
#include "load.hpp"
#include "options.hpp"
#include "parallel.hpp"

namespace segscore {

using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Scores of each truth against each prediction, or of all pairs of truths if there are no predictions. The plan has one
// entry.
inline void score_matrix(const Plan& plan, nb::handle given_truths, nb::handle given_preds, nb::handle n,
                         std::size_t threads, Matrix result) {
    const auto& [metric, options] = plan.entries.at(0);
    const bool square = given_preds.is_none();
    const Segmentations truths = load_segmentations(given_truths, square ? "segmentations" : "a", n);
    const Segmentations others = square ? Segmentations{} : load_segmentations(given_preds, "b", n, truths);
    const Segmentations& preds = square ? truths : others;
    double* const values = result.data();
    const std::size_t width = preds.size();
    const bool mirrored = square && metric->symmetric;
    in_parallel(truths.size(), threads, [&](std::size_t i, const Pause& pause) {
        Pace pace(pause);
        const auto set = [&](std::size_t j, const Evaluation<std::int64_t>& evaluation) {
            const double value = finalized(*metric, options, evaluation);
            values[i * width + j] = value;
            if (mirrored) values[j * width + i] = value;
        };
        std::size_t j = mirrored ? i : 0;
        for (; j + 3 <= width; j += 3) {
            pace.step(3 * truths[i].size() + preds[j].size() + preds[j + 1].size() + preds[j + 2].size());
            const auto three = Evaluation<std::int64_t>::of_three(truths[i], {preds[j], preds[j + 1], preds[j + 2]},
                                                                  truths.n, metric->needs, pause);
            for (std::size_t k = 0; k < 3; ++k) set(j + k, three[k]);
        }
        for (; j < width; ++j) {
            pace.step(1 + truths[i].size() + preds[j].size());
            set(j, Evaluation(Sides<std::int64_t>{truths[i], preds[j], truths.n}, metric->needs, pause));
        }
    });
}

// Writes the indices and the Rand distances of the nearest of each query, one row per query. Returns the number of
// distances that were computed.
inline std::size_t nearest_of(nb::handle segmentations, nb::handle queries, nb::handle n, std::size_t threads,
                              Indices indices, Matrix distances) {
    const Segmentations all = load_segmentations(segmentations, "segmentations", n);
    const Segmentations asked = load_segmentations(queries, "queries", n, all);
    const std::size_t k = indices.shape(1);
    const u128 total = pairs_among(all.n);
    std::vector<std::size_t> looked_at(asked.size(), 0);
    if (k > 0) {
        const auto neighbours = [&] {
            const nb::gil_scoped_release released;
            return Neighbours(all, asked.size(), {check_signals});
        }();
        in_parallel(asked.size(), threads, [&](std::size_t q, const Pause& pause) {
            std::size_t at = q * k;
            for (const auto& [pairs, index] : neighbours.search(asked[q], k, looked_at[q], pause)) {
                indices.data()[at] = static_cast<std::int64_t>(index);
                distances.data()[at++] = total == 0 ? 0.0 : ratio(pairs, total);
            }
        });
    }
    return std::accumulate(looked_at.begin(), looked_at.end(), std::size_t{0});
}

inline void define_matrices(nb::module_& module) {
    using namespace nb::literals;
    module.def("score_matrix", &score_matrix, "plan"_a, "truths"_a, "preds"_a.none(), "n"_a.none(), "threads"_a,
               "result"_a);
    module.def("nearest", &nearest_of, "segmentations"_a, "queries"_a, "n"_a.none(), "threads"_a, "indices"_a,
               "distances"_a);
}

}  // namespace segscore
