// The catalog: one line per metric, with the sums that it needs, its options, its finalizer, and its properties.
//
// A new metric is one finalizer and one line here. The catalog drives the Python functions, compare(), tables,
// matrices, the documentation and the tests of laws.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "boundaries.hpp"
#include "chance.hpp"
#include "curves.hpp"
#include "delays.hpp"
#include "edits.hpp"
#include "evaluation.hpp"
#include "flags.hpp"
#include "information.hpp"
#include "overlap.hpp"
#include "pairs.hpp"
#include "windows.hpp"

namespace segscore {

// The options of a metric, in the order of its signature.
enum class Takes : unsigned {
    nothing = 0,
    margin = 1,
    relative_margin = 2,
    beta = 4,
    average = 8,
    base = 16,
    symmetric = 32,
    k = 64,
    weighted = 128,
    lamprier = 256,
    n_t = 512,
    insertion = 1024,
    deletion = 2048,
    shift = 4096,
    max_delay = 8192,
    share = 16384,
};
inline constexpr std::array<std::string_view, 15> parameter_names{
    "margin", "relative_margin", "beta",     "average", "base",      "symmetric", "k", "weighted", "lamprier",
    "n_t",    "insertion",       "deletion", "shift",   "max_delay", "share"};

inline constexpr std::string_view linear = "O(r+s)";

struct Metric {
    std::string_view name;
    std::string_view family;
    Need needs;
    double best, low, high;
    bool symmetric;
    Takes takes;
    std::string_view cost;
    double (*in_points)(const Evaluation<std::int64_t>&, const Options&);
    double (*in_time)(const Evaluation<double>&, const Options&);  // null if the metric counts points
    bool takes_labels;                                             // labels have a table of overlaps, but no cuts
    bool takes_long;                                               // takes more than O(r+s)

    template <class Finalizer>
    constexpr Metric(std::string_view its_name, std::string_view its_family, Need its_needs, double its_best,
                     double its_low, double its_high, bool is_symmetric, Takes its_parameters, Finalizer finalizer,
                     std::string_view its_cost = linear)
        : name(its_name),
          family(its_family),
          needs(its_needs),
          best(its_best),
          low(its_low),
          high(its_high),
          symmetric(is_symmetric),
          takes(its_parameters),
          cost(its_cost),
          in_points(finalizer),
          in_time(nullptr),
          takes_labels(!meet(its_needs, Need::cuts)),
          takes_long(its_cost != linear) {
        if constexpr (std::is_convertible_v<Finalizer, double (*)(const Evaluation<double>&, const Options&)>)
            in_time = finalizer;
    }

    bool needs_margin() const { return meet(takes, Takes::margin); }

    // What to use instead where the cuts are times; empty if the metric takes times.
    constexpr std::string_view instead_in_time() const { return in_time != nullptr ? "" : "f1 with margin="; }
};

// 1 - d / E[d], where E[d] is the mean over predictions with the same number of cuts.
template <class T>
double order_adjusted_rand_index(const Evaluation<T>& e) {
    if (e.pairs().disagreement() == 0) return 1.0;
    const auto cuts = static_cast<std::int64_t>(e.sides().pred.size());
    const double expected = expected_disagreement(e.sides().truth, e.n, cuts);
    if constexpr (std::is_integral_v<T>)
        return 1 - static_cast<double>(e.pairs().disagreement()) / expected;
    else  // as a share of the squared duration, which is twice the area of all pairs
        return 1 - rand_distance(e.pairs()) / (2 * expected);
}
template <class T>
double order_adjusted_mutual_information(const Evaluation<T>& e, const Options& options) {
    const auto cuts = static_cast<std::int64_t>(e.sides().pred.size());
    const double expected = [&] {
        if constexpr (std::is_integral_v<T>)
            return expected_order_information(e.sides().truth, e.n, cuts, e.information().truth);
        else
            return expected_order_information(e.sides().truth, e.n, cuts);
    }();
    return adjusted_mutual_information(e.information(), expected, options.average);
}

inline double adjusted_mutual_information(const Evaluation<std::int64_t>& e, const Options& options) {
    return adjusted_mutual_information(e.information(), e.expected_mutual_information(), options.average);
}
// In continuous time there are infinitely many moments, and a random relabelling of them shares no information.
inline double adjusted_mutual_information(const Evaluation<double>& e, const Options& options) {
    return normalized_mutual_information(e.information(), options.average);
}

inline double modified_adjusted_rand_index(const Evaluation<std::int64_t>& e) {
    return modified_adjusted_rand_index(e.pairs(), e.triples(), e.n);
}
// In continuous time no two draws hit the same point, so the correction vanishes.
inline double modified_adjusted_rand_index(const Evaluation<double>& e) { return adjusted_rand_index(e.pairs()); }

template <class T>
T delay_limit(const Evaluation<T>& e, const Options& options) {
    return options.max_delay.is_given() ? options.max_delay.within(e.n) : e.n;
}
template <class T>
Detections<T> detections(const Evaluation<T>& e, const Options& options) {
    const auto ignore = [](std::size_t, std::size_t) {};
    return detect(e.sides().truth, e.sides().pred, e.n, delay_limit(e, options), ignore);
}

inline constexpr double infinity = std::numeric_limits<double>::infinity();
using InPoints = const Evaluation<std::int64_t>&;

// clang-format off
inline constexpr std::array catalog{
    Metric("rand_index", "pairs", Need::disagreement, 1, 0, 1, true, Takes::nothing, [](const auto& e, const Options&) { return rand_index(e.pairs()); }),
    Metric("rand_distance", "pairs", Need::disagreement, 0, 0, 1, true, Takes::nothing, [](const auto& e, const Options&) { return rand_distance(e.pairs()); }),
    Metric("mirkin_distance", "pairs", Need::disagreement, 0, 0, infinity, true, Takes::nothing, [](const auto& e, const Options&) { return 2 * static_cast<double>(e.pairs().disagreement()) * e.pairs().unit; }),
    Metric("normalized_mirkin_distance", "pairs", Need::disagreement, 0, 0, 1, true, Takes::nothing, [](const auto& e, const Options&) { return normalized_mirkin_distance(e.pairs(), e.n); }),
    Metric("pair_precision", "pairs", Need::pairs, 1, 0, 1, false, Takes::nothing, [](const auto& e, const Options&) { return pair_precision(e.pairs()); }),
    Metric("pair_recall", "pairs", Need::pairs, 1, 0, 1, false, Takes::nothing, [](const auto& e, const Options&) { return pair_recall(e.pairs()); }),
    Metric("pair_f1", "pairs", Need::pairs, 1, 0, 1, true, Takes::nothing, [](const auto& e, const Options&) { return pair_f1(e.pairs()); }),
    Metric("adapted_rand_error", "pairs", Need::pairs, 0, 0, 1, true, Takes::nothing, [](const auto& e, const Options&) { return adapted_rand_error(e.pairs()); }),
    Metric("blanc", "pairs", Need::pairs, 1, 0, 1, true, Takes::nothing, [](const auto& e, const Options&) { return blanc(e.pairs()); }),
    Metric("jaccard_index", "pairs", Need::pairs, 1, 0, 1, true, Takes::nothing, [](const auto& e, const Options&) { return jaccard_index(e.pairs()); }),
    Metric("fowlkes_mallows_index", "pairs", Need::pairs, 1, 0, 1, true, Takes::nothing, [](const auto& e, const Options&) { return fowlkes_mallows_index(e.pairs()); }),
    Metric("adjusted_rand_index", "pairs", Need::pairs, 1, -1, 1, true, Takes::nothing, [](const auto& e, const Options&) { return adjusted_rand_index(e.pairs()); }),
    Metric("modified_adjusted_rand_index", "pairs", Need::triples, 1, -infinity, 1, true, Takes::nothing, [](const auto& e, const Options&) { return modified_adjusted_rand_index(e); }),
    Metric("mutual_information", "information", Need::information, infinity, 0, infinity, true, Takes::nothing, [](const auto& e, const Options&) { return e.information().mutual(); }),
    Metric("normalized_mutual_information", "information", Need::information, 1, 0, 1, true, Takes::average, [](const auto& e, const Options& o) { return normalized_mutual_information(e.information(), o.average); }),
    Metric("variation_of_information", "information", Need::information, 0, 0, infinity, true, Takes::base, [](const auto& e, const Options& o) { return e.information().variation() / o.log_base; }),
    Metric("homogeneity", "information", Need::information, 1, 0, 1, false, Takes::nothing, [](const auto& e, const Options&) { return homogeneity(e.information()); }),
    Metric("completeness", "information", Need::information, 1, 0, 1, false, Takes::nothing, [](const auto& e, const Options&) { return completeness(e.information()); }),
    Metric("v_measure", "information", Need::information, 1, 0, 1, true, Takes::beta, [](const auto& e, const Options& o) { return v_measure(e.information(), o.beta); }),
    Metric("normalized_information_distance", "information", Need::information, 0, 0, 1, true, Takes::nothing, [](const auto& e, const Options&) { return normalized_information_distance(e.information()); }),
    Metric("adjusted_mutual_information", "information", Need::information, 1, -infinity, 1, true, Takes::average, [](const auto& e, const Options& o) { return adjusted_mutual_information(e, o); }, "O(n sqrt n) at worst"),
    Metric("order_adjusted_rand_index", "chance", Need::disagreement | Need::cuts, 1, -infinity, 1, false, Takes::nothing, [](const auto& e, const Options&) { return order_adjusted_rand_index(e); }, "O(r + s min(r, 128))"),
    Metric("order_adjusted_mutual_information", "chance", Need::information | Need::cuts, 1, -infinity, 1, false, Takes::nothing, [](const auto& e, const Options& o) { return order_adjusted_mutual_information(e, o); }, "O(n) at worst"),
    Metric("covering", "overlap", Need::overlap, 1, 0, 1, false, Takes::symmetric, [](const auto& e, const Options& o) { return o.symmetric ? (e.overlap().covering + e.overlap().reverse_covering) / 2 : e.overlap().covering; }),
    Metric("mean_iou", "overlap", Need::overlap, 1, 0, 1, false, Takes::nothing, [](const auto& e, const Options&) { return e.overlap().mean_iou; }),
    Metric("purity", "overlap", Need::overlap, 1, 0, 1, false, Takes::nothing, [](const auto& e, const Options&) { return e.overlap().purity; }),
    Metric("coverage", "overlap", Need::overlap, 1, 0, 1, false, Takes::nothing, [](const auto& e, const Options&) { return e.overlap().coverage; }),
    Metric("purity_coverage_f1", "overlap", Need::overlap, 1, 0, 1, true, Takes::nothing, [](const auto& e, const Options&) { return harmonic_mean(e.overlap().purity, e.overlap().coverage); }),
    Metric("b_cubed_precision", "overlap", Need::overlap, 1, 0, 1, false, Takes::nothing, [](const auto& e, const Options&) { return e.overlap().b_cubed_precision; }),
    Metric("b_cubed_recall", "overlap", Need::overlap, 1, 0, 1, false, Takes::nothing, [](const auto& e, const Options&) { return e.overlap().b_cubed_recall; }),
    Metric("b_cubed_f1", "overlap", Need::overlap, 1, 0, 1, true, Takes::nothing, [](const auto& e, const Options&) { return harmonic_mean(e.overlap().b_cubed_precision, e.overlap().b_cubed_recall); }),
    Metric("precision", "boundaries", Need::cuts, 1, 0, 1, false, Takes::margin | Takes::relative_margin, [](const auto& e, const Options& o) { return e.matched(o.margin).precision(); }),
    Metric("recall", "boundaries", Need::cuts, 1, 0, 1, false, Takes::margin | Takes::relative_margin, [](const auto& e, const Options& o) { return e.matched(o.margin).recall(); }),
    Metric("f1", "boundaries", Need::cuts, 1, 0, 1, true, Takes::margin | Takes::relative_margin | Takes::beta, [](const auto& e, const Options& o) { return e.matched(o.margin).f(o.beta); }),
    Metric("hausdorff", "boundaries", Need::cuts, 0, 0, infinity, true, Takes::nothing, [](const auto& e, const Options&) { return hausdorff(e.sides().truth, e.sides().pred); }),
    Metric("directed_hausdorff", "boundaries", Need::cuts, 0, 0, infinity, false, Takes::nothing, [](const auto& e, const Options&) { return directed_hausdorff(e.sides().truth, e.sides().pred); }),
    Metric("mean_error", "boundaries", Need::cuts, 0, 0, infinity, false, Takes::nothing, [](const auto& e, const Options&) { return mean_error(e.sides().pred, e.sides().truth); }),
    Metric("median_error", "boundaries", Need::cuts, 0, 0, infinity, false, Takes::nothing, [](const auto& e, const Options&) { return median_error(e.sides().pred, e.sides().truth); }),
    Metric("count_error", "boundaries", Need::cuts, 0, 0, infinity, true, Takes::nothing, [](const auto& e, const Options&) { return static_cast<double>(apart(e.sides().truth.size(), e.sides().pred.size())); }),
    Metric("f1_area", "curves", Need::cuts, 1, 0, 1, true, Takes::margin | Takes::relative_margin, [](const auto& e, const Options& o) { return f1_area(e.sides().truth, e.sides().pred, e.n, o.margin.within(e.n)); }, "O(r s) at worst"),
    Metric("online_f1", "delays", Need::cuts, 1, 0, 1, false, Takes::max_delay, [](const auto& e, const Options& o) { return detections(e, o).f1(); }),
    Metric("mean_delay", "delays", Need::cuts, 0, 0, infinity, false, Takes::max_delay, [](const auto& e, const Options& o) { return detections(e, o).mean_delay(); }),
    Metric("delay_quantile", "delays", Need::cuts, 0, 0, infinity, false, Takes::max_delay | Takes::share, [](const auto& e, const Options& o) { return delay_quantile(e.sides().truth, e.sides().pred, e.n, delay_limit(e, o), o.share); }),
    Metric("miss_rate", "delays", Need::cuts, 0, 0, 1, false, Takes::max_delay, [](const auto& e, const Options& o) { return detections(e, o).miss_rate(); }),
    Metric("false_alarm_rate", "delays", Need::cuts, 0, 0, infinity, false, Takes::max_delay, [](const auto& e, const Options& o) { return detections(e, o).false_alarm_rate(); }),
    Metric("average_run_length", "delays", Need::cuts, infinity, 0, infinity, false, Takes::max_delay, [](const auto& e, const Options& o) { return detections(e, o).average_run_length(); }),
    Metric("pk", "windows", Need::cuts, 0, 0, 1, false, Takes::k, [](const auto& e, const Options& o) { return pk(e.sides().truth, e.sides().pred, e.n, e.window(o.k)); }),
    Metric("window_diff", "windows", Need::cuts, 0, 0, 1, false, Takes::k | Takes::weighted | Takes::lamprier, [](const auto& e, const Options& o) { return window_diff(e.sides().truth, e.sides().pred, e.n, e.window(o.k), o.weighted, o.lamprier); }),
    Metric("boundary_similarity", "edits", Need::cuts, 1, 0, 1, true, Takes::n_t, [](InPoints e, const Options& o) { return e.edits(o.n_t).boundary_similarity(o.n_t); }),
    Metric("generalized_hamming", "edits", Need::cuts, 0, 0, infinity, true, Takes::insertion | Takes::deletion | Takes::shift, [](InPoints e, const Options& o) { return generalized_hamming(e.sides().truth, e.sides().pred, o.insertion, o.deletion, o.shift); }, "O(r s) at worst"),
    Metric("segmentation_similarity", "edits", Need::cuts, 1, 0, 1, true, Takes::n_t, [](InPoints e, const Options& o) { return e.edits(o.n_t).segmentation_similarity(o.n_t, e.n); }),
};
// clang-format on

// What several metrics need: those that take labels, and the others.
struct Needs {
    Need of_labels = Need::nothing, of_cuts = Need::nothing;

    void add(const Metric& metric) { (metric.takes_labels ? of_labels : of_cuts) |= metric.needs; }
    Need of_all() const { return of_labels | of_cuts; }
};

// Calls use(evaluation, is_wanted), where is_wanted(metric) says whether the evaluation is the one for a metric. If the
// sides have labels, metrics that take labels score the clusters, and the other metrics score the cuts.
template <class T, class Use>
void evaluate(const Sides<T>& sides, const Needs& needs, const Use& use) {
    if (!sides.has_labels()) return use(Evaluation<T>(sides, needs.of_all()), [](const Metric&) { return true; });
    const Sides<T> cuts{sides.truth, sides.pred, sides.n};
    use(Evaluation<T>(sides, needs.of_labels), [](const Metric& metric) { return metric.takes_labels; });
    use(Evaluation<T>(cuts, needs.of_cuts), [](const Metric& metric) { return !metric.takes_labels; });
}

}  // namespace segscore
