// The one engine: computes once what a set of metrics needs of two segmentations.
//
// One score, compare(), tables, matrices and random draws all make an Evaluation and hand it to the finalizers of the
// catalog.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "boundaries.hpp"
#include "cuts.hpp"
#include "edits.hpp"
#include "exact.hpp"
#include "information.hpp"
#include "labels.hpp"
#include "overlap.hpp"
#include "pairs.hpp"
#include "pause.hpp"
#include "walk.hpp"
#include "windows.hpp"

namespace segscore {

// Two checked segmentations of one length.
template <class T>
struct Sides {
    std::span<const T> truth, pred;
    T n;
    Labels truth_labels{}, pred_labels{};  // if one side has labels, both have

    bool has_labels() const { return !truth_labels.empty(); }
};

// The margin as the user gave it: in the unit of the cuts, or as a share of the length.
struct Margin {
    enum class Kind { none, whole, real, relative } kind = Kind::none;
    std::int64_t whole = 0;
    double real = 0;

    bool is_given() const { return kind != Kind::none; }
    // A margin above every distance has the same effect as infinity, and does not overflow.
    template <class T>
    T within(T n) const {
        if (kind == Kind::whole) return static_cast<T>(whole);
        const double reach = kind == Kind::relative ? real * static_cast<double>(n) : real;
        return reach < static_cast<double>(n) ? static_cast<T>(reach) : n;
    }
};

// The options of metrics, with their defaults.
struct Options {
    Margin margin{};
    double beta = 1;
    Average average = Average::arithmetic;
    double log_base = 1;  // the logarithm of the base of the unit of information
    bool symmetric = false;
    std::int64_t k = 0;  // size of the window; 0 stands for the default size
    bool weighted = false;
    bool lamprier = false;
    std::int64_t n_t = 2;
    double insertion = 2, deletion = 2, shift = 1;
};

// The sums over cells that a metric needs.
enum Need : unsigned { nothing = 0, disagreement = 1, pairs = 2, triples = 4, information = 8, overlap = 16 };

template <class T>
class Evaluation {
public:
    using Measure = std::conditional_t<std::is_integral_v<T>, u128, double>;

    Sides<T> sides;
    Pause pause;
    TriplePairs<Measure> pairs{};
    Information information{};
    Overlap overlap{};

    // Evaluates two sides in memory.
    Evaluation(const Sides<T>& both, unsigned needs, const Pause& pause_now_and_then = {})
        : sides(both), pause(pause_now_and_then) {
        if constexpr (std::is_integral_v<T>) {
            if (both.has_labels()) {
                const Contingency table = contingency();
                pairs = table.pairs();
                information = table.information();
                overlap = table.overlap();
                return;
            }
        }
        sum_cells(needs, [this](auto& visitor) { walk_checked(sides.truth, sides.pred, sides.n, visitor, pause); });
    }
    // Evaluates only the pair family, for cuts that are read once, as they arrive, in O(1) memory.
    template <class Truth, class Pred>
    Evaluation(Truth& truth, Pred& pred, T n, unsigned needs, const Pause& pause_now_and_then)
        : sides{{}, {}, n}, pause(pause_now_and_then) {
        sum_cells(needs, [&](auto& visitor) { walk(truth, pred, n, visitor, pause); });
    }

    // The number of matches; it is kept, because consecutive metrics often have the same margin.
    const Matched& matched(const Margin& margin) const {
        const T reach = margin.within(sides.n);
        if (!matched_.has_value() || matched_reach_ != reach) {
            matched_ = Matched{0, sides.truth.size(), sides.pred.size()};
            matched_reach_ = reach;
            match(sides.truth, sides.pred, reach, [this](std::size_t, std::size_t) { ++matched_->both; }, pause);
        }
        return *matched_;
    }

    const EditCounts& edits(std::int64_t n_t) const
        requires std::is_integral_v<T>
    {
        if (!edits_.has_value() || edits_n_t_ != n_t) {
            edits_ = count_edits(sides.truth, sides.pred, n_t, pause);
            edits_n_t_ = n_t;
        }
        return *edits_;
    }

    double expected_mutual_information() const
        requires std::is_integral_v<T>
    {
        LengthCounts truth, pred;
        if (sides.has_labels()) {
            const Contingency table = contingency();
            for (const std::int64_t size : table.truth_sizes) ++truth[size];
            for (const std::int64_t size : table.pred_sizes) ++pred[size];
        } else {
            visit_lengths(sides.truth, sides.n, [&](T length) { ++truth[length]; });
            visit_lengths(sides.pred, sides.n, [&](T length) { ++pred[length]; });
        }
        return segscore::expected_mutual_information(truth, pred, sides.n, pause);
    }

    std::int64_t window(std::int64_t k) const
        requires std::is_integral_v<T>
    {
        return k > 0 ? k : default_window(sides.n, sides.truth.size());
    }

    // One truth against three predictions, for as many evaluations. Short walks wait for each other's loads.
    static std::array<Evaluation, 3> of_three(std::span<const T> truth, const std::array<std::span<const T>, 3>& preds,
                                              T n, unsigned needs, const Pause& pause) {
        const auto whole = [&](std::size_t k, unsigned needed) {
            return Evaluation(Sides<T>{truth, preds[k], n}, needed, pause);
        };
        if (needs != Need::disagreement || !fits_64_bits(n)) return {whole(0, needs), whole(1, needs), whole(2, needs)};
        std::array<Evaluation, 3> found{whole(0, Need::nothing), whole(1, Need::nothing), whole(2, Need::nothing)};
        std::array<Disagreement<Exact<std::uint64_t>>, 3> sums{};
        walk_three(truth, preds, n, sums);
        for (std::size_t k = 0; k < 3; ++k) static_cast<Pairs<Measure>&>(found[k].pairs) = sums[k].pairs(n);
        return found;
    }

private:
    // Whether sums over pairs of n points fit 64 bits.
    static bool fits_64_bits(T n) {
        if constexpr (std::is_integral_v<T>) return n <= std::int64_t{1} << 32;
        return false;
    }
    Contingency contingency() const
        requires std::is_integral_v<T>
    {
        return Contingency(sides.truth_labels, sides.pred_labels, sides.n,
                           [this](auto visitor) { walk_checked(sides.truth, sides.pred, sides.n, visitor, pause); });
    }
    // `walk_with(visitor)` shows each cell to a visitor.
    template <class Walk>
    void sum_cells(unsigned needs, const Walk& walk_with) {
        if (needs == Need::nothing) return;
        if constexpr (std::is_floating_point_v<T>)
            sum_cells_in<Compensated>(needs, walk_with);
        else if (fits_64_bits(sides.n))
            sum_cells_in<Exact<std::uint64_t>>(needs, walk_with);
        else
            sum_cells_in<Exact<u128>>(needs, walk_with);
    }
    template <class Accumulator, class Walk>
    void sum_cells_in(unsigned needs, const Walk& walk_with) {
        const auto sum_pairs = [&](auto counts) {
            walk_with(counts);
            const auto found = counts.pairs(sides.n);
            if constexpr (std::is_assignable_v<decltype(pairs)&, decltype(found)>)
                pairs = found;
            else
                static_cast<Pairs<Measure>&>(pairs) = found;
        };
        const auto counting = [this]<class Counts>(const Counts& counts) {
            if constexpr (std::is_floating_point_v<T>)
                return InUnits<Counts>(sides.n, counts);
            else
                return counts;
        };
        if (needs == Need::disagreement) return sum_pairs(counting(Disagreement<Accumulator>{}));
        constexpr unsigned of_pairs = Need::disagreement | Need::pairs;
        if ((needs & ~of_pairs) == 0) return sum_pairs(counting(PairCounts<Accumulator>{}));
        if ((needs & ~(of_pairs | Need::triples)) == 0) return sum_pairs(counting(TripleCounts<Accumulator>{}));
        const auto all_counts = counting(TripleCounts<Accumulator>{});
        struct All {
            unsigned needs;
            std::remove_const_t<decltype(all_counts)> counts;
            InformationVisitor<T> information;
            OverlapVisitor overlap{};
            void operator()(const Cell<T>& cell) {
                if ((needs & Need::triples) != 0)
                    counts(cell);
                else if ((needs & of_pairs) != 0) {
                    if constexpr (std::is_integral_v<T>)
                        static_cast<PairCounts<Accumulator>&>(counts)(cell);
                    else
                        counts(cell);
                }
                if ((needs & Need::information) != 0) information(cell);
                if ((needs & Need::overlap) != 0) overlap(cell);
            }
        } all{.needs = needs, .counts = all_counts, .information = {sides.n, {}, {}, {}, {}}};
        walk_with(all);
        if ((needs & (of_pairs | Need::triples)) != 0) pairs = all.counts.pairs(sides.n);
        information = all.information.information();
        overlap = all.overlap.overlap(static_cast<double>(sides.n));
    }

    mutable std::optional<Matched> matched_{};
    mutable T matched_reach_{};
    mutable std::optional<EditCounts> edits_{};
    mutable std::int64_t edits_n_t_ = 0;
};

}  // namespace segscore
