// The causes of the disagreement of two segmentations, and the effect of each cut.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "boundaries.hpp"
#include "cuts.hpp"
#include "exact.hpp"
#include "pace.hpp"
#include "pairs.hpp"
#include "sorting.hpp"
#include "walk.hpp"

namespace segscore {

// A number of pairs of points, or an area of pairs of moments; it may be negative.
template <class T>
using Amount = std::conditional_t<std::is_integral_v<T>, i128, double>;

// Two places, and an amount of pairs.
template <class T>
struct Cause {
    T first, second;
    Amount<T> pairs;
};

// The most harmful causes come first.
template <class T>
struct Blame {
    // The start and the end of each cell, and its share of the disagreement: its length times the distance between the
    // ends of its two segments.
    std::vector<Cause<T>> cells;
    // Each cut, twice, and the change of the disagreement if the cut is removed (predicted) or added (missed).
    std::vector<Cause<T>> predicted, missed;
    // A true cut and a predicted cut, each the nearest to the other, and the pairs that the displacement costs.
    std::vector<Cause<T>> matched;
};

// The input is read several times, so it is copied: another thread may rewrite the original.
template <class T>
Blame<T> explain(std::span<const T> given_truth, std::span<const T> given_pred, T n) {
    // Sums of areas may nearly cancel, so in time they are computed in twice the precision.
    using Area = std::conditional_t<std::is_integral_v<T>, i128, DoubleDouble>;
    const auto between = [](T start, T end) { return static_cast<Area>(end) - static_cast<Area>(start); };
    const auto rounded = [](const Area& area) { return static_cast<Amount<T>>(area); };
    Pace pace;
    const auto copied = [&](std::span<const T> cuts) {
        std::vector<T> copy;
        copy.reserve(cuts.size());
        for (const T cut : cuts) {
            copy.push_back(cut);
            pace.step();
        }
        visit_lengths(std::span<const T>(copy), n, [](T) {});
        return copy;
    };
    const std::vector<T> truth_copy = copied(given_truth), pred_copy = copied(given_pred);
    const std::span<const T> truth(truth_copy), pred(pred_copy);
    Blame<T> blame;
    const auto collect = [&](const Cell<T>& cell) {
        const T start = std::max(cell.truth_start, cell.pred_start);
        const T end = std::min(cell.truth_end, cell.pred_end), further = std::max(cell.truth_end, cell.pred_end);
        blame.cells.push_back({start, end, rounded(between(start, end) * between(end, further))});
    };
    blame.cells.reserve(truth.size() + pred.size() + 1);
    blame.predicted.reserve(pred.size());
    for (auto* causes : {&blame.missed, &blame.matched}) causes->reserve(truth.size());
    walk_checked(truth, pred, n, collect);

    // The segment of one side around a cut of the other: from the last cut before it to the first behind it, where the
    // cut itself may be one of them.
    const auto before = [](std::span<const T> cuts, std::size_t k) { return k > 0 ? cuts[k - 1] : T{}; };
    const auto at = [n](std::span<const T> cuts, std::size_t k) { return k < cuts.size() ? cuts[k] : n; };

    for (std::size_t j = 0, i = 0; j < pred.size(); ++j) {
        pace.step();
        const T cut = pred[j], left = before(pred, j), right = at(pred, j + 1);
        while (i < truth.size() && truth[i] < cut) ++i;
        // Without the cut, the pairs across it come together: those together in the truth agree, the others disagree.
        const bool is_true = i < truth.size() && truth[i] == cut;
        Area change = between(left, cut) * between(cut, right);
        if (!is_true) {
            const Area together =
                between(std::max(left, before(truth, i)), cut) * between(cut, std::min(right, at(truth, i)));
            change -= together + together;
        }
        blame.predicted.push_back({cut, cut, rounded(change)});
    }
    for (std::size_t i = 0, j = 0; i < truth.size(); ++i) {
        pace.step();
        const T cut = truth[i];
        while (j < pred.size() && pred[j] < cut) ++j;
        if (j < pred.size() && pred[j] == cut) continue;
        // With the cut, the pairs across it come apart, as in the truth.
        blame.missed.push_back({cut, cut, -rounded(between(before(pred, j), cut) * between(cut, at(pred, j)))});
    }
    // Mutually nearest cuts; ties go to the left. No cut of either side lies between the two.
    const auto nearest = [](std::span<const T> cuts, std::size_t& place, T cut) {
        while (place + 1 < cuts.size() && apart(cuts[place + 1], cut) < apart(cuts[place], cut)) ++place;
        return place;
    };
    for (std::size_t i = 0, j = 0, back = 0; i < truth.size() && !pred.empty(); ++i) {
        pace.step();
        const std::size_t found = nearest(pred, j, truth[i]);
        if (nearest(truth, back, pred[found]) != i) continue;
        const T t = truth[i], p = pred[found], left = before(pred, found), right = at(pred, found + 1);
        Area cost{};
        if (t < p) {  // the points in between belong to the right segment, but were put into the left one
            const Area behind = between(p, std::min(right, at(truth, i + 1)));
            cost = between(t, p) * (between(left, t) - between(p, right) + behind + behind);
        } else if (p < t) {
            const Area ahead = between(std::max(left, before(truth, i)), p);
            cost = between(p, t) * (between(t, right) - between(left, p) + ahead + ahead);
        }
        blame.matched.push_back({t, p, rounded(cost)});
    }
    const auto more = [](const Cause<T>& x, const Cause<T>& y) { return x.pairs > y.pairs; };
    const auto less = [](const Cause<T>& x, const Cause<T>& y) { return x.pairs < y.pairs; };
    for (auto* losses : {&blame.cells, &blame.matched}) interruptible_sort(std::span(*losses), more);
    for (auto* changes : {&blame.predicted, &blame.missed}) interruptible_sort(std::span(*changes), less);
    return blame;
}

}  // namespace segscore
