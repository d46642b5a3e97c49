// Scores between many segmentations, and the nearest of them, for Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "../core/catalog.hpp"
#include "../core/cuts.hpp"
#include "../core/evaluation.hpp"
#include "../core/nearest.hpp"
#include "../core/pace.hpp"
#include "load.hpp"
#include "options.hpp"
#include "parallel.hpp"

namespace segscore {

using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Segmentations of one length. If one of them has labels, all have: on a side without labels, every segment has a label
// of its own.
template <class T>
struct Group {
    std::vector<std::vector<std::int64_t>> labels;  // filled while the cuts are loaded
    bool has_labels = false;
    Segmentations<T> cuts;

    Group() = default;
    Group(nb::handle given, const char* name, nb::handle length, const Segmentations<T>& beside = {})
        : cuts(load_segmentations<T>(given, name, length, beside, [this](const std::string&, Labels own) {
              labels.emplace_back(own.begin(), own.end());
              has_labels = has_labels || !own.empty();
          })) {}

    std::size_t size() const { return cuts.size(); }
    void label() {
        has_labels = true;
        for (std::size_t k = 0; k < size(); ++k) {
            if (!labels[k].empty()) continue;
            labels[k].resize(cuts.n > 0 ? cuts[k].size() + 1 : 0);
            std::iota(labels[k].begin(), labels[k].end(), 0);
        }
    }
    // Two segmentations as the sides of a score; both groups have labels, or none has.
    Sides<T> beside(std::size_t own, const Group& others, std::size_t other) const {
        if (!has_labels) return {cuts[own], others.cuts[other], cuts.n};
        return {cuts[own], others.cuts[other], cuts.n, labels[own], others.labels[other]};
    }
};

// Labels both groups if one of them has labels and the metric takes labels; other metrics compare the cuts.
template <class T>
void agree_on_labels(const Metric& metric, Group<T>& one, Group<T>& other) {
    if (!metric.takes_labels()) one.has_labels = other.has_labels = false;
    if (!one.has_labels && !other.has_labels) return;
    one.label();
    other.label();
}

// Scores of one truth against the predictions from `first` on: calls set(index, score).
template <class T, class Set>
void score_row(const Plan::Entry& entry, const Group<T>& truths, std::size_t truth, const Group<T>& preds,
               std::size_t first, const Set& set) {
    const auto& [metric, options] = entry;
    const std::span<const T> own = truths.cuts[truth];
    const Segmentations<T>& others = preds.cuts;
    Pace pace;
    std::size_t j = first;
    for (; j + 3 <= preds.size() && !preds.has_labels; j += 3) {
        pace.step(3 * own.size() + others[j].size() + others[j + 1].size() + others[j + 2].size());
        const auto three =
            Evaluation<T>::of_three(own, {others[j], others[j + 1], others[j + 2]}, others.n, metric->needs);
        for (std::size_t k = 0; k < 3; ++k) set(j + k, finalized(*metric, options, three[k]));
    }
    for (; j < preds.size(); ++j) {
        pace.step(1 + own.size() + others[j].size());
        set(j, finalized(*metric, options, Evaluation(truths.beside(truth, preds, j), metric->needs)));
    }
}

// Scores of each truth against each prediction, or of all pairs of truths if there are no predictions. The plan has one
// entry.
template <class T>
void fill_matrix(const Plan::Entry& entry, nb::handle given_truths, nb::handle given_preds, nb::handle length,
                 std::size_t threads, Matrix& result) {
    const bool square = given_preds.is_none();
    Group<T> truths(given_truths, square ? "segmentations" : "a", length);
    Group<T> others = square ? Group<T>{} : Group<T>(given_preds, "b", length, truths.cuts);
    agree_on_labels(*entry.metric, truths, others);
    const Group<T>& preds = square ? truths : others;
    double* const values = result.data();
    const std::size_t width = preds.size();
    const bool mirrored = square && entry.metric->symmetric;
    in_parallel(truths.size(), threads, [&](std::size_t i) {
        score_row(entry, truths, i, preds, mirrored ? i : 0, [&](std::size_t j, double value) {
            values[i * width + j] = value;
            if (mirrored) values[j * width + i] = value;
        });
    });
}

inline void score_matrix(const Plan& plan, nb::handle truths, nb::handle preds, nb::handle n, nb::handle duration,
                         std::size_t threads, Matrix result) {
    in_points_or_time(n, duration, [&]<class T>(nb::handle length) {
        fill_matrix<T>(plan.entries.at(0), truths, preds, length, threads, result);
    });
}

// The predictions with the k best scores of a truth: the score and the index of each. Scores that are nan come last,
// and ties go to the first.
template <class T>
std::vector<std::pair<double, std::size_t>> best_of(const Plan::Entry& entry, const Group<T>& truths, std::size_t truth,
                                                    const Group<T>& preds, std::size_t k) {
    std::vector<std::pair<double, std::size_t>> found;
    found.reserve(preds.size());
    score_row(entry, truths, truth, preds, 0, [&](std::size_t j, double value) { found.emplace_back(value, j); });
    const auto rank = [is_distance = entry.metric->best == 0](const std::pair<double, std::size_t>& one) {
        return std::tuple(std::isnan(one.first),
                          std::isnan(one.first) ? 0
                          : is_distance         ? one.first
                                                : -one.first,
                          one.second);
    };
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(k);
    std::partial_sort(found.begin(), end, found.end(),
                      [&](const auto& one, const auto& other) { return rank(one) < rank(other); });
    found.resize(k);
    return found;
}

// Writes the indices and the scores of the nearest of each query, one row per query. Returns the number of pairs of
// segmentations that were compared. Metrics that depend only on the number of pairs of points treated differently have
// the same neighbours as the Rand distance, which are found without comparing all, unless there are labels.
template <class T>
std::size_t find_nearest(const Plan::Entry& entry, nb::handle segmentations, nb::handle queries, nb::handle length,
                         std::size_t threads, Indices& indices, Matrix& scores) {
    Group<T> all(segmentations, "segmentations", length);
    Group<T> asked(queries, "queries", length, all.cuts);
    agree_on_labels(*entry.metric, all, asked);
    const std::size_t k = indices.shape(1);
    const auto write = [&](std::size_t at, std::size_t index, double value) {
        indices.data()[at] = static_cast<std::int64_t>(index);
        scores.data()[at] = value;
    };
    if (k > 0 && (entry.metric->needs != Need::disagreement || all.has_labels)) {
        in_parallel(asked.size(), threads, [&](std::size_t q) {
            std::size_t at = q * k;
            for (const auto& [value, index] : best_of(entry, asked, q, all, k)) write(at++, index, value);
        });
        return asked.size() * all.size();
    }
    std::vector<std::size_t> looked_at(asked.size(), 0);
    if (k > 0) {
        const auto neighbours = [&] {
            const nb::gil_scoped_release released;
            return Neighbours<T>(all.cuts, asked.size());
        }();
        in_parallel(asked.size(), threads, [&](std::size_t q) {
            std::size_t at = q * k;
            for (const auto& [pairs, index] : neighbours.search(asked.cuts[q], k, looked_at[q])) {
                const Evaluation one(asked.beside(q, all, index), Need::disagreement);
                write(at++, index, finalized(*entry.metric, entry.options, one));
            }
        });
    }
    return std::accumulate(looked_at.begin(), looked_at.end(), std::size_t{0});
}

inline std::size_t nearest_of(const Plan& plan, nb::handle segmentations, nb::handle queries, nb::handle n,
                              nb::handle duration, std::size_t threads, Indices indices, Matrix scores) {
    return in_points_or_time(n, duration, [&]<class T>(nb::handle length) {
        return find_nearest<T>(plan.entries.at(0), segmentations, queries, length, threads, indices, scores);
    });
}

inline void define_matrices(nb::module_& module) {
    using namespace nb::literals;
    module.def("score_matrix", &score_matrix, "plan"_a, "truths"_a, "preds"_a.none(), "n"_a.none(), "duration"_a.none(),
               "threads"_a, "result"_a);
    module.def("nearest", &nearest_of, "plan"_a, "segmentations"_a, "queries"_a, "n"_a.none(), "duration"_a.none(),
               "threads"_a, "indices"_a, "scores"_a);
}

}  // namespace segscore
