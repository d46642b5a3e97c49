// The catalog: one row a score, with what it needs, how it is made of that, and what is true of it.
//
// A new score is one finalizer and one row here. The rows drive compare(), the tables, the documentation and the laws.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>

#include "chance.hpp"
#include "edit.hpp"
#include "information.hpp"
#include "match.hpp"
#include "overlap.hpp"
#include "pairs.hpp"
#include "pause.hpp"
#include "states.hpp"
#include "walk.hpp"
#include "window.hpp"

namespace segscore {

// Two checked segmentations of one length.
template <class T>
struct Sides {
    std::span<const T> truth, pred;
    T n;
    Labels truth_labels{}, pred_labels{};  // where a side has labels, both have

    bool has_labels() const { return !truth_labels.empty(); }
};

struct Options {
    std::int64_t margin = 0;  // in points
    double margin_in_time = 0;
    double beta = 1;
    Average average = Average::arithmetic;
    std::int64_t k = 0;  // of the window; 0 is the default
    std::int64_t n_t = 2;
    double insertion = 2, deletion = 2, shift = 1;
    bool symmetric = false;
    bool weighted = false;
    bool lamprier = false;
    Pause pause{};
};

// What a score needs to be computed.
enum Need : unsigned {
    disagreement = 64,
    pairs = 1,
    triples = 2,
    information = 4,
    overlap = 8,
    matching = 16,
    edits = 32,
    nothing = 0
};

// The sums of one pair of segmentations, as far as they were asked for.
template <class T>
struct Evaluation {
    using Measure = std::conditional_t<std::is_integral_v<T>, u128, double>;

    Sides<T> sides;
    Options options;
    TriplePairs<Measure> pairs{};
    Information information{};
    Overlap overlap{};
    Matched matched{};
    EditCounts edits{};

    Evaluation(const Sides<T>& both, const Options& chosen, unsigned needs) : sides(both), options(chosen) {
        if constexpr (std::is_integral_v<T>) {
            if (both.has_labels()) {
                const Contingency table = contingency();
                pairs = table.pairs();
                information = table.information();
                overlap = table.overlap();
                return;
            }
            constexpr std::int64_t narrow = std::int64_t{1} << 32;
            if (both.n <= narrow)
                walk_cells<Exact<std::uint64_t>>(needs);
            else
                walk_cells<Exact<u128>>(needs);
            if ((needs & Need::edits) != 0) edits = count_edits(both.truth, both.pred, options.n_t, options.pause);
        } else {
            walk_cells<Compensated>(needs);
        }
        matched = {0, both.truth.size(), both.pred.size()};
        if ((needs & Need::matching) != 0) {
            const auto count = [&](std::size_t, std::size_t) { ++matched.both; };
            if constexpr (std::is_integral_v<T>)
                match(both.truth, both.pred, options.margin, count, options.pause);
            else
                match(both.truth, both.pred, options.margin_in_time, count, options.pause);
        }
    }

    double expected_mutual_information() const
        requires std::is_integral_v<T>
    {
        const auto sizes = [](const std::vector<std::int64_t>& all) {
            LengthCounts counts;
            for (const std::int64_t size : all) ++counts[size];
            return counts;
        };
        if (sides.has_labels()) {
            const Contingency table = contingency();
            return segscore::expected_mutual_information(sizes(table.truth_sizes), sizes(table.pred_sizes), sides.n,
                                                         options.pause);
        }
        const auto lengths = [this](std::span<const T> cuts) {
            LengthCounts counts;
            visit_lengths(cuts, sides.n, [&](T length) { ++counts[length]; });
            return counts;
        };
        return segscore::expected_mutual_information(lengths(sides.truth), lengths(sides.pred), sides.n, options.pause);
    }

    std::int64_t window() const {
        if constexpr (std::is_integral_v<T>)
            return options.k > 0 ? options.k : default_window(sides.n, sides.truth.size());
        return 0;
    }

private:
    Contingency contingency() const
        requires std::is_integral_v<T>
    {
        return Contingency(sides.truth_labels, sides.pred_labels, sides.n,
                           [this](auto visitor) { walk_with(visitor); });
    }
    template <class Visitor>
    void walk_with(Visitor& visitor) const {
        walk_checked(sides.truth, sides.pred, sides.n, visitor, options.pause);
    }
    template <class Counts>
    Counts counting() const {
        Counts counts{};
        if constexpr (requires { counts.duration; }) counts.duration = sides.n;
        return counts;
    }
    template <class Accumulator>
    void walk_cells(unsigned needs) {
        constexpr unsigned cells = Need::disagreement | Need::pairs | Need::triples | Need::information | Need::overlap;
        if ((needs & cells) == 0) return;
        if ((needs & cells) == Need::disagreement) {
            Disagreement<Accumulator> counts;
            walk_with(counts);
            static_cast<Pairs<Measure>&>(pairs) = counts.pairs(sides.n);
            return;
        }
        if ((needs & Need::disagreement) != 0) needs |= Need::pairs;
        if ((needs & cells & ~unsigned{Need::disagreement}) == Need::pairs) {
            auto counts = counting<PairCounts<Accumulator>>();
            walk_with(counts);
            static_cast<Pairs<Measure>&>(pairs) = counts.pairs(sides.n);
            return;
        }
        struct All {
            unsigned needs;
            TripleCounts<Accumulator> counts;
            InformationVisitor<T> information;
            OverlapVisitor overlap{};
            void operator()(const Cell<T>& cell) {
                if ((needs & Need::triples) != 0)
                    counts(cell);
                else if ((needs & Need::pairs) != 0)
                    static_cast<PairCounts<Accumulator>&>(counts)(cell);
                if ((needs & Need::information) != 0) information(cell);
                if ((needs & Need::overlap) != 0) overlap(cell);
            }
        } all{
            .needs = needs, .counts = counting<TripleCounts<Accumulator>>(), .information = {sides.n, {}, {}, {}, {}}};
        walk_with(all);
        if ((needs & (Need::pairs | Need::triples)) != 0) pairs = all.counts.pairs(sides.n);
        information = all.information.information();
        overlap = all.overlap.overlap(static_cast<double>(sides.n));
    }
};

inline constexpr std::string_view linear = "O(r+s)";

struct Row {
    std::string_view name;
    std::string_view family;
    unsigned needs;
    double best, low, high;
    bool symmetric;
    std::string_view cost;
    double (*in_points)(const Evaluation<std::int64_t>&);
    double (*in_time)(const Evaluation<double>&);  // null where the score counts points

    bool takes_labels() const { return family == "pairs" || family == "information" || family == "overlap"; }
    bool takes_long() const { return cost != linear; }

    template <class Finalizer>
    constexpr Row(std::string_view row_name, std::string_view row_family, unsigned row_needs, double row_best,
                  double row_low, double row_high, bool is_symmetric, Finalizer finalizer,
                  std::string_view row_cost = linear)
        : name(row_name),
          family(row_family),
          needs(row_needs),
          best(row_best),
          low(row_low),
          high(row_high),
          symmetric(is_symmetric),
          cost(row_cost),
          in_points(finalizer),
          in_time(nullptr) {
        if constexpr (std::is_convertible_v<Finalizer, double (*)(const Evaluation<double>&)>) in_time = finalizer;
    }
};

// 1 less the disagreement over what it would be on average, for a prediction with as many cuts anywhere.
inline double order_adjusted_rand_index(const Evaluation<std::int64_t>& e) {
    if (e.pairs.disagreement() == 0) return 1.0;
    const auto cuts = static_cast<std::int64_t>(e.sides.pred.size());
    return 1 - static_cast<double>(e.pairs.disagreement()) / expected_disagreement(e.sides.truth, e.sides.n, cuts);
}
inline double order_adjusted_mutual_information(const Evaluation<std::int64_t>& e) {
    const auto cuts = static_cast<std::int64_t>(e.sides.pred.size());
    const double expected =
        expected_order_information(e.sides.truth, e.sides.n, cuts, e.information.truth, e.options.pause);
    return adjusted_mutual_information(e.information, expected, e.options.average);
}

inline constexpr double infinity = std::numeric_limits<double>::infinity();
using InPoints = const Evaluation<std::int64_t>&;

// clang-format off
inline constexpr std::array catalog{
    Row("rand_index", "pairs", Need::disagreement, 1, 0, 1, true, [](const auto& e) { return rand_index(e.pairs); }),
    Row("rand_distance", "pairs", Need::disagreement, 0, 0, 1, true, [](const auto& e) { return rand_distance(e.pairs); }),
    Row("mirkin_distance", "pairs", Need::disagreement, 0, 0, infinity, true, [](const auto& e) { return 2 * static_cast<double>(e.pairs.disagreement()); }),
    Row("pair_precision", "pairs", Need::pairs, 1, 0, 1, false, [](const auto& e) { return pair_precision(e.pairs); }),
    Row("pair_recall", "pairs", Need::pairs, 1, 0, 1, false, [](const auto& e) { return pair_recall(e.pairs); }),
    Row("pair_f1", "pairs", Need::pairs, 1, 0, 1, true, [](const auto& e) { return pair_f1(e.pairs); }),
    Row("adapted_rand_error", "pairs", Need::pairs, 0, 0, 1, true, [](const auto& e) { return adapted_rand_error(e.pairs); }),
    Row("blanc", "pairs", Need::pairs, 1, 0, 1, true, [](const auto& e) { return blanc(e.pairs); }),
    Row("jaccard_index", "pairs", Need::pairs, 1, 0, 1, true, [](const auto& e) { return jaccard_index(e.pairs); }),
    Row("fowlkes_mallows_index", "pairs", Need::pairs, 1, 0, 1, true, [](const auto& e) { return fowlkes_mallows_index(e.pairs); }),
    Row("adjusted_rand_index", "pairs", Need::pairs, 1, -1, 1, true, [](const auto& e) { return adjusted_rand_index(e.pairs); }),
    Row("modified_adjusted_rand_index", "pairs", Need::triples, 1, -infinity, 1, true, [](const auto& e) { return modified_adjusted_rand_index(e.pairs); }),
    Row("mutual_information", "information", Need::information, infinity, 0, infinity, true, [](const auto& e) { return e.information.mutual(); }),
    Row("normalized_mutual_information", "information", Need::information, 1, 0, 1, true, [](const auto& e) { return normalized_mutual_information(e.information, e.options.average); }),
    Row("variation_of_information", "information", Need::information, 0, 0, infinity, true, [](const auto& e) { return e.information.variation(); }),
    Row("homogeneity", "information", Need::information, 1, 0, 1, false, [](const auto& e) { return homogeneity(e.information); }),
    Row("completeness", "information", Need::information, 1, 0, 1, false, [](const auto& e) { return completeness(e.information); }),
    Row("v_measure", "information", Need::information, 1, 0, 1, true, [](const auto& e) { return v_measure(e.information, e.options.beta); }),
    Row("normalized_information_distance", "information", Need::information, 0, 0, 1, true, [](const auto& e) { return normalized_information_distance(e.information); }),
    Row("adjusted_mutual_information", "information", Need::information, 1, -infinity, 1, true, [](InPoints e) { return adjusted_mutual_information(e.information, e.expected_mutual_information(), e.options.average); }, "O(n sqrt n) at worst"),
    Row("order_adjusted_rand_index", "chance", Need::disagreement, 1, -infinity, 1, false, order_adjusted_rand_index, "O(r + s min(r, 128))"),
    Row("order_adjusted_mutual_information", "chance", Need::information, 1, -infinity, 1, false, order_adjusted_mutual_information, "O(n) at worst"),
    Row("covering", "overlap", Need::overlap, 1, 0, 1, false, [](const auto& e) { return e.options.symmetric ? (e.overlap.covering + e.overlap.reverse_covering) / 2 : e.overlap.covering; }),
    Row("mean_iou", "overlap", Need::overlap, 1, 0, 1, false, [](const auto& e) { return e.overlap.mean_iou; }),
    Row("purity", "overlap", Need::overlap, 1, 0, 1, false, [](const auto& e) { return e.overlap.purity; }),
    Row("coverage", "overlap", Need::overlap, 1, 0, 1, false, [](const auto& e) { return e.overlap.coverage; }),
    Row("purity_coverage_f1", "overlap", Need::overlap, 1, 0, 1, true, [](const auto& e) { return harmonic_mean(e.overlap.purity, e.overlap.coverage); }),
    Row("b_cubed_precision", "overlap", Need::overlap, 1, 0, 1, false, [](const auto& e) { return e.overlap.b_cubed_precision; }),
    Row("b_cubed_recall", "overlap", Need::overlap, 1, 0, 1, false, [](const auto& e) { return e.overlap.b_cubed_recall; }),
    Row("b_cubed_f1", "overlap", Need::overlap, 1, 0, 1, true, [](const auto& e) { return harmonic_mean(e.overlap.b_cubed_precision, e.overlap.b_cubed_recall); }),
    Row("precision", "boundaries", Need::matching, 1, 0, 1, false, [](const auto& e) { return e.matched.precision(); }),
    Row("recall", "boundaries", Need::matching, 1, 0, 1, false, [](const auto& e) { return e.matched.recall(); }),
    Row("f1", "boundaries", Need::matching, 1, 0, 1, true, [](const auto& e) { return e.matched.f(e.options.beta); }),
    Row("hausdorff", "boundaries", Need::nothing, 0, 0, infinity, true, [](const auto& e) { return hausdorff(e.sides.truth, e.sides.pred, e.options.pause); }),
    Row("directed_hausdorff", "boundaries", Need::nothing, 0, 0, infinity, false, [](const auto& e) { return directed_hausdorff(e.sides.truth, e.sides.pred, e.options.pause); }),
    Row("mean_error", "boundaries", Need::nothing, 0, 0, infinity, false, [](const auto& e) { return mean_error(e.sides.pred, e.sides.truth, e.options.pause); }),
    Row("median_error", "boundaries", Need::nothing, 0, 0, infinity, false, [](const auto& e) { return median_error(e.sides.pred, e.sides.truth, e.options.pause); }),
    Row("count_error", "boundaries", Need::nothing, 0, 0, infinity, true, [](const auto& e) { return static_cast<double>(apart(e.matched.truth, e.matched.pred)); }),
    Row("pk", "windows", Need::nothing, 0, 0, 1, false, [](InPoints e) { return pk(e.sides.truth, e.sides.pred, e.sides.n, e.window(), e.options.pause); }),
    Row("window_diff", "windows", Need::nothing, 0, 0, 1, false, [](InPoints e) { return window_diff(e.sides.truth, e.sides.pred, e.sides.n, e.window(), e.options.weighted, e.options.lamprier, e.options.pause); }),
    Row("boundary_similarity", "edits", Need::edits, 1, 0, 1, true, [](InPoints e) { return e.edits.boundary_similarity(e.options.n_t); }),
    Row("generalized_hamming", "edits", Need::nothing, 0, 0, infinity, true, [](InPoints e) { return generalized_hamming(e.sides.truth, e.sides.pred, e.options.insertion, e.options.deletion, e.options.shift, e.options.pause); }, "O(r s) at worst"),
    Row("segmentation_similarity", "edits", Need::edits, 1, 0, 1, true, [](InPoints e) { return e.edits.segmentation_similarity(e.options.n_t, e.sides.n); }),
};
// clang-format on

}  // namespace segscore
