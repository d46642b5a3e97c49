// The delay family: which alarms detect which changes while a stream runs, and how late.
//
// The rule of segments, in one place: the first alarm at or after a change, and before the next change, detects the
// change if the delay is at most `limit`. Every other alarm is false.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "boundaries.hpp"
#include "exact.hpp"
#include "matching.hpp"
#include "pause.hpp"

namespace segscore {

// Calls found(i, j) for each change i that is detected by alarm j, in order. Time is O(r+s).
template <class T, class Found>
void detect(std::span<const T> changes, std::span<const T> alarms, T limit, const Found& found, const Pause& pause) {
    Pace pace(pause);
    std::size_t j = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        pace.step();
        for (; j < alarms.size() && alarms[j] < changes[i]; ++j) pace.step();
        const bool is_before_next = j < alarms.size() && (i + 1 == changes.size() || alarms[j] < changes[i + 1]);
        if (is_before_next && apart(changes[i], alarms[j]) <= limit) found(i, j);
    }
}

// The counts and the sum of delays that the scores need.
template <class T>
struct Detections {
    std::size_t changes, alarms, detected = 0;
    std::conditional_t<std::is_integral_v<T>, u128, double> delay = 0;  // of all detected changes together

    Detections(std::span<const T> truth, std::span<const T> pred, T limit, const Pause& pause)
        : changes(truth.size()), alarms(pred.size()) {
        const auto count = [&](std::size_t i, std::size_t j) {
            ++detected;
            delay += static_cast<decltype(delay)>(apart(truth[i], pred[j]));
        };
        detect(truth, pred, limit, count, pause);
    }

    double f1() const { return Matched{detected, changes, alarms}.f(1); }
    double mean_delay() const { return detected == 0 ? nan : ratio(delay, static_cast<decltype(delay)>(detected)); }
    double miss_rate() const {
        return changes == 0 ? nan : static_cast<double>(changes - detected) / static_cast<double>(changes);
    }
    double false_alarm_rate(T n) const {
        return n > 0 ? static_cast<double>(alarms - detected) / static_cast<double>(n) : 0.0;
    }

private:
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace segscore
