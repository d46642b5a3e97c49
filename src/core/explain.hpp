// The causes of the disagreement of two segmentations, and the effect of each cut.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boundaries.hpp"
#include "cuts.hpp"
#include "exact.hpp"
#include "pairs.hpp"
#include "pause.hpp"
#include "sorting.hpp"
#include "walk.hpp"

namespace segscore {

// Two places, and a number of pairs of points.
struct Cause {
    std::int64_t first, second;
    i128 pairs;
};

// The most harmful causes come first.
struct Blame {
    // The start and the end of each cell, and its share of the disagreement: its length times the distance between the
    // ends of its two segments.
    std::vector<Cause> cells;
    // Each cut, twice, and the change of the disagreement if the cut is removed (predicted) or added (missed).
    std::vector<Cause> predicted, missed;
    // A true cut and a predicted cut, each the nearest to the other, and the pairs that the displacement costs.
    std::vector<Cause> matched;
};

inline i128 area(std::int64_t width, std::int64_t height) { return i128{width} * height; }

// The input is read several times, so it is copied: another thread may rewrite the original.
inline Blame explain(std::span<const std::int64_t> given_truth, std::span<const std::int64_t> given_pred,
                     std::int64_t n, const Pause& pause) {
    Pace pace(pause);
    const auto copied = [&](std::span<const std::int64_t> cuts) {
        std::vector<std::int64_t> copy;
        copy.reserve(cuts.size());
        for (const std::int64_t cut : cuts) {
            copy.push_back(cut);
            pace.step();
        }
        visit_lengths(std::span<const std::int64_t>(copy), n, [](std::int64_t) {}, pause);
        return copy;
    };
    const std::vector<std::int64_t> truth_copy = copied(given_truth), pred_copy = copied(given_pred);
    const std::span<const std::int64_t> truth(truth_copy), pred(pred_copy);
    Blame blame;
    const auto collect = [&](const Cell<std::int64_t>& cell) {
        const std::int64_t end = std::min(cell.truth_end, cell.pred_end);
        const auto ends_apart = static_cast<std::uint64_t>(apart(cell.truth_end, cell.pred_end));
        const u128 pairs = u128{static_cast<std::uint64_t>(cell.length)} * ends_apart;
        blame.cells.push_back({end - cell.length, end, static_cast<i128>(pairs)});
    };
    blame.cells.reserve(truth.size() + pred.size() + 1);
    blame.predicted.reserve(pred.size());
    for (auto* causes : {&blame.missed, &blame.matched}) causes->reserve(truth.size());
    walk_checked(truth, pred, n, collect, pause);

    // The segment of one side around a cut of the other: from the last cut before it to the first behind it, where the
    // cut itself may be one of them.
    const auto before = [](std::span<const std::int64_t> cuts, std::size_t k) { return k > 0 ? cuts[k - 1] : 0; };
    const auto at = [n](std::span<const std::int64_t> cuts, std::size_t k) { return k < cuts.size() ? cuts[k] : n; };

    for (std::size_t j = 0, i = 0; j < pred.size(); ++j) {
        pace.step();
        const std::int64_t cut = pred[j], left = before(pred, j), right = at(pred, j + 1);
        while (i < truth.size() && truth[i] < cut) ++i;
        // Without the cut, the pairs across it come together: those together in the truth agree, the others disagree.
        const bool is_true = i < truth.size() && truth[i] == cut;
        const i128 across = area(cut - left, right - cut);
        const i128 together =
            is_true ? 0 : area(cut - std::max(left, before(truth, i)), std::min(right, at(truth, i)) - cut);
        blame.predicted.push_back({cut, cut, across - 2 * together});
    }
    for (std::size_t i = 0, j = 0; i < truth.size(); ++i) {
        pace.step();
        const std::int64_t cut = truth[i];
        while (j < pred.size() && pred[j] < cut) ++j;
        if (j < pred.size() && pred[j] == cut) continue;
        // With the cut, the pairs across it come apart, as in the truth.
        blame.missed.push_back({cut, cut, -area(cut - before(pred, j), at(pred, j) - cut)});
    }
    // Mutually nearest cuts; ties go to the left. No cut of either side lies between the two.
    const auto nearest = [](std::span<const std::int64_t> cuts, std::size_t& place, std::int64_t cut) {
        while (place + 1 < cuts.size() && apart(cuts[place + 1], cut) < apart(cuts[place], cut)) ++place;
        return place;
    };
    for (std::size_t i = 0, j = 0, back = 0; i < truth.size() && !pred.empty(); ++i) {
        pace.step();
        const std::size_t found = nearest(pred, j, truth[i]);
        if (nearest(truth, back, pred[found]) != i) continue;
        const std::int64_t t = truth[i], p = pred[found], left = before(pred, found), right = at(pred, found + 1);
        i128 cost = 0;
        if (t < p) {  // the points in between belong to the right segment, but were put into the left one
            const std::int64_t end = std::min(right, at(truth, i + 1));
            cost = area(p - t, t - left) - area(p - t, right - p) + 2 * area(p - t, end - p);
        } else if (p < t) {
            const std::int64_t start = std::max(left, before(truth, i));
            cost = area(t - p, right - t) - area(t - p, p - left) + 2 * area(t - p, p - start);
        }
        blame.matched.push_back({t, p, cost});
    }
    const auto more = [](const Cause& x, const Cause& y) { return x.pairs > y.pairs; };
    const auto less = [](const Cause& x, const Cause& y) { return x.pairs < y.pairs; };
    for (auto* losses : {&blame.cells, &blame.matched}) sort_with_pauses(std::span(*losses), pause, more);
    for (auto* changes : {&blame.predicted, &blame.missed}) sort_with_pauses(std::span(*changes), pause, less);
    return blame;
}

}  // namespace segscore
