// The matching of the boundary family: which cuts found each other.
//
// The rule of the margin, in one place: cuts t of the truth and p of the prediction may be matched if |t - p| <= margin
// (inclusive); each cut is matched at most once; and as many cuts as possible are matched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuts.hpp"
#include "exact.hpp"
#include "pace.hpp"

namespace segscore {

// Calls found(i, j) for each pair of a maximum matching, in order. The walk along both lists matches the two next cuts
// whenever they may be matched. That is a maximum: if a maximum matching does not contain this pair, exchanging the
// partner of one of the two cuts gives a maximum matching that does. Time is O(r+s).
template <class T, class Found>
void match(std::span<const T> truth, std::span<const T> pred, T margin, const Found& found) {
    Pace pace;
    for (std::size_t i = 0, j = 0; i < truth.size() && j < pred.size();) {
        pace.step();
        const T t = truth[i], p = pred[j];
        if (apart(t, p) <= margin)
            found(i++, j++);
        else if (t < p)
            ++i;
        else
            ++j;
    }
}

// A copy of checked cuts, for work that relies on their order: another thread may rewrite an array.
template <class T>
std::vector<T> copied_cuts(std::span<const T> cuts, Pace& pace) {
    std::vector<T> copy;
    copy.reserve(cuts.size());
    T before = 0;
    for (const T cut : cuts) {
        pace.step();
        if (!(before < cut && cut <= std::numeric_limits<T>::max())) refuse_change();
        copy.push_back(before = cut);
    }
    return copy;
}

template <class T>
struct IndexedCut {
    T cut;
    std::size_t index;
};

// Chooses a partner within the margin for each of the `forced` cuts, among the `optional` cuts, with the least sum of
// errors. Requires that all forced cuts can have a partner. Calls left(index) for each optional cut that is left over.
// Ties go to the left.
//
// The sweep goes from left to right. Let d be the number of forced cuts so far minus the number of chosen cuts so far:
// |d| cuts wait for a partner, so a step to the right costs |d| times its length. The least cost is a convex function
// of d. It is kept as its slopes, of which each optional cut brings one; the cuts of all slopes below the final d are
// left over. An optional cut inserts the slope 0. A forced cut shifts the function by one. A step to the right adds its
// length to all slopes above d = 0, and subtracts its length from all slopes below. The margin limits d on both sides:
// forced cuts that fall behind the margin must have partners, which removes the highest slopes; and no more cuts can be
// chosen than there are forced cuts up to the end of the margin, which removes the lowest slopes.
template <class T, class Left>
void leave_over(const std::vector<IndexedCut<T>>& forced, const std::vector<IndexedCut<T>>& optional, T margin,
                const Left& left, Pace& pace) {
    // All slopes of one side change by the same length, so each is stored as slope - at above d = 0, and as slope + at
    // below. A slope is at most as large as the last cut, so a quarter of any real cut does not overflow.
    using Way = std::conditional_t<std::is_integral_v<T>, i128, double>;
    const auto way = [](T cut) {
        if constexpr (std::is_integral_v<T>)
            return Way{cut};
        else
            return cut / 4;
    };
    struct Slope {
        Way stored;
        std::size_t index;
        bool operator<(const Slope& y) const { return stored != y.stored ? stored < y.stored : index > y.index; }
    };
    std::set<Slope> below, above;
    std::size_t seen = 0, dropped = 0, chosen = 0;      // optional cuts so far, and those whose slopes were removed
    std::size_t arrived = 0, in_reach = 0, behind = 0;  // forced cuts up to here, up to the margin's end, and before it
    const auto balance = [&](Way at) {
        const std::size_t size = seen - std::min(seen, arrived + dropped);
        while (below.size() > size) {
            auto slope = below.extract(std::prev(below.end()));
            slope.value().stored -= 2 * at;
            above.insert(above.begin(), std::move(slope));
        }
        while (below.size() < size) {
            auto slope = above.extract(above.begin());
            slope.value().stored += 2 * at;
            below.insert(below.end(), std::move(slope));
        }
    };
    const auto arrive = [&] {
        pace.step();
        const Way at = way(forced[arrived++].cut);
        balance(at);
    };
    for (const auto [cut, index] : optional) {
        pace.step();
        const Way at = way(cut);
        while (arrived < forced.size() && forced[arrived].cut <= cut) arrive();
        while (behind < arrived && apart(cut, forced[behind].cut) > margin) ++behind;
        for (; chosen < behind; ++chosen) above.erase(std::prev(above.end()));
        ++seen;
        if (!below.empty() && std::prev(below.end())->stored >= at)
            below.insert({at, index});
        else
            above.insert({-at, index});
        balance(at);
        while (in_reach < forced.size() && (forced[in_reach].cut <= cut || apart(cut, forced[in_reach].cut) <= margin))
            ++in_reach;
        for (; dropped + in_reach < seen; ++dropped) {
            left(below.begin()->index);
            below.erase(below.begin());
        }
    }
    while (arrived < forced.size()) arrive();
    for (const Slope& slope : below) left(slope.index);
}

// Calls found(i, j) for each pair of the closest maximum matching, in order: among the maximum matchings, the one with
// the least sum of errors. Ties go to the left: no other such matching has its k-th matched cut of a side farther left.
// Time is O((r+s) log(r+s)).
//
// The cuts fall into two parts, such that no maximum matching has a pair across, and one side of each part is matched
// as a whole (Dulmage & Mendelsohn 1958). The first part has the cuts of the truth that alternating paths reach from
// an unmatched cut of the truth, and their partners, which every maximum matching contains. The second part has all
// other cuts; every maximum matching contains its cuts of the truth.
template <class T, class Found>
void match_closest(std::span<const T> given_truth, std::span<const T> given_pred, T margin, const Found& found) {
    Pace pace;
    const std::vector<T> truth = copied_cuts(given_truth, pace), pred = copied_cuts(given_pred, pace);
    constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> partners(truth.size(), nobody);
    const auto keep = [&](std::size_t i, std::size_t j) { partners[i] = j; };
    match(std::span(truth), std::span(pred), margin, keep);
    // Alternating paths from unmatched cuts of the truth, to the right and to the left.
    std::vector<bool> is_spare(truth.size());
    for (std::size_t i = 0, high = 0, reached = 0; i < truth.size(); ++i) {
        pace.step();
        while (high < pred.size() && (pred[high] <= truth[i] || apart(truth[i], pred[high]) <= margin)) ++high;
        if (partners[i] != nobody && partners[i] >= reached) continue;
        is_spare[i] = true;
        reached = high;
    }
    for (std::size_t i = truth.size(), low = pred.size(), reached = low; i-- > 0;) {
        pace.step();
        while (low > 0 && (pred[low - 1] >= truth[i] || apart(truth[i], pred[low - 1]) <= margin)) --low;
        if (partners[i] < reached) continue;
        is_spare[i] = true;
        reached = low;
    }
    std::vector<bool> is_scarce(pred.size());
    std::vector<IndexedCut<T>> spare_truth, scarce_truth, spare_pred, scarce_pred;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        pace.step();
        (is_spare[i] ? spare_truth : scarce_truth).push_back({truth[i], i});
        if (is_spare[i] && partners[i] != nobody) is_scarce[partners[i]] = true;
    }
    for (std::size_t j = 0; j < pred.size(); ++j) {
        pace.step();
        (is_scarce[j] ? scarce_pred : spare_pred).push_back({pred[j], j});
    }
    std::vector<bool> truth_matched(truth.size(), true), pred_matched(pred.size(), true);
    leave_over(scarce_pred, spare_truth, margin, [&](std::size_t i) { truth_matched[i] = false; }, pace);
    leave_over(scarce_truth, spare_pred, margin, [&](std::size_t j) { pred_matched[j] = false; }, pace);
    for (std::size_t i = 0, j = 0; i < truth.size(); ++i) {
        pace.step();
        if (!truth_matched[i]) continue;
        while (!pred_matched[j]) ++j;
        found(i, j++);
    }
}

}  // namespace segscore
