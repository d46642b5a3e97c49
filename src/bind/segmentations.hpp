// Conversions of cuts for Segmentation.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../core/cuts.hpp"
#include "load.hpp"
#include "values.hpp"

namespace segscore {

// The checked cuts as bytes of int64 or of doubles, and the length, an int in points or a float in time.
inline nb::tuple load_cuts(nb::handle cuts, nb::handle n, nb::handle duration, const char* name) {
    const auto load = [&]<class T>(nb::handle passed) {
        Input<T> input(cuts, name);
        const std::string named = std::string(name) + (std::string_view(name).ends_with(']') ? " has" : " have");
        std::optional<T> length = input.length();
        if (!passed.is_none()) length = load_length<T>(passed);
        if (!length.has_value()) raise_type(named + no_length);
        if (input.length().has_value() && input.length() != length)
            throw InputError(named + " " + name_of_length<T> + " = " + text(*input.length()) + " but " +
                             name_of_length<T> + " = " + text(*length) + " was passed; expected one length");
        std::vector<T> kept;
        return nb::make_tuple(to_bytes(gather(input, *length, kept)), *length);
    };
    if (!n.is_none() && !duration.is_none()) raise_type("n= and duration= exclude each other; expected one of them");
    const bool in_time = !duration.is_none() || (n.is_none() && is_in_time(cuts));
    return in_time ? load.template operator()<double>(duration) : load.template operator()<std::int64_t>(n);
}

// The checked cuts of both sides as bytes of int64 or of doubles, and their length.
inline nb::tuple load_both(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration) {
    return with_sides(truth, pred, n, duration, [](const auto& sides) {
        return nb::make_tuple(to_bytes(sides.truth), to_bytes(sides.pred), sides.n);
    });
}

// The checked cuts as bytes of int64, and the length, for the ends of all segments; the last end is the length.
inline nb::tuple load_ends(nb::handle given) {
    const std::vector<std::int64_t> ends = all_values<std::int64_t>(given, "ends");
    if (ends.empty()) throw InputError("ends is empty; expected the last end to be the length");
    const std::int64_t n = ends.back();
    if (n < 0) throw InputError("ends stop at " + text(n) + "; expected the last end to be the length");
    WholeSource<std::int64_t> source{ends};
    return nb::make_tuple(to_bytes(checked_in_place(source, "ends", n)), n);
}

// Integers in any order (lengths, starts, ...), as bytes of int64.
inline nb::bytes load_integers(nb::handle values, const char* name) {
    return to_bytes(Points(all_values<std::int64_t>(values, name)));
}
// Real numbers in any order, as bytes of doubles.
inline nb::bytes load_reals(nb::handle values, const char* name) {
    return to_bytes(std::span<const double>(all_values<double>(values, name)));
}

inline void define_segmentations(nb::module_& module) {
    using namespace nb::literals;
    module.def("load_cuts", &load_cuts, "cuts"_a.none(), "n"_a.none(), "duration"_a.none(), "name"_a);
    module.def("load_both", &load_both, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "duration"_a.none());
    module.def("load_ends", &load_ends, "ends"_a.none());
    module.def("load_integers", &load_integers, "values"_a.none(), "name"_a);
    module.def("load_reals", &load_reals, "values"_a.none(), "name"_a);
    module.def("load_n", &load_n, "n"_a.none());
    module.def("load_duration", &load_duration, "duration"_a.none());
}

}  // namespace segscore
