// The expected Rand distance of a series with one probability per gap, and its derivatives.
//
// soft.hpp explains the walk. Here the walk works on blocks of gaps: all that is not a recurrence is a plain loop over
// arrays without branches, which compilers turn into vector instructions.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact.hpp"
#include "pace.hpp"
#include "soft.hpp"

namespace segscore {

// A block of gaps between neighbouring points. If it is unknown whether the truth cuts a gap, then the gap does not
// count, and neither do pairs of points on different sides of the gap. Such a gap is a certain cut on both sides, which
// separates pairs without any disagreement.
struct Gaps {
    static constexpr std::size_t most = 256;
    using Values = std::array<double, most>;

    std::size_t from = 0, count = 0;  // the number of the first gap, and how many gaps there are
    Values truth_cut, truth_keep, cut, keep;
    Values both_keep;  // truth_keep * keep
};

// Every x86-64 processor has vectors of two doubles, most have vectors of four, and some have vectors of eight. GCC
// compiles these functions for all three, and the right one is chosen when the module is loaded, which glibc can do.
// All give the same numbers, because CMakeLists.txt forbids fused operations.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define SEGSCORE_WIDER_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SEGSCORE_WIDER_VECTORS
#endif

// Whether all values are numbers, and whether all values are probabilities. Both tests read sign bits.
inline std::uint64_t negative_if_nan(double x) {
    constexpr std::uint64_t infinite = 0x7FF0'0000'0000'0000, without_sign = ~std::uint64_t{0} >> 1;
    return infinite - (std::bit_cast<std::uint64_t>(x) & without_sign);
}
SEGSCORE_WIDER_VECTORS inline bool are_numbers(std::span<const double> values) {
    std::uint64_t signs = 0;
    for (const double x : values) signs |= negative_if_nan(x);
    return signs >> 63 == 0;
}
SEGSCORE_WIDER_VECTORS inline bool are_probabilities(std::span<const double> values) {
    std::uint64_t signs = 0;
    for (const double x : values)  // adding 0 turns -0 into 0
        signs |= negative_if_nan(x) | is_negative(x + 0.0) | is_negative(1 - x);
    return signs >> 63 == 0;
}

// Fills in what follows from the probabilities of cuts on both sides, and from the keeps of the prediction.
SEGSCORE_WIDER_VECTORS inline void complete(Gaps& gaps) {
    for (std::size_t k = 0; k < gaps.count; ++k) {
        gaps.truth_keep[k] = 1 - gaps.truth_cut[k];
        gaps.both_keep[k] = gaps.truth_keep[k] * gaps.keep[k];
    }
}

// Replaces logits, in the place of the probabilities of cuts, by probabilities and keeps.
SEGSCORE_WIDER_VECTORS inline void chances_of_logits(Gaps& gaps) {
    for (std::size_t k = 0; k < gaps.count; ++k) {
        const Chance chance = chance_of_logit(gaps.cut[k]);
        gaps.cut[k] = chance.cut;
        gaps.keep[k] = chance.keep;
    }
}

// The sums over all points on one side of a gap that the derivative at the gap needs.
struct GapSums {
    double pred_only = 0, both = 1;  // of the first or the last point alone

    void pass(const Gaps& gaps, std::size_t k) {
        pred_only = gaps.keep[k] * (pred_only + gaps.truth_cut[k] * both);
        both = gaps.both_keep[k] * both + 1;
    }
};
struct BlockSums {
    Gaps::Values pred_only, both;

    void put(std::size_t k, const GapSums& sums) {
        pred_only[k] = sums.pred_only;
        both[k] = sums.both;
    }
};

// The same sums, and the third one, which only the loss itself needs.
struct AllSums {
    double truth_only = 0;
    GapSums others;

    // The pairs of the point beside the gap with all points before it that the two sides treat differently.
    double apart() const { return truth_only + others.pred_only; }
    void pass(const Gaps& gaps, std::size_t k) {
        truth_only = gaps.truth_keep[k] * (truth_only + gaps.cut[k] * others.both);
        others.pass(gaps, k);
    }
};

// The walks from the start and from the end meet at one point, which is in the sums of both. These are the pairs of a
// point of one walk with a point of the other walk that the two sides treat differently.
inline double apart_between(const AllSums& on, const AllSums& back) {
    const auto pairs = [&](double before, double behind) {
        return before * (behind + back.others.both) + on.others.both * behind;
    };
    return pairs(on.truth_only, back.truth_only) + pairs(on.others.pred_only, back.others.pred_only);
}

// The sum of some numbers, in eight parts: vector instructions can add the parts, and long sums are rounded less.
SEGSCORE_WIDER_VECTORS inline double sum_in_parts(std::span<const double> values) {
    std::array<double, 8> parts{};
    std::size_t k = 0;
    for (; k + parts.size() <= values.size(); k += parts.size())
        for (std::size_t part = 0; part < parts.size(); ++part) parts[part] += values[k + part];
    for (std::size_t part = 0; k < values.size(); ++k, ++part) parts[part] += values[k];
    double sum = 0;
    for (const double part : parts) sum += part;
    return sum;
}

// The derivatives at the gaps of a block, from the sums over the earlier points and over the later points.
SEGSCORE_WIDER_VECTORS inline void derive(const Gaps& gaps, const BlockSums& before, const BlockSums& behind,
                                          Gaps::Values& derivatives) {
    for (std::size_t k = 0; k < gaps.count; ++k) {
        const double pred_only = before.pred_only[k], both = before.both[k];
        const double separated = pred_only * (behind.pred_only[k] + behind.both[k]) + both * behind.pred_only[k];
        derivatives[k] = both * behind.both[k] * (gaps.truth_keep[k] - gaps.truth_cut[k]) - separated;
    }
}

// Turns derivatives by probabilities into derivatives by logits.
SEGSCORE_WIDER_VECTORS inline void derive_by_logits(const Gaps& gaps, std::span<double> derivatives) {
    for (std::size_t k = 0; k < gaps.count; ++k) derivatives[k] *= gaps.cut[k] * gaps.keep[k];
}

#undef SEGSCORE_WIDER_VECTORS

// One half of all gaps, block by block from its outer end: the start or the end of the series.
struct Half {
    Gaps gaps;
    Gaps::Values values;
    GapSums on, back;           // of the walks from the start and from the end of the series
    BlockSums before, behind;   // these sums at each gap of the block
    std::vector<GapSums> kept;  // the sums of the walk from the outer end where it enters each block
};

// Each step of a walk waits for the step before, so several walks share a loop. The walks are functions that compilers
// do not inline: without calls around their loops, all sums stay in registers.
#define SEGSCORE_ALONE __attribute__((noinline))

// Walks from both ends towards the middle, over one block of each half. The block of the last half may have one gap
// more.
SEGSCORE_ALONE inline void walk_inwards(const Gaps& first, AllSums& from_start, Gaps::Values& first_apart,
                                        const Gaps& last, AllSums& from_end, Gaps::Values& last_apart) {
    AllSums on = from_start, back = from_end;
    const auto go_back = [&](std::size_t k) {
        last_apart[k] = back.apart();
        back.pass(last, k);
    };
    for (std::size_t k = 0; k < first.count; ++k) {
        first_apart[k] = on.apart();
        on.pass(first, k);
        go_back(last.count - 1 - k);
    }
    if (last.count > first.count) go_back(0);
    from_start = on;
    from_end = back;
}

// Walks over one block of each half in both directions.
SEGSCORE_ALONE inline void walk_both_ways(Half& first, Half& last) {
    GapSums first_on = first.on, first_back = first.back, last_on = last.on, last_back = last.back;
    const auto step = [](Half& half, GapSums& on, GapSums& back, std::size_t k) {
        const std::size_t mirrored = half.gaps.count - 1 - k;
        half.before.put(k, on);
        on.pass(half.gaps, k);
        half.behind.put(mirrored, back);
        back.pass(half.gaps, mirrored);
    };
    const std::size_t shared = first.gaps.count;
    for (std::size_t k = 0; k < shared; ++k) {
        step(first, first_on, first_back, k);
        step(last, last_on, last_back, k);
    }
    if (last.gaps.count > shared) step(last, last_on, last_back, shared);
    first.back = first_back;
    last.on = last_on;
}

#undef SEGSCORE_ALONE

// The expected number of pairs of points that the two sides treat differently, and its derivatives by the probabilities
// of the prediction. load(gaps) fills a block, of which `from` and `count` are given; store(gaps, derivatives) takes
// the derivatives of a block.
//
// The number is linear in each probability. Its derivative at a gap follows from the sums over the earlier points and
// from the same sums over the later points. Two walks from both ends meet in the middle, and keep their sums where they
// enter a block. Then each walk goes on through the other half, where the sums of the other walk are computed again,
// block by block, from the sums that it kept.
template <class Load, class Store>
double soft_loss(std::size_t gaps, const Load& load, const Store& store) {
    Pace pace;
    const std::size_t middle = gaps / 2, blocks = (gaps - middle + Gaps::most - 1) / Gaps::most;
    Half first, last;
    for (Half* const half : {&first, &last}) half->kept.resize(blocks);
    const auto load_block = [&](std::size_t b) {
        const std::size_t start = b * Gaps::most, end = gaps - start;
        first.gaps.count = std::min(Gaps::most, middle - start);
        first.gaps.from = start;
        last.gaps.count = std::min(Gaps::most, end - middle);
        last.gaps.from = end - last.gaps.count;
        load(first.gaps);
        load(last.gaps);
        pace.step(first.gaps.count + last.gaps.count);
    };
    AllSums from_start, from_end;
    Compensated expected;
    for (std::size_t b = 0; b < blocks; ++b) {
        load_block(b);
        first.kept[b] = from_start.others;
        last.kept[b] = from_end.others;
        walk_inwards(first.gaps, from_start, first.values, last.gaps, from_end, last.values);
        for (const Half* const half : {&first, &last})
            expected.add(sum_in_parts(std::span(half->values).first(half->gaps.count)));
    }
    expected.add(apart_between(from_start, from_end));
    first.back = from_end.others;
    last.on = from_start.others;
    for (std::size_t b = blocks; b-- > 0;) {
        load_block(b);
        first.on = first.kept[b];
        last.back = last.kept[b];
        walk_both_ways(first, last);
        for (Half* const half : {&first, &last}) {
            derive(half->gaps, half->before, half->behind, half->values);
            store(half->gaps, std::span(half->values).first(half->gaps.count));
        }
    }
    return expected.value();
}

}  // namespace segscore
