// The options of metrics, as given in Python.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../core/annotators.hpp"
#include "../core/catalog.hpp"
#include "../core/evaluation.hpp"
#include "../core/flags.hpp"
#include "../core/options.hpp"
#include "values.hpp"

namespace segscore {

inline constexpr std::string_view no_margin =
    " has no margin; expected margin= (0 for the same cut) or relative_margin=";

// The sides of a call, whose timestamps have the unit of a length of time such as margin=timedelta(seconds=5).
struct Beside {
    nb::handle truth = nb::none(), pred = nb::none();
};

// A length of time as the number of units of the timestamps beside it; other values as they are.
inline nb::object in_unit(nb::handle value, const char* name, const Beside& beside) {
    PyObject* raw = value.ptr();
    const bool is_number = PyLong_CheckExact(raw) || PyFloat_CheckExact(raw) || value.is_none();
    if (is_number ||
        (!nb::hasattr(value, "total_seconds") && std::string_view(Py_TYPE(raw)->tp_name) != "numpy.timedelta64"))
        return nb::borrow(value);
    return nb::module_::import_("segscore.segmentation.lengths_of_time")
        .attr("counted")(value, name, beside.truth, beside.pred);
}

// A distance in the unit of the cuts, or none.
inline Margin load_distance(nb::handle given, const char* name, const Beside& beside = {}) {
    const nb::object distance = in_unit(given, name, beside);
    if (distance.is_none()) return {};
    const nb::object integer = PyLong_CheckExact(distance.ptr()) ? nb::borrow(distance) : as_integer(distance);
    if (integer.is_valid() && PyObject_RichCompareBool(integer.ptr(), nb::int_(0).ptr(), Py_GE) == 1) {
        if (const auto exact = as_int64(integer.ptr())) return {Margin::Kind::whole, *exact, 0};
        const double rounded = PyLong_AsDouble(integer.ptr());
        if (PyErr_Occurred() == nullptr) return {Margin::Kind::real, 0, rounded};
        PyErr_Clear();  // beyond the largest double
        return {Margin::Kind::real, 0, std::numeric_limits<double>::infinity()};
    }
    return {Margin::Kind::real, 0, load_nonnegative(distance, name)};
}

// The size of a window: a number of gaps, or a time.
inline Margin load_window(nb::handle given, const char* name, const Beside& beside) {
    const nb::object k = in_unit(given, name, beside);
    const nb::object integer = PyLong_CheckExact(k.ptr()) ? nb::borrow(k) : as_integer(k);
    if (integer.is_valid() || is_bool(k)) return {Margin::Kind::whole, load_positive(k, name), 0};
    const double time = load_number(k, name);
    if (!(time > 0) || std::isinf(time))
        throw InputError(std::string(name) + " = " + text(time) +
                         " is not positive and finite; expected the size of a window");
    return {Margin::Kind::real, 0, time};
}

// A distance as a share of the length, or none.
inline Margin load_share_of_length(nb::handle given, const char* name) {
    if (given.is_none()) return {};
    const double share = load_nonnegative(given, name);
    if (share >= 1)
        throw InputError(std::string(name) + " = " + text(share) +
                         " is no share of the length; expected a number below 1, or margin= in the unit of the cuts");
    return {Margin::Kind::relative, 0, share};
}

// Raises for a distance in points that is not whole: it would be rounded down, 0.05 to 0. In points, infinity reaches
// every cut.
template <class T>
const Margin& checked_distance(const Margin& given, const char* name) {
    if (std::is_integral_v<T> && given.kind == Margin::Kind::real && given.real != std::floor(given.real))
        throw nb::value_error(
            (std::string(name) + " = " + text(given.real) +
             " is not whole, but the cuts are points; expected an integer, " +
             (std::string_view(name) == "margin" ? "relative_margin= for a share of the length, " : "") +
             "or duration= for cuts in time")
                .c_str());
    return given;
}

// margin= and relative_margin=, of which at most one may be given.
inline Margin load_margin(nb::handle margin, nb::handle relative, const Beside& beside = {}) {
    if (!margin.is_none() && !relative.is_none())
        raise_type("margin= and relative_margin= exclude each other; expected one of them");
    if (!relative.is_none()) return load_share_of_length(relative, "relative_margin");
    return load_distance(margin, "margin", beside);
}

inline Average load_average(nb::handle average, const char* name) {
    for (std::size_t k = 0; k < average_names.size(); ++k)
        if (PyUnicode_Check(average.ptr()) && PyUnicode_CompareWithASCIIString(average.ptr(), average_names[k]) == 0)
            return static_cast<Average>(k);
    throw InputError(std::string(name) + " = " + shown(average) +
                     " is unknown; expected one of arithmetic, geometric, min, max, joint");
}

inline double load_base(nb::handle base, const char* name) {
    const double value = load_number(base, name);
    if (!(value > 1) || std::isinf(value))
        throw InputError(std::string(name) + " = " + shown(base) +
                         " is not a base of a logarithm; expected more than 1");
    return value;
}

inline double load_share(nb::handle share, const char* name) {
    const double value = load_number(share, name);
    if (!(value >= 0 && value <= 1))
        throw InputError(std::string(name) + " = " + shown(share) + " is not a share; expected a number from 0 to 1");
    return value;
}

// A bool of Python or NumPy. Other objects also have a truth value, but even the text "no" counts as true.
inline bool load_flag(nb::handle flag, const char* name) {
    if (!is_bool(flag))
        raise_type(std::string(name) + " = " + shown(flag) + " is " + with_article(kind_of(flag)) +
                   "; expected True or False");
    return PyObject_IsTrue(flag.ptr()) == 1;
}

// The value of an option, checked.
template <OptionKind kind>
OptionValue<kind> load_option(nb::handle value, const char* name, const Beside& beside) {
    using enum OptionKind;
    if constexpr (kind == length)
        return load_distance(value, name, beside);
    else if constexpr (kind == share_of_length)
        return load_share_of_length(value, name);
    else if constexpr (kind == window)
        return value.is_none() ? Margin{} : load_window(value, name, beside);
    else if constexpr (kind == number)
        return load_nonnegative(value, name);
    else if constexpr (kind == cost)
        return load_cost(value, name);
    else if constexpr (kind == base)
        return load_base(value, name);
    else if constexpr (kind == share)
        return load_share(value, name);
    else if constexpr (kind == count)
        return load_positive(value, name);
    else if constexpr (kind == flag)
        return load_flag(value, name);
    else
        return load_average(value, name);
}

// The values of a metric's options, in the order of its signature; without values all options have their defaults.
// `margin` applies if the metric has no margin of its own.
template <class Values>
Options load_options(const Metric& metric, const Values& values, const Margin& margin = {}, const Beside& beside = {}) {
    Options options;
    if (values.size() > 0) {
        std::size_t place = 0;
        for_each_option([&]<OptionKind kind>(const Option<kind>& option) {
            if (!meet(metric.takes, option.flag)) return;
            if (place >= values.size()) raise_type(std::string(metric.name) + " has fewer values than parameters");
            options.*option.value = load_option<kind>(nb::handle(values[place++]), option.name, beside);
        });
        if (options.margin.is_given() && options.relative_margin.is_given())
            raise_type("margin= and relative_margin= exclude each other; expected one of them");
    }
    if (!options.reach().is_given()) options.margin = margin;
    if (metric.needs_margin() && !options.reach().is_given())
        raise_type(std::string(metric.name) + std::string(no_margin));
    return options;
}

// Metrics with their options, as compare(), tables, matrices and random draws compute them.
class Plan {
public:
    struct Entry {
        const Metric* metric;
        Options options;
    };

    // Each entry is the number of a metric in the catalog, and the values of its options. The margins apply to metrics
    // without a margin of their own.
    // The scores of `of_all` are precision, recall or f1 against all annotators together, each with its margin.
    Plan(const nb::sequence& given, nb::handle margin, nb::handle relative_margin, const nb::sequence& of_all) {
        const Margin fallback = load_margin(margin, relative_margin);
        for (const nb::handle item : given) {
            const auto entry = nb::cast<nb::tuple>(item);
            const Metric& metric = catalog.at(nb::cast<std::size_t>(entry[0]));
            entries.push_back({&metric, load_options(metric, nb::cast<nb::tuple>(entry[1]), fallback)});
            needs.add(metric);
            takes_long |= metric.takes_long;
        }
        for (const nb::handle item : of_all) {
            const auto entry = nb::cast<nb::tuple>(item);
            const std::string_view name = nb::borrow<nb::str>(entry[0]).c_str();
            together.push_back({name == "precision" ? &Together::precision
                                : name == "recall"  ? &Together::recall
                                                    : &Together::f1,
                                load_margin(entry[1], nb::none())});
        }
    }
    Plan() = default;

    struct OfAll {
        double Together::* part;
        Margin margin;
    };

    std::vector<Entry> entries;
    std::vector<OfAll> together;  // scores against all annotators of a row together; only tables have them
    Needs needs;
    bool takes_long = false;
};

[[noreturn]] inline void refuse_labels(std::string_view name) {
    throw InputError(std::string(name) +
                     " compares cuts, not labels; expected segmentations without labels (use .without_labels(), or a "
                     "score of the pair, information or overlap family for the labels)");
}

// `instead` names what takes times.
[[noreturn]] inline void refuse_time(std::string_view name, std::string_view instead = {}) {
    throw InputError(std::string(name) +
                     " counts points; expected n=, not duration= (count whole units such as milliseconds" +
                     (instead.empty() ? "" : ", or use ") + std::string(instead) + ")");
}

// The value of a metric, or an error that says why there is none.
template <class T>
double finalized(const Metric& metric, const Options& options, const Evaluation<T>& evaluation) {
    if constexpr (std::is_integral_v<T>) {
        if (options.k.kind == Margin::Kind::real)
            raise_type("k = " + text(options.k.real) +
                       " is a float; expected an integer (or duration= for windows in time)");
        checked_distance<T>(options.margin, "margin");
        checked_distance<T>(options.max_delay, "max_delay");
    } else if (!metric.value.takes_time())
        refuse_time(metric.name, metric.instead_in_time());
    return metric.value(evaluation, options);
}

// The values of all metrics of a plan, in their order.
template <class T>
void finalize_all(const Plan& plan, const Sides<T>& sides, double* to) {
    evaluate(sides, plan.needs, [&](const Evaluation<T>& evaluation, const auto& is_wanted) {
        for (std::size_t m = 0; m < plan.entries.size(); ++m) {
            const auto& [metric, options] = plan.entries[m];
            if (is_wanted(*metric)) to[m] = finalized(*metric, options, evaluation);
        }
    });
}

}  // namespace segscore
