// The catalog: one row per metric, with the sums that it needs, its properties, its options and its finalizer.
//
// A new metric is one finalizer and one row here. The catalog drives the Python functions, compare(), tables,
// matrices, the documentation and the tests of laws.
#pragma once

#include <array>
#include <cmath>
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
#include "matching_chance.hpp"
#include "options.hpp"
#include "overlap.hpp"
#include "pairs.hpp"
#include "windows.hpp"

namespace segscore {

inline constexpr std::string_view linear = "O(r+s)";

// The value of a metric: a function of the evaluation and the options, or of the evaluation alone.
class Finalizer {
public:
    template <class Function>
    constexpr Finalizer(Function) : in_points_(run<Function, std::int64_t>) {
        using InTime = const Evaluation<double>&;
        if constexpr (std::is_invocable_v<Function, InTime> || std::is_invocable_v<Function, InTime, const Options&>)
            in_time_ = run<Function, double>;
    }

    constexpr bool takes_time() const { return in_time_ != nullptr; }

    double operator()(const Evaluation<std::int64_t>& e, const Options& options) const {
        return in_points_(e, options);
    }
    double operator()(const Evaluation<double>& e, const Options& options) const { return in_time_(e, options); }

private:
    template <class Function, class T>
    static double run(const Evaluation<T>& e, const Options& options) {
        if constexpr (std::is_invocable_v<Function, const Evaluation<T>&>)
            return Function{}(e);
        else
            return Function{}(e, options);
    }

    double (*in_points_)(const Evaluation<std::int64_t>&, const Options&);
    double (*in_time_)(const Evaluation<double>&, const Options&) = nullptr;  // null if the metric counts points
};

struct Metric {
    std::string_view name, family;
    Need needs;
    double best = 1, low = 0, high = 1;
    bool symmetric = false;
    Takes takes = Takes::nothing;
    std::string_view cost = linear;
    Finalizer value;
    int power = 0;                     // of the unit of the cuts in the value: 1 for a distance, -1 for a rate
    bool takes_long = cost != linear;  // follows from the cost; kept, because each call asks for it

    constexpr bool takes_labels() const { return segscore::takes_labels(needs); }
    constexpr bool needs_margin() const { return meet(takes, Takes::margin); }
    // What to use instead where the cuts are times; empty if the metric takes times.
    constexpr std::string_view instead_in_time() const { return value.takes_time() ? "" : "f1 with margin="; }
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

inline double expected_f1(const Evaluation<std::int64_t>& e, const Options& options) {
    const Matched counts{0, e.sides().truth.size(), e.sides().pred.size()};
    const auto cuts = static_cast<std::int64_t>(counts.pred);
    return counts.f(ExpectedMatches(e.sides().truth, e.n, cuts, options.reach().within(e.n)).mean(), options.beta);
}
// (F1 - E) / (1 - E), where E is the mean over predictions with the same number of cuts.
inline double order_adjusted_f1(const Evaluation<std::int64_t>& e, const Options& options) {
    const Matched& counts = e.matched(options.reach());
    const double value = counts.f(options.beta);
    if (value >= 1 || (counts.both == counts.truth && counts.both == counts.pred)) return 1.0;
    const double expected = expected_f1(e, options);
    return (value - expected) / std::max(0.0, 1 - expected);
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
    return options.max_delay.is_given() ? options.max_delay.limited(e.n) : e.n;
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
    Metric{.name = "rand_index", .family = "pairs", .needs = Need::disagreement, .symmetric = true,
           .value = [](const auto& e) { return rand_index(e.pairs()); }},
    Metric{.name = "rand_distance", .family = "pairs", .needs = Need::disagreement, .best = 0, .symmetric = true,
           .value = [](const auto& e) { return rand_distance(e.pairs()); }},
    Metric{.name = "mirkin_distance", .family = "pairs", .needs = Need::disagreement, .best = 0, .high = infinity,
           .symmetric = true,
           .value = [](const auto& e) { return 2 * static_cast<double>(e.pairs().disagreement()) * e.pairs().unit; }},
    Metric{.name = "normalized_mirkin_distance", .family = "pairs", .needs = Need::disagreement, .best = 0,
           .symmetric = true,
           .value = [](const auto& e) { return normalized_mirkin_distance(e.pairs(), e.n); }},
    Metric{.name = "pair_precision", .family = "pairs", .needs = Need::pairs,
           .value = [](const auto& e) { return pair_precision(e.pairs()); }},
    Metric{.name = "pair_recall", .family = "pairs", .needs = Need::pairs,
           .value = [](const auto& e) { return pair_recall(e.pairs()); }},
    Metric{.name = "pair_f1", .family = "pairs", .needs = Need::pairs, .symmetric = true,
           .value = [](const auto& e) { return pair_f1(e.pairs()); }},
    Metric{.name = "adapted_rand_error", .family = "pairs", .needs = Need::pairs, .best = 0, .symmetric = true,
           .value = [](const auto& e) { return adapted_rand_error(e.pairs()); }},
    Metric{.name = "blanc", .family = "pairs", .needs = Need::pairs, .symmetric = true,
           .value = [](const auto& e) { return blanc(e.pairs()); }},
    Metric{.name = "jaccard_index", .family = "pairs", .needs = Need::pairs, .symmetric = true,
           .value = [](const auto& e) { return jaccard_index(e.pairs()); }},
    Metric{.name = "fowlkes_mallows_index", .family = "pairs", .needs = Need::pairs, .symmetric = true,
           .value = [](const auto& e) { return fowlkes_mallows_index(e.pairs()); }},
    Metric{.name = "adjusted_rand_index", .family = "pairs", .needs = Need::pairs, .low = -1, .symmetric = true,
           .value = [](const auto& e) { return adjusted_rand_index(e.pairs()); }},
    Metric{.name = "modified_adjusted_rand_index", .family = "pairs", .needs = Need::triples, .low = -infinity,
           .symmetric = true,
           .value = [](const auto& e) { return modified_adjusted_rand_index(e); }},
    Metric{.name = "mutual_information", .family = "information", .needs = Need::information, .best = infinity,
           .high = infinity, .symmetric = true,
           .value = [](const auto& e) { return e.information().mutual(); }},
    Metric{.name = "normalized_mutual_information", .family = "information", .needs = Need::information,
           .symmetric = true, .takes = Takes::average,
           .value = [](const auto& e, const Options& o) {
               return normalized_mutual_information(e.information(), o.average);
           }},
    Metric{.name = "variation_of_information", .family = "information", .needs = Need::information, .best = 0,
           .high = infinity, .symmetric = true, .takes = Takes::base,
           .value = [](const auto& e, const Options& o) { return e.information().variation() / std::log(o.base); }},
    Metric{.name = "homogeneity", .family = "information", .needs = Need::information,
           .value = [](const auto& e) { return homogeneity(e.information()); }},
    Metric{.name = "completeness", .family = "information", .needs = Need::information,
           .value = [](const auto& e) { return completeness(e.information()); }},
    Metric{.name = "v_measure", .family = "information", .needs = Need::information, .symmetric = true,
           .takes = Takes::beta,
           .value = [](const auto& e, const Options& o) { return v_measure(e.information(), o.beta); }},
    Metric{.name = "normalized_information_distance", .family = "information", .needs = Need::information, .best = 0,
           .symmetric = true,
           .value = [](const auto& e) { return normalized_information_distance(e.information()); }},
    Metric{.name = "adjusted_mutual_information", .family = "information", .needs = Need::information, .low = -infinity,
           .symmetric = true, .takes = Takes::average, .cost = "O(n sqrt n) at worst",
           .value = [](const auto& e, const Options& o) { return adjusted_mutual_information(e, o); }},
    Metric{.name = "order_adjusted_rand_index", .family = "chance", .needs = Need::disagreement | Need::cuts,
           .low = -infinity, .cost = "O(r + s min(r, 128))",
           .value = [](const auto& e) { return order_adjusted_rand_index(e); }},
    Metric{.name = "order_adjusted_mutual_information", .family = "chance", .needs = Need::information | Need::cuts,
           .low = -infinity, .cost = "O(n) at worst",
           .value = [](const auto& e, const Options& o) { return order_adjusted_mutual_information(e, o); }},
    Metric{.name = "expected_f1", .family = "chance", .needs = Need::cuts,
           .takes = Takes::margin | Takes::relative_margin | Takes::beta, .cost = "O(r^2 s^2) at worst",
           .value = [](InPoints e, const Options& o) { return expected_f1(e, o); }},
    Metric{.name = "order_adjusted_f1", .family = "chance", .needs = Need::cuts, .low = -infinity,
           .takes = Takes::margin | Takes::relative_margin | Takes::beta, .cost = "O(r^2 s^2) at worst",
           .value = [](InPoints e, const Options& o) { return order_adjusted_f1(e, o); }},
    Metric{.name = "covering", .family = "overlap", .needs = Need::overlap, .takes = Takes::symmetric,
           .value = [](const auto& e, const Options& o) {
               return o.symmetric ? (e.overlap().covering + e.overlap().reverse_covering) / 2 : e.overlap().covering;
           }},
    Metric{.name = "mean_iou", .family = "overlap", .needs = Need::overlap,
           .value = [](const auto& e) { return e.overlap().mean_iou; }},
    Metric{.name = "purity", .family = "overlap", .needs = Need::overlap,
           .value = [](const auto& e) { return e.overlap().purity; }},
    Metric{.name = "coverage", .family = "overlap", .needs = Need::overlap,
           .value = [](const auto& e) { return e.overlap().coverage; }},
    Metric{.name = "purity_coverage_f1", .family = "overlap", .needs = Need::overlap, .symmetric = true,
           .value = [](const auto& e) { return harmonic_mean(e.overlap().purity, e.overlap().coverage); }},
    Metric{.name = "b_cubed_precision", .family = "overlap", .needs = Need::overlap,
           .value = [](const auto& e) { return e.overlap().b_cubed_precision; }},
    Metric{.name = "b_cubed_recall", .family = "overlap", .needs = Need::overlap,
           .value = [](const auto& e) { return e.overlap().b_cubed_recall; }},
    Metric{.name = "b_cubed_f1", .family = "overlap", .needs = Need::overlap, .symmetric = true,
           .value = [](const auto& e) {
               return harmonic_mean(e.overlap().b_cubed_precision, e.overlap().b_cubed_recall);
           }},
    Metric{.name = "precision", .family = "boundaries", .needs = Need::cuts,
           .takes = Takes::margin | Takes::relative_margin,
           .value = [](const auto& e, const Options& o) { return e.matched(o.reach()).precision(); }},
    Metric{.name = "recall", .family = "boundaries", .needs = Need::cuts,
           .takes = Takes::margin | Takes::relative_margin,
           .value = [](const auto& e, const Options& o) { return e.matched(o.reach()).recall(); }},
    Metric{.name = "f1", .family = "boundaries", .needs = Need::cuts, .symmetric = true,
           .takes = Takes::margin | Takes::relative_margin | Takes::beta,
           .value = [](const auto& e, const Options& o) { return e.matched(o.reach()).f(o.beta); }},
    Metric{.name = "hausdorff", .family = "boundaries", .needs = Need::cuts, .best = 0, .high = infinity,
           .symmetric = true,
           .value = [](const auto& e) { return hausdorff(e.sides().truth, e.sides().pred); }, .power = 1},
    Metric{.name = "directed_hausdorff", .family = "boundaries", .needs = Need::cuts, .best = 0, .high = infinity,
           .value = [](const auto& e) { return directed_hausdorff(e.sides().truth, e.sides().pred); }, .power = 1},
    Metric{.name = "mean_error", .family = "boundaries", .needs = Need::cuts, .best = 0, .high = infinity,
           .value = [](const auto& e) { return mean_error(e.sides().pred, e.sides().truth); }, .power = 1},
    Metric{.name = "median_error", .family = "boundaries", .needs = Need::cuts, .best = 0, .high = infinity,
           .value = [](const auto& e) { return median_error(e.sides().pred, e.sides().truth); }, .power = 1},
    Metric{.name = "count_error", .family = "boundaries", .needs = Need::cuts, .best = 0, .high = infinity,
           .symmetric = true,
           .value = [](const auto& e) {
               return static_cast<double>(apart(e.sides().truth.size(), e.sides().pred.size()));
           }},
    Metric{.name = "f1_area", .family = "curves", .needs = Need::cuts, .symmetric = true,
           .takes = Takes::margin | Takes::relative_margin, .cost = "O(r s) at worst",
           .value = [](const auto& e, const Options& o) {
               return f1_area(e.sides().truth, e.sides().pred, e.n, o.reach().limited(e.n));
           }},
    Metric{.name = "online_f1", .family = "delays", .needs = Need::cuts, .takes = Takes::max_delay,
           .value = [](const auto& e, const Options& o) { return detections(e, o).f1(); }},
    Metric{.name = "mean_delay", .family = "delays", .needs = Need::cuts, .best = 0, .high = infinity,
           .takes = Takes::max_delay,
           .value = [](const auto& e, const Options& o) { return detections(e, o).mean_delay(); }, .power = 1},
    Metric{.name = "delay_quantile", .family = "delays", .needs = Need::cuts, .best = 0, .high = infinity,
           .takes = Takes::max_delay | Takes::share,
           .value = [](const auto& e, const Options& o) {
               return delay_quantile(e.sides().truth, e.sides().pred, e.n, delay_limit(e, o), o.share);
           }, .power = 1},
    Metric{.name = "miss_rate", .family = "delays", .needs = Need::cuts, .best = 0, .takes = Takes::max_delay,
           .value = [](const auto& e, const Options& o) { return detections(e, o).miss_rate(); }},
    Metric{.name = "false_alarm_rate", .family = "delays", .needs = Need::cuts, .best = 0, .high = infinity,
           .takes = Takes::max_delay,
           .value = [](const auto& e, const Options& o) { return detections(e, o).false_alarm_rate(); }, .power = -1},
    Metric{.name = "average_run_length", .family = "delays", .needs = Need::cuts, .best = infinity, .high = infinity,
           .takes = Takes::max_delay,
           .value = [](const auto& e, const Options& o) { return detections(e, o).average_run_length(); }, .power = 1},
    Metric{.name = "pk", .family = "windows", .needs = Need::cuts, .best = 0, .takes = Takes::k,
           .value = [](const auto& e, const Options& o) {
               return pk(e.sides().truth, e.sides().pred, e.n, e.window(o.k));
           }},
    Metric{.name = "window_diff", .family = "windows", .needs = Need::cuts, .best = 0,
           .takes = Takes::k | Takes::weighted | Takes::lamprier,
           .value = [](const auto& e, const Options& o) {
               return window_diff(e.sides().truth, e.sides().pred, e.n, e.window(o.k), o.weighted, o.lamprier);
           }},
    Metric{.name = "boundary_similarity", .family = "edits", .needs = Need::cuts, .symmetric = true,
           .takes = Takes::n_t,
           .value = [](InPoints e, const Options& o) { return e.edits(o.n_t).boundary_similarity(o.n_t); }},
    Metric{.name = "generalized_hamming", .family = "edits", .needs = Need::cuts, .best = 0, .high = infinity,
           .symmetric = true, .takes = Takes::insertion | Takes::deletion | Takes::shift, .cost = "O(r s) at worst",
           .value = [](InPoints e, const Options& o) {
               return generalized_hamming(e.sides().truth, e.sides().pred, o.insertion, o.deletion, o.shift);
           }},
    Metric{.name = "segmentation_similarity", .family = "edits", .needs = Need::cuts, .symmetric = true,
           .takes = Takes::n_t,
           .value = [](InPoints e, const Options& o) { return e.edits(o.n_t).segmentation_similarity(o.n_t, e.n); }},
};
// clang-format on

// Every option has a metric that takes it, and a margin has both of its forms.
static_assert([] {
    Takes all = Takes::nothing;
    for (const Metric& metric : catalog) {
        if (meet(metric.takes, Takes::margin) != meet(metric.takes, Takes::relative_margin)) return false;
        all |= metric.takes;
    }
    return static_cast<unsigned>(all) + 1 == 1u << option_names.size();
}());

// What several metrics need: those that take labels, and the others.
struct Needs {
    Need of_labels = Need::nothing, of_cuts = Need::nothing;

    void add(const Metric& metric) { (metric.takes_labels() ? of_labels : of_cuts) |= metric.needs; }
    Need of_all() const { return of_labels | of_cuts; }
};

// Calls use(evaluation, is_wanted), where is_wanted(metric) says whether the evaluation is the one for a metric. If the
// sides have labels, metrics that take labels score the clusters, and the other metrics score the cuts.
template <class T, class Use>
void evaluate(const Sides<T>& sides, const Needs& needs, const Use& use) {
    if (!sides.has_labels()) return use(Evaluation<T>(sides, needs.of_all()), [](const Metric&) { return true; });
    use(Evaluation<T>(sides, needs.of_labels), [](const Metric& metric) { return metric.takes_labels(); });
    use(Evaluation<T>(sides.cuts_alone(), needs.of_cuts), [](const Metric& metric) { return !metric.takes_labels(); });
}

}  // namespace segscore
