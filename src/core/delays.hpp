// The delay family: which alarms detect which changes while a stream runs, and how late.
//
// The rule of segments, in one place: the first alarm at or after a change, and before the next change, detects the
// change if the delay is at most `limit`. Every other alarm is false.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

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

// The counts and sums that the scores need.
template <class T>
struct Detections {
    using Sum = std::conditional_t<std::is_integral_v<T>, u128, DoubleDouble>;
    T n;
    std::size_t changes, alarms, detected = 0;
    Sum delay{};       // of all detected changes together
    Sum in_control{};  // the time during which no change waits for its detection

    Detections(std::span<const T> truth, std::span<const T> pred, T length, T limit, const Pause& pause)
        : n(length),
          changes(truth.size()),
          alarms(pred.size()),
          in_control(static_cast<Sum>(truth.empty() ? length : truth.front())) {
        const auto count = [&](std::size_t i, std::size_t j) {
            ++detected;
            delay += static_cast<Sum>(apart(truth[i], pred[j]));
            in_control += static_cast<Sum>(apart(pred[j], i + 1 < truth.size() ? truth[i + 1] : n));
        };
        detect(truth, pred, limit, count, pause);
    }

    double f1() const { return Matched{detected, changes, alarms}.f(1); }
    double mean_delay() const { return detected == 0 ? nan : ratio(delay, static_cast<Sum>(detected)); }
    double miss_rate() const {
        return changes == 0 ? nan : static_cast<double>(changes - detected) / static_cast<double>(changes);
    }
    double false_alarm_rate() const {
        return n > 0 ? static_cast<double>(alarms - detected) / static_cast<double>(n) : 0.0;
    }
    double average_run_length() const {
        if (alarms == detected) return std::numeric_limits<double>::infinity();
        return ratio(in_control, static_cast<Sum>(alarms - detected));
    }

private:
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
};

// The delay that a share of the detected changes does not exceed, with linear interpolation between two delays. Time is
// O(r+s).
template <class T>
double delay_quantile(std::span<const T> truth, std::span<const T> pred, T limit, double share, const Pause& pause) {
    std::vector<T> delays;
    detect(
        truth, pred, limit, [&](std::size_t i, std::size_t j) { delays.push_back(apart(truth[i], pred[j])); }, pause);
    if (delays.empty()) return std::numeric_limits<double>::quiet_NaN();
    const double place = share * static_cast<double>(delays.size() - 1);
    const auto at = delays.begin() + static_cast<std::ptrdiff_t>(std::floor(place));
    std::nth_element(delays.begin(), at, delays.end());
    if (place == std::floor(place)) return static_cast<double>(*at);
    const T next = *std::min_element(at + 1, delays.end());
    return static_cast<double>(*at) + static_cast<double>(difference(next, *at)) * (place - std::floor(place));
}

}  // namespace segscore
