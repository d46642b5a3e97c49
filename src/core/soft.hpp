// Soft segmentations: cuts with probabilities. The expected counts of pairs, and the derivatives of the expected Rand
// distance.
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
#include "pairs.hpp"
#include "pause.hpp"

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
inline std::uint64_t is_negative(double x) { return static_cast<std::uint64_t>(std::bit_cast<std::int64_t>(x) >> 63); }

inline Chance chance_of_logit(double logit) {
    const double small = std::exp(-std::abs(logit));
    const double likely = 1 / (1 + small), unlikely = small * likely;
    const std::uint64_t mask = is_negative(logit);
    return {choose(mask, unlikely, likely), choose(mask, likely, unlikely)};
}

// A chance as one number: the smaller of its two parts, with a minus sign if the smaller part is the probability of a
// cut. The larger part is at least 1/2, so that 1 minus the smaller part is right to the last digit.
inline double packed(const Chance& chance) {
    return choose(is_negative(chance.cut - chance.keep), -chance.cut, std::min(chance.keep, 0.5));
}
inline Chance unpacked(double number) {
    const double small = std::abs(number), large = 1 - small;
    const std::uint64_t mask = is_negative(number);
    return {choose(mask, small, large), choose(mask, large, small)};
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
void walk_soft(const SoftCuts<T>& truth, const SoftCuts<T>& pred, T n, double factor, Visitor& visitor,
               const Pause& pause) {
    constexpr Chance absent{0, 1};
    constexpr std::size_t cuts_per_pause = std::size_t{1} << 19;
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
        pause();
    };
    while (i < truth.size() && j < pred.size()) {
        // So few steps that neither side can end: a step uses at most one cut of each side.
        for (std::size_t left = std::min({truth.size() - i, pred.size() - j, cuts_per_pause}); left > 0; --left) {
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
        for (const std::size_t end = std::min(truth.size(), i + cuts_per_pause); i < end; ++i) {
            go_to(truth[i]);
            visit.cut(truth.chance(i), absent);
        }
        check();
    }
    while (j < pred.size()) {
        for (const std::size_t end = std::min(pred.size(), j + cuts_per_pause); j < end; ++j) {
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
Pairs<double> soft_pairs(const SoftCuts<T>& truth, const SoftCuts<T>& pred, T n, Visitor visit, const Pause& pause) {
    double factor = 1, total;
    if constexpr (std::is_integral_v<T>) {
        total = static_cast<double>(pairs_among(n));
    } else {
        factor = std::ldexp(1.0, -std::ilogb(n));
        total = pairs_among(n * factor);
    }
    walk_soft(truth, pred, n, factor, visit, pause);
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
std::vector<NearCut> near_cuts(std::span<const T> truth, const SoftCuts<T>& pred, T margin, const Pause& pause) {
    Pace pace(pause);
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
std::vector<T> best_cuts(const SoftCuts<T>& soft, T n, T least_length, const Pause& pause) {
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
    return cheapest_cuts<T>(at, 1.0, least_length, model, pause);
}

// A gap between two neighbouring points: the chance that the truth cuts the gap. If it is unknown whether the truth
// cuts the gap, the gap does not count, and neither do pairs of points on different sides of the gap.
struct TrueGap {
    Chance chance;
    bool counts;
};

// The expected Rand distance of one series with a chance for each gap, and its derivatives by the probabilities of the
// prediction. truth(k) returns a TrueGap and pred(k) a Chance, which is read only where the gap counts. A gap that does
// not count is a certain cut on both sides, which separates pairs without any disagreement. finish(derivative, chance)
// returns what is stored in `gradient`, which has room for all gaps.
//
// The distance is linear in each probability. Its derivative at a gap follows from the sums over the earlier points and
// from the same sums over the later points, which a walk from the end gives. The walk from the start keeps its state at
// the start of each block, from which the sums inside the block are computed again, so the only large array is the
// gradient. Until a derivative is known, its place holds the chance.
template <class Truth, class Pred, class Finish>
double soft_loss(const Truth& truth, const Pred& pred, const Finish& finish, std::span<double> gradient,
                 const Pause& pause) {
    constexpr Chance certain{1, 0};
    constexpr std::size_t block = 1024;
    struct State {
        double pred_only, both;
    };
    Pace pace(pause);
    const std::size_t gaps = gradient.size();
    std::vector<State> starts;
    starts.reserve(gaps / block + 1);
    SoftDisagreement walk;
    double total = 0, points = 1;  // pairs that count, and points since the last gap that does not count
    walk.points(1);
    for (std::size_t from = 0; from < gaps; from += block) {
        starts.push_back({walk.pred_only, walk.both});
        const std::size_t end = std::min(gaps, from + block);
        for (std::size_t k = from; k < end; ++k) {
            const TrueGap gap = truth(k);
            const Chance chance = gap.counts ? pred(k) : certain;
            gradient[k] = packed(chance);
            walk.cut(gap.counts ? gap.chance : certain, chance);
            total += gap.counts ? points : 0;
            points = gap.counts ? points + 1 : 1;
            walk.points(1);
        }
        pace.step(end - from);
    }
    std::array<State, block> before;
    double pred_only = 0, both = 1;  // of the points behind the gap
    for (std::size_t from = starts.size() * block; from > 0;) {
        from -= block;
        const std::size_t end = std::min(gaps, from + block);
        State now = starts[from / block];
        for (std::size_t k = from; k < end; ++k) {
            const TrueGap gap = truth(k);
            const Chance truth_chance = gap.counts ? gap.chance : certain, chance = unpacked(gradient[k]);
            before[k - from] = now;
            now.pred_only = chance.keep * (now.pred_only + truth_chance.cut * now.both);
            now.both = truth_chance.keep * chance.keep * now.both + 1;
        }
        for (std::size_t k = end; k-- > from;) {
            const TrueGap gap = truth(k);
            const Chance truth_chance = gap.counts ? gap.chance : certain, chance = unpacked(gradient[k]);
            const State& left = before[k - from];
            const double separated = left.pred_only * (pred_only + both) + left.both * pred_only;
            const double joined = left.both * both * (truth_chance.keep - truth_chance.cut);
            gradient[k] = gap.counts ? finish((joined - separated) / total, chance) : 0.0;
            pred_only = chance.keep * (pred_only + truth_chance.cut * both);
            both = truth_chance.keep * chance.keep * both + 1;
        }
        pace.step(end - from);
    }
    return total > 0 ? std::min(walk.sum.value() / total, 1.0) : 0.0;
}

}  // namespace segscore
