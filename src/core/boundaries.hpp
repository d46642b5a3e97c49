// The boundary family: which cuts found each other, and how far off they are.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cuts.hpp"
#include "exact.hpp"
#include "matching.hpp"
#include "pace.hpp"

namespace segscore {

// Precision, recall and F from counts. With no cut on either side they are 1, with cuts on one side only they are 0.
struct Matched {
    std::size_t both = 0, truth = 0, pred = 0;

    double share(std::size_t whole) const {
        if (truth == 0 && pred == 0) return 1.0;
        return whole == 0 ? 0.0 : static_cast<double>(both) / static_cast<double>(whole);
    }
    double precision() const { return share(pred); }
    double recall() const { return share(truth); }
    double f(double beta) const { return f(static_cast<double>(both), beta); }
    // F for a mean number of matches: with these numbers of cuts, F is linear in the matches.
    double f(double matches, double beta) const {
        if (truth == 0 && pred == 0) return 1.0;
        if (truth == 0 || pred == 0 || matches <= 0) return 0.0;
        // Uses the smaller of the weight and its inverse, so that nothing overflows.
        const auto f = [matches](double weight, std::size_t one, std::size_t weighted) {
            return (1 + weight) * matches / (static_cast<double>(one) + weight * static_cast<double>(weighted));
        };
        return beta > 1 ? f(1 / beta / beta, truth, pred) : f(beta * beta, pred, truth);
    }
};

// The distance from each cut of one side to the nearest cut of the other, in order; none if the other side is empty.
template <class T, class Each>
void nearest(std::span<const T> from, std::span<const T> to, const Each& each) {
    std::size_t j = 0;
    Pace pace;
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
        for (std::size_t passed = 0; passed < most_passed && near_enough(largest); passed += like) {
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
    static constexpr std::size_t like = 4, most_passed = 1024;
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

inline constexpr std::size_t steps_at_once = std::size_t{1} << 14;

// Both ways at once, with one bound. The outermost cuts are nearest to each other on one side, which is a start.
template <class T>
double hausdorff(std::span<const T> truth, std::span<const T> pred) {
    if (truth.empty() && pred.empty()) return 0;
    if (truth.empty() || pred.empty()) return std::numeric_limits<double>::infinity();
    T largest = std::max(apart(truth.front(), pred.front()), apart(truth.back(), pred.back()));
    Farthest<T> there{truth, pred}, back{pred, truth};
    Pace pace;
    while (!there.ended() || !back.ended()) {
        const std::size_t before = there.i + back.i;
        for (std::size_t k = 0; k < steps_at_once && !there.ended() && !back.ended(); ++k) {
            there.step(largest);
            back.step(largest);
        }
        for (std::size_t k = 0; k < steps_at_once && back.ended() && !there.ended(); ++k) there.step(largest);
        for (std::size_t k = 0; k < steps_at_once && there.ended() && !back.ended(); ++k) back.step(largest);
        pace.step(there.i + back.i - before);
    }
    return static_cast<double>(largest);
}

template <class T>
double directed_hausdorff(std::span<const T> from, std::span<const T> to) {
    if (from.empty() && to.empty()) return 0;
    if (from.empty() || to.empty()) return std::numeric_limits<double>::infinity();
    T largest = 0;
    Pace pace;
    for (Farthest<T> there{from, to}; !there.ended();) {
        const std::size_t before = there.i;
        for (std::size_t k = 0; k < steps_at_once && !there.ended(); ++k) there.step(largest);
        pace.step(there.i - before);
    }
    return static_cast<double>(largest);
}

template <class T>
double mean_error(std::span<const T> from, std::span<const T> to) {
    if (from.empty() && to.empty()) return 0;
    Compensated sum;
    double count = 0;
    const auto add = [&](T distance) {
        sum.add(static_cast<double>(distance));
        count += 1;
    };
    nearest(from, to, add);
    return count > 0 ? sum.value() / count : std::numeric_limits<double>::quiet_NaN();
}

// The distance with `rank` smaller ones before it, without keeping them: by their 16 highest bits, then the next, which
// are ordered as the numbers are, real ones too. Four walks.
template <class T>
T distance_of_rank(std::span<const T> from, std::span<const T> to, std::size_t rank) {
    std::uint64_t found = 0;
    std::vector<std::size_t> counts(std::size_t{1} << 16);
    for (int shift = 48; shift >= 0; shift -= 16) {
        std::ranges::fill(counts, 0);
        const auto count = [&](T distance) {
            const auto bits = std::bit_cast<std::uint64_t>(distance);
            if (shift == 48 || bits >> (shift + 16) == found) ++counts[bits >> shift & 0xffff];
        };
        nearest(from, to, count);
        std::size_t place = 0;
        while (place < counts.size() && rank >= counts[place]) rank -= counts[place++];
        if (place == counts.size()) refuse_change();  // there are fewer distances than in the walk before
        found = found << 16 | place;
    }
    return std::bit_cast<T>(found);
}

template <class T>
double median_error(std::span<const T> from, std::span<const T> to) {
    if (from.empty() && to.empty()) return 0;
    if (constexpr std::size_t kept = 1 << 20; from.size() > kept && !to.empty()) {
        const auto upper = static_cast<double>(distance_of_rank(from, to, from.size() / 2));
        if (from.size() % 2 == 1) return upper;
        return (static_cast<double>(distance_of_rank(from, to, from.size() / 2 - 1)) + upper) / 2;
    }
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
