// Streams for Python: the pairs of every prefix, and of the latest points; the detections of every prefix.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "../core/cuts.hpp"
#include "../core/delays.hpp"
#include "../core/pairs.hpp"
#include "../core/stream.hpp"
#include "values.hpp"

namespace segscore {

// What both kinds of streams do.
template <class Stream, class T>
nb::class_<Stream> define_pairs(nb::module_& module, const char* name) {
    using namespace nb::literals;
    return nb::class_<Stream>(module, name)
        .def("cut_truth", &Stream::cut_truth, "cut"_a)
        .def("cut_pred", &Stream::cut_pred, "cut"_a)
        .def(
            "counts",
            [](Stream& stream, T t) {
                const auto pairs = stream.until(t);
                const auto shown = [&](const auto& count) { return to_number(count, pairs.unit); };
                return nb::make_tuple(shown(pairs.both), shown(pairs.truth_only), shown(pairs.pred_only),
                                      shown(pairs.neither));
            },
            "t"_a)
        .def("rand_index", [](Stream& stream, T t) { return rand_index(stream.until(t)); }, "t"_a);
}

// The bytes of a value without pointers.
template <class Value>
nb::bytes bytes_of(const Value& value) {
    return nb::bytes(reinterpret_cast<const char*>(&value), sizeof value);
}
template <class Value>
Value value_of(nb::handle bytes) {
    const auto stored = nb::cast<nb::bytes>(bytes);
    if (stored.size() != sizeof(Value)) throw InputError("the state is not that of a stream");
    std::array<char, sizeof(Value)> copied;
    std::memcpy(copied.data(), stored.c_str(), sizeof(Value));
    return std::bit_cast<Value>(copied);
}

// The state of a stream without pointers is its bytes.
template <class Stream>
void define_state(nb::class_<Stream> type) {
    type.def("__getstate__", [](const Stream& stream) { return nb::make_tuple(bytes_of(stream)); })
        .def("__setstate__",
             [](Stream& stream, const nb::tuple& state) { new (&stream) Stream(value_of<Stream>(state[0])); });
}

template <class T>
void define_streams(nb::module_& module, const char* running, const char* windowed) {
    using namespace nb::literals;
    using Running = RunningPairs<T>;
    using Windowed = WindowedPairs<T>;
    define_state(define_pairs<Running, T>(module, running).def(nb::init<>()));
    define_pairs<Windowed, T>(module, windowed)
        .def(nb::init<T>(), "window"_a)
        .def("kept", &Windowed::kept)
        .def("__getstate__",
             [](const Windowed& stream) {
                 nb::list state;
                 state.append(bytes_of(stream.window));
                 for (const auto* side : {&stream.truth, &stream.pred, &stream.both}) {
                     nb::list cuts;
                     for (const T cut : side->cuts) cuts.append(cut);
                     state.append(nb::make_tuple(cuts, bytes_of(side->pairs)));
                 }
                 return nb::tuple(state);
             })
        .def("__setstate__", [](Windowed& stream, const nb::tuple& state) {
            new (&stream) Windowed(value_of<T>(state[0]));
            std::size_t place = 1;
            for (auto* side : {&stream.truth, &stream.pred, &stream.both}) {
                const auto stored = nb::cast<nb::tuple>(state[place++]);
                for (const nb::handle cut : stored[0]) side->cuts.push_back(nb::cast<T>(cut));
                side->pairs = value_of<typename Windowed::Sum>(stored[1]);
            }
        });
}

// counts() returns the fields of OnlineCounts.
template <class T>
void define_detections(nb::module_& module, const char* name) {
    using namespace nb::literals;
    using Stream = RunningDetections<T>;
    define_state(nb::class_<Stream>(module, name)
                     .def(nb::init<T>(), "limit"_a)
                     .def("take_change", &Stream::take_change, "time"_a)
                     .def("take_alarm", &Stream::take_alarm, "time"_a)
                     .def(
                         "counts",
                         [](const Stream& stream, T t) {
                             const Detections<T> found = stream.until(t);
                             const std::size_t waiting = stream.is_waiting(t) ? 1 : 0;
                             return nb::make_tuple(found.changes, found.detected,
                                                   found.changes - found.detected - waiting, waiting,
                                                   found.false_alarms(), found.mean_delay(), found.false_alarm_rate(),
                                                   found.average_run_length(), found.f1());
                         },
                         "t"_a));
}

inline void define_stream(nb::module_& module) {
    define_streams<std::int64_t>(module, "RunningPairs", "WindowedPairs");
    define_streams<double>(module, "RunningAreas", "WindowedAreas");
    define_detections<std::int64_t>(module, "RunningDetections");
    define_detections<double>(module, "RunningDetectionsInTime");
}

}  // namespace segscore
