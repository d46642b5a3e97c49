// The pair family: counts of pairs of points kept together or apart, and the scores computed from these counts.
//
// The paper's formula gives all counts. A point is together with the points behind it up to the end of its segment. So
// a cell has length * |truth_end - pred_end| pairs that only one side keeps together: the truth if truth_end is larger,
// the prediction if pred_end is larger.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "cuts.hpp"
#include "exact.hpp"
#include "walk.hpp"

namespace segscore {

// Counts of pairs of points (u128), or areas of pairs of moments in continuous time (double).
template <class Measure>
struct Pairs {
    Measure both{};        // together in both
    Measure truth_only{};  // together only in the truth
    Measure pred_only{};
    Measure neither{};  // apart in both
    Measure total{};
    double unit = 1;  // the area that is 1 here; scores are quotients, and need not know

    Measure truth() const { return both + truth_only; }
    Measure pred() const { return both + pred_only; }
    Measure disagreement() const { return truth_only + pred_only; }
};

// A sum of products of two lengths; Sum is wide enough for n^2 - n.
template <class Sum>
struct Exact {
    using Measure = u128;
    Sum sum = 0;

    void add_product(std::uint64_t x, std::uint64_t y) { sum += static_cast<Sum>(x) * y; }
    void add(const Exact& other) { sum += other.sum; }
};

// max(x - y, 0).
inline std::uint64_t excess(std::int64_t x, std::int64_t y) {
    const auto difference = static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y);
    return difference & ~-(difference >> 63);
}
inline double excess(double x, double y) { return x > y ? x - y : 0.0; }

inline std::uint64_t magnitude(std::int64_t x) { return static_cast<std::uint64_t>(x); }
inline double magnitude(double x) { return x; }

inline u128 pairs_among(std::int64_t n) { return n < 2 ? 0 : magnitude(n) * u128{magnitude(n) - 1} / 2; }
inline double pairs_among(double duration) { return duration * duration / 2; }

template <class Sum>
u128 measure(const Exact<Sum>& sum) {
    return sum.sum;
}
inline double measure(const Compensated& sum) { return sum.value(); }

// Only the paper's d, which is all that the Rand Index needs. It is counted as pairs of one kind: only the sum matters.
template <class Accumulator>
struct Disagreement {
    Accumulator d;

    template <class T>
    void operator()(const Cell<T>& cell) {
        d.add_product(magnitude(cell.length), magnitude(apart(cell.truth_end, cell.pred_end)));
    }
    void merge(const Disagreement& other) { d.add(other.d); }

    template <class T>
    auto pairs(T n) const {
        Pairs<decltype(measure(d))> pairs;
        pairs.truth_only = measure(d);
        pairs.total = pairs_among(n);
        return pairs;
    }
};

// All four counts.
template <class Accumulator>
struct PairCounts {
    Accumulator squares, truth_only, pred_only;

    template <class T>
    void operator()(const Cell<T>& cell) {
        squares.add_product(magnitude(cell.length), magnitude(cell.length));
        truth_only.add_product(magnitude(cell.length), excess(cell.truth_end, cell.pred_end));
        pred_only.add_product(magnitude(cell.length), excess(cell.pred_end, cell.truth_end));
    }
    void merge(const PairCounts& other) {
        squares.add(other.squares);
        truth_only.add(other.truth_only);
        pred_only.add(other.pred_only);
    }

    Pairs<u128> pairs(std::int64_t n) const {
        Pairs<u128> pairs;
        // n <= 2^32 may make n^2 wrap around 2^64 here, but n^2 - n does not.
        auto both = squares.sum;
        both -= magnitude(n);
        pairs.both = both / 2;
        pairs.truth_only = measure(truth_only);
        pairs.pred_only = measure(pred_only);
        pairs.total = pairs_among(n);
        pairs.neither = pairs.total - pairs.both - pairs.disagreement();
        return pairs;
    }
};

// In continuous time the four areas are summed separately. The smallest area may be much smaller than the rounding
// errors of the others, so it is not computed as a difference: the points behind both segments are apart from the cell
// on both sides.
template <>
struct PairCounts<Compensated> {
    double duration = 0;
    Compensated squares{}, truth_only{}, pred_only{}, neither{};

    void operator()(const Cell<double>& cell) {
        squares.add_product(cell.length, cell.length);
        truth_only.add_product(cell.length, excess(cell.truth_end, cell.pred_end));
        pred_only.add_product(cell.length, excess(cell.pred_end, cell.truth_end));
        neither.add_product(cell.length, duration - std::max(cell.truth_end, cell.pred_end));
    }
    PairCounts blank() const { return {duration, {}, {}, {}, {}}; }
    void merge(const PairCounts& other) {
        squares.add(other.squares);
        truth_only.add(other.truth_only);
        pred_only.add(other.pred_only);
        neither.add(other.neither);
    }
    Pairs<double> pairs(double) const {
        return {squares.value() / 2, truth_only.value(), pred_only.value(), neither.value(), pairs_among(duration)};
    }
};

// A cell in time with lengths of another unit, a power of 2, so that nothing is rounded. With a duration of about 1 the
// areas of short segments do not underflow.
inline double factor_of_units(double duration) { return std::ldexp(1.0, -std::ilogb(duration)); }
inline Cell<double> in_units(const Cell<double>& cell, double factor) {
    return {cell.length * factor, cell.truth_start * factor, cell.truth_end * factor, cell.pred_start * factor,
            cell.pred_end * factor};
}

// Shows a visitor the cells in time in these units.
template <class Visitor>
struct InUnits {
    Visitor visitor;
    double factor = 1;

    explicit InUnits(double duration, const Visitor& counts = {}) : visitor(counts), factor(factor_of_units(duration)) {
        if constexpr (requires { visitor.duration; }) visitor.duration = duration * factor;
    }
    InUnits() = default;
    void operator()(const Cell<double>& cell) { visitor(in_units(cell, factor)); }
    InUnits blank() const {
        InUnits fresh;
        fresh.visitor = segscore::blank(visitor);
        fresh.factor = factor;
        return fresh;
    }
    void merge(const InUnits& other) { visitor.merge(other.visitor); }
    auto pairs(double duration) const {
        auto found = visitor.pairs(duration * factor);
        found.unit = 1 / factor / factor;
        return found;
    }
};

// All four counts, and the sum over cells of length * truth's segment * prediction's segment.
template <class Accumulator>
struct TripleCounts : PairCounts<Accumulator> {
    using Triples = std::conditional_t<std::is_same_v<Accumulator, Exact<std::uint64_t>>, u128, Natural<4>>;
    Triples triples{};

    void operator()(const Cell<std::int64_t>& cell) {
        PairCounts<Accumulator>::operator()(cell);
        const u128 lengths = u128{magnitude(cell.length)} * magnitude(cell.truth_length());
        const std::uint64_t pred = magnitude(cell.pred_length());
        if constexpr (std::is_same_v<Triples, u128>)
            triples += lengths * pred;
        else
            triples += product(lengths, pred);
    }
    void merge(const TripleCounts& other) {
        PairCounts<Accumulator>::merge(other);
        triples += other.triples;
    }
};

// The finalizers. `Measure{}` is zero; the total is zero if n < 2, and then the two sides cannot disagree.

template <class Measure>
double rand_index(const Pairs<Measure>& pairs) {
    if (pairs.total == Measure{}) return 1.0;
    if (pairs.disagreement() >= pairs.total) return 0.0;
    return ratio(pairs.total - pairs.disagreement(), pairs.total);
}

template <class Measure>
double rand_distance(const Pairs<Measure>& pairs) {
    if (pairs.total == Measure{}) return 0.0;
    return ratio(pairs.disagreement(), pairs.total);
}

// The value of 0 / 0: 1 if the other side has no pairs either, else 0.
template <class Measure>
double share(Measure part, Measure whole, Measure other) {
    if (whole == Measure{}) return other == Measure{} ? 1.0 : 0.0;
    return ratio(part, whole);
}

template <class Measure>
double pair_precision(const Pairs<Measure>& pairs) {
    return share(pairs.both, pairs.pred(), pairs.truth());
}

template <class Measure>
double pair_recall(const Pairs<Measure>& pairs) {
    return share(pairs.both, pairs.truth(), pairs.pred());
}

template <class Measure>
double pair_f1(const Pairs<Measure>& pairs) {
    const Measure sum = pairs.truth() + pairs.pred();
    return sum == Measure{} ? 1.0 : ratio(pairs.both + pairs.both, sum);
}

template <class Measure>
double adapted_rand_error(const Pairs<Measure>& pairs) {
    const Measure sum = pairs.truth() + pairs.pred();
    return sum == Measure{} ? 0.0 : ratio(pairs.disagreement(), sum);
}

// The mean of the F1 of the pairs together, both / (sum / 2), and the F1 of the pairs apart. A term is left out if
// neither side has pairs of its kind.
template <class Measure>
double blanc(const Pairs<Measure>& pairs) {
    const Measure together = pairs.truth() + pairs.pred();
    const Measure neither = pairs.neither, apart = neither + neither + pairs.disagreement();
    if (together == Measure{} && apart == Measure{}) return 1.0;
    if (together == Measure{}) return ratio(neither + neither, apart);
    if (apart == Measure{}) return pair_f1(pairs);
    return signed_ratio(product(pairs.both, apart) + product(neither, together), {}, product(together, apart));
}

template <class Measure>
double jaccard_index(const Pairs<Measure>& pairs) {
    const Measure either = pairs.both + pairs.disagreement();
    return either == Measure{} ? 1.0 : ratio(pairs.both, either);
}

template <class Measure>
double fowlkes_mallows_index(const Pairs<Measure>& pairs) {
    if (pairs.disagreement() == Measure{}) return 1.0;
    if (pairs.both == Measure{}) return 0.0;
    return std::min(1.0, ratio_to_geometric_mean(pairs.both, pairs.truth(), pairs.pred()));
}

template <class Measure>
double adjusted_rand_index(const Pairs<Measure>& pairs) {
    if (pairs.disagreement() == Measure{}) return 1.0;
    const auto agree = product(pairs.both, pairs.neither);
    const auto differ = product(pairs.truth_only, pairs.pred_only);
    const Measure truth_apart = pairs.pred_only + pairs.neither, pred_apart = pairs.truth_only + pairs.neither;
    return signed_ratio(agree + agree, differ + differ,
                        product(pairs.truth(), pred_apart) + product(pairs.pred(), truth_apart));
}

// In time, each product is of shares, because a product of two small areas may underflow.
inline double adjusted_rand_index(const Pairs<double>& pairs) {
    if (pairs.disagreement() == 0) return 1.0;
    const double truth_apart = pairs.pred_only + pairs.neither, pred_apart = pairs.truth_only + pairs.neither;
    const double together = std::max(pairs.truth(), pairs.pred()), apart = std::max(truth_apart, pred_apart);
    const double agree = pairs.both / together * (pairs.neither / apart);
    const double differ = pairs.truth_only / together * (pairs.pred_only / apart);
    return 2 * (agree - differ) /
           (pairs.truth() / together * (pred_apart / apart) + pairs.pred() / together * (truth_apart / apart));
}
inline double blanc(const Pairs<double>& pairs) {
    const double apart = 2 * pairs.neither + pairs.disagreement();
    return apart == 0 ? pair_f1(pairs) : (pair_f1(pairs) + 2 * pairs.neither / apart) / 2;
}

inline double modified_adjusted_rand_index(const Pairs<u128>& pairs, const Natural<4>& triples, std::int64_t points) {
    constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
    const u128 n = magnitude(points);
    if (n < 4) return undefined;
    // Pairs of pairs on four distinct points, one together in the truth and one in the prediction:
    //   X = PQ - N11 - (2n + triples - sum n_ij^2 - sum a_i^2 - sum b_j^2), each sum of squares being 2 * pairs + n.
    Natural<4> taken = triples;
    taken += Natural<4>(pairs.both);
    taken += Natural<4>(2 * n);
    Natural<4> disjoint = product(pairs.truth(), pairs.pred());
    disjoint += Natural<4>(2 * pairs.both + n);
    disjoint += Natural<4>(2 * pairs.truth() + n);
    disjoint += Natural<4>(2 * pairs.pred() + n);
    disjoint -= taken;
    // E = X / M with M pairs among the other n - 2 points; (N11 - E) / ((P + Q) / 2 - E), multiplied by 2M.
    const u128 others = (n - 2) * (n - 3) / 2;
    const Natural<4> expected = disjoint + disjoint;
    const Natural<4> largest = product(others, pairs.truth() + pairs.pred());
    if (largest == expected) return pairs.both > 0 ? 1.0 : undefined;
    const Natural<4> found = product(others, 2 * pairs.both);
    return signed_ratio(found, expected, largest - expected);
}

// 2 d / n^2: the share in all ordered pairs, including each point with itself.
inline double normalized_mirkin_distance(const Pairs<double>& pairs, double) { return rand_distance(pairs); }
inline double normalized_mirkin_distance(const Pairs<u128>& pairs, std::int64_t n) {
    return n == 0 ? 0.0 : ratio(2 * pairs.disagreement(), u128{magnitude(n)} * magnitude(n));
}

}  // namespace segscore
