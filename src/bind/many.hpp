// Many segmentations at once: matrices of scores, neighbours, and the consensus.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../core/catalog.hpp"
#include "../core/consensus.hpp"
#include "load.hpp"
#include "parallel.hpp"
#include "scores.hpp"

namespace segscore {

// Segmentations of one length, their cuts one after another.
struct Ragged {
    std::vector<std::int64_t> cuts;
    std::vector<std::size_t> starts{0};
    std::int64_t n = 0;

    std::size_t size() const { return starts.size() - 1; }
    Points operator[](std::size_t k) const { return Points(cuts).subspan(starts[k], starts[k + 1] - starts[k]); }
};

// All of one length: n=, or that of `beside`, or that of the first Segmentation.
inline Ragged load_ragged(nb::handle segmentations, const char* name, nb::handle n, const Ragged& beside) {
    constexpr std::int64_t unknown = -1;
    Ragged ragged;
    std::int64_t length = n.is_none() ? (beside.size() > 0 ? beside.n : unknown) : load_n(n);
    std::size_t k = 0;
    std::vector<std::int64_t> kept;
    Pace pace({check_signals});
    for (const nb::handle item : nb::borrow<nb::object>(segmentations)) {
        const std::string named = std::string(name) + "[" + std::to_string(k++) + "]";
        Input<std::int64_t> input(item, named.c_str());
        if (!input.labels().empty()) throw CutError(named + " has labels; expected cuts alone (use .segmentation)");
        const std::int64_t own = input.n().value_or(length);
        if (own == unknown) throw CutError(named + " has no length; expected n=, or Segmentation objects");
        if (length == unknown) length = own;
        if (own != length)
            throw CutError(named + " has n = " + text(own) + " but n = " + text(length) +
                           " is that of the others; expected one length");
        kept.clear();
        const auto cuts = gather(input, length, End::given, kept);
        ragged.cuts.insert(ragged.cuts.end(), cuts.begin(), cuts.end());
        pace.step(100 + cuts.size());  // to open a Python object takes as long as some hundred cuts
        ragged.starts.push_back(ragged.cuts.size());
    }
    ragged.n = std::max<std::int64_t>(length, 0);
    return ragged;
}

using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Each of `rows` against each of `columns`, or all pairs of `rows` where there are no others.
inline void score_matrix(std::size_t row, nb::handle rows, nb::handle columns, nb::handle n, nb::handle margin,
                         std::size_t threads, Matrix result) {
    const Row& chosen = catalog.at(row);
    const Ragged truths = load_ragged(rows, columns.is_none() ? "segmentations" : "a", n, {});
    const bool square = columns.is_none();
    const Ragged others = square ? Ragged{} : load_ragged(columns, "b", n, truths);
    const Ragged& preds = square ? truths : others;
    Options options;
    const auto given = load_margin<std::int64_t>(margin, nb::none(), truths.n);
    if ((chosen.needs & Need::matching) != 0 && !given.has_value())
        raise_type(std::string(chosen.name) + " has no margin; expected margin= (0 for the same cut)");
    set_margin(options, given.value_or(0));
    double* const values = result.data();
    const std::size_t width = preds.size();
    const bool mirrored = square && chosen.symmetric;
    constexpr std::int64_t narrow = std::int64_t{1} << 32;
    const bool only_disagreement = chosen.needs == Need::disagreement && truths.n <= narrow;
    in_parallel(truths.size(), threads, [&](std::size_t i, const Pause& pause) {
        Pace pace(pause);
        Options own = options;
        own.pause = pause;
        const auto set = [&](std::size_t j, const Evaluation<std::int64_t>& evaluation) {
            const double value = chosen.in_points(evaluation);
            values[i * width + j] = value;
            if (mirrored) values[j * width + i] = value;
        };
        std::size_t j = mirrored ? i : 0;
        for (; only_disagreement && j + 3 <= width; j += 3) {
            std::array<Disagreement<Exact<std::uint64_t>>, 3> sums{};
            pace.step(3 * truths[i].size() + preds[j].size() + preds[j + 1].size() + preds[j + 2].size());
            walk_three<std::int64_t>(truths[i], {preds[j], preds[j + 1], preds[j + 2]}, truths.n, sums);
            for (std::size_t k = 0; k < 3; ++k) {
                Evaluation evaluation(Sides<std::int64_t>{truths[i], preds[j + k], truths.n}, own, Need::nothing);
                static_cast<Pairs<u128>&>(evaluation.pairs) = sums[k].pairs(truths.n);
                set(j + k, evaluation);
            }
        }
        for (; j < width; ++j) {
            pace.step(1 + truths[i].size() + preds[j].size());
            set(j, Evaluation(Sides<std::int64_t>{truths[i], preds[j], truths.n}, own, chosen.needs));
        }
    });
}

inline u128 pairs_apart(Points truth, Points pred, std::int64_t n) {
    return Evaluation(Sides<std::int64_t>{truth, pred, n}, Options{}, Need::disagreement).pairs.disagreement();
}

inline u128 pairs_together(Points cuts, std::int64_t n) {
    u128 sum = 0;
    visit_lengths(cuts, n, [&](std::int64_t length) { sum += pairs_among(length); });
    return sum;
}

// The k nearest of some segmentations to each of some queries, by the Rand distance, of equal ones the first. Two that
// keep P and Q pairs together are at least |P - Q| apart, so the search goes outward from the query's own number and
// ends where that bound exceeds what is found. For many queries a few pivots, to which all distances are known, bound
// more by the triangle inequality.
class Neighbours {
public:
    using Found = std::pair<u128, std::size_t>;

    Neighbours(const Ragged& all, std::size_t queries, const Pause& pause) : all_(all) {
        Pace pace(pause);
        for (std::size_t k = 0; k < all.size(); ++k) order_.emplace_back(pairs_together(all[k], all.n), k);
        std::sort(order_.begin(), order_.end());
        constexpr std::size_t most_pivots = 8, queries_a_pivot = 4;
        const std::size_t pivots = std::min({most_pivots, queries / queries_a_pivot, all.size() / queries_a_pivot});
        for (std::size_t p = 0; p < pivots; ++p) {
            pivots_.push_back(order_[p * order_.size() / pivots].second);
            std::vector<u128>& distances = to_pivot_.emplace_back();
            for (std::size_t k = 0; k < all.size(); ++k) {
                pace.step(1 + all[pivots_.back()].size() + all[k].size());
                distances.push_back(pairs_apart(all[pivots_.back()], all[k], all.n));
            }
        }
    }
    // `looked_at` counts the distances that were computed.
    std::vector<Found> search(Points query, std::size_t k, std::size_t& looked_at, const Pause& pause) const {
        Pace pace(pause);
        std::vector<u128> from_pivot;
        for (const std::size_t pivot : pivots_) from_pivot.push_back(pairs_apart(all_[pivot], query, all_.n));
        looked_at += pivots_.size();
        const u128 own = pairs_together(query, all_.n);
        std::vector<Found> best;  // a heap, the farthest first
        const auto too_far = [&](u128 bound) { return best.size() == k && bound > best.front().first; };
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
    const Ragged& all_;
    std::vector<Found> order_;  // by the number of pairs kept together
    std::vector<std::size_t> pivots_;
    std::vector<std::vector<u128>> to_pivot_;
};

// (indices, Rand distances) of each query, and how many distances were computed.
inline nb::tuple nearest_of(nb::handle segmentations, nb::handle queries, nb::handle n, std::size_t k,
                            std::size_t threads) {
    const Ragged all = load_ragged(segmentations, "segmentations", n, {});
    const Ragged asked = load_ragged(queries, "query", n, all);
    k = std::min(k, all.size());
    std::vector<std::vector<Neighbours::Found>> found(asked.size());
    std::vector<std::size_t> looked_at(asked.size(), 0);
    if (k > 0) {
        const auto neighbours = [&] {
            const nb::gil_scoped_release released;
            return Neighbours(all, asked.size(), {check_signals});
        }();
        in_parallel(asked.size(), threads, [&](std::size_t q, const Pause& pause) {
            found[q] = neighbours.search(asked[q], k, looked_at[q], pause);
        });
    }
    nb::list indices, distances;
    const u128 total = pairs_among(all.n);
    for (const auto& each : found) {
        nb::list of_indices, of_distances;
        for (const auto& [pairs, index] : each) {
            of_indices.append(index);
            of_distances.append(total == 0 ? 0.0 : ratio(pairs, total));
        }
        indices.append(of_indices);
        distances.append(of_distances);
    }
    std::size_t evaluated = 0;
    for (const std::size_t count : looked_at) evaluated += count;
    return nb::make_tuple(indices, distances, evaluated);
}

// (cuts, n, disagreement with each input). Weights are integers, or numbers if one is not.
inline nb::tuple consensus_of(nb::handle segmentations, nb::handle n, nb::handle weights) {
    const Ragged all = load_ragged(segmentations, "segmentations", n, {});
    std::vector<InputCut> cuts;
    for (std::size_t k = 0; k < all.size(); ++k)
        for (const std::int64_t cut : all[k]) cuts.push_back({cut, k});
    std::vector<i128> integers(all.size(), 1);
    std::vector<double> numbers;
    bool exact = true;
    if (!weights.is_none()) {
        integers.clear();
        for (const nb::handle weight : nb::borrow<nb::object>(weights)) {
            const std::string named = "weights[" + std::to_string(numbers.size()) + "]";
            const double value = load_number(weight, named.c_str());
            if (!(value > 0 && value < 1e100))
                throw CutError(named + " = " + text(value) +
                               " is out of range; expected a weight above 0, below 1e100");
            numbers.push_back(value);
            const nb::object integer = as_integer(weight);
            const auto small = integer.is_valid() ? as_int64(integer.ptr()) : std::nullopt;
            if (integer.is_valid() && !small.has_value())
                throw CutError(named + " = " + shown(integer) +
                               " is too large; expected an integer below 2**63, or a float");
            exact = exact && small.has_value();
            integers.push_back(small.value_or(0));
        }
        if (numbers.size() != all.size())
            throw CutError("there are " + std::to_string(numbers.size()) + " weights for " +
                           std::to_string(all.size()) + " segmentations; expected one each");
    }
    // Sums go up to the square of n times all weights.
    long double largest = 0;
    for (const i128 weight : integers) largest += static_cast<long double>(weight);
    largest *= static_cast<long double>(all.n) * static_cast<long double>(all.n);
    if (exact && largest > 0x1p126L)
        throw CutError("n = " + text(all.n) +
                       " is too long for that many inputs; expected n**2 times their weights below 2**126");
    std::vector<std::int64_t> found;
    std::vector<u128> distances(all.size());
    {
        const nb::gil_scoped_release released;
        std::stable_sort(cuts.begin(), cuts.end(), [](const InputCut& x, const InputCut& y) { return x.cut < y.cut; });
        found = exact ? consensus<i128>(cuts, integers, all.n, {check_signals})
                      : consensus<double>(cuts, numbers, all.n, {check_signals});
        for (std::size_t k = 0; k < all.size(); ++k) distances[k] = pairs_apart(all[k], found, all.n);
    }
    nb::list each;
    for (const u128 distance : distances) each.append(to_integer(distance));
    return nb::make_tuple(to_list(Points(found)), all.n, each);
}

inline void define_many(nb::module_& module) {
    using namespace nb::literals;
    module.def("score_matrix", &score_matrix, "row"_a, "rows"_a, "columns"_a.none(), "n"_a.none(), "margin"_a.none(),
               "threads"_a, "result"_a);
    module.def("nearest", &nearest_of, "segmentations"_a, "queries"_a, "n"_a.none(), "k"_a, "threads"_a);
    module.def("consensus", &consensus_of, "segmentations"_a, "n"_a.none(), "weights"_a.none());
}

}  // namespace segscore
