// Streams for Python: the pairs of every prefix.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <cstring>
#include <new>

#include "../core/cuts.hpp"
#include "../core/pairs.hpp"
#include "values.hpp"

namespace segscore {

inline void define_stream(nb::module_& module) {
    using namespace nb::literals;
    nb::class_<RunningPairs>(module, "RunningPairs")
        .def(nb::init<>())
        .def("cut_truth", &RunningPairs::cut_truth, "cut"_a)
        .def("cut_pred", &RunningPairs::cut_pred, "cut"_a)
        .def(
            "counts",
            [](const RunningPairs& running, std::int64_t t) {
                const Pairs<u128> pairs = running.until(t);
                return nb::make_tuple(to_integer(pairs.both), to_integer(pairs.truth_only), to_integer(pairs.pred_only),
                                      to_integer(pairs.neither));
            },
            "t"_a)
        .def(
            "rand_index", [](const RunningPairs& running, std::int64_t t) { return rand_index(running.until(t)); },
            "t"_a)
        .def("__getstate__",
             [](const RunningPairs& running) {
                 return nb::make_tuple(nb::bytes(reinterpret_cast<const char*>(&running), sizeof running));
             })
        .def("__setstate__", [](RunningPairs& running, const nb::tuple& state) {
            const auto bytes = nb::cast<nb::bytes>(state[0]);
            if (bytes.size() != sizeof(RunningPairs)) throw InputError("the state is not that of a RunningPairs");
            std::memcpy(new (&running) RunningPairs, bytes.c_str(), sizeof(RunningPairs));
        });
}

}  // namespace segscore
