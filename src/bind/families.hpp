// Results of the families other than scores: counts, pairs of cuts, alarms, regions, edits, curves.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../core/boundaries.hpp"
#include "../core/catalog.hpp"
#include "../core/delays.hpp"
#include "../core/edits.hpp"
#include "../core/evaluation.hpp"
#include "../core/information.hpp"
#include "../core/overlap.hpp"
#include "../core/pace.hpp"
#include "../core/regions.hpp"
#include "../core/walk.hpp"
#include "load.hpp"
#include "options.hpp"
#include "scores.hpp"

namespace segscore {

// Loads both sides in points; sides in time are refused.
template <class Use>
auto with_points(const char* name, nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration,
                 const Use& use) {
    return with_sides(truth, pred, n, duration, [&](const auto& sides) {
        if constexpr (std::is_same_v<decltype(sides), const Sides<std::int64_t>&>)
            return use(sides);
        else
            return refuse_time(name), use(Sides<std::int64_t>{});
    });
}

inline nb::tuple pair_counts(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration) {
    return evaluated(
        truth, pred, n, duration, Need::pairs, false, [](const auto& evaluation) { return evaluation.pairs(); },
        [](const auto& pairs) {
            const auto shown = [&](const auto& count) { return to_number(count, pairs.unit); };
            return nb::make_tuple(shown(pairs.both), shown(pairs.truth_only), shown(pairs.pred_only),
                                  shown(pairs.neither));
        });
}

inline nb::tuple information_sums(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration,
                                  nb::handle base) {
    const double unit = std::log(load_base(base, "base"));
    return evaluated(
        truth, pred, n, duration, Need::information, false,
        [](const auto& evaluation) { return evaluation.information(); },
        [unit](const Information& sums) {
            return nb::make_tuple(sums.truth / unit, sums.pred / unit, sums.joint() / unit,
                                  sums.truth_given_pred / unit, sums.pred_given_truth / unit);
        });
}

// The number of cells that the walk visits.
inline std::uint64_t count_cells(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration) {
    return with_sides(truth, pred, n, duration, [](const auto& sides) {
        std::uint64_t cells = 0;
        const auto count = [&](const auto&) { ++cells; };
        walk_checked(sides.truth, sides.pred, sides.n, count);
        return cells;
    });
}

// The intersection over union of each true segment with its best counterpart.
inline nb::list best_ious(nb::handle truth, nb::handle pred, nb::handle n) {
    return with_points("best_ious", truth, pred, n, nb::none(), [&](const Sides<std::int64_t>& sides) {
        if (sides.has_labels()) refuse_labels("best_ious");
        BestIous ious;
        unlocked(sides.truth.size() + sides.pred.size(), false,
                 [&] { walk_checked(sides.truth, sides.pred, sides.n, ious); });
        return to_list(std::span<const double>(ious.found));
    });
}

// (indices of the truth, indices of the prediction, cuts of the truth, cuts of the prediction)
inline nb::tuple matched_pairs(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration, nb::handle margin,
                               nb::handle relative_margin) {
    return with_sides(truth, pred, n, duration, [&](const auto& sides) {
        const Margin given = load_margin(margin, relative_margin, {truth, pred});
        if (!given.is_given()) raise_type("match" + std::string(no_margin));
        using T = std::remove_cvref_t<decltype(sides.n)>;
        const T reach = checked_distance<T>(given, "margin").within(sides.n);
        std::vector<std::size_t> truth_found, pred_found;
        unlocked(sides.truth.size() + sides.pred.size(), false, [&] {
            const auto found = [&](std::size_t i, std::size_t j) {
                truth_found.push_back(i);
                pred_found.push_back(j);
            };
            match_closest(sides.truth, sides.pred, reach, found);
        });
        return nb::make_tuple(to_list(std::span<const std::size_t>(truth_found)),
                              to_list(std::span<const std::size_t>(pred_found)), to_list(sides.truth),
                              to_list(sides.pred));
    });
}

// (detected changes and the alarms that detect them, as indices; changes, alarms, length, time in control)
inline nb::tuple online(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration, nb::handle max_delay) {
    return with_sides(truth, pred, n, duration, [&](const auto& sides) {
        const Margin given = load_distance(max_delay, "max_delay", {truth, pred});
        using T = std::remove_cvref_t<decltype(sides.n)>;
        const T limit = given.is_given() ? checked_distance<T>(given, "max_delay").limited(sides.n) : sides.n;
        std::vector<std::size_t> changes, alarms;
        const auto in_control = unlocked(sides.truth.size() + sides.pred.size(), false, [&] {
            const auto found = [&](std::size_t i, std::size_t j) {
                changes.push_back(i);
                alarms.push_back(j);
            };
            return static_cast<T>(detect(sides.truth, sides.pred, sides.n, limit, found).in_control);
        });
        return nb::make_tuple(to_list(std::span<const std::size_t>(changes)),
                              to_list(std::span<const std::size_t>(alarms)), to_list(sides.truth), to_list(sides.pred),
                              sides.n, in_control);
    });
}

// The number of cuts in each region; the regions are in order and do not overlap.
inline nb::list region_counts(nb::handle pred, nb::handle n, nb::handle duration, nb::handle starts, nb::handle ends) {
    return with_sides(nb::tuple(), pred, n, duration, [&](const auto& sides) {
        using T = std::remove_cvref_t<decltype(sides.n)>;
        const std::vector<T> from = all_values<T>(starts, "starts"), to = all_values<T>(ends, "ends");
        const auto counts = unlocked(sides.pred.size(), false, [&] {
            return count_in_regions(sides.pred, std::span<const T>(from), std::span<const T>(to));
        });
        return to_list(std::span<const std::size_t>(counts));
    });
}

// A metric with windows for each of several sizes of the window.
inline nb::list window_curve(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration, const char* name,
                             const nb::list& given, nb::handle weighted, nb::handle lamprier) {
    const Metric& metric = *std::ranges::find(catalog, std::string_view(name), &Metric::name);
    Options options;
    options.weighted = load_flag(weighted, "weighted");
    options.lamprier = load_flag(lamprier, "lamprier");
    return with_sides(truth, pred, n, duration, [&](const auto& sides) {
        std::vector<Margin> windows;
        for (const nb::handle k : given) windows.push_back(load_window(k, "k", {truth, pred}));
        std::vector<double> values;
        unlocked(0, true, [&] {
            const Evaluation evaluation(sides, metric.needs);
            for (const Margin& k : windows) {
                check_interrupt();
                options.k = k;
                values.push_back(finalized(metric, options, evaluation));
            }
        });
        return to_list(std::span<const double>(values));
    });
}

// Collects the edits, each kind in the order in which the edits are found.
struct EditLists {
    std::vector<std::int64_t> matched_cuts, missed_cuts, added_cuts;
    std::vector<std::pair<std::int64_t, std::int64_t>> moves;

    void matched(std::int64_t cut) { matched_cuts.push_back(cut); }
    void moved(std::int64_t truth, std::int64_t pred) { moves.emplace_back(truth, pred); }
    void missed(std::int64_t cut) { missed_cuts.push_back(cut); }
    void added(std::int64_t cut) { added_cuts.push_back(cut); }
};

// (matched cuts, moved pairs, missed cuts, added cuts)
inline nb::tuple boundary_edits_of(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration,
                                   nb::handle given) {
    const std::int64_t n_t = load_positive(given, "n_t");
    return with_points("boundary_edits", truth, pred, n, duration, [&](const Sides<std::int64_t>& sides) {
        EditLists edits;
        unlocked(0, true, [&] { visit_edits(sides.truth, sides.pred, n_t, edits); });
        nb::list moved;
        Pace pace;
        for (const auto& [from, to] : edits.moves) {
            pace.step(work_per_object);
            moved.append(nb::make_tuple(from, to));
        }
        return nb::make_tuple(to_list(Points(edits.matched_cuts)), moved, to_list(Points(edits.missed_cuts)),
                              to_list(Points(edits.added_cuts)));
    });
}

inline void define_families(nb::module_& module) {
    using namespace nb::literals;
    const auto define = [&](const char* name, auto function, const auto&... more) {
        module.def(name, function, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), more...);
    };
    define("pair_counts", &pair_counts, "duration"_a.none());
    define("count_cells", &count_cells, "duration"_a.none());
    define("information", &information_sums, "duration"_a.none(), "base"_a.none());
    define("best_ious", &best_ious);
    define("match", &matched_pairs, "duration"_a.none(), "margin"_a.none(), "relative_margin"_a.none());
    define("online", &online, "duration"_a.none(), "max_delay"_a.none());
    module.def("region_counts", &region_counts, "pred"_a.none(), "n"_a.none(), "duration"_a.none(), "starts"_a,
               "ends"_a);
    define("window_curve", &window_curve, "duration"_a.none(), "name"_a, "windows"_a, "weighted"_a.none(),
           "lamprier"_a.none());
    define("boundary_edits", &boundary_edits_of, "duration"_a.none(), "n_t"_a.none());
}

}  // namespace segscore
