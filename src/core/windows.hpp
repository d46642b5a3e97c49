// The window family: a window of k gaps, or of k units of time, slides along the sequence, and the cuts of both sides
// in the window are compared.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "cuts.hpp"
#include "exact.hpp"
#include "pace.hpp"
#include "walk.hpp"

namespace segscore {

// Half the mean length of the true segments, rounded half to even, at least 2: segeval's rule.
inline std::int64_t default_window(std::int64_t n, std::size_t truth_cuts) {
    const auto twice = 2 * (static_cast<std::int64_t>(truth_cuts) + 1);
    std::int64_t half = n / twice;
    const std::int64_t rest = n % twice;
    if (2 * rest > twice || (2 * rest == twice && half % 2 == 1)) ++half;
    return std::max<std::int64_t>(2, half);
}
// In time there is nothing to round to.
inline double default_window(double duration, std::size_t truth_cuts) {
    return duration / (2 * (static_cast<double>(truth_cuts) + 1));
}

// The number of windows that start at 1 .. n - k and hold at least one cut: window x holds cut c if x <= c < x + k.
// Each cut adds the windows that hold it but not the previous cut: min(k, distance to the previous cut) of them. The
// windows that start at n - k + 1 or later are subtracted at the end. Unsigned, so that invalid cuts may wrap around.
struct WindowsHit {
    std::int64_t k = 0;
    std::uint64_t hit = 0;

    void add(std::int64_t gap) { hit += static_cast<std::uint64_t>(std::min(gap, k)); }
    void operator()(const Cell<std::int64_t>& cell) { add(cell.length); }
    WindowsHit blank() const { return {k, 0}; }
    void merge(const WindowsHit& other) { hit += other.hit; }

    // Called after all gaps, including the gap from the last cut to n, which is not a cut.
    std::uint64_t within(std::int64_t n, std::int64_t last) const {
        const std::int64_t behind = std::min(difference(n, last), k);
        const std::int64_t too_many = std::max<std::int64_t>(0, difference(last, n - k));
        return hit - static_cast<std::uint64_t>(behind) - static_cast<std::uint64_t>(too_many);
    }
};

inline std::int64_t last_of(Points cuts) { return cuts.empty() ? 0 : cuts.back(); }

inline std::uint64_t windows_hit(Points cuts, std::int64_t n, std::int64_t k) {
    WindowsHit windows{k, 0};
    visit_lengths(cuts, n, [&](std::int64_t length) { windows.add(length); });
    return windows.within(n, last_of(cuts));
}

// The share of windows in which exactly one side has a cut. The windows that only the truth hits are those that either
// side hits minus those that the prediction hits, and vice versa.
inline double pk(Points truth, Points pred, std::int64_t n, std::int64_t k) {
    if (k >= n) return std::numeric_limits<double>::quiet_NaN();
    WindowsHit windows{k, 0};
    walk_checked(truth, pred, n, windows);
    const std::uint64_t either = windows.within(n, std::max(last_of(truth), last_of(pred)));
    const std::uint64_t truth_alone = either - windows_hit(pred, n, k), pred_alone = either - windows_hit(truth, n, k);
    return ratio(u128{truth_alone} + pred_alone, static_cast<u128>(n - k));
}

// Where the window starts that a cut enters or leaves. In points, starts are counted from -k, so that none is negative:
// they end at n + k, which no signed number may hold. In time, the cut c enters at c - k and leaves at c. These are
// exact sums of two doubles, so starts that nearly coincide are told apart, and the distance of two starts keeps its
// digits.
inline std::uint64_t window_start(std::int64_t cut, std::uint64_t after) {
    return static_cast<std::uint64_t>(cut) + after;
}
inline DoubleDouble window_start(double cut, double before) { return DoubleDouble::sum(cut, -before); }

// Calls each(length, true cuts, predicted cuts) for every stretch of windows, from the start `first` up to `end`, in
// which the numbers of cuts do not change. Which of the four streams of events comes next is unpredictable, so there is
// no branch on it.
template <class T, class Offset, class Start, class Each>
void sweep_windows(std::span<const T> truth, std::span<const T> pred, Offset entering, Offset leaving, Start first,
                   Start end, const Each& each) {
    struct Stream {
        const T *next, *last;
        Offset offset;
        Start at(const Start& never) const { return next == last ? never : window_start(*next, offset); }
        Stream(std::span<const T> cuts, Offset moved)
            : next(cuts.data()), last(cuts.data() + cuts.size()), offset(moved) {}
    };
    std::array<Stream, 4> streams{Stream(truth, entering), Stream(truth, leaving), Stream(pred, entering),
                                  Stream(pred, leaving)};
    std::array<std::int64_t, 4> passed{};  // events of each stream
    for (std::size_t s = 0; s < 4; ++s)
        for (; streams[s].next != streams[s].last && !(first < streams[s].at(end)); ++streams[s].next) ++passed[s];
    Pace pace;
    for (;;) {
        pace.step();
        const std::array<Start, 4> starts{streams[0].at(end), streams[1].at(end), streams[2].at(end),
                                          streams[3].at(end)};
        const Start next = std::min(std::min(starts[0], starts[1]), std::min(starts[2], starts[3]));
        const bool is_last = !(next < end);
        each((is_last ? end : next) - first, passed[0] - passed[1], passed[2] - passed[3]);
        if (is_last) return;
        for (std::size_t s = 0; s < 4; ++s) {
            const std::int64_t arrived = next < starts[s] ? 0 : 1;
            passed[s] += arrived;
            streams[s].next += arrived;
        }
        first = next;
    }
}

// In points, over the windows first .. last.
template <class Each>
void sweep_windows(Points truth, Points pred, std::int64_t k, std::int64_t first, std::int64_t last, const Each& each) {
    const auto width = static_cast<std::uint64_t>(k);
    sweep_windows(truth, pred, std::uint64_t{1}, 1 + width, static_cast<std::uint64_t>(first) + width,
                  static_cast<std::uint64_t>(last) + width + 1, each);
}

// In time, the share of the windows (x, x + k], with x from 0 to T - k, for which amount(true cuts, predicted cuts) is
// summed. Lamprier's correction lets x run from -k to T.
template <class Amount>
double share_of_windows(Times truth, Times pred, double duration, double k, bool lamprier, const Amount& amount) {
    if (k >= duration && !lamprier) return std::numeric_limits<double>::quiet_NaN();
    Compensated sum;
    const auto add = [&](const DoubleDouble& length, std::int64_t in_truth, std::int64_t in_pred) {
        const double weight = amount(in_truth, in_pred);
        if (weight != 0) sum.add_product(weight, static_cast<double>(length));
    };
    const DoubleDouble first = lamprier ? -k : 0.0, end = window_start(duration, lamprier ? 0.0 : k);
    sweep_windows(truth, pred, k, 0.0, first, end, add);
    return sum.value() / (lamprier ? duration + k : duration - k);
}

inline double pk(Times truth, Times pred, double duration, double k) {
    const auto differ = [](std::int64_t t, std::int64_t p) { return (t > 0) != (p > 0) ? 1.0 : 0.0; };
    return share_of_windows(truth, pred, duration, k, false, differ);
}

// Lamprier's correction lets windows run over both ends, so that cuts near an end are in as many windows as others.
inline double window_diff(Points truth, Points pred, std::int64_t n, std::int64_t k, bool weighted, bool lamprier) {
    if (k >= n && !lamprier) return std::numeric_limits<double>::quiet_NaN();
    u128 sum = 0;
    const auto add = [&](std::uint64_t length, std::int64_t in_truth, std::int64_t in_pred) {
        const auto more = static_cast<std::uint64_t>(in_truth < in_pred ? in_pred - in_truth : in_truth - in_pred);
        sum += u128{length} * (weighted ? more : std::min<std::uint64_t>(more, 1));
    };
    sweep_windows(truth, pred, k, lamprier ? 1 - k : 1, lamprier ? n : n - k, add);
    const auto windows = lamprier ? u128{static_cast<std::uint64_t>(n)} + static_cast<std::uint64_t>(k) + 1
                                  : u128{static_cast<std::uint64_t>(n - k)};
    return ratio(sum, windows);
}
inline double window_diff(Times truth, Times pred, double duration, double k, bool weighted, bool lamprier) {
    const auto differ = [weighted](std::int64_t t, std::int64_t p) {
        const auto more = static_cast<double>(t < p ? p - t : t - p);
        return weighted ? more : std::min(more, 1.0);
    };
    return share_of_windows(truth, pred, duration, k, lamprier, differ);
}

}  // namespace segscore
