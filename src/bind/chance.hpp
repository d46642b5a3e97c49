// Chance for Python: expected values and random draws.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../core/chance.hpp"
#include "../core/cuts.hpp"
#include "../core/evaluation.hpp"
#include "../core/pace.hpp"
#include "../core/random.hpp"
#include "options.hpp"
#include "values.hpp"

namespace segscore {

// The cuts of a Segmentation from its bytes.
template <class T>
std::span<const T> cuts_of(const nb::bytes& cuts) {
    return {reinterpret_cast<const T*>(cuts.c_str()), cuts.size() / sizeof(T)};
}

// Calls use(length) with the length of a Segmentation: an integer in points, a real number in time.
template <class Use>
auto with_length(nb::handle length, const Use& use) {
    return PyFloat_CheckExact(length.ptr()) ? use(load_duration(length)) : use(load_n(length));
}

// The score of the pair itself, and the scores of random draws under a null hypothesis. The plan has one entry.
inline nb::tuple drawn_scores(const Plan& plan, const nb::bytes& truth, const nb::bytes& pred, nb::handle length,
                              int null, double p, std::size_t draws, std::uint64_t seed) {
    return with_length(length, [&](auto n) {
        using T = decltype(n);
        const auto& [metric, options] = plan.entries.at(0);
        double observed = 0;
        std::vector<double> scores;
        {
            const nb::gil_scoped_release released;
            const auto scored = [&](std::span<const T> left, std::span<const T> right) {
                return finalized(*metric, options, Evaluation(Sides<T>{left, right, n}, metric->needs));
            };
            observed = scored(cuts_of<T>(truth), cuts_of<T>(pred));
            Draws<T> drawn(static_cast<Null>(null), cuts_of<T>(truth), cuts_of<T>(pred), n, p, seed);
            scores.reserve(draws);
            Pace pace;
            for (std::size_t k = 0; k < draws; ++k) {
                drawn.next();
                pace.step(1 + drawn.truth().size() + drawn.pred().size());
                scores.push_back(scored(drawn.truth(), drawn.pred()));
            }
        }
        return nb::make_tuple(observed, to_list(std::span<const double>(scores)));
    });
}

// Random segmentations, each as the bytes of its cuts. `pred` gives the number of cuts, or the lengths to shuffle.
inline nb::list drawn_cuts(const nb::bytes& pred, nb::handle length, int null, double p, std::size_t count,
                           std::uint64_t seed) {
    return with_length(length, [&](auto n) {
        using T = decltype(n);
        Draws<T> drawn(static_cast<Null>(null), {}, cuts_of<T>(pred), n, p, seed);
        nb::list found;
        for (std::size_t k = 0; k < count; ++k) {
            check_interrupt();
            {
                const nb::gil_scoped_release released;
                drawn.next();
            }
            found.append(to_bytes(drawn.pred()));
        }
        return found;
    });
}

// The mean disagreement of a truth and uniform predictions: a number of pairs of points, or in time an area.
inline double expected_disagreement_of(const nb::bytes& truth, nb::handle length, std::int64_t r) {
    if (!PyFloat_CheckExact(length.ptr()))
        return expected_disagreement(cuts_of<std::int64_t>(truth), load_n(length), r);
    const double duration = load_duration(length);
    return expected_disagreement(cuts_of<double>(truth), duration, r) * duration * duration;
}
inline double expected_disagreement_of_both_sides(nb::handle length, std::int64_t r, std::int64_t s) {
    if (!PyFloat_CheckExact(length.ptr())) return expected_disagreement_of_both(load_n(length), r, s);
    const double duration = load_duration(length);
    return expected_disagreement_of_both(static_cast<double>(r), static_cast<double>(s)) * duration * duration;
}
// p is the probability of a cut in each gap, or in time the mean number of cuts.
inline double expected_disagreement_of_random_cuts(const nb::bytes& truth, nb::handle length, double p) {
    if (!PyFloat_CheckExact(length.ptr()))
        return expected_disagreement_of_bernoulli(cuts_of<std::int64_t>(truth), load_n(length), p);
    const double duration = load_duration(length);
    return expected_disagreement_of_poisson(cuts_of<double>(truth), duration, p) * duration * duration;
}

inline void define_chance(nb::module_& module) {
    using namespace nb::literals;
    module.def("expected_disagreement", &expected_disagreement_of, "truth"_a, "length"_a, "r"_a);
    module.def("log_chance_to_miss", &log_chance_to_miss, "n"_a, "length"_a, "m"_a);
    module.def("expected_disagreement_of_both", &expected_disagreement_of_both_sides, "length"_a, "r"_a, "s"_a);
    module.def("expected_disagreement_of_random_cuts", &expected_disagreement_of_random_cuts, "truth"_a, "length"_a,
               "p"_a);
    module.def("drawn_scores", &drawn_scores, "plan"_a, "truth"_a, "pred"_a, "length"_a, "null"_a, "p"_a, "draws"_a,
               "seed"_a);
    module.def("drawn_cuts", &drawn_cuts, "pred"_a, "length"_a, "null"_a, "p"_a, "count"_a, "seed"_a);
}

}  // namespace segscore
