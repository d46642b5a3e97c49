// The nearest of many segmentations by the Rand distance, exactly.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "boundaries.hpp"
#include "cuts.hpp"
#include "evaluation.hpp"
#include "exact.hpp"
#include "pace.hpp"
#include "pairs.hpp"
#include "sorting.hpp"

namespace segscore {

// A number of pairs of points, or an area of pairs of moments.
template <class T>
using Measure = typename Evaluation<T>::Measure;

template <class T>
Measure<T> pairs_apart(std::span<const T> truth, std::span<const T> pred, T n) {
    return Evaluation(Sides<T>{truth, pred, n}, Need::disagreement).pairs().disagreement();
}

// In time in the unit of pairs_apart, in which the duration is about 1.
template <class T>
Measure<T> pairs_together(std::span<const T> cuts, T n) {
    if constexpr (std::is_integral_v<T>) {
        u128 sum = 0;
        visit_lengths(cuts, n, [&](T length) { sum += pairs_among(length); });
        return sum;
    } else {
        Compensated sum;
        const double factor = factor_of_units(n);
        visit_lengths(cuts, n, [&](T length) { sum.add_product(length * factor, length * factor / 2); });
        return sum.value();
    }
}

// The k segmentations nearest to each query by the Rand distance; ties go to the first. Two segmentations that keep P
// and Q pairs together are at least |P - Q| apart. So the search starts at the query's own number of pairs, goes
// outward, and ends where this bound exceeds the distances found. For many queries, the distances of all segmentations
// to a few pivots give a second bound by the triangle inequality. In time, areas are rounded, and so are the bounds:
// they exclude only what is farther by more than the rounding.
template <class T>
class Neighbours {
public:
    using Found = std::pair<Measure<T>, std::size_t>;

    Neighbours(const Segmentations<T>& all, std::size_t queries) : all_(all) {
        Pace pace;
        for (std::size_t k = 0; k < all.size(); ++k) {
            pace.step(1 + all[k].size());
            order_.emplace_back(pairs_together(all[k], all.n), k);
        }
        interruptible_sort(std::span(order_));
        constexpr std::size_t most_pivots = 8, queries_a_pivot = 4;
        const std::size_t pivots = std::min({most_pivots, queries / queries_a_pivot, all.size() / queries_a_pivot});
        for (std::size_t p = 0; p < pivots; ++p) {
            pivots_.push_back(order_[p * order_.size() / pivots].second);
            std::vector<Measure<T>>& distances = to_pivot_.emplace_back();
            for (std::size_t k = 0; k < all.size(); ++k) {
                pace.step(1 + all[pivots_.back()].size() + all[k].size());
                distances.push_back(pairs_apart(all[pivots_.back()], all[k], all.n));
            }
        }
    }
    // `looked_at` is the number of distances that were computed.
    std::vector<Found> search(std::span<const T> query, std::size_t k, std::size_t& looked_at) const {
        Pace pace;
        std::vector<Measure<T>> from_pivot;
        for (const std::size_t pivot : pivots_) from_pivot.push_back(pairs_apart(all_[pivot], query, all_.n));
        looked_at += pivots_.size();
        const Measure<T> own = pairs_together(query, all_.n);
        std::vector<Found> best;  // a heap with the farthest on top
        constexpr Measure<T> rounding = std::is_integral_v<T> ? 0 : Measure<T>(1e-14);
        const auto too_far = [&](Measure<T> bound) {
            return best.size() == k && bound > best.front().first + rounding;
        };
        const auto look = [&](std::size_t candidate) {
            for (std::size_t p = 0; p < pivots_.size(); ++p)
                if (too_far(apart(from_pivot[p], to_pivot_[p][candidate]))) return;
            ++looked_at;
            pace.step(1 + query.size() + all_[candidate].size());
            const Found found{pairs_apart(all_[candidate], query, all_.n), candidate};
            if (best.size() == k) {
                if (!(found < best.front())) return;
                std::pop_heap(best.begin(), best.end());
                best.pop_back();
            }
            best.push_back(found);
            std::push_heap(best.begin(), best.end());
        };
        const auto middle = std::lower_bound(order_.begin(), order_.end(), Found{own, 0});
        auto up = middle, down = middle;
        while (up != order_.end() || down != order_.begin()) {
            const bool upward = down == order_.begin() ||
                                (up != order_.end() && apart(up->first, own) <= apart(std::prev(down)->first, own));
            const auto& candidate = upward ? *up++ : *--down;
            if (too_far(apart(candidate.first, own))) break;
            look(candidate.second);
        }
        std::sort_heap(best.begin(), best.end());
        return best;
    }

private:
    const Segmentations<T>& all_;
    std::vector<Found> order_;  // sorted by the number of pairs kept together
    std::vector<std::size_t> pivots_;
    std::vector<std::vector<Measure<T>>> to_pivot_;
};

}  // namespace segscore
