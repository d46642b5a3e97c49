// Curves over all margins: how many cuts can be matched, for every margin at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <type_traits>
#include <vector>

#include "boundaries.hpp"
#include "exact.hpp"
#include "matching.hpp"
#include "pace.hpp"

namespace segscore {

// The number of matched pairs from a margin on.
template <class T>
struct MarginStep {
    T margin;
    std::size_t matched;
};

// Finds maximum matchings for all margins from 0 to `limit`, one pair after the other.
//
// The cuts of both sides are sorted into one row, and at first no cut is matched. Take two unmatched cuts with no
// unmatched cut between them. The cuts between the two are always matched with each other, in order. If the two are of
// different sides, matching all cuts from the first to the second in order gives one more pair. The cost of this change
// is the largest distance of its pairs. Every augmenting path contains such a change, so a matching is maximum for a
// margin if and only if every change costs more than the margin (Berge 1957). The changes are made in the order of
// their costs.
//
// After a change, the unmatched cuts on its left and on its right become neighbours. If a change was possible between
// each of these two cuts and its matched neighbour, both changes together undo the change that was made, so the cost of
// the new change is known. Otherwise its cost is computed from its pairs. So the time is O((r+s) log(r+s)), plus
// O(r+s) for each pair at worst.
template <class T>
class MarginSteps {
public:
    MarginSteps(std::span<const T> truth, std::span<const T> pred, T limit)
        : limit_(limit), truth_(copied_cuts(truth, pace_)), pred_(copied_cuts(pred, pace_)) {
        line_up();
    }

    std::vector<MarginStep<T>> find() {
        std::vector<MarginStep<T>> steps{{0, 0}};
        for (; !changes_.empty(); pace_.step(work_per_change)) {
            const Change change = changes_.top();
            changes_.pop();
            if (costs_[change.left] != change.cost) continue;  // one of its two cuts has been matched
            if (change.cost > steps.back().margin) steps.push_back({change.cost, steps.back().matched});
            ++steps.back().matched;
            make(change.left, steps.back().margin);
        }
        return steps;
    }

private:
    static constexpr std::uint64_t work_per_change = 16;
    static constexpr T beyond = std::numeric_limits<T>::max();  // the cost of a change that the limit excludes

    struct Change {
        T cost;
        std::size_t left;
        bool operator>(const Change& y) const { return cost != y.cost ? cost > y.cost : left > y.left; }
    };

    // The row has one place before the first cut, and one behind the last.
    void line_up() {
        const std::size_t size = truth_.size() + pred_.size() + 2;
        is_truth_.assign(size, false);
        rank_.assign(size, 0);
        costs_.assign(size, beyond);
        left_.resize(size);
        right_.resize(size);
        for (std::size_t at = 1, i = 0, j = 0; at + 1 < size; ++at, pace_.step()) {
            is_truth_[at] = j == pred_.size() || (i < truth_.size() && truth_[i] <= pred_[j]);
            rank_[at] = is_truth_[at] ? i++ : j++;
        }
        for (std::size_t at = 0; at < size; ++at, pace_.step(work_per_change)) {
            left_[at] = at - (at > 0);
            right_[at] = at + 1;
            if (at > 0 && at + 2 < size) offer(at, beyond);
        }
    }

    // Offers the change between the unmatched cut at `left` and the next one, with its cost if that is known.
    void offer(std::size_t left, T known) {
        const std::size_t right = right_[left];
        costs_[left] = beyond;
        if (left == 0 || right + 1 == rank_.size() || is_truth_[left] == is_truth_[right]) return;
        costs_[left] = known != beyond ? known : measured(left, right);
        if (costs_[left] != beyond) changes_.push({costs_[left], left});
    }

    T measured(std::size_t left, std::size_t right) {
        constexpr std::size_t at_once = 4096;
        const std::size_t count = (right - left + 1) / 2;
        const std::size_t i = is_truth_[left] ? rank_[left] : rank_[right] + 1 - count;
        const std::size_t j = is_truth_[left] ? rank_[right] + 1 - count : rank_[left];
        T cost = 0;
        for (std::size_t k = 0; k < count && cost <= limit_;) {
            const std::size_t end = std::min(count, k + at_once);
            pace_.step(end - k);
            for (; k < end; ++k) cost = std::max(cost, apart(truth_[i + k], pred_[j + k]));
        }
        return cost <= limit_ ? cost : beyond;
    }

    // Makes the change between the unmatched cut at `first` and the next one.
    void make(std::size_t first, T margin) {
        const std::size_t last = right_[first], before = left_[first], behind = right_[last];
        // Same sides beside both: the changes on the left and on the right were impossible.
        const bool undoes = before > 0 && behind + 1 < rank_.size() && is_truth_[before] != is_truth_[first] &&
                            is_truth_[behind] != is_truth_[last];
        const T known = undoes ? std::max({costs_[before], costs_[last], margin}) : beyond;
        costs_[first] = costs_[last] = beyond;
        right_[before] = behind;
        left_[behind] = before;
        if (undoes && known == beyond)
            costs_[before] = beyond;
        else
            offer(before, known);
    }

    T limit_;
    Pace pace_;
    std::vector<T> truth_, pred_;
    std::vector<bool> is_truth_;             // of each place in the row
    std::vector<std::size_t> rank_;          // of the cut among the cuts of its side
    std::vector<std::size_t> left_, right_;  // the unmatched cuts beside it
    std::vector<T> costs_;                   // of the change between this unmatched cut and the next
    std::priority_queue<Change, std::vector<Change>, std::greater<>> changes_;
};

// The mean number of matched pairs over all margins from 0 to `limit`, times `weight`, divided by `whole`.
template <class T>
double mean_of_steps(std::span<const MarginStep<T>> steps, T limit, std::size_t weight, std::size_t whole) {
    using Wide = std::conditional_t<std::is_integral_v<T>, u128, DoubleDouble>;
    const auto wide = [](auto value) { return static_cast<Wide>(value); };
    if (!(limit > 0)) return ratio(wide(weight * steps.front().matched), wide(whole));
    Wide sum{};
    for (std::size_t k = 0; k < steps.size() && steps[k].margin < limit; ++k) {
        const T end = k + 1 < steps.size() ? std::min(limit, steps[k + 1].margin) : limit;
        sum += wide(steps[k].matched) * wide(end - steps[k].margin);
    }
    return std::min(1.0, ratio(wide(weight) * sum, wide(whole) * wide(limit)));
}

// The mean of F1 over all margins from 0 to `margin`. No two cuts are farther apart than n.
template <class T>
double f1_area(std::span<const T> truth, std::span<const T> pred, T n, T margin) {
    if (truth.empty() || pred.empty()) return Matched{0, truth.size(), pred.size()}.f(1);
    const T limit = std::min(margin, n);
    const auto steps = MarginSteps<T>(truth, pred, limit).find();
    return mean_of_steps(std::span(steps), limit, 2, truth.size() + pred.size());
}

}  // namespace segscore
