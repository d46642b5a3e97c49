// The consensus for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "../core/consensus.hpp"
#include "../core/cuts.hpp"
#include "../core/evaluation.hpp"
#include "../core/exact.hpp"
#include "../core/nearest.hpp"
#include "../core/pace.hpp"
#include "../core/pairs.hpp"
#include "../core/sorting.hpp"
#include "load.hpp"
#include "values.hpp"

namespace segscore {

// The weights of a consensus: integers, or doubles if one is not an integer.
struct Weights {
    std::vector<i128> integers;
    std::vector<double> numbers;
    bool are_exact = true;

    Weights(nb::handle given, std::size_t inputs) {
        if (given.is_none()) {
            integers.assign(inputs, 1);
            numbers.assign(inputs, 1);
            return;
        }
        for (const nb::handle weight : nb::borrow<nb::object>(given)) {
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
            are_exact = are_exact && small.has_value();
            integers.push_back(small.value_or(0));
        }
        if (numbers.size() != inputs)
            throw InputError("weights has " + count_text(numbers.size(), "value") + " for " +
                             count_text(inputs, "segmentation") + "; expected one weight per segmentation");
    }
    // Sums reach n squared times the sum of the weights.
    void refuse_overflow(std::int64_t n) const {
        long double largest = 0;
        for (const i128 weight : integers) largest += static_cast<long double>(weight);
        largest *= static_cast<long double>(n) * static_cast<long double>(n);
        if (are_exact && largest > 0x1p126L)
            throw InputError("n = " + text(n) +
                             " is too long for that many inputs; expected n**2 times their weights below 2**126");
    }
};

// The cuts of the consensus. In time, sums have twice the precision of a double.
template <class T>
std::vector<T> consensus_cuts(const Segmentations<T>& all, const Weights& weights) {
    Pace pace;
    std::vector<InputCut<T>> cuts;
    for (std::size_t k = 0; k < all.size(); ++k)
        for (const T cut : all[k]) {
            cuts.push_back({cut, k});
            pace.step();
        }
    interruptible_sort(std::span(cuts), [](const auto& x, const auto& y) { return x.cut < y.cut; });
    const std::span<const InputCut<T>> sorted(cuts);
    if constexpr (std::is_integral_v<T>) {
        if (weights.are_exact) return consensus<T>(sorted, std::span(weights.integers), all.n);
        return consensus<T>(sorted, std::span(weights.numbers), all.n);
    } else {
        const std::vector<DoubleDouble> wide(weights.numbers.begin(), weights.numbers.end());
        return consensus<T>(sorted, std::span(wide), all.n);
    }
}

// (cuts, length, disagreement with each input)
inline nb::tuple consensus_of(nb::handle segmentations, nb::handle n, nb::handle duration, nb::handle given) {
    return in_points_or_time(n, duration, [&]<class T>(nb::handle length) {
        const Segmentations<T> all = load_segmentations<T>(segmentations, "segmentations", length);
        const Weights weights(given, all.size());
        if constexpr (std::is_integral_v<T>) weights.refuse_overflow(all.n);
        std::vector<T> found;
        std::vector<Pairs<Measure<T>>> distances;
        {
            const nb::gil_scoped_release released;
            Pace pace;
            found = consensus_cuts(all, weights);
            for (std::size_t k = 0; k < all.size(); ++k) {
                pace.step(1 + all[k].size() + found.size());
                const Sides<T> sides{all[k], found, all.n};
                distances.push_back(Evaluation(sides, Need::disagreement).pairs());
            }
        }
        nb::list each;
        for (const auto& pairs : distances) each.append(to_number(pairs.disagreement(), pairs.unit));
        return nb::make_tuple(to_list(std::span<const T>(found)), all.n, each);
    });
}

inline void define_consensus(nb::module_& module) {
    using namespace nb::literals;
    module.def("consensus", &consensus_of, "segmentations"_a, "n"_a.none(), "duration"_a.none(), "weights"_a.none());
}

}  // namespace segscore
