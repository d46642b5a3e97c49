// The window family: a window of k gaps slides along, and both sides say what cuts it holds.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "exact.hpp"

namespace segscore {

using Points = std::span<const std::int64_t>;

// Half the mean length of the truth's segments, rounded half to even, at least 2: segeval's rule.
inline std::int64_t default_window(std::int64_t n, std::size_t truth_cuts) {
    const auto twice = 2 * (static_cast<std::int64_t>(truth_cuts) + 1);
    std::int64_t half = n / twice;
    const std::int64_t rest = n % twice;
    if (2 * rest > twice || (2 * rest == twice && half % 2 == 1)) ++half;
    return std::max<std::int64_t>(2, half);
}

// How many of the windows that start at 1 .. n - k hold at least one cut. Window x holds cut c if x <= c < x + k.
// `next` gives the cuts in order, and n behind the last.
template <class Next>
std::int64_t windows_hit(std::int64_t n, std::int64_t k, const Next& next) {
    std::int64_t hit = 0, covered = 0;  // windows up to `covered` are done
    for (std::int64_t cut = next(); cut < n; cut = next()) {
        const std::int64_t first = std::max(covered, cut - k) + 1, last = std::min(cut, n - k);
        hit += std::max<std::int64_t>(0, last - first + 1);
        covered = std::max(covered, last);
    }
    return hit;
}
inline std::int64_t windows_hit(Points cuts, std::int64_t n, std::int64_t k) {
    std::size_t i = 0;
    return windows_hit(n, k, [&] { return i < cuts.size() ? cuts[i++] : n; });
}
inline std::int64_t windows_hit(Points truth, Points pred, std::int64_t n, std::int64_t k) {
    std::size_t i = 0, j = 0;
    return windows_hit(n, k, [&] {
        const std::int64_t t = i < truth.size() ? truth[i] : n, p = j < pred.size() ? pred[j] : n;
        i += t <= p;
        j += p <= t;
        return std::min(t, p);
    });
}

// The share of windows in which one side has a cut and the other has none. Those that only the truth hits are those
// that either hits less those that the prediction hits, and the other way round.
inline double pk(Points truth, Points pred, std::int64_t n, std::int64_t k) {
    if (k >= n) return std::numeric_limits<double>::quiet_NaN();
    const std::int64_t differ = 2 * windows_hit(truth, pred, n, k) - windows_hit(truth, n, k) - windows_hit(pred, n, k);
    return ratio(static_cast<u128>(differ), static_cast<u128>(n - k));
}

struct WindowDifference {
    std::int64_t differ = 0;  // windows in which the numbers of cuts differ
    u128 sum = 0;             // by how much, added up
};

// Over the windows first .. last. A cut enters at c - k + 1 and leaves at c + 1; between two such events nothing
// changes.
inline WindowDifference window_difference(Points truth, Points pred, std::int64_t k, std::int64_t first,
                                          std::int64_t last) {
    WindowDifference result;
    std::array<std::size_t, 4> at{};  // truth enters, truth leaves, pred enters, pred leaves
    std::int64_t difference = 0, position = first;
    const auto event = [&](std::size_t stream) {
        const Points cuts = stream < 2 ? truth : pred;
        if (at[stream] >= cuts.size()) return std::numeric_limits<std::int64_t>::max();
        return stream % 2 == 0 ? cuts[at[stream]] - k + 1 : cuts[at[stream]] + 1;
    };
    while (position <= last) {
        for (std::size_t stream = 0; stream < 4; ++stream)
            while (event(stream) <= position) {
                difference += (stream == 0 || stream == 3) ? 1 : -1;
                ++at[stream];
            }
        const std::int64_t next = std::min({event(0), event(1), event(2), event(3), last + 1});
        if (difference != 0) {
            result.differ += next - position;
            result.sum +=
                static_cast<u128>(next - position) * static_cast<u128>(difference < 0 ? -difference : difference);
        }
        position = next;
    }
    return result;
}

// Lamprier's correction lets the window run over both ends, so that cuts near an end are in as many windows as others.
inline double window_diff(Points truth, Points pred, std::int64_t n, std::int64_t k, bool weighted, bool lamprier) {
    if (k >= n) return std::numeric_limits<double>::quiet_NaN();
    const auto found =
        lamprier ? window_difference(truth, pred, k, 1 - k, n) : window_difference(truth, pred, k, 1, n - k);
    const auto windows = lamprier ? u128{static_cast<std::uint64_t>(n)} + static_cast<std::uint64_t>(k) + 1
                                  : u128{static_cast<std::uint64_t>(n - k)};
    return ratio(weighted ? found.sum : static_cast<u128>(found.differ), windows);
}

}  // namespace segscore
