// The mean scores of random predictions, in closed form. Either the prediction is uniform (r cuts, every set of r gaps
// equally likely), or each gap is cut with probability p, or truth and prediction are both uniform. In time, r uniform
// cuts are independent, each uniform on (0, T), and instead of a probability per gap there is a rate of cuts: a Poisson
// process.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuts.hpp"
#include "exact.hpp"
#include "pace.hpp"
#include "pairs.hpp"
#include "sorting.hpp"

namespace segscore {

// The logarithm of C(n - length, m) / C(n, m): the probability that m of n points all miss a stretch of that length.
// Computed as a product of m factors, or for large m by Stirling's series. The large terms of the series are cancelled
// in the algebra rather than in floating point: (a - length)(a - m) = a z + length m for a = n + 1, z = a - length - m.
inline double log_chance_to_miss(double n, double length, double m) {
    constexpr double never = -std::numeric_limits<double>::infinity();
    if (m > n - length) return never;
    if (length < m) std::swap(length, m);  // the expression is symmetric
    constexpr double few = 128;
    if (m <= few) {
        Compensated sum;
        for (double i = 0; i < m; ++i) sum.add(std::log1p(-length / (n - i)));
        return sum.value();
    }
    const double a = n + 1, z = a - length - m;
    constexpr double negligible = 16;  // with a smaller argument the probability is below 1e-20
    if (z < negligible) return never;
    const auto series = [](double u) {
        return 1 / (12 * u) - 1 / (360 * u * u * u) + 1 / (1260 * std::pow(u, 5)) - 1 / (1680 * std::pow(u, 7));
    };
    return (z - 0.5) * std::log1p(length * m / (a * z)) + m * std::log1p(-length / a) + length * std::log1p(-m / a) +
           series(a - length) - series(a) - series(z) + series(a - m);
}

constexpr std::uint64_t many_logarithms = 256;  // in steps of a Pace

// The mean number of pairs of points on which a uniform prediction and the truth disagree.
inline double expected_disagreement(std::span<const std::int64_t> truth, std::int64_t n, std::int64_t r) {
    if (n < 2) return 0;
    u128 together = 0;
    Compensated met;  // sum over true segments of the probability that some of r + 2 random points hit the segment
    const auto points = static_cast<double>(n), m = static_cast<double>(r) + 2;
    const auto see = [&](std::int64_t length) {
        together += pairs_among(length);
        if (r > 0 && r < n - 1) met.add(-std::expm1(log_chance_to_miss(points, static_cast<double>(length), m)));
    };
    visit_lengths(truth, n, see, many_logarithms);
    if (r == 0) return static_cast<double>(pairs_among(n) - together);
    if (r >= n - 1) return static_cast<double>(together);
    const double pred_together = points * static_cast<double>(n - 1 - r) / m;
    const double both = pred_together * (m - met.value()) / (m - 1);
    return pred_together + static_cast<double>(together) - 2 * both;
}

// Calls each(start, length) for every segment of a truth in time, both as shares of the duration.
template <class Each>
void visit_shares(Times truth, double duration, const Each& each) {
    double start = 0;
    std::size_t next = 0;
    const auto see = [&](double length) {
        each(start / duration, length / duration);
        if (next < truth.size()) start = truth[next++];
    };
    visit_lengths(truth, duration, see, many_logarithms);
}

// In time the mean area of pairs of moments, as a share of the squared duration. All of m uniform cuts miss a stretch
// of a share of the duration with probability (1 - share)^m.
inline double expected_disagreement(Times truth, double duration, std::int64_t r) {
    const double m = static_cast<double>(r) + 2;
    Compensated split, together, met;
    const auto see = [&](double start, double share) {
        split.add_product(start, share);
        together.add_product(share, share / 2);
        met.add(-std::expm1(m * std::log1p(-share)));
    };
    visit_shares(truth, duration, see);
    if (r == 0) return split.value();
    return 1 / m + together.value() - 2 * (m - met.value()) / (m * (m - 1));
}

// Calls each(k, chance) for the numbers k of `drawn` random gaps that are among `special` gaps of all `gaps`, from the
// most likely number on. The chances are relative to the largest one, and negligible ones are left out. Returns their
// sum.
template <class Each>
double visit_hits(std::int64_t gaps, std::int64_t special, std::int64_t drawn, const Each& each) {
    const std::int64_t least = std::max<std::int64_t>(0, drawn - (gaps - special)), most = std::min(drawn, special);
    const auto peak =
        (static_cast<double>(drawn) + 1) * (static_cast<double>(special) + 1) / (static_cast<double>(gaps) + 2);
    const auto mode = std::clamp(static_cast<std::int64_t>(peak), least, most);
    constexpr double negligible = 1e-20;
    double chances = 1, chance = 1;
    each(mode, 1.0);
    for (std::int64_t k = mode; k < most && chance > negligible; ++k) {
        chance *= static_cast<double>(drawn - k) * static_cast<double>(special - k) /
                  (static_cast<double>(k + 1) * static_cast<double>((gaps - special) - (drawn - k) + 1));
        chances += chance;
        each(k + 1, chance);
    }
    chance = 1;
    for (std::int64_t k = mode; k > least && chance > negligible; --k) {
        chance *= static_cast<double>(k) * static_cast<double>((gaps - special) - (drawn - k)) /
                  (static_cast<double>(drawn - k + 1) * static_cast<double>(special - k + 1));
        chances += chance;
        each(k - 1, chance);
    }
    return chances;
}

// The same if the truth is random too, with s cuts. Given the number m of distinct cuts of both sides, these cuts are a
// uniform set, and r + s - m is hypergeometric. A random set of r cuts keeps n (n - 1 - r) / (r + 2) pairs together on
// average. So it keeps (n (n + 1) (m - r)) / ((r + 2) (m + 2)) more pairs together than a set of m cuts does. All terms
// are positive.
inline double expected_disagreement_of_both(std::int64_t n, std::int64_t r, std::int64_t s) {
    if (n < 2) return 0;
    const auto cuts = static_cast<double>(r), others = static_cast<double>(s), points = static_cast<double>(n);
    const auto apart = [&](std::int64_t common) {
        const double m = cuts + (others - static_cast<double>(common));
        return ((m - cuts) / (cuts + 2) + (m - others) / (others + 2)) / (m + 2);
    };
    double sum = 0;
    const double chances = visit_hits(n - 1, s, r, [&](std::int64_t k, double chance) { sum += chance * apart(k); });
    return points * (points + 1) * (sum / chances);
}

// In time no two random cuts coincide, so m = r + s, and r cuts keep together 1 / (r + 2) of the squared duration.
inline double expected_disagreement_of_both(double r, double s) { return (s / (r + 2) + r / (s + 2)) / (r + s + 2); }

// The mean number of pairs of a stretch that are split if each gap is cut with probability p: two points at distance d
// stay together with probability (1 - p)^d. Computed by a series if the number is small.
inline double expected_split(double length, double p) {
    if (length < 2 || p <= 0) return 0;
    const double pairs = length * (length - 1) / 2;
    if (p >= 1) return pairs;
    const double w = 1 - p;
    if (length * p >= 1) return pairs - w / (p * p) * (length * p + std::expm1(length * std::log1p(-p)));
    // pairs - w (C2 - C3 p + C4 p^2 - ...), with Ck = length choose k
    double term = pairs, sum = 0;
    for (double k = 3; k <= length && std::fabs(term) > 1e-20 * pairs; ++k) {
        term *= -p * (length - k + 1) / k;
        sum -= term;
    }
    return p * pairs + w * sum;
}

inline double expected_disagreement_of_bernoulli(std::span<const std::int64_t> truth, std::int64_t n, double p) {
    if (n < 2) return 0;
    u128 together = 0;
    Compensated split, cut;  // split pairs of the true segments; summed probability that a segment is split
    const double log_uncut = p < 1 ? std::log1p(-p) : 0;
    const auto is_cut = [&](double length) { return p < 1 ? -std::expm1(length * log_uncut) : 1.0; };
    const auto see = [&](std::int64_t points_in_segment) {
        const auto length = static_cast<double>(points_in_segment);
        together += pairs_among(points_in_segment);
        split.add(expected_split(length, p));
        cut.add(is_cut(length));
    };
    visit_lengths(truth, n, see, many_logarithms);
    const auto points = static_cast<double>(n);
    double kept = 0;  // pairs apart in the truth that the prediction keeps together
    if (truth.empty() || p >= 1)
        kept = 0;
    else if (points * p < 2)
        kept = static_cast<double>(pairs_among(n) - together) - (expected_split(points, p) - split.value());
    else
        kept = (1 - p) / (p * p) * (cut.value() - is_cut(points));
    return split.value() + kept;
}

// The mean area of pairs of moments on which a Poisson process with a mean of `cuts` cuts and the truth disagree, as a
// share of the squared duration. Two moments at a distance of a share x stay together with probability exp(-cuts x).
inline double expected_disagreement_of_poisson(Times truth, double duration, double cuts) {
    // The pairs of a stretch that are split, as a share of its squared length, for x cuts in the stretch on average:
    // 1/2 - (x - 1 + exp(-x)) / x^2, or by its series x/3! - x^2/4! + x^3/5! - ...
    const auto split_share = [](double x) {
        if (x >= 1) return 0.5 - (x + std::expm1(-x)) / (x * x);
        double term = x / 6, sum = 0;
        for (double k = 4; std::fabs(term) > 1e-20 * x; term *= -x / k++) sum += term;
        return sum;
    };
    Compensated split, kept;  // pairs that the prediction splits but the truth does not, and vice versa
    const auto see = [&](double start, double share) {
        split.add_product(share * share, split_share(share * cuts));
        if (cuts > 0)
            kept.add_product(std::expm1(-share * cuts) / cuts, std::expm1(-start * cuts) / cuts);
        else
            kept.add_product(share, start);
    };
    visit_shares(truth, duration, see);
    return split.value() + kept.value();
}

// The mean of the sum over cells of length * log(length) under the uniform null hypothesis, per true segment. It is
// computed from the probabilities that a stretch is a whole segment, starts or ends a segment, or lies inside. These
// probabilities are updated by ratios.
struct CellEntropy {
    std::int64_t n, r;
    std::vector<std::int64_t> lengths;  // the lengths of the true segments, in order
    std::vector<double> sums;           // the mean for a true segment of each length

    CellEntropy(std::int64_t points, std::int64_t cuts, std::vector<std::int64_t> wanted)
        : n(points), r(cuts), lengths(std::move(wanted)) {
        interruptible_sort(std::span(lengths));
        lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
        const auto gaps = static_cast<double>(n - 1), k = static_cast<double>(r);
        double whole = 1, one = gaps > 0 ? k / gaps : 0, both = gaps > 1 ? k * (k - 1) / (gaps * (gaps - 1)) : 0;
        // Over all shorter lengths, of the chances times length log length: one end cut, both, and that times the
        // length.
        Compensated one_sum, both_sum, both_moment;
        Pace pace;
        std::size_t next = 0;
        for (std::int64_t length = 1; next < lengths.size(); ++length) {
            pace.step();
            const auto x = static_cast<double>(length), value = x * std::log(x);
            if (length == lengths[next]) {  // both_sum goes up to L - 1; cells inside up to L - 2
                sums.push_back(whole * value + 2 * one_sum.value() + (x - 1) * both_sum.value() - both_moment.value());
                ++next;
            }
            constexpr double nothing = 1e-100;  // negligible even when multiplied by the square of any length
            if (whole < nothing && one < nothing && both < nothing) break;
            one_sum.add(one * value);
            both_sum.add(both * value);
            both_moment.add(both * value * x);
            const auto left = static_cast<double>(n - length);
            whole *= std::max(0.0, (left - k) / left);
            one *= left > 1 ? std::max(0.0, (left - k) / (left - 1)) : 0;
            both *= left > 2 ? std::max(0.0, (left - k) / (left - 2)) : 0;
        }
        for (; next < lengths.size(); ++next)
            sums.push_back(2 * one_sum.value() + (static_cast<double>(lengths[next]) - 1) * both_sum.value() -
                           both_moment.value());
    }
    double of(std::int64_t length) const {
        return sums[static_cast<std::size_t>(std::lower_bound(lengths.begin(), lengths.end(), length) -
                                             lengths.begin())];
    }
};

// The mean mutual information with a uniform prediction: H(pred) + H(truth) - H(both), each of which is log n minus
// such a mean.
inline double expected_order_information(std::span<const std::int64_t> truth, std::int64_t n, std::int64_t r,
                                         double truth_entropy) {
    if (n < 2 || r == 0 || truth.empty()) return 0;
    constexpr double most_steps = 4294967296.0;  // 2**32, about a minute
    constexpr double mean_segments = 231;        // a stretch of so many has no cut with a chance below 1e-100
    if (static_cast<double>(n) * std::min(1.0, mean_segments / static_cast<double>(r)) > most_steps)
        throw InputError("n = " + std::to_string(n) +
                         " is too large for order_adjusted_mutual_information, which would take more than 2**32 steps; "
                         "expected a smaller n, timestamps in a coarser unit, or duration=");
    std::vector<std::int64_t> lengths;
    visit_lengths(truth, n, [&](std::int64_t length) { lengths.push_back(length); });
    std::vector<std::int64_t> wanted = lengths;
    wanted.push_back(n);
    const CellEntropy cells(n, r, std::move(wanted));
    Compensated joint;
    Pace pace;
    for (const std::int64_t length : lengths) {
        constexpr std::uint64_t of_search = 32;  // a binary search takes as long as some steps
        pace.step(of_search);
        joint.add(cells.of(length));
    }
    return truth_entropy - (cells.of(n) - joint.value()) / static_cast<double>(n);
}

// In time: the sum over true segments of a (b/1 + b^2/2 + ... + b^r/r - (b + ... + b^r) / (r + 1)), where a is the
// share of the segment and b = 1 - a. All terms are positive. Time is O(s min(r, 40 / a)).
inline double expected_order_information(Times truth, double duration, std::int64_t r) {
    Compensated sum;
    const auto cuts = static_cast<double>(r);
    Pace pace;
    const auto see = [&](double, double share) {
        const double other = 1 - share;
        Compensated inner;
        double power = other;
        for (double j = 1; j <= cuts && power > 1e-18; ++j, power *= other) {
            inner.add_product(power, (cuts + 1 - j) / (j * (cuts + 1)));
            pace.step(4);
        }
        sum.add_product(share, inner.value());
    };
    if (!truth.empty()) visit_shares(truth, duration, see);
    return sum.value();
}

}  // namespace segscore
