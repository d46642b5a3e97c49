// The metrics for Python: one score, or several scores from one evaluation.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../core/catalog.hpp"
#include "../core/cuts.hpp"
#include "../core/evaluation.hpp"
#include "../core/flags.hpp"
#include "../core/options.hpp"
#include "interrupt.hpp"
#include "load.hpp"
#include "options.hpp"

namespace segscore {

// Evaluates both sides: runs compute(evaluation), without the interpreter's lock if that is worth it, then
// finish(result) with the lock. If one pass is enough, the cuts are read once, as they arrive.
template <class Compute, class Finish>
auto evaluated(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration, Need needs, bool takes_long,
               const Compute& compute, const Finish& finish) {
    return with_inputs(truth, pred, n, duration, [&](auto& truth_input, auto& pred_input, auto length) {
        using T = decltype(length);
        if (!can_stream(needs) || is_labelled(truth_input, pred_input))
            return load_sides(truth_input, pred_input, length, [&](const auto& sides) {
                return finish(unlocked(sides.truth.size() + sides.pred.size(), takes_long, [&] {
                    return compute(Evaluation(takes_labels(needs) ? sides : sides.cuts_alone(), needs));
                }));
            });
        Cuts<T, Input<T>> truth_cuts(truth_input, "truth", length), pred_cuts(pred_input, "pred", length);
        const bool native = truth_input.is_native() && pred_input.is_native();
        return finish(unlocked(native ? truth_input.size() + pred_input.size() : 0, false,
                               [&] { return compute(Evaluation<T>(truth_cuts, pred_cuts, length, needs)); }));
    });
}

// The value in seconds where the cuts are timestamps, as in tables; other values have the unit of the cuts.
inline double in_seconds(double value, const Metric& metric, nb::handle truth, nb::handle pred) {
    if (metric.power == 0) return value;
    nb::object origin = attribute_of(truth, "_origin");
    if (origin.is_none()) origin = attribute_of(pred, "_origin");
    if (origin.is_none()) return value;
    const nb::object seconds = nb::module_::import_("segscore.segmentation.timestamps").attr("SECONDS");
    return value * nb::cast<double>(nb::float_(seconds[origin.attr("unit")].attr("__pow__")(metric.power)));
}

inline double score(const Metric& metric, const Options& options, nb::handle truth, nb::handle pred, nb::handle n,
                    nb::handle duration) {
    return evaluated(
        truth, pred, n, duration, metric.needs, metric.takes_long,
        [&](const auto& evaluation) { return finalized(metric, options, evaluation); },
        [&](double value) { return in_seconds(value, metric, truth, pred); });
}

// {name: score} of the entries of a plan.
inline nb::dict scores(const Plan& plan, const nb::tuple& names, nb::handle truth, nb::handle pred, nb::handle n,
                       nb::handle duration) {
    const auto named = [&](const std::vector<double>& values) {
        nb::dict found;
        for (std::size_t k = 0; k < values.size(); ++k)
            found[names[k]] = in_seconds(values[k], *plan.entries[k].metric, truth, pred);
        return found;
    };
    if (has_labels(truth) || has_labels(pred))
        return with_sides(truth, pred, n, duration, [&](const auto& sides) {
            std::vector<double> values(plan.entries.size());
            unlocked(sides.truth.size() + sides.pred.size(), plan.takes_long,
                     [&] { finalize_all(plan, sides, values.data()); });
            return named(values);
        });
    return evaluated(
        truth, pred, n, duration, plan.needs.of_all(), plan.takes_long,
        [&](const auto& evaluation) {
            std::vector<double> values;
            values.reserve(plan.entries.size());
            for (const auto& [metric, options] : plan.entries)
                values.push_back(finalized(*metric, options, evaluation));
            return values;
        },
        named);
}

// The facts about each metric: the fields of segscore.Metric.
inline nb::list metrics() {
    const auto to_text = [](std::string_view text) { return nb::str(text.data(), text.size()); };
    nb::list all;
    for (const Metric& metric : catalog) {
        nb::list parameters;
        for_each_option([&](const auto& option) {
            if (meet(metric.takes, option.flag)) parameters.append(nb::str(option.name));
        });
        nb::list kinds;
        kinds.append("points");
        if (metric.value.takes_time()) kinds.append("time");
        if (metric.takes_labels()) kinds.append("labels");
        all.append(nb::make_tuple(to_text(metric.name), to_text(metric.family), metric.best, metric.low, metric.high,
                                  metric.symmetric, to_text(metric.cost), metric.power, nb::tuple(kinds),
                                  to_text(metric.instead_in_time()), nb::tuple(parameters)));
    }
    return all;
}

// {name: (kind, default)} of the options of metrics, in the order of signatures.
inline nb::dict options() {
    const auto to_python = []<class Value>(const Value& value) -> nb::object {
        if constexpr (std::is_same_v<Value, Margin>)
            return nb::none();
        else if constexpr (std::is_same_v<Value, Average>)
            return nb::str(average_names[static_cast<std::size_t>(value)]);
        else
            return nb::cast(value);
    };
    nb::dict all;
    for_each_option([&]<OptionKind kind>(const Option<kind>& option) {
        all[option.name] =
            nb::make_tuple(option_kind_names[static_cast<std::size_t>(kind)], to_python(Options{}.*option.value));
    });
    return all;
}

inline void define_scores(nb::module_& module) {
    using namespace nb::literals;
    static constexpr Options defaults{};
    for (const Metric& metric : catalog) {
        if (metric.takes == Takes::nothing)
            module.def(
                metric.name.data(),
                [&metric](nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration) {
                    return score(metric, defaults, truth, pred, n, duration);
                },
                "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "duration"_a.none());
        else
            module.def(
                metric.name.data(),
                [&metric](nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration,
                          const nb::args& values) {
                    return score(metric, load_options(metric, values, {}, {truth, pred}), truth, pred, n, duration);
                },
                "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "duration"_a.none(), "values"_a);
    }
    nb::class_<Plan>(module, "Plan")
        .def(nb::init<const nb::sequence&, nb::handle, nb::handle, const nb::sequence&>(), "entries"_a,
             "margin"_a.none(), "relative_margin"_a.none(), "together"_a = nb::tuple());
    module.def("metrics", &metrics);
    module.def("options", &options);
    module.def(
        "refuse_time", [](const char* name, const char* instead) { refuse_time(name, instead); }, "name"_a,
        "instead"_a);
    module.def("refuse_labels", [](const char* name) { refuse_labels(name); }, "name"_a);
    module.def("scores", &scores, "plan"_a, "names"_a, "truth"_a.none(), "pred"_a.none(), "n"_a.none(),
               "duration"_a.none());
}

}  // namespace segscore
