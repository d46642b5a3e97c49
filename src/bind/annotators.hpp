// Scores against several annotators together, for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <span>
#include <vector>

#include "../core/annotators.hpp"
#include "chance.hpp"
#include "options.hpp"

namespace segscore {

// (precision, recall, f1) of a prediction against all annotators, whose cuts are the bytes of a Segmentation
inline nb::tuple together_of(const nb::list& truths, const nb::bytes& pred, nb::handle length, nb::handle margin) {
    return with_length(length, [&](auto n) {
        using T = decltype(n);
        std::vector<std::span<const T>> lists;
        for (const nb::handle cuts : truths) lists.push_back(cuts_of<T>(nb::borrow<nb::bytes>(cuts)));
        const T reach = checked_distance<T>(load_margin(margin, nb::none()), "margin").within(n);
        const Together found = together(lists, cuts_of<T>(pred), reach);
        return nb::make_tuple(found.precision, found.recall, found.f1);
    });
}

inline void define_annotators(nb::module_& module) {
    using namespace nb::literals;
    module.def("together", &together_of, "truths"_a, "pred"_a, "length"_a, "margin"_a);
}

}  // namespace segscore
