// Curves over all thresholds: a threshold keeps the predicted cuts whose confidence is at least the threshold.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "exact.hpp"
#include "matching.hpp"
#include "pace.hpp"
#include "sorting.hpp"

namespace segscore {

// The numbers of kept predicted cuts and of matched pairs at a threshold.
struct ThresholdStep {
    double threshold;
    std::size_t kept, matched;
};

// A row of numbers. A value can be added to all numbers from a place on, and the largest number before or after a place
// can be found, in O(log size) time. The leaves of the tree hold the differences of neighbouring numbers. Each node
// holds the sum of the differences below it, and the largest of their prefix sums.
class Maxima {
public:
    explicit Maxima(const std::vector<std::int64_t>& values)
        : leaves_(std::bit_ceil(std::max<std::size_t>(values.size(), 1))), sums_(2 * leaves_), largest_(2 * leaves_) {
        for (std::size_t k = 0; k < values.size(); ++k)
            sums_[leaves_ + k] = largest_[leaves_ + k] = values[k] - (k > 0 ? values[k - 1] : 0);
        for (std::size_t k = values.size(); k < leaves_; ++k) largest_[leaves_ + k] = least;
        for (std::size_t node = leaves_; node-- > 1;) gather(node);
    }
    void add_from(std::size_t place, std::int64_t value) {
        std::size_t node = leaves_ + place;
        sums_[node] += value;
        largest_[node] += value;
        while ((node /= 2) > 0) gather(node);
    }
    // The largest number up to a place, inclusive.
    std::int64_t up_to(std::size_t place) const {
        std::size_t node = leaves_ + place;
        std::int64_t found = largest_[node];
        for (; node > 1; node /= 2)
            if (node % 2 == 1) found = std::max(largest_[node - 1], sums_[node - 1] + found);
        return found;
    }
    // The largest number from a place on, inclusive.
    std::int64_t from(std::size_t place) const {
        std::size_t node = leaves_ + place;
        std::int64_t found = largest_[node], before = 0, sum = sums_[node];
        for (; node > 1; node /= 2) {
            if (node % 2 == 1) {
                before += sums_[node - 1];
            } else {
                found = std::max(found, sum + largest_[node + 1]);
                sum += sums_[node + 1];
            }
        }
        return before + found;
    }

private:
    static constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min() / 4;
    void gather(std::size_t node) {
        sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
        largest_[node] = std::max(largest_[2 * node], sums_[2 * node] + largest_[2 * node + 1]);
    }

    std::size_t leaves_;
    std::vector<std::int64_t> sums_, largest_;
};

// The size of the maximum matching at each distinct confidence, from the highest down. Time is O((r+s) + r log r).
//
// The sets of predicted cuts that can all be matched are the independent sets of a matroid. So each cut is accepted if
// it can be matched together with the accepted cuts before it, and a cut that was refused would be refused later too.
// Predicted cut i may be matched to the true cuts first_i to last_i, and both grow with i. All accepted cuts can be
// matched if and only if for all a <= b at most last_b - first_a + 1 of them stand from a to b (Hall 1935). With the
// number c(i) of accepted cuts up to i, this is (c(b) - last_b) + (first_a - 1 - c(a - 1)) <= 0. A new cut i adds one
// to this sum for all a <= i <= b.
template <class T>
std::vector<ThresholdStep> threshold_steps(std::span<const T> given_truth, std::span<const T> given_pred,
                                           std::span<const double> confidences, T margin) {
    Pace pace;
    const std::vector<T> truth = copied_cuts(given_truth, pace), pred = copied_cuts(given_pred, pace);
    std::vector<std::int64_t> firsts, lasts;  // of the predicted cuts with a true cut within the margin
    constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> place(pred.size(), nobody);
    for (std::size_t j = 0, low = 0, high = 0; j < pred.size(); ++j, pace.step()) {
        for (; low < truth.size() && truth[low] < pred[j] && apart(truth[low], pred[j]) > margin; ++low) pace.step();
        for (; high < truth.size() && (truth[high] <= pred[j] || apart(truth[high], pred[j]) <= margin); ++high)
            pace.step();
        if (low >= high) continue;
        place[j] = firsts.size();
        firsts.push_back(static_cast<std::int64_t>(low) - 1);  // one before the first true cut
        lasts.push_back(-(static_cast<std::int64_t>(high) - 1));
    }
    Maxima starts(firsts), ends(lasts);
    std::vector<std::size_t> order(pred.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto is_surer = [&](std::size_t i, std::size_t j) {
        return confidences[i] != confidences[j] ? confidences[i] > confidences[j] : i < j;
    };
    interruptible_sort(std::span(order), is_surer);
    std::vector<ThresholdStep> steps;
    std::size_t kept = 0, matched = 0;
    for (const std::size_t j : order) {
        constexpr std::uint64_t work_per_cut = 64;
        pace.step(work_per_cut);
        ++kept;
        if (place[j] != nobody && starts.up_to(place[j]) + ends.from(place[j]) < 0) {
            ++matched;
            ends.add_from(place[j], 1);
            if (place[j] + 1 < firsts.size()) starts.add_from(place[j] + 1, -1);
        }
        if (steps.empty() || steps.back().threshold != confidences[j]) steps.push_back({confidences[j], 0, 0});
        steps.back() = {confidences[j], kept, matched};
    }
    return steps;
}

// The sum over the thresholds of (gain in recall) * precision, which is nan without a true cut.
inline double average_precision(std::span<const ThresholdStep> steps, std::size_t truth) {
    if (truth == 0) return std::numeric_limits<double>::quiet_NaN();
    Compensated sum;
    std::size_t before = 0;
    for (const ThresholdStep& step : steps) {
        const double gain = static_cast<double>(step.matched - before);
        sum.add(gain * static_cast<double>(step.matched) / static_cast<double>(step.kept));
        before = step.matched;
    }
    return std::min(1.0, sum.value() / static_cast<double>(truth));
}

}  // namespace segscore
