// The window family: a window of k gaps slides along the sequence, and the cuts of both sides in it are compared.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "cuts.hpp"
#include "exact.hpp"
#include "pause.hpp"
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

inline std::uint64_t windows_hit(Points cuts, std::int64_t n, std::int64_t k, const Pause& pause) {
    WindowsHit windows{k, 0};
    visit_lengths(cuts, n, [&](std::int64_t length) { windows.add(length); }, pause);
    return windows.within(n, last_of(cuts));
}

// The share of windows in which exactly one side has a cut. The windows that only the truth hits are those that either
// side hits minus those that the prediction hits, and vice versa.
inline double pk(Points truth, Points pred, std::int64_t n, std::int64_t k, const Pause& pause) {
    if (k >= n) return std::numeric_limits<double>::quiet_NaN();
    WindowsHit windows{k, 0};
    walk_checked(truth, pred, n, windows, pause);
    const std::uint64_t either = windows.within(n, std::max(last_of(truth), last_of(pred)));
    const std::uint64_t truth_alone = either - windows_hit(pred, n, k, pause),
                        pred_alone = either - windows_hit(truth, n, k, pause);
    return ratio(u128{truth_alone} + pred_alone, static_cast<u128>(n - k));
}

struct WindowDifference {
    u128 differ = 0;  // windows in which the numbers of cuts differ
    u128 sum = 0;     // sum of the differences over all windows
};

// Over the windows first .. last. A cut enters at c - k + 1 and leaves at c + 1; between two such events nothing
// changes. Which of the four streams of events comes next is anybody's guess, so there is no branch on it. Positions
// are counted from -k, so that none is negative: they end at n + k, which no signed number may hold.
inline WindowDifference window_difference(Points truth, Points pred, std::int64_t k, std::int64_t first_window,
                                          std::int64_t last_window, const Pause& pause) {
    using Position = std::uint64_t;
    constexpr Position never = std::numeric_limits<Position>::max();
    const auto width = static_cast<Position>(k);
    const Position first = static_cast<Position>(first_window) + width,
                   last = static_cast<Position>(last_window) + width;
    struct Stream {
        const std::int64_t *next, *end;
        Position offset;
        std::int64_t sign;
        Position at() const { return next == end ? never : static_cast<Position>(*next) + offset; }
        Stream(Points cuts, Position moved, std::int64_t counts)
            : next(cuts.data()), end(cuts.data() + cuts.size()), offset(moved), sign(counts) {}
    };
    std::array<Stream, 4> streams{Stream(truth, 1, 1), Stream(truth, 1 + width, -1), Stream(pred, 1, -1),
                                  Stream(pred, 1 + width, 1)};
    WindowDifference result;
    std::int64_t difference = 0;
    Position position = first;
    for (Stream& stream : streams)
        while (stream.at() <= position) {
            difference += stream.sign;
            ++stream.next;
        }
    Pace pace(pause);
    for (;;) {
        pace.step();
        const Position next =
            std::min(std::min(streams[0].at(), streams[1].at()), std::min(streams[2].at(), streams[3].at()));
        const Position length = std::min(next - 1, last) - position + 1;
        result.differ += difference != 0 ? length : 0;
        result.sum += u128{length} * static_cast<std::uint64_t>(difference < 0 ? -difference : difference);
        if (next == never || next > last) break;
        for (Stream& stream : streams) {
            const std::int64_t arrived = stream.at() == next ? 1 : 0;
            difference += arrived * stream.sign;
            stream.next += arrived;
        }
        position = next;
    }
    return result;
}

// Lamprier's correction lets windows run over both ends, so that cuts near an end are in as many windows as others.
inline double window_diff(Points truth, Points pred, std::int64_t n, std::int64_t k, bool weighted, bool lamprier,
                          const Pause& pause) {
    if (k >= n && !lamprier) return std::numeric_limits<double>::quiet_NaN();
    const auto found = lamprier ? window_difference(truth, pred, k, 1 - k, n, pause)
                                : window_difference(truth, pred, k, 1, n - k, pause);
    const auto windows = lamprier ? u128{static_cast<std::uint64_t>(n)} + static_cast<std::uint64_t>(k) + 1
                                  : u128{static_cast<std::uint64_t>(n - k)};
    return ratio(weighted ? found.sum : found.differ, windows);
}

}  // namespace segscore
