// The delay family: which alarms detect which changes while a stream runs, and how late.
//
// The rule of segments, in one place for series and streams: the first alarm at or after a change, and before the next
// change, detects the change if the delay is at most `limit`. Every other alarm is false. In time the limit is widened
// for the rounding of decimal times at the time of the alarm, since a stream has no length.
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
#include "options.hpp"
#include "pace.hpp"

namespace segscore {

// The counts and sums that the scores need.
template <class T>
struct Detections {
    using Sum = std::conditional_t<std::is_integral_v<T>, u128, DoubleDouble>;
    T n = 0;
    std::size_t changes = 0, alarms = 0, detected = 0;
    Sum delay{};       // of all detected changes together
    Sum in_control{};  // the time during which no change waits for its detection

    std::size_t false_alarms() const { return alarms - detected; }
    double f1() const { return Matched{detected, changes, alarms}.f(1); }
    double mean_delay() const { return detected == 0 ? nan : ratio(delay, static_cast<Sum>(detected)); }
    double miss_rate() const {
        return changes == 0 ? nan : static_cast<double>(changes - detected) / static_cast<double>(changes);
    }
    double false_alarm_rate() const {
        return n > 0 ? static_cast<double>(false_alarms()) / static_cast<double>(n) : 0.0;
    }
    double average_run_length() const {
        if (false_alarms() == 0) return std::numeric_limits<double>::infinity();
        return ratio(in_control, static_cast<Sum>(false_alarms()));
    }

private:
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
};

// Applies the rule to changes and alarms in the order of time, a change before an alarm at the same time.
template <class T>
class RunningDetections {
public:
    explicit RunningDetections(T limit) : limit_(limit) {}

    void take_change(T time) {
        ++counted_.changes;
        if (state_ == State::in_control) counted_.in_control += length(since_, time);
        state_ = State::waiting;
        since_ = time;
    }
    // Returns whether the alarm detects the latest change.
    bool take_alarm(T time) {
        ++counted_.alarms;
        if (state_ != State::waiting) return false;
        state_ = State::missed;
        if (apart(since_, time) > widened(limit_, time)) return false;
        ++counted_.detected;
        counted_.delay += length(since_, time);
        state_ = State::in_control;
        since_ = time;
        return true;
    }
    // Whether an alarm at time t would detect the latest change.
    bool is_waiting(T t) const { return state_ == State::waiting && apart(since_, t) <= widened(limit_, t); }
    // The first t points or units of time, where t is not before the last event.
    Detections<T> until(T t) const {
        Detections<T> found = counted_;
        found.n = t;
        if (state_ == State::in_control) found.in_control += length(since_, t);
        return found;
    }

private:
    enum class State { in_control, waiting, missed };
    static auto length(T start, T end) { return static_cast<typename Detections<T>::Sum>(apart(start, end)); }

    T limit_;
    Detections<T> counted_{};
    State state_ = State::in_control;
    T since_ = 0;  // the last detection if in control, else the latest change
};

// Calls found(i, j) for each change i that is detected by alarm j, in order. Time is O(r+s).
template <class T, class Found>
Detections<T> detect(std::span<const T> changes, std::span<const T> alarms, T n, T limit, const Found& found) {
    Pace pace;
    RunningDetections<T> running(limit);
    std::size_t j = 0;
    for (std::size_t i = 0; i <= changes.size(); ++i) {
        const bool is_last = i == changes.size();
        for (; j < alarms.size() && (is_last || alarms[j] < changes[i]); ++j) {
            pace.step();
            if (running.take_alarm(alarms[j])) found(i - 1, j);
        }
        pace.step();
        if (!is_last) running.take_change(changes[i]);
    }
    return running.until(n);
}

// The delay that a share of the detected changes does not exceed, with linear interpolation between two delays. Time is
// O(r+s).
template <class T>
double delay_quantile(std::span<const T> truth, std::span<const T> pred, T n, T limit, double share) {
    std::vector<T> delays;
    const auto found = [&](std::size_t i, std::size_t j) { delays.push_back(apart(truth[i], pred[j])); };
    detect(truth, pred, n, limit, found);
    if (delays.empty()) return std::numeric_limits<double>::quiet_NaN();
    const double place = share * static_cast<double>(delays.size() - 1);
    const auto at = delays.begin() + static_cast<std::ptrdiff_t>(std::floor(place));
    std::nth_element(delays.begin(), at, delays.end());
    if (place == std::floor(place)) return static_cast<double>(*at);
    const T next = *std::min_element(at + 1, delays.end());
    return static_cast<double>(*at) + static_cast<double>(difference(next, *at)) * (place - std::floor(place));
}

}  // namespace segscore
