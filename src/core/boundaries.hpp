// The boundary family: which cuts found each other, and how far off they are.
//
// The rule of the margin, in one place: cuts t of the truth and p of the prediction may be matched if |t - p| <= margin
// (inclusive); each is matched at most once; and as many are matched as can be. Advancing along both lists and matching
// the two next ones whenever they may be is such a maximum: if a maximum matching does not contain that pair, pointing
// the partner of one to the other gives one that does.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuts.hpp"
#include "exact.hpp"
#include "pause.hpp"

namespace segscore {

template <class T>
T apart(T x, T y) {
    if constexpr (std::is_same_v<T, std::int64_t>)
        return x < y ? difference(y, x) : difference(x, y);
    else
        return x < y ? y - x : x - y;
}

// Calls found(i, j) for each matched pair, in order.
template <class T, class Found>
void match(std::span<const T> truth, std::span<const T> pred, T margin, const Found& found, const Pause& pause) {
    Pace pace(pause);
    for (std::size_t i = 0, j = 0; i < truth.size() && j < pred.size();) {
        pace.step();
        const T t = truth[i], p = pred[j];
        if (apart(t, p) <= margin)
            found(i++, j++);
        else if (t < p)
            ++i;
        else
            ++j;
    }
}

// What a pairing is worth: more pairs and a smaller sum of errors are better, how much more so decides `Worse`.
template <class Error>
struct Pairing {
    std::size_t count = 0;
    Error error = 0;

    friend Pairing operator+(const Pairing& x, const Pairing& y) { return {x.count + y.count, x.error + y.error}; }
};

// How many cuts of each side a pairing may leave over.
struct LeftOver {
    std::size_t truth = std::numeric_limits<std::size_t>::max(), pred = std::numeric_limits<std::size_t>::max();
};

// Of all ways to pair cuts at most `reach` apart without crossing, one than which none is better: worse(x, y) compares
// two. found(i, j) is called for its pairs, in order. A dynamic programme from the end: row i holds, for each cut of
// the prediction within reach of truth[i], the best of what is left. Below its reach nothing else can be paired, above
// it the next row goes on. Time is O(r + s + number of pairs within reach), and memory a byte for each of these; where
// few cuts may be left over, only pairs near the diagonal count. Of equal ones the earliest pairs win.
template <class T, class Worse, class Found>
void best_pairing(std::span<const T> truth, std::span<const T> pred, T reach, const Worse& worse, const Found& found,
                  const Pause& pause, const LeftOver& most = {}) {
    using Sum = Pairing<std::conditional_t<std::is_integral_v<T>, u128, double>>;
    enum class Choice : std::uint8_t { pair, leave_truth, leave_pred };
    struct Band {
        std::size_t low, high;  // of the prediction's cuts within reach
        std::size_t start;      // of the row
    };
    std::vector<Band> bands;
    bands.reserve(truth.size() + 1);
    std::size_t low = 0, high = 0, total = 0;
    Pace pace(pause);
    for (std::size_t i = 0; i < truth.size(); ++i) {
        pace.step();
        const T cut = truth[i];
        while (low < pred.size() && pred[low] < cut && apart(cut, pred[low]) > reach) ++low;
        high = std::max(high, low);
        while (high < pred.size() && (pred[high] < cut || apart(cut, pred[high]) <= reach)) ++high;
        // Of the first i cuts of the truth at least i - most.truth are paired, and with as many of the prediction.
        const std::size_t first = std::max(low, i - std::min(i, most.truth));
        const std::size_t last = most.pred < pred.size() ? std::min(high, i + most.pred + 1) : high;
        bands.push_back({first, std::max(first, last), total});
        total += bands.back().high - first;
    }
    bands.push_back({pred.size(), pred.size(), total});
    std::vector<Choice> choices(total);
    std::vector<Sum> row, next(1);  // the best of what is left, from low to high
    for (std::size_t i = truth.size(); i-- > 0;) {
        pace.step(1 + bands[i].high - bands[i].low);
        const Band band = bands[i];
        const auto below = [&](std::size_t j) { return next[std::max(j, bands[i + 1].low) - bands[i + 1].low]; };
        row.assign(band.high - band.low + 1, {});
        row.back() = below(band.high);
        for (std::size_t j = band.high; j-- > band.low;) {
            const Sum paired = below(j + 1) + Sum{1, static_cast<decltype(Sum::error)>(apart(truth[i], pred[j]))};
            const Sum without_truth = below(j), without_pred = row[j + 1 - band.low];
            const Sum best = std::max({paired, without_truth, without_pred}, worse);
            row[j - band.low] = best;
            choices[band.start + j - band.low] = !worse(paired, best)          ? Choice::pair
                                                 : !worse(without_truth, best) ? Choice::leave_truth
                                                                               : Choice::leave_pred;
        }
        std::swap(row, next);
    }
    for (std::size_t i = 0, j = 0; i < truth.size();) {
        const Band band = bands[i];
        j = std::max(j, band.low);
        const Choice choice = j < band.high ? choices[band.start + j - band.low] : Choice::leave_truth;
        if (choice == Choice::pair) found(i, j);
        i += choice != Choice::leave_pred;
        j += choice != Choice::leave_truth;
    }
}

// Among the maximum matchings one with the least sum of errors.
template <class T, class Found>
void match_closest(std::span<const T> truth, std::span<const T> pred, T margin, const Found& found,
                   const Pause& pause) {
    const auto worse = [](const auto& x, const auto& y) {
        return x.count != y.count ? x.count < y.count : x.error > y.error;
    };
    // All maximum matchings leave as many cuts over, so a pair (i, j) is not far from the diagonal.
    std::size_t pairs = 0;
    match(truth, pred, margin, [&](std::size_t, std::size_t) { ++pairs; }, pause);
    best_pairing(truth, pred, margin, worse, found, pause, {truth.size() - pairs, pred.size() - pairs});
}

// Precision, recall and F from counts. With no cut on either side they are 1, with cuts on one side only they are 0.
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
        // Uses the smaller of the weight and its inverse, so that nothing overflows.
        const auto f = [this](double weight, std::size_t one, std::size_t weighted) {
            return (1 + weight) * static_cast<double>(both) /
                   (static_cast<double>(one) + weight * static_cast<double>(weighted));
        };
        return beta > 1 ? f(1 / beta / beta, truth, pred) : f(beta * beta, pred, truth);
    }
};

// The distance from each cut of one side to the nearest cut of the other, in order; none if the other side is empty.
template <class T, class Each>
void nearest(std::span<const T> from, std::span<const T> to, const Each& each, const Pause& pause) {
    std::size_t j = 0;
    Pace pace(pause);
    for (const T cut : from) {
        if (to.empty()) return;
        pace.step();
        while (j + 1 < to.size() && to[j + 1] <= cut) ++j;
        T distance = apart(cut, to[j]);
        if (j + 1 < to.size()) distance = std::min(distance, apart(cut, to[j + 1]));
        if (!(distance >= 0)) refuse_change();
        each(distance);
    }
}

// The largest distance of a cut of `from` to the nearest of `to`, as far as it exceeds what is known. Cuts that follow
// each other on both sides mostly belong together: four at once are passed by if each is near enough to its like. Only
// where that fails is the true nearest of one cut looked for.
template <class T>
struct Farthest {
    std::span<const T> from, to;
    std::size_t i = 0, j = 0;  // the next cut, and its candidate on the other side

    bool ended() const { return i == from.size(); }
    void step(T& largest) {
        while (near_enough(largest)) {
            i += like;
            j += like;
        }
        if (ended()) return;
        const T cut = from[i++];
        j = std::min(j, to.size() - 1);
        while (j > 0 && to[j] > cut) --j;
        while (j + 1 < to.size() && to[j + 1] <= cut) ++j;
        if (j + 1 < to.size() && apart(cut, to[j + 1]) < apart(cut, to[j])) ++j;
        largest = std::max(largest, apart(cut, to[j++]));
    }

private:
    static constexpr std::size_t like = 4;
    bool near_enough(T largest) const {
        if (from.size() - i < like || to.size() < j + like) return false;
        bool all = true;
        for (std::size_t k = 0; k < like; ++k) {
            const T error = difference(from[i + k], to[j + k]);
            all &= error <= largest && difference(T{}, error) <= largest;
        }
        return all;
    }
};

inline constexpr std::size_t steps_per_pause = std::size_t{1} << 20;

// Both ways at once, with one bound. The outermost cuts are nearest to each other on one side, which is a start.
template <class T>
double hausdorff(std::span<const T> truth, std::span<const T> pred, const Pause& pause) {
    if (truth.empty() && pred.empty()) return 0;
    if (truth.empty() || pred.empty()) return std::numeric_limits<double>::infinity();
    T largest = std::max(apart(truth.front(), pred.front()), apart(truth.back(), pred.back()));
    Farthest<T> there{truth, pred}, back{pred, truth};
    while (!there.ended() || !back.ended()) {
        for (std::size_t k = 0; k < steps_per_pause && !there.ended() && !back.ended(); ++k) {
            there.step(largest);
            back.step(largest);
        }
        for (std::size_t k = 0; k < steps_per_pause && back.ended() && !there.ended(); ++k) there.step(largest);
        for (std::size_t k = 0; k < steps_per_pause && there.ended() && !back.ended(); ++k) back.step(largest);
        if (!there.ended() || !back.ended()) pause();
    }
    return static_cast<double>(largest);
}

template <class T>
double directed_hausdorff(std::span<const T> from, std::span<const T> to, const Pause& pause) {
    if (from.empty() && to.empty()) return 0;
    if (from.empty() || to.empty()) return std::numeric_limits<double>::infinity();
    T largest = 0;
    for (Farthest<T> there{from, to}; !there.ended();) {
        for (std::size_t k = 0; k < steps_per_pause && !there.ended(); ++k) there.step(largest);
        if (!there.ended()) pause();
    }
    return static_cast<double>(largest);
}

template <class T>
double mean_error(std::span<const T> from, std::span<const T> to, const Pause& pause) {
    if (from.empty() && to.empty()) return 0;
    double sum = 0, count = 0;
    const auto add = [&](T distance) {
        sum += static_cast<double>(distance);
        count += 1;
    };
    nearest(from, to, add, pause);
    return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

// The distance with `rank` smaller ones before it, without keeping them: by their 16 highest bits, then the next, which
// are ordered as the numbers are, real ones too. Four walks.
template <class T>
T distance_of_rank(std::span<const T> from, std::span<const T> to, std::size_t rank, const Pause& pause) {
    std::uint64_t found = 0;
    std::vector<std::size_t> counts(std::size_t{1} << 16);
    for (int shift = 48; shift >= 0; shift -= 16) {
        std::ranges::fill(counts, 0);
        const auto count = [&](T distance) {
            const auto bits = std::bit_cast<std::uint64_t>(distance);
            if (shift == 48 || bits >> (shift + 16) == found) ++counts[bits >> shift & 0xffff];
        };
        nearest(from, to, count, pause);
        std::size_t place = 0;
        while (place < counts.size() && rank >= counts[place]) rank -= counts[place++];
        if (place == counts.size()) refuse_change();  // there are fewer distances than in the walk before
        found = found << 16 | place;
    }
    return std::bit_cast<T>(found);
}

template <class T>
double median_error(std::span<const T> from, std::span<const T> to, const Pause& pause) {
    if (from.empty() && to.empty()) return 0;
    if (constexpr std::size_t kept = 1 << 20; from.size() > kept && !to.empty()) {
        const auto upper = static_cast<double>(distance_of_rank(from, to, from.size() / 2, pause));
        if (from.size() % 2 == 1) return upper;
        return (static_cast<double>(distance_of_rank(from, to, from.size() / 2 - 1, pause)) + upper) / 2;
    }
    std::vector<T> distances;
    distances.reserve(to.empty() ? 0 : from.size());
    nearest(from, to, [&](T distance) { distances.push_back(distance); }, pause);
    if (distances.empty()) return std::numeric_limits<double>::quiet_NaN();
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    const auto upper = static_cast<double>(*middle);
    if (distances.size() % 2 == 1) return upper;
    return (static_cast<double>(*std::max_element(distances.begin(), middle)) + upper) / 2;
}

}  // namespace segscore
