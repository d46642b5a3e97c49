// The information family: how much information the two segmentations share, in nats.
//
// Every sum has only non-negative terms, and a term that is zero by definition is computed as exactly zero. So no
// result is a difference of large numbers, and trivial or identical segmentations give exact values.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <type_traits>

#include "exact.hpp"
#include "pace.hpp"
#include "walk.hpp"

namespace segscore {

struct Information {
    double truth = 0;             // entropy of the truth
    double pred = 0;              // entropy of the prediction
    double truth_given_pred = 0;  // large if the prediction merges true segments
    double pred_given_truth = 0;  // large if the prediction splits true segments

    // Computed from the smaller entropy, where less cancels.
    double mutual() const { return std::max(0.0, truth < pred ? truth - truth_given_pred : pred - pred_given_truth); }
    double joint() const { return truth + pred_given_truth; }
    double variation() const { return truth_given_pred + pred_given_truth; }
};

// log(whole / part). Where the two are nearly equal, uses the rest, whole - part, which is exact, unlike their
// quotient.
template <class T>
double log_ratio(T whole, T part, T rest) {
    const auto over = [part](T x) { return static_cast<double>(x) / static_cast<double>(part); };
    return rest < part ? std::log1p(over(rest)) : std::log(over(whole));
}
template <class T>
double log_ratio(T whole, T part) {
    return log_ratio(whole, part, difference(whole, part));
}

// What a stretch leaves of a longer stretch around it. In time, lengths are rounded, and their difference would lose
// the digits of a small rest: the rest is the sum of what is before and what is behind.
template <class T>
T rest_of(T outer_start, T outer_end, T start, T end) {
    if constexpr (std::is_integral_v<T>)
        return difference(difference(outer_end, outer_start), difference(end, start));
    else
        return (start - outer_start) + (outer_end - end);
}

template <class T>
struct InformationVisitor {
    T n;
    Compensated truth, pred, truth_given_pred, pred_given_truth;

    void operator()(const Cell<T>& cell) {
        const auto length = static_cast<double>(cell.length);
        const T in_truth = cell.truth_length(), in_pred = cell.pred_length();
        const T start = std::max(cell.truth_start, cell.pred_start), end = std::min(cell.truth_end, cell.pred_end);
        const T of_truth = rest_of(cell.truth_start, cell.truth_end, start, end);
        const T of_pred = rest_of(cell.pred_start, cell.pred_end, start, end);
        if (of_pred != 0) truth_given_pred.add_product(length, log_ratio(in_pred, cell.length, of_pred));
        if (of_truth != 0) pred_given_truth.add_product(length, log_ratio(in_truth, cell.length, of_truth));
        const auto add = [&](Compensated& sum, T segment_start, T segment) {
            const T rest = rest_of(T{0}, n, segment_start, end);
            sum.add_product(static_cast<double>(segment), log_ratio(n, segment, rest));
        };
        if (end == cell.truth_end) add(truth, cell.truth_start, in_truth);
        if (end == cell.pred_end) add(pred, cell.pred_start, in_pred);
    }
    Information information() const {
        if (!(n > 0)) return {};
        const auto mean = [this](const Compensated& sum) { return sum.value() / static_cast<double>(n); };
        return {mean(truth), mean(pred), mean(truth_given_pred), mean(pred_given_truth)};
    }
};

enum class Average { arithmetic, geometric, min, max, joint };
inline constexpr std::array<const char*, 5> average_names{"arithmetic", "geometric", "min", "max", "joint"};

inline double averaged(const Information& sums, Average average) {
    switch (average) {
        case Average::arithmetic:
            return (sums.truth + sums.pred) / 2;
        case Average::geometric:
            return std::sqrt(sums.truth) * std::sqrt(sums.pred);
        case Average::min:
            return std::min(sums.truth, sums.pred);
        case Average::max:
            return std::max(sums.truth, sums.pred);
        case Average::joint:
            return sums.joint();
    }
    return 0;
}

// part / whole, and 1 if the whole is 0.
inline double complete_share(double part, double whole) { return whole == 0 ? 1.0 : std::min(1.0, part / whole); }

inline double normalized_mutual_information(const Information& sums, Average average) {
    if (sums.truth == 0 && sums.pred == 0) return 1.0;
    const double mutual = sums.mutual();
    return mutual == 0 ? 0.0 : std::min(1.0, mutual / averaged(sums, average));
}
inline double homogeneity(const Information& sums) { return complete_share(sums.mutual(), sums.truth); }
inline double completeness(const Information& sums) { return complete_share(sums.mutual(), sums.pred); }
inline double v_measure(const Information& sums, double beta) {
    const double h = homogeneity(sums), c = completeness(sums);
    if (h == 0 || c == 0) return 0.0;
    return std::isinf(beta) ? c : (1 + beta) * h * c / (beta * h + c);
}
inline double normalized_information_distance(const Information& sums) {
    return 1 - normalized_mutual_information(sums, Average::max);
}

// Distinct lengths of segments and how often each occurs, so that equal lengths are computed once.
using LengthCounts = std::map<std::int64_t, std::int64_t>;

// The mean mutual information over all permutations of the points: for each pair of lengths x, y, the sum over the
// possible sizes k of their overlap of its hypergeometric probability times k/n log(k n / (x y)). The probabilities are
// computed by ratios, outward from the largest, until they are negligible. O(sum of min(x, y)) over the distinct pairs
// of lengths, at worst O(n sqrt n).
inline double expected_mutual_information(const LengthCounts& truth, const LengthCounts& pred, std::int64_t n) {
    if (truth.empty() || pred.empty()) return 0;
    const auto points = static_cast<double>(n);
    constexpr double negligible = 1e-18;
    Pace pace;
    Compensated total;
    for (const auto& [x, x_count] : truth)
        for (const auto& [y, y_count] : pred) {
            const std::int64_t outside = n - x;  // points outside x; integers, so exact at any n
            const std::int64_t least = std::max<std::int64_t>(0, y - outside), most = std::min(x, y);
            const double guess = (static_cast<double>(x) + 1) * (static_cast<double>(y) + 1) / (points + 2);
            const auto mode =
                guess < static_cast<double>(most) ? std::max(least, static_cast<std::int64_t>(guess)) : most;
            const double offset = log_ratio(n, x);
            const auto times = [](std::int64_t u, std::int64_t v) {
                return static_cast<double>(u) * static_cast<double>(v);
            };
            // Probabilities relative to that of the mode. They sum to 1, which gives the probability of the mode.
            double chances = 0, sum = 0;
            const auto add = [&](std::int64_t k, double chance) {
                pace.step();
                chances += chance;
                if (k > 0) sum += chance * static_cast<double>(k) * (offset - log_ratio(y, k));
            };
            add(mode, 1.0);
            double chance = 1.0;
            for (std::int64_t k = mode; k < most && chance > negligible; ++k) {
                chance *= times(x - k, y - k) / times(k + 1, outside - (y - k) + 1);
                add(k + 1, chance);
            }
            chance = 1.0;
            for (std::int64_t k = mode; k > least && chance > negligible; --k) {
                chance *= times(k, outside - (y - k)) / times(x - k + 1, y - k + 1);
                add(k - 1, chance);
            }
            total.add_product(static_cast<double>(x_count * y_count), sum / chances / points);
        }
    return total.value();
}

// Identical segmentations score 1, even if the formula gives 0 / 0.
inline double adjusted_mutual_information(const Information& sums, double expected, Average average) {
    if (sums.variation() == 0) return 1.0;
    const double room = averaged(sums, average) - expected;
    constexpr double rounding = 1e-12;  // bound of the rounding of the expectation, a sum of many terms
    if (std::fabs(room) <= rounding * std::max(sums.truth, sums.pred)) return 0.0;
    return (sums.mutual() - expected) / room;
}

}  // namespace segscore
