// The consensus for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../core/consensus.hpp"
#include "../core/cuts.hpp"
#include "../core/exact.hpp"
#include "../core/nearest.hpp"
#include "../core/pause.hpp"
#include "../core/sorting.hpp"
#include "interrupt.hpp"
#include "load.hpp"
#include "values.hpp"

namespace segscore {

// (cuts, n, disagreement with each input). Weights are summed as integers, or as doubles if one is not an integer.
inline nb::tuple consensus_of(nb::handle segmentations, nb::handle n, nb::handle weights) {
    const Segmentations all = load_segmentations(segmentations, "segmentations", n);
    std::vector<i128> integers(all.size(), 1);
    std::vector<double> numbers;
    bool exact = true;
    if (!weights.is_none()) {
        integers.clear();
        for (const nb::handle weight : nb::borrow<nb::object>(weights)) {
            const std::string named = "weights[" + std::to_string(numbers.size()) + "]";
            const double value = load_number(weight, named.c_str());
            if (!(value > 0 && value < 1e100))
                throw InputError(named + " = " + text(value) +
                                 " is out of range; expected a weight above 0, below 1e100");
            numbers.push_back(value);
            const nb::object integer = as_integer(weight);
            const auto small = integer.is_valid() ? as_int64(integer.ptr()) : std::nullopt;
            if (integer.is_valid() && !small.has_value())
                throw InputError(named + " = " + shown(integer) +
                                 " is too large; expected an integer below 2**63, or a float");
            exact = exact && small.has_value();
            integers.push_back(small.value_or(0));
        }
        if (numbers.size() != all.size())
            throw InputError("there are " + std::to_string(numbers.size()) + " weights for " +
                             std::to_string(all.size()) + " segmentations; expected one weight per segmentation");
    }
    // Sums reach n squared times the sum of the weights.
    long double largest = 0;
    for (const i128 weight : integers) largest += static_cast<long double>(weight);
    largest *= static_cast<long double>(all.n) * static_cast<long double>(all.n);
    if (exact && largest > 0x1p126L)
        throw InputError("n = " + text(all.n) +
                         " is too long for that many inputs; expected n**2 times their weights below 2**126");
    std::vector<std::int64_t> found;
    std::vector<u128> distances(all.size());
    {
        const nb::gil_scoped_release released;
        const Pause pause{check_signals};
        Pace pace(pause);
        std::vector<InputCut> cuts;
        for (std::size_t k = 0; k < all.size(); ++k)
            for (const std::int64_t cut : all[k]) {
                cuts.push_back({cut, k});
                pace.step();
            }
        sort_with_pauses(std::span(cuts), pause, [](const InputCut& x, const InputCut& y) { return x.cut < y.cut; });
        found = exact ? consensus<i128>(cuts, integers, all.n, pause) : consensus<double>(cuts, numbers, all.n, pause);
        for (std::size_t k = 0; k < all.size(); ++k) {
            pace.step(1 + all[k].size() + found.size());
            distances[k] = pairs_apart(all[k], found, all.n, pause);
        }
    }
    nb::list each;
    for (const u128 distance : distances) each.append(to_integer(distance));
    return nb::make_tuple(to_list(Points(found)), all.n, each);
}

inline void define_consensus(nb::module_& module) {
    using namespace nb::literals;
    module.def("consensus", &consensus_of, "segmentations"_a, "n"_a.none(), "weights"_a.none());
}

}  // namespace segscore
