// Scores against several annotators together, for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>
#include <vector>

#include "../core/annotators.hpp"
#include "../core/cuts.hpp"
#include "chance.hpp"
#include "interrupt.hpp"
#include "options.hpp"

namespace segscore {

// (precision, recall, f1) of a prediction against all annotators
inline nb::tuple together_of(const nb::list& truths, const nb::bytes& pred, std::int64_t n, nb::handle margin) {
    std::vector<Points> lists;
    for (const nb::handle cuts : truths) lists.push_back(points_of(nb::borrow<nb::bytes>(cuts)));
    const std::int64_t reach = load_margin(margin, nb::none()).within(n);
    const Together found = together(lists, points_of(pred), reach, {check_signals});
    return nb::make_tuple(found.precision, found.recall, found.f1);
}

inline void define_annotators(nb::module_& module) {
    using namespace nb::literals;
    module.def("together", &together_of, "truths"_a, "pred"_a, "n"_a, "margin"_a);
}

}  // namespace segscore
