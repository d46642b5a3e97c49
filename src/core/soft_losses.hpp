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
#include "pause.hpp"
#include "soft.hpp"

namespace segscore {

// A block of gaps between neighbouring points. If it is unknown whether the truth cuts a gap, then the gap does not
// count, and neither do pairs of points on different sides of the gap. Such a gap is a certain cut on both sides, which
// separates pairs without any disagreement.
struct Gaps {
    static constexpr std::size_t most = 256;
    using Values = std::array<double, most>;

    std::size_t count = 0;
    Values truth_cut, truth_keep, cut, keep;
    Values both_keep;  // truth_keep * keep
};

// Every x86-64 processor has vectors of two doubles, and most have vectors of four. GCC compiles these functions for
// both, and the right one is chosen when the module is loaded, which glibc can do. Without fused operations, both give
// the same numbers.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define SEGSCORE_WIDER_VECTORS __attribute__((target_clones("avx2", "default")))
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

#undef SEGSCORE_WIDER_VECTORS

// The walks over one block are functions that compilers do not inline: without calls around their loops, all sums stay
// in registers.
#define SEGSCORE_ALONE __attribute__((noinline))

// Walks from the start: pairs of the point behind each gap with all earlier points that the two sides treat
// differently.
struct SumsFromStart {
    double truth_only = 0;
    GapSums sums;
};
SEGSCORE_ALONE inline SumsFromStart walk_on(const Gaps& gaps, SumsFromStart from, Gaps::Values& apart) {
    for (std::size_t k = 0; k < gaps.count; ++k) {
        from.truth_only = gaps.truth_keep[k] * (from.truth_only + gaps.cut[k] * from.sums.both);
        from.sums.pass(gaps, k);
        apart[k] = from.truth_only + from.sums.pred_only;
    }
    return from;
}

// Walks from the start over one block, again, and from the end over the block behind it: the sums at each gap. Either
// block may be empty. Both walks share a loop, because each of them alone leaves the processor waiting for its last
// sums.
SEGSCORE_ALONE inline GapSums walk_both(const Gaps& earlier, GapSums on, BlockSums& before, const Gaps& later,
                                        GapSums back, BlockSums& behind) {
    const auto go_on = [&](std::size_t k) {
        before.put(k, on);
        on.pass(earlier, k);
    };
    const auto go_back = [&](std::size_t k) {
        behind.put(later.count - 1 - k, back);
        back.pass(later, later.count - 1 - k);
    };
    const std::size_t shared = std::min(earlier.count, later.count);
    for (std::size_t k = 0; k < shared; ++k) {
        go_on(k);
        go_back(k);
    }
    for (std::size_t k = shared; k < earlier.count; ++k) go_on(k);
    for (std::size_t k = shared; k < later.count; ++k) go_back(k);
    return back;
}

#undef SEGSCORE_ALONE

// The expected number of pairs of points that the two sides treat differently, and its derivatives by the probabilities
// of the prediction. load(from, gaps) fills a block with the gaps from a place on, Gaps::most of them except at the
// end; store(from, gaps, derivatives) takes the derivatives of a block.
//
// The number is linear in each probability. Its derivative at a gap follows from the sums over the earlier points and
// from the same sums over the later points, which a walk from the end gives. The walk from the start keeps its sums at
// the start of each block, from which the sums inside the block are computed again.
template <class Load, class Store>
double soft_loss(std::size_t gaps, const Load& load, const Store& store, const Pause& pause) {
    if (gaps == 0) return 0;
    Pace pace(pause);
    const std::size_t blocks = (gaps - 1) / Gaps::most + 1;
    std::vector<GapSums> starts(blocks);
    std::array<Gaps, 2> loaded;  // the block with the number b is loaded[b % 2]
    std::array<BlockSums, 2> before;
    BlockSums behind;
    Gaps::Values values;
    Compensated expected;
    SumsFromStart from_start;
    for (std::size_t b = 0; b < blocks; ++b) {
        Gaps& here = loaded[b % 2];
        load(b * Gaps::most, here);
        starts[b] = from_start.sums;
        from_start = walk_on(here, from_start, values);
        expected.add(sum_in_parts(std::span(values).first(here.count)));
        pace.step(here.count);
    }
    GapSums from_end;
    for (std::size_t b = blocks + 1; b-- > 0;) {  // the walk from the end passes block b, the other walk block b - 1
        Gaps &earlier = loaded[(b + 1) % 2], &later = loaded[b % 2];
        if (b == blocks) later.count = 0;
        if (b == 0) earlier.count = 0;
        if (0 < b && b < blocks) load((b - 1) * Gaps::most, earlier);
        from_end = walk_both(earlier, starts[b > 0 ? b - 1 : 0], before[(b + 1) % 2], later, from_end, behind);
        if (b == blocks) continue;
        derive(later, before[b % 2], behind, values);
        store(b * Gaps::most, later, std::span(values).first(later.count));
        pace.step(later.count);
    }
    return expected.value();
}

}  // namespace segscore
