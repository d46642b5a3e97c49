// Conversions of cuts for Segmentation.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../core/cuts.hpp"
#include "load.hpp"
#include "values.hpp"

namespace segscore {

// The checked cuts as bytes of int64, and the length.
inline nb::tuple load_cuts(nb::handle cuts, nb::handle n, const char* name) {
    Input<std::int64_t> input(cuts, name);
    std::optional<std::int64_t> length = input.n();
    if (!n.is_none()) length = load_n(n);
    if (!length.has_value()) raise_type(std::string(name) + " have" + no_length);
    if (input.n().has_value() && input.n() != length)
        throw InputError(std::string(name) + " have n = " + text(*input.n()) + " but n = " + text(*length) +
                         " was passed; expected one length");
    std::vector<std::int64_t> kept;
    const auto found = gather(input, *length, kept);
    return nb::make_tuple(to_bytes(found), *length);
}

// The checked cuts of both sides as bytes of int64, and their length.
inline nb::tuple load_both(nb::handle truth, nb::handle pred, nb::handle n) {
    return with_sides(truth, pred, n, nb::none(), [](const auto& sides) {
        return nb::make_tuple(to_bytes(sides.truth), to_bytes(sides.pred), sides.n);
    });
}

// The same for the ends of all segments; the last end is the length.
inline nb::tuple load_ends(nb::handle given) {
    const std::vector<std::int64_t> ends = all_values<std::int64_t>(given, "ends");
    if (ends.empty()) throw InputError("ends is empty; expected the last end to be the length");
    const std::int64_t n = ends.back();
    if (n < 0) throw InputError("ends stop at " + text(n) + "; expected the last end to be the length");
    WholeSource<std::int64_t> source{ends};
    return nb::make_tuple(to_bytes(checked_in_place(source, "ends", n, {check_signals})), n);
}

// Integers in any order (lengths, starts, ...), as bytes of int64.
inline nb::bytes load_integers(nb::handle values, const char* name) {
    return to_bytes(Points(all_values<std::int64_t>(values, name)));
}

inline void define_segmentations(nb::module_& module) {
    using namespace nb::literals;
    module.def("load_cuts", &load_cuts, "cuts"_a.none(), "n"_a.none(), "name"_a);
    module.def("load_both", &load_both, "truth"_a.none(), "pred"_a.none(), "n"_a.none());
    module.def("load_ends", &load_ends, "ends"_a.none());
    module.def("load_integers", &load_integers, "values"_a.none(), "name"_a);
    module.def("load_n", &load_n, "n"_a.none());
}

}  // namespace segscore
