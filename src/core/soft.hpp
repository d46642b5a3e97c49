// Soft segmentations: cuts with probabilities, and the expected counts of pairs.
//
// All cuts are independent. A cut with probability p is absent with probability k = 1 - p, which is called its keep. So
// two points are together with probability K, the product of the keeps of all cuts between them. For each point, the
// walk holds four sums over all earlier points:
//   both = sum of Kt Kp, truth_only = sum of Kt (1 - Kp), pred_only = sum of Kp (1 - Kt),
//   neither = sum of (1 - Kt) (1 - Kp).
// At a cut each sum is a sum of products of old sums with probabilities and keeps. No term is negative, so nothing
// cancels, and the relative error grows by at most a few roundings per cut.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "consensus.hpp"
#include "cuts.hpp"
#include "exact.hpp"
#include "pace.hpp"
#include "pairs.hpp"

namespace segscore {

// The probability that there is a cut, and the probability that there is no cut. Where both are known, neither is
// computed as 1 minus the other, because the subtraction loses the digits of a small result.
struct Chance {
    double cut, keep;
};
inline Chance chance_of(double probability) { return {probability, 1 - probability}; }

// x where the mask is all ones, y where it is all zeros. There is no branch, since the choice is unpredictable.
inline std::uint64_t all_ones(bool is_so) { return -static_cast<std::uint64_t>(is_so); }
inline double choose(std::uint64_t mask, double x, double y) {
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(x) & mask) | (std::bit_cast<std::uint64_t>(y) & ~mask));
}
// From the sign bit, because compilers turn a comparison back into a branch.
inline std::uint64_t is_negative(double x) { return -(std::bit_cast<std::uint64_t>(x) >> 63); }

// The probabilities are D / (D + N) and N / (D + N), where N / D = exp(-|logit|). With |logit| = k ln 2 - r, where k is
// an integer and |r| <= ln(2) / 2, exp(r) is (E + r) / (E - r) with E = r coth(r / 2), a short series in r * r. So
// there is one division and no branch, and compilers can vectorise loops over logits. Both results have a relative
// error below 4 * 2^-53.
inline Chance chance_of_logit(double logit) {
    constexpr double no_more = 760;          // exp(-760) is 0
    constexpr double ln2 = 0x1.62e42feep-1;  // so short that products with k are exact
    constexpr double ln2_rest = 0x1.a39ef35793c76p-33;
    constexpr double to_integers = 0x1.8p52;            // adding this number rounds to an integer, in the low bits
    constexpr std::uint64_t bias = 1023, raised = 200;  // 2^-k may be subnormal, 2^(200 - k) is not
    const double distance = std::abs(logit);
    const double size = choose(is_negative(distance - no_more), distance, no_more);
    const double shifted = to_integers - size * 0x1.71547652b82fep0;
    const double minus_k = shifted - to_integers;
    const double r = (-size - minus_k * ln2) - minus_k * ln2_rest;
    const double q = r * r;
    const double coefficients =
        1.0 / 6 +
        q * (-1.0 / 360 + q * (1.0 / 15120 + q * (-1.0 / 604800 + q * (1.0 / 23950080 - q * (691.0 / 653837184000)))));
    const double e = 2 + q * coefficients;
    const double power = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + bias + raised) << 52);
    const double above = (e + r) * power * 0x1p-200, below = e - r;
    const double scale = 1 / (below + above);
    const std::uint64_t mask = is_negative(logit);
    return {choose(mask, above, below) * scale, choose(mask, below, above) * scale};
}

// Checked cuts of one side with their probabilities and keeps. Without probabilities all cuts are certain.
template <class T>
class SoftCuts {
public:
    explicit SoftCuts(std::span<const T> cuts) : cuts_(cuts) {}
    SoftCuts(std::span<const T> cuts, std::span<const double> probabilities, std::span<const double> keeps)
        : cuts_(cuts), probabilities_(probabilities.data()), keeps_(keeps.data()), stride_(1) {}
    std::size_t size() const { return cuts_.size(); }
    T operator[](std::size_t k) const { return cuts_[k]; }
    Chance chance(std::size_t k) const { return {probabilities_[k * stride_], keeps_[k * stride_]}; }

private:
    static constexpr double certain = 1, never = 0;
    std::span<const T> cuts_;
    const double* probabilities_ = &certain;
    const double* keeps_ = &never;
    std::size_t stride_ = 0;  // 0 where one value stands for all
};

// All ones if x <= y. For integers this is read from a sign bit, as in walk.hpp.
inline std::uint64_t is_up_to(std::int64_t x, std::int64_t y) {
    return ((static_cast<std::uint64_t>(y) - static_cast<std::uint64_t>(x)) >> 63) - 1;
}
inline std::uint64_t is_up_to(double x, double y) { return all_ones(x <= y); }
inline Chance chosen(const Chance& chance, std::uint64_t mask) {
    return {choose(mask, chance.cut, 0.0), choose(mask, chance.keep, 1.0)};
}

// Calls visit.points(length) for each block between two cuts of either side, and visit.cut(chance on the side of the
// truth, of the prediction) between two blocks. Lengths are multiplied by `factor`.
template <class T, class Visitor>
void walk_soft(const SoftCuts<T>& truth, const SoftCuts<T>& pred, T n, double factor, Visitor& visitor) {
    constexpr Chance absent{0, 1};
    constexpr std::size_t cuts_per_check = std::size_t{1} << 19;
    std::size_t i = 0, j = 0;
    T position{};
    Visitor visit = visitor;  // a local copy, so that it lives in registers
    bool increases = true;
    const auto go_to = [&](T cut) {
        increases &= cut > position;
        visit.points(static_cast<double>(difference(cut, position)) * factor);
        position = cut;
    };
    const auto check = [&] {
        if (!increases) refuse_change();
        check_interrupt();
    };
    while (i < truth.size() && j < pred.size()) {
        // So few steps that neither side can end: a step uses at most one cut of each side.
        for (std::size_t left = std::min({truth.size() - i, pred.size() - j, cuts_per_check}); left > 0; --left) {
            const T t = truth[i], p = pred[j];
            const std::uint64_t truth_ends = is_up_to(t, p), pred_ends = is_up_to(p, t);
            const Chance of_truth = chosen(truth.chance(i), truth_ends), of_pred = chosen(pred.chance(j), pred_ends);
            go_to(std::min(t, p));
            visit.cut(of_truth, of_pred);
            i += truth_ends & 1;
            j += pred_ends & 1;
        }
        check();
    }
    while (i < truth.size()) {
        for (const std::size_t end = std::min(truth.size(), i + cuts_per_check); i < end; ++i) {
            go_to(truth[i]);
            visit.cut(truth.chance(i), absent);
        }
        check();
    }
    while (j < pred.size()) {
        for (const std::size_t end = std::min(pred.size(), j + cuts_per_check); j < end; ++j) {
            go_to(pred[j]);
            visit.cut(absent, pred.chance(j));
        }
        check();
    }
    if (n > position) visit.points(static_cast<double>(n - position) * factor);
    visitor = visit;
}

// The expected number of pairs that only one side keeps together, which is all that the Rand Index needs.
struct SoftDisagreement {
    double truth_only = 0, pred_only = 0, both = 0;  // of the next point with all earlier points
    Compensated sum;

    void points(double length) {
        sum.add(length * (truth_only + pred_only));
        both += length;
    }
    void cut(const Chance& truth, const Chance& pred) {
        truth_only = truth.keep * (truth_only + pred.cut * both);
        pred_only = pred.keep * (pred_only + truth.cut * both);
        both *= truth.keep * pred.keep;
    }
    Pairs<double> pairs(double total) const {
        Pairs<double> pairs;
        pairs.truth_only = std::min(sum.value(), total);
        pairs.total = total;
        return pairs;
    }
};

// All four expected counts.
struct SoftPairCounts {
    explicit SoftPairCounts(bool in_points) : self(in_points ? 1 : 0) {}

    double self = 1;  // 1 for points, since a point makes no pair with itself, and 0 for moments
    double truth_only = 0, pred_only = 0, both = 0, neither = 0;
    Compensated truth_only_sum, pred_only_sum, both_sum, neither_sum;

    void points(double length) {
        truth_only_sum.add(length * truth_only);
        pred_only_sum.add(length * pred_only);
        neither_sum.add(length * neither);
        both_sum.add(length * both);
        both_sum.add(length * ((length - self) / 2));
        both += length;
    }
    void cut(const Chance& truth, const Chance& pred) {
        neither += pred.cut * pred_only + truth.cut * truth_only + truth.cut * pred.cut * both;
        truth_only = truth.keep * (truth_only + pred.cut * both);
        pred_only = pred.keep * (pred_only + truth.cut * both);
        both *= truth.keep * pred.keep;
    }
    Pairs<double> pairs(double total) const {
        return {both_sum.value(), truth_only_sum.value(), pred_only_sum.value(), neither_sum.value(), total};
    }
};

// The expected pairs of two sides. The unit of time is a power of 2 near the duration, as in InUnits.
template <class T, class Visitor>
Pairs<double> soft_pairs(const SoftCuts<T>& truth, const SoftCuts<T>& pred, T n, Visitor visit) {
    double factor = 1, total;
    if constexpr (std::is_integral_v<T>) {
        total = static_cast<double>(pairs_among(n));
    } else {
        factor = std::ldexp(1.0, -std::ilogb(n));
        total = pairs_among(n * factor);
    }
    walk_soft(truth, pred, n, factor, visit);
    Pairs<double> pairs = visit.pairs(total);
    pairs.unit = 1 / factor / factor;
    return pairs;
}

// The sum over all cuts of either side of the expected square of (probability of the prediction) - (1 where the truth
// cuts, else 0).
struct SoftSquares {
    Compensated sum;

    void points(double) {}
    void cut(const Chance& truth, const Chance& pred) {
        sum.add(truth.cut * (pred.keep * pred.keep) + truth.keep * (pred.cut * pred.cut));
    }
};

// For a predicted cut: the probability that the prediction has a cut within the margin, and whether the truth has one.
struct NearCut {
    double probability;
    bool is_true;
};

// A queue of chances, and the chance that there is at least one cut among them. Each step takes O(1) amortised time.
// The queue is made of two stacks: items enter one stack and leave from the other, which is refilled when it is empty.
class ChanceOfAny {
public:
    void enter(const Chance& chance) {
        entered_.push_back(chance);
        of_entered_ = either(of_entered_, chance);
    }
    void leave() {
        if (leaving_.empty()) {
            for (; !entered_.empty(); entered_.pop_back())
                leaving_.push_back(leaving_.empty() ? entered_.back() : either(entered_.back(), leaving_.back()));
            of_entered_ = {0, 1};
        }
        leaving_.pop_back();
    }
    double value() const { return leaving_.empty() ? of_entered_.cut : either(leaving_.back(), of_entered_).cut; }

private:
    static Chance either(const Chance& x, const Chance& y) { return {x.cut + x.keep * y.cut, x.keep * y.keep}; }

    std::vector<Chance> leaving_, entered_;
    Chance of_entered_{0, 1};
};

template <class T>
std::vector<NearCut> near_cuts(std::span<const T> truth, const SoftCuts<T>& pred, T margin) {
    Pace pace;
    std::vector<NearCut> found;
    found.reserve(pred.size());
    ChanceOfAny any;
    std::size_t first = 0, last = 0, next_truth = 0;
    for (std::size_t j = 0; j < pred.size(); ++j, pace.step()) {
        const auto is_near = [&](T cut) { return apart(cut, pred[j]) <= margin; };
        for (; last < pred.size() && (last <= j || is_near(pred[last])); ++last) any.enter(pred.chance(last));
        for (; first < j && !is_near(pred[first]); ++first) any.leave();
        for (; next_truth < truth.size() && truth[next_truth] < pred[j] && !is_near(truth[next_truth]); ++next_truth)
            pace.step();
        found.push_back({any.value(), next_truth < truth.size() && is_near(truth[next_truth])});
    }
    return found;
}

// The cuts of the segmentation with the highest expected Rand Index: the median of all segmentations, each with its
// probability. A pair that the result keeps together costs 1 - 2K, where K is the probability that the soft
// segmentation keeps the pair together. Without a least length, an optimum has only possible cuts, as for the
// consensus.
template <class T>
std::vector<T> best_cuts(const SoftCuts<T>& soft, T n, T least_length) {
    struct Model {
        std::vector<double> keeps{1};
        double across(double together, std::size_t place) const { return together * keeps[place]; }
        void pass(std::size_t) {}
    } model;
    std::vector<T> at{T{}};
    const bool is_free = std::is_integral_v<T> ? least_length <= 1 : least_length == 0;
    for (std::size_t k = 0; k < soft.size(); ++k) {
        if (is_free && soft.chance(k).cut == 0) continue;
        if (!(soft[k] > at.back() && soft[k] < n)) refuse_change();
        at.push_back(soft[k]);
        model.keeps.push_back(soft.chance(k).keep);
    }
    if (n > 0) at.push_back(n);
    return cheapest_cuts<T>(at, 1.0, least_length, model);
}

}  // namespace segscore
