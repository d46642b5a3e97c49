// Random segmentations, the same for the same seed on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "exact.hpp"
#include "pace.hpp"
#include "sorting.hpp"

namespace segscore {

// xoshiro256++ (Blackman & Vigna), its state filled by splitmix64.
class Random {
public:
    explicit Random(std::uint64_t seed) {
        for (std::uint64_t& word : state_) {
            seed += 0x9e3779b97f4a7c15;
            std::uint64_t z = seed;
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
            z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
            word = z ^ (z >> 31);
        }
    }
    std::uint64_t next() {
        const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }
    // A number below a bound, all equally likely (Lemire's method).
    std::uint64_t below(std::uint64_t bound) {
        u128 product = u128{next()} * bound;
        if (static_cast<std::uint64_t>(product) < bound) {
            const std::uint64_t least = -bound % bound;
            while (static_cast<std::uint64_t>(product) < least) product = u128{next()} * bound;
        }
        return static_cast<std::uint64_t>(product >> 64);
    }
    // A number in (0, 1].
    double unit() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }

private:
    std::array<std::uint64_t, 4> state_{};
};

// r of the n - 1 gaps, in order; every set of r gaps is equally likely.
inline void draw_uniform(Random& random, std::int64_t n, std::int64_t r, std::vector<std::int64_t>& cuts) {
    cuts.clear();
    Pace pace;
    const auto gaps = static_cast<std::uint64_t>(n - 1);
    auto wanted = static_cast<std::uint64_t>(r);
    constexpr std::uint64_t sparse = 8;
    if (wanted > gaps / sparse) {  // gap by gap, with the conditional probability of each
        for (std::uint64_t gap = 0; gap < gaps && wanted > 0; ++gap) {
            pace.step();
            if (random.below(gaps - gap) < wanted) {
                cuts.push_back(static_cast<std::int64_t>(gap) + 1);
                --wanted;
            }
        }
        return;
    }
    // The first r distinct draws are such a set.
    while (cuts.size() < wanted) {
        const std::size_t before = cuts.size();
        for (std::size_t k = before; k < wanted; ++k) {
            pace.step();
            cuts.push_back(static_cast<std::int64_t>(random.below(gaps)) + 1);
        }
        const std::span all(cuts);
        interruptible_sort(all.subspan(before));
        if (before > 0) {
            std::vector<std::int64_t> merged(cuts.size());
            interruptible_merge<std::int64_t>(all.first(before), all.subspan(before), merged.data(), pace);
            cuts.swap(merged);
        }
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    }
}

// Cuts each gap with probability p, by drawing the distances between cuts, which are geometric.
inline void draw_bernoulli(Random& random, std::int64_t n, double p, std::vector<std::int64_t>& cuts) {
    cuts.clear();
    if (p <= 0) return;
    const double log_uncut = std::log1p(-p);
    Pace pace;
    for (std::int64_t cut = 0;;) {
        pace.step();
        const double skipped = p < 1 ? std::floor(std::log(random.unit()) / log_uncut) : 0;
        if (!(skipped < static_cast<double>(n - 1 - cut))) return;
        cut += 1 + static_cast<std::int64_t>(skipped);
        if (cut >= n) return;
        cuts.push_back(cut);
    }
}

// In time, random cuts are drawn on a grid of 2^52 equal steps of the duration, of which every multiple is another
// double. So no two cuts coincide, and none is the start or the end.
constexpr std::int64_t grid = std::int64_t{1} << 52;

inline void to_times(std::span<const std::int64_t> steps, double duration, std::vector<double>& cuts) {
    cuts.clear();
    Pace pace;
    for (const std::int64_t step : steps) {
        pace.step();
        cuts.push_back(static_cast<double>(step) / static_cast<double>(grid) * duration);
    }
}

inline void draw_uniform(Random& random, double duration, std::int64_t r, std::vector<double>& cuts) {
    std::vector<std::int64_t> steps;
    draw_uniform(random, grid, r, steps);
    to_times(steps, duration, cuts);
}
// A Poisson process: p is the mean number of cuts.
inline void draw_bernoulli(Random& random, double duration, double p, std::vector<double>& cuts) {
    std::vector<std::int64_t> steps;
    draw_bernoulli(random, grid, p / static_cast<double>(grid), steps);
    to_times(steps, duration, cuts);
}

// The same lengths in a random order; every order is equally likely. In time, a cut is a rounded sum of lengths; where
// that would make cuts coincide, they are the nearest numbers that do not.
template <class T>
void draw_shuffled(Random& random, std::vector<T>& lengths, T n, std::vector<T>& cuts) {
    Pace pace;
    for (std::size_t k = lengths.size(); k > 1; --k) {
        constexpr std::uint64_t of_memory = 8;  // a random access takes as long as several steps
        pace.step(of_memory);
        std::swap(lengths[k - 1], lengths[random.below(k)]);
    }
    cuts.clear();
    if constexpr (std::is_integral_v<T>) {
        T end = 0;
        for (std::size_t k = 0; k + 1 < lengths.size(); ++k) {
            pace.step();
            cuts.push_back(end += lengths[k]);
        }
    } else {
        DoubleDouble end;
        for (std::size_t k = 0; k + 1 < lengths.size(); ++k) {
            pace.step();
            end += lengths[k];
            const double before = cuts.empty() ? 0.0 : cuts.back();
            cuts.push_back(std::max(static_cast<double>(end), std::nextafter(before, n)));
        }
        double after = n;
        for (std::size_t k = cuts.size(); k-- > 0 && !(cuts[k] < after);) after = cuts[k] = std::nextafter(after, 0.0);
    }
}

// The null hypotheses. In time, the third is a Poisson process.
enum class Null { uniform, both, bernoulli, shuffle };

// Draws pairs of sides under a null hypothesis. p is the probability of a cut in each gap, or in time the mean number
// of cuts.
template <class T>
class Draws {
public:
    Draws(Null null, std::span<const T> truth, std::span<const T> pred, T n, double p, std::uint64_t seed)
        : null_(null),
          n_(n),
          p_(p),
          r_(static_cast<std::int64_t>(pred.size())),
          s_(static_cast<std::int64_t>(truth.size())),
          random_(seed),
          truth_(truth) {
        if (null != Null::shuffle) return;
        T start = 0;
        Pace pace;
        for (const T cut : pred) {
            pace.step();
            lengths_.push_back(cut - std::exchange(start, cut));
        }
        lengths_.push_back(n - start);
    }
    void next() {
        if (null_ == Null::shuffle) return draw_shuffled(random_, lengths_, n_, drawn_pred_);
        if (null_ == Null::bernoulli) return draw_bernoulli(random_, n_, p_, drawn_pred_);
        draw_uniform(random_, n_, r_, drawn_pred_);
        if (null_ == Null::both) {
            draw_uniform(random_, n_, s_, drawn_truth_);
            truth_ = drawn_truth_;
        }
    }
    std::span<const T> truth() const { return truth_; }
    std::span<const T> pred() const { return drawn_pred_; }

private:
    Null null_;
    T n_;
    double p_;
    std::int64_t r_, s_;
    Random random_;
    std::span<const T> truth_;
    std::vector<T> lengths_, drawn_truth_, drawn_pred_;
};

}  // namespace segscore
