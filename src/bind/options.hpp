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
#include "values.hpp"

namespace segscore {

inline constexpr std::string_view no_margin =
    " has no margin; expected margin= (0 for the same cut) or relative_margin=";

// A distance in the unit of the cuts, or none.
inline Margin load_distance(nb::handle distance, const char* name) {
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

// margin= and relative_margin=, of which at most one may be given.
inline Margin load_margin(nb::handle margin, nb::handle relative) {
    if (!margin.is_none() && !relative.is_none())
        raise_type("margin= and relative_margin= exclude each other; expected one of them");
    if (!relative.is_none()) return {Margin::Kind::relative, 0, load_nonnegative(relative, "relative_margin")};
    return load_distance(margin, "margin");
}

inline Average load_average(nb::handle average) {
    for (std::size_t k = 0; k < average_names.size(); ++k)
        if (PyUnicode_Check(average.ptr()) && PyUnicode_CompareWithASCIIString(average.ptr(), average_names[k]) == 0)
            return static_cast<Average>(k);
    throw InputError("average = " + shown(average) +
                     " is unknown; expected one of arithmetic, geometric, min, max, joint");
}

inline double load_log_base(nb::handle base) {
    const double value = load_number(base, "base");
    if (!(value > 1) || std::isinf(value))
        throw InputError("base = " + shown(base) + " is not a base of a logarithm; expected more than 1");
    return std::log(value);
}

// A bool of Python or NumPy. Other objects also have a truth value, but even the text "no" counts as true.
inline bool load_flag(nb::handle flag, const char* name) {
    if (!is_bool(flag))
        raise_type(std::string(name) + " = " + shown(flag) + " is " + with_article(kind_of(flag)) +
                   "; expected True or False");
    return PyObject_IsTrue(flag.ptr()) == 1;
}

// The values of a metric's options, in the order of its signature; without values all options have their defaults.
// `margin` applies if the metric has no margin of its own.
template <class Values>
Options load_options(const Metric& metric, const Values& values, const Margin& margin = {}) {
    Options options;
    if (values.size() > 0) {
        std::size_t place = 0;
        const auto next = [&](Takes parameter, const auto& load) {
            if (!meet(metric.takes, parameter)) return;
            if (place >= values.size()) raise_type(std::string(metric.name) + " has fewer values than parameters");
            load(nb::handle(values[place++]));
        };
        if (metric.needs_margin()) {
            if (values.size() < 2) raise_type(std::string(metric.name) + " has fewer values than parameters");
            options.margin = load_margin(values[0], values[1]);
            place = 2;
        }
        next(Takes::beta, [&](nb::handle value) { options.beta = load_nonnegative(value, "beta"); });
        next(Takes::average, [&](nb::handle value) { options.average = load_average(value); });
        next(Takes::base, [&](nb::handle value) { options.log_base = load_log_base(value); });
        next(Takes::symmetric, [&](nb::handle value) { options.symmetric = load_flag(value, "symmetric"); });
        next(Takes::k, [&](nb::handle value) { options.k = value.is_none() ? 0 : load_positive(value, "k"); });
        next(Takes::weighted, [&](nb::handle value) { options.weighted = load_flag(value, "weighted"); });
        next(Takes::lamprier, [&](nb::handle value) { options.lamprier = load_flag(value, "lamprier"); });
        next(Takes::n_t, [&](nb::handle value) { options.n_t = load_positive(value, "n_t"); });
        next(Takes::insertion, [&](nb::handle value) { options.insertion = load_cost(value, "insertion"); });
        next(Takes::deletion, [&](nb::handle value) { options.deletion = load_cost(value, "deletion"); });
        next(Takes::shift, [&](nb::handle value) { options.shift = load_cost(value, "shift"); });
        next(Takes::max_delay, [&](nb::handle value) { options.max_delay = load_distance(value, "max_delay"); });
    }
    if (!options.margin.is_given()) options.margin = margin;
    if (metric.needs_margin() && !options.margin.is_given())
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
            needs |= metric.needs;
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
    Need needs = Need::nothing;
    bool takes_long = false;
};

[[noreturn]] inline void refuse_labels(std::string_view name) {
    throw InputError(std::string(name) +
                     " compares cuts, not labels; expected the .segmentation of the labelled segmentation");
}

// The value of a metric, or an error that says why there is none.
template <class T>
double finalized(const Metric& metric, const Options& options, const Evaluation<T>& evaluation) {
    if (evaluation.has_labels() && !metric.takes_labels) refuse_labels(metric.name);
    if constexpr (std::is_integral_v<T>)
        return metric.in_points(evaluation, options);
    else if (metric.in_time != nullptr)
        return metric.in_time(evaluation, options);
    throw InputError(std::string(metric.name) + " counts points; expected n=, not duration=");
}

}  // namespace segscore
