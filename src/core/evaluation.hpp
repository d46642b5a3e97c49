// The one engine: computes once what a set of metrics needs of two segmentations.
//
// One score, compare(), tables, matrices and random draws all make an Evaluation and hand it to the finalizers of the
// catalog.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "boundaries.hpp"
#include "cuts.hpp"
#include "edits.hpp"
#include "exact.hpp"
#include "flags.hpp"
#include "information.hpp"
#include "labels.hpp"
#include "options.hpp"
#include "overlap.hpp"
#include "pace.hpp"
#include "pairs.hpp"
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
    Sides cuts_alone() const { return {truth, pred, n}; }
};

// What a metric needs of two segmentations: sums over cells, or the cuts themselves.
enum class Need : unsigned {
    nothing = 0,
    disagreement = 1,
    pairs = 2,
    triples = 4,
    information = 8,
    overlap = 16,
    cuts = 32
};

// Whether labels make clusters: they have a table of overlaps. What needs the cuts ignores labels.
constexpr bool takes_labels(Need needs) { return !meet(needs, Need::cuts); }

// Whether one pass over cuts as they arrive is enough, in O(1) memory.
constexpr bool can_stream(Need needs) {
    return needs != Need::nothing && needs - (Need::disagreement | Need::pairs | Need::triples) == Need::nothing;
}

// What was needed is here; asking for anything else throws.
template <class T>
class Evaluation {
public:
    using Measure = std::conditional_t<std::is_integral_v<T>, u128, double>;

    T n;

    // Evaluates two sides in memory.
    Evaluation(const Sides<T>& both, Need needs) : n(both.n), sides_(both) {
        if (both.has_labels())
            sum_table(needs);
        else
            sum_cells(needs, [this](auto& visitor) { walk_checked(sides_->truth, sides_->pred, n, visitor); });
    }
    // Evaluates cuts that are read once, as they arrive, in O(1) memory.
    template <class Truth, class Pred>
    Evaluation(Truth& truth, Pred& pred, T length, Need needs) : n(length) {
        sum_cells(needs, [&](auto& visitor) { walk(truth, pred, n, visitor); });
    }

    const Sides<T>& sides() const { return sides_.value(); }
    bool has_labels() const { return table_.has_value(); }
    const Pairs<Measure>& pairs() const { return pairs_.value(); }
    const Natural<4>& triples() const { return triples_.value(); }
    const Information& information() const { return information_.value(); }
    const Overlap& overlap() const { return overlap_.value(); }

    // The number of matches; it is kept, because consecutive metrics often have the same margin.
    const Matched& matched(const Margin& margin) const {
        const T reach = margin.within(n);
        if (!matched_.has_value() || matched_reach_ != reach) {
            matched_ = Matched{0, sides().truth.size(), sides().pred.size()};
            matched_reach_ = reach;
            match(sides().truth, sides().pred, reach, [this](std::size_t, std::size_t) { ++matched_->both; });
        }
        return *matched_;
    }

    const EditCounts& edits(std::int64_t n_t) const
        requires std::is_integral_v<T>
    {
        if (!edits_.has_value() || edits_n_t_ != n_t) {
            edits_ = count_edits(sides().truth, sides().pred, n_t);
            edits_n_t_ = n_t;
        }
        return *edits_;
    }

    double expected_mutual_information() const
        requires std::is_integral_v<T>
    {
        LengthCounts truth, pred;
        if (has_labels()) {
            for (const std::int64_t size : table_->truth_sizes) ++truth[size];
            for (const std::int64_t size : table_->pred_sizes) ++pred[size];
        } else {
            constexpr std::uint64_t of_search = 16;  // in steps of a Pace
            visit_lengths(sides().truth, n, [&](T length) { ++truth[length]; }, of_search);
            visit_lengths(sides().pred, n, [&](T length) { ++pred[length]; }, of_search);
        }
        return segscore::expected_mutual_information(truth, pred, n);
    }

    // The size of the window. In points it is a whole number: the gate refuses others.
    T window(const Margin& k) const {
        if (!k.is_given()) return default_window(n, sides().truth.size());
        return k.kind == Margin::Kind::whole ? static_cast<T>(k.whole) : static_cast<T>(k.real);
    }

    // One truth against three predictions, for as many evaluations. Short walks wait for each other's loads.
    static std::array<Evaluation, 3> of_three(std::span<const T> truth, const std::array<std::span<const T>, 3>& preds,
                                              T n, Need needs) {
        const auto whole = [&](std::size_t k, Need needed) { return Evaluation(Sides<T>{truth, preds[k], n}, needed); };
        // Long walks wait for nothing, and can be interrupted.
        constexpr std::size_t most = std::size_t{1} << 16;
        [[maybe_unused]] const bool are_short =
            std::max({truth.size(), preds[0].size(), preds[1].size(), preds[2].size()}) <= most;
        if constexpr (std::is_integral_v<T>) {
            if (needs == Need::disagreement && fits_64_bits(n) && are_short) {
                std::array<Evaluation, 3> found{whole(0, Need::nothing), whole(1, Need::nothing),
                                                whole(2, Need::nothing)};
                std::array<Disagreement<Exact<std::uint64_t>>, 3> sums{};
                walk_three(truth, preds, n, sums);
                for (std::size_t k = 0; k < 3; ++k) found[k].pairs_ = sums[k].pairs(n);
                return found;
            }
        }
        return {whole(0, needs), whole(1, needs), whole(2, needs)};
    }

private:
    // Whether sums over pairs of n points fit 64 bits.
    static bool fits_64_bits(T n) {
        if constexpr (std::is_integral_v<T>) return n <= std::int64_t{1} << 32;
        return false;
    }
    // With labels, cells with the same two labels are one cell of a table.
    void sum_table(Need needs) {
        const auto walk_with = [this](auto visitor) { walk_checked(sides_->truth, sides_->pred, n, visitor); };
        table_.emplace(sides_->truth_labels, sides_->pred_labels, n, walk_with);
        if (meet(needs, of_pairs | Need::triples)) pairs_ = table_->pairs();
        if constexpr (std::is_integral_v<T>)  // in continuous time there are no triples
            if (meet(needs, Need::triples)) triples_ = table_->triples();
        if (meet(needs, Need::information)) information_ = table_->information();
        if (meet(needs, Need::overlap)) overlap_ = table_->overlap();
    }
    // `walk_with(visitor)` shows each cell to a visitor.
    template <class Walk>
    void sum_cells(Need needs, const Walk& walk_with) {
        const Need sums = needs - Need::cuts;
        if (sums == Need::nothing) return;
        if constexpr (std::is_floating_point_v<T>)
            sum_cells_in<Compensated>(sums, walk_with);
        else if (fits_64_bits(n))
            sum_cells_in<Exact<std::uint64_t>>(sums, walk_with);
        else
            sum_cells_in<Exact<u128>>(sums, walk_with);
    }
    template <class Accumulator, class Walk>
    void sum_cells_in(Need sums, const Walk& walk_with) {
        const auto counting = [this]<class Counts>(const Counts& counts) {
            if constexpr (std::is_floating_point_v<T>)
                return InUnits<Counts>(n, counts);
            else
                return counts;
        };
        const auto keep = [this](const auto& counts) {
            pairs_ = counts.pairs(n);
            if constexpr (requires { counts.triples; }) triples_ = Natural<4>(counts.triples);
        };
        const auto sum_pairs = [&](auto counts) {
            walk_with(counts);
            keep(counts);
        };
        if (sums == Need::disagreement) return sum_pairs(counting(Disagreement<Accumulator>{}));
        if (sums - of_pairs == Need::nothing) return sum_pairs(counting(PairCounts<Accumulator>{}));
        // In continuous time no two draws hit the same point, so there are no triples.
        using Counts = std::conditional_t<std::is_integral_v<T>, TripleCounts<Accumulator>, PairCounts<Accumulator>>;
        if (sums - (of_pairs | Need::triples) == Need::nothing) return sum_pairs(counting(Counts{}));
        struct All {
            Need sums;
            decltype(counting(Counts{})) counts;
            InformationVisitor<T> information;
            OverlapVisitor overlap{};
            void operator()(const Cell<T>& cell) {
                if (meet(sums, Need::triples))
                    counts(cell);
                else if (meet(sums, of_pairs)) {
                    if constexpr (std::is_integral_v<T>)
                        static_cast<PairCounts<Accumulator>&>(counts)(cell);
                    else
                        counts(cell);
                }
                if (meet(sums, Need::information)) information(cell);
                if (meet(sums, Need::overlap)) overlap(cell);
            }
        } all{.sums = sums, .counts = counting(Counts{}), .information = {n, {}, {}, {}, {}}};
        walk_with(all);
        if (meet(sums, of_pairs | Need::triples)) keep(all.counts);
        if (meet(sums, Need::information)) information_ = all.information.information();
        if (meet(sums, Need::overlap)) overlap_ = all.overlap.overlap(static_cast<double>(n));
    }

    static constexpr Need of_pairs = Need::disagreement | Need::pairs;

    // Empty if not needed, which also takes no time: a score of a few cuts must not clear what other metrics need.
    std::optional<Sides<T>> sides_{};
    std::optional<Pairs<Measure>> pairs_{};
    std::optional<Natural<4>> triples_{};
    std::optional<Information> information_{};
    std::optional<Overlap> overlap_{};
    std::optional<Contingency<T>> table_{};  // of labels
    mutable std::optional<Matched> matched_{};
    mutable T matched_reach_{};
    mutable std::optional<EditCounts> edits_{};
    mutable std::int64_t edits_n_t_ = 0;
};

}  // namespace segscore
