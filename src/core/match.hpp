// The boundary family: which cuts found each other, and how far off they are.
//
// The rule of the margin, in one place: cuts t of the truth and p of the prediction may be matched if |t - p| <= margin
// (inclusive); each is matched at most once; and as many are matched as can be. Advancing along both lists and matching
// the two next ones whenever they may be is such a maximum: if a maximum matching does not contain that pair, pointing
// the partner of one to the other gives one that does.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "exact.hpp"

namespace segscore {

template <class T>
T apart(T x, T y) {
    return x < y ? y - x : x - y;
}

// Calls found(i, j) for each matched pair, in order.
template <class T, class Found>
void match(std::span<const T> truth, std::span<const T> pred, T margin, const Found& found) {
    for (std::size_t i = 0, j = 0; i < truth.size() && j < pred.size();) {
        if (apart(truth[i], pred[j]) <= margin)
            found(i++, j++);
        else if (truth[i] < pred[j])
            ++i;
        else
            ++j;
    }
}

// Of all ways to pair cuts at most `reach` apart without crossing, one with the best sum of values; found(i, j) is
// called for its pairs, in order. A dynamic programme from the end: row i holds, for each cut of the prediction within
// reach of truth[i], the best of what is left. Below its reach nothing else can be paired, above it the next row goes
// on. Time and memory are O(r + s + number of pairs within reach). Of equal ones the earliest pairs win.
template <class T, class Value, class Found>
auto best_pairing(std::span<const T> truth, std::span<const T> pred, T reach, const Value& value, const Found& found) {
    using Sum = decltype(value(T{}, T{}));
    struct Band {
        std::size_t low, high;  // of the prediction's cuts within reach
        std::size_t start;      // of the row
    };
    std::vector<Band> bands(truth.size() + 1);
    std::size_t low = 0, high = 0, total = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        while (low < pred.size() && pred[low] < truth[i] && apart(truth[i], pred[low]) > reach) ++low;
        high = std::max(high, low);
        while (high < pred.size() && (pred[high] < truth[i] || apart(truth[i], pred[high]) <= reach)) ++high;
        bands[i] = {low, high, total};
        total += high - low + 1;
    }
    bands.back() = {pred.size(), pred.size(), total};
    std::vector<Sum> best(total + 1);
    const auto at = [&](std::size_t i, std::size_t j) -> Sum& {
        return best[bands[i].start + std::max(j, bands[i].low) - bands[i].low];
    };
    const auto paired = [&](std::size_t i, std::size_t j) { return at(i + 1, j + 1) + value(truth[i], pred[j]); };
    for (std::size_t i = truth.size(); i-- > 0;) {
        at(i, bands[i].high) = at(i + 1, bands[i].high);
        for (std::size_t j = bands[i].high; j-- > bands[i].low;)
            at(i, j) = std::max({paired(i, j), at(i + 1, j), at(i, j + 1)});
    }
    for (std::size_t i = 0, j = 0; i < truth.size();) {
        j = std::max(j, bands[i].low);
        if (j >= bands[i].high) {
            ++i;
        } else if (!(paired(i, j) < at(i, j))) {
            found(i++, j++);
        } else if (!(at(i + 1, j) < at(i, j))) {
            ++i;
        } else {
            ++j;
        }
    }
    return at(0, 0);
}

// More pairs are better; of as many, a smaller sum of errors.
template <class Error>
struct Closeness {
    std::size_t count = 0;
    Error error = 0;

    friend Closeness operator+(const Closeness& x, const Closeness& y) {
        return {x.count + y.count, x.error + y.error};
    }
    friend bool operator<(const Closeness& x, const Closeness& y) {
        return x.count != y.count ? x.count < y.count : x.error > y.error;
    }
};

// Among the maximum matchings one with the least sum of errors.
template <class T, class Found>
void match_closest(std::span<const T> truth, std::span<const T> pred, T margin, const Found& found) {
    using Error = std::conditional_t<std::is_integral_v<T>, u128, double>;
    best_pairing(
        truth, pred, margin, [](T t, T p) { return Closeness<Error>{1, static_cast<Error>(apart(t, p))}; }, found);
}

// Precision, recall and F from counts. Nothing found of nothing there is right; of something, wrong.
struct Matched {
    std::size_t both = 0, truth = 0, pred = 0;

    double share(std::size_t whole) const {
        if (truth == 0 && pred == 0) return 1.0;
        return whole == 0 ? 0.0 : static_cast<double>(both) / static_cast<double>(whole);
    }
    double precision() const { return share(pred); }
    double recall() const { return share(truth); }
    double f(double beta) const {
        if (truth == 0 && pred == 0) return 1.0;
        if (both == 0) return 0.0;
        const double weight = beta * beta;
        if (std::isinf(weight)) return recall();
        return (1 + weight) * static_cast<double>(both) /
               (weight * static_cast<double>(truth) + static_cast<double>(pred));
    }
};

// The distances from each cut of one side to the nearest of the other, in order; none if the other has none.
template <class T, class Each>
void nearest(std::span<const T> from, std::span<const T> to, const Each& each) {
    std::size_t j = 0;
    for (const T cut : from) {
        if (to.empty()) return;
        while (j + 1 < to.size() && to[j + 1] <= cut) ++j;
        T distance = apart(cut, to[j]);
        if (j + 1 < to.size()) distance = std::min(distance, apart(cut, to[j + 1]));
        each(distance);
    }
}

// The first index from `start` on whose cut lies behind x, by strides that double and then halve.
template <class T>
std::size_t first_behind(std::span<const T> cuts, std::size_t start, T x) {
    std::size_t stride = 1;
    while (stride <= cuts.size() - start && cuts[start + stride - 1] <= x) {
        start += stride;
        stride *= 2;
    }
    for (std::size_t left = std::min(stride, cuts.size() - start); left > 0;) {
        const std::size_t half = (left + 1) / 2;
        start += cuts[start + half - 1] <= x ? half : 0;
        left -= half;
    }
    return start;
}

// The largest distance of a cut of `from` to the nearest of `to`, as far as it exceeds what is known: one cut of `to`
// that is near enough to a cut of `from` is so to all that follow within the same distance, and they are skipped.
template <class T>
struct Farthest {
    std::span<const T> from, to;
    std::size_t i = 0, j = 0;

    bool ended() const { return i == from.size(); }
    void step(T& largest) {
        const auto reached = [&](T cut) {
            return largest < std::numeric_limits<T>::max() - cut ? cut + largest : std::numeric_limits<T>::max();
        };
        const T cut = from[i];
        j = first_behind(to, j, reached(cut));
        if (j > 0 && apart(cut, to[j - 1]) <= largest) {
            i = first_behind(from, i + 1, reached(to[j - 1]));
            return;
        }
        largest = j == 0           ? apart(cut, to[0])
                  : j == to.size() ? apart(cut, to[j - 1])
                                   : std::min(apart(cut, to[j - 1]), apart(cut, to[j]));
        ++i;
    }
};

// Both ways at once, with one bound. The outermost cuts are nearest to each other on one side, which is a start.
template <class T>
double hausdorff(std::span<const T> truth, std::span<const T> pred) {
    if (truth.empty() && pred.empty()) return 0;
    if (truth.empty() || pred.empty()) return std::numeric_limits<double>::infinity();
    T largest = std::max(apart(truth.front(), pred.front()), apart(truth.back(), pred.back()));
    Farthest<T> there{truth, pred}, back{pred, truth};
    while (!there.ended() && !back.ended()) {
        there.step(largest);
        back.step(largest);
    }
    while (!there.ended()) there.step(largest);
    while (!back.ended()) back.step(largest);
    return static_cast<double>(largest);
}

template <class T>
double directed_hausdorff(std::span<const T> from, std::span<const T> to) {
    if (from.empty() && to.empty()) return 0;
    if (from.empty() || to.empty()) return std::numeric_limits<double>::infinity();
    T largest = 0;
    for (Farthest<T> there{from, to}; !there.ended();) there.step(largest);
    return static_cast<double>(largest);
}

template <class T>
double mean_error(std::span<const T> from, std::span<const T> to) {
    if (from.empty() && to.empty()) return 0;
    double sum = 0, count = 0;
    nearest(from, to, [&](T distance) {
        sum += static_cast<double>(distance);
        count += 1;
    });
    return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

template <class T>
double median_error(std::span<const T> from, std::span<const T> to) {
    if (from.empty() && to.empty()) return 0;
    std::vector<T> distances;
    distances.reserve(to.empty() ? 0 : from.size());
    nearest(from, to, [&](T distance) { distances.push_back(distance); });
    if (distances.empty()) return std::numeric_limits<double>::quiet_NaN();
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    const auto upper = static_cast<double>(*middle);
    if (distances.size() % 2 == 1) return upper;
    return (static_cast<double>(*std::max_element(distances.begin(), middle)) + upper) / 2;
}

}  // namespace segscore
