// Scores between many segmentations, and the nearest of them, for Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>
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

// Scores of one truth against the predictions from `first` on: calls set(index, score).
template <class Set>
void score_row(const Plan::Entry& entry, Points truth, const Segmentations& preds, std::size_t first,
               const Pause& pause, const Set& set) {
    const auto& [metric, options] = entry;
    Pace pace(pause);
    std::size_t j = first;
    for (; j + 3 <= preds.size(); j += 3) {
        pace.step(3 * truth.size() + preds[j].size() + preds[j + 1].size() + preds[j + 2].size());
        const auto three = Evaluation<std::int64_t>::of_three(truth, {preds[j], preds[j + 1], preds[j + 2]}, preds.n,
                                                              metric->needs, pause);
        for (std::size_t k = 0; k < 3; ++k) set(j + k, finalized(*metric, options, three[k]));
    }
    for (; j < preds.size(); ++j) {
        pace.step(1 + truth.size() + preds[j].size());
        const Evaluation one(Sides<std::int64_t>{truth, preds[j], preds.n}, metric->needs, pause);
        set(j, finalized(*metric, options, one));
    }
}

// Scores of each truth against each prediction, or of all pairs of truths if there are no predictions. The plan has one
// entry.
inline void score_matrix(const Plan& plan, nb::handle given_truths, nb::handle given_preds, nb::handle n,
                         std::size_t threads, Matrix result) {
    const Plan::Entry& entry = plan.entries.at(0);
    const bool square = given_preds.is_none();
    const Segmentations truths = load_segmentations(given_truths, square ? "segmentations" : "a", n);
    const Segmentations others = square ? Segmentations{} : load_segmentations(given_preds, "b", n, truths);
    const Segmentations& preds = square ? truths : others;
    double* const values = result.data();
    const std::size_t width = preds.size();
    const bool mirrored = square && entry.metric->symmetric;
    in_parallel(truths.size(), threads, [&](std::size_t i, const Pause& pause) {
        score_row(entry, truths[i], preds, mirrored ? i : 0, pause, [&](std::size_t j, double value) {
            values[i * width + j] = value;
            if (mirrored) values[j * width + i] = value;
        });
    });
}

// The predictions with the k best scores of a truth: the score and the index of each. Scores that are nan come last,
// and ties go to the first.
inline std::vector<std::pair<double, std::size_t>> best_of(const Plan::Entry& entry, Points truth,
                                                           const Segmentations& preds, std::size_t k,
                                                           const Pause& pause) {
    std::vector<std::pair<double, std::size_t>> found;
    found.reserve(preds.size());
    score_row(entry, truth, preds, 0, pause, [&](std::size_t j, double value) { found.emplace_back(value, j); });
    const auto rank = [is_distance = entry.metric->best == 0](const std::pair<double, std::size_t>& one) {
        return std::tuple(std::isnan(one.first),
                          std::isnan(one.first) ? 0
                          : is_distance         ? one.first
                                                : -one.first,
                          one.second);
    };
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(k);
    std::partial_sort(found.begin(), end, found.end(),
                      [&](const auto& one, const auto& other) { return rank(one) < rank(other); });
    found.resize(k);
    return found;
}

// Writes the indices and the scores of the nearest of each query, one row per query. Returns the number of pairs of
// segmentations that were compared. Metrics that depend only on the number of pairs of points treated differently have
// the same neighbours as the Rand distance, which are found without comparing all.
inline std::size_t nearest_of(const Plan& plan, nb::handle segmentations, nb::handle queries, nb::handle n,
                              std::size_t threads, Indices indices, Matrix scores) {
    const Plan::Entry& entry = plan.entries.at(0);
    const Segmentations all = load_segmentations(segmentations, "segmentations", n);
    const Segmentations asked = load_segmentations(queries, "queries", n, all);
    const std::size_t k = indices.shape(1);
    const auto write = [&](std::size_t at, std::size_t index, double value) {
        indices.data()[at] = static_cast<std::int64_t>(index);
        scores.data()[at] = value;
    };
    if (k > 0 && entry.metric->needs != Need::disagreement) {
        in_parallel(asked.size(), threads, [&](std::size_t q, const Pause& pause) {
            std::size_t at = q * k;
            for (const auto& [value, index] : best_of(entry, asked[q], all, k, pause)) write(at++, index, value);
        });
        return asked.size() * all.size();
    }
    std::vector<std::size_t> looked_at(asked.size(), 0);
    if (k > 0) {
        const auto neighbours = [&] {
            const nb::gil_scoped_release released;
            return Neighbours(all, asked.size(), {check_signals});
        }();
        in_parallel(asked.size(), threads, [&](std::size_t q, const Pause& pause) {
            std::size_t at = q * k;
            for (const auto& [pairs, index] : neighbours.search(asked[q], k, looked_at[q], pause)) {
                const Sides<std::int64_t> sides{asked[q], all[index], all.n};
                write(at++, index,
                      finalized(*entry.metric, entry.options, Evaluation(sides, Need::disagreement, pause)));
            }
        });
    }
    return std::accumulate(looked_at.begin(), looked_at.end(), std::size_t{0});
}

inline void define_matrices(nb::module_& module) {
    using namespace nb::literals;
    module.def("score_matrix", &score_matrix, "plan"_a, "truths"_a, "preds"_a.none(), "n"_a.none(), "threads"_a,
               "result"_a);
    module.def("nearest", &nearest_of, "plan"_a, "segmentations"_a, "queries"_a, "n"_a.none(), "threads"_a, "indices"_a,
               "scores"_a);
}

}  // namespace segscore
