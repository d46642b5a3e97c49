// Precision, recall and F1 of a prediction against several annotators together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "boundaries.hpp"
#include "evaluation.hpp"
#include "sorting.hpp"

namespace segscore {

// The scores of TCPDBench, but with a maximum matching: precision is against the cuts of all annotators together,
// recall is the mean over the annotators. The start of the sequence is a cut of every side, and is matched with itself:
// it adds one match to every count.
struct Together {
    double precision = 0, recall = 0, f1 = 0;
};

template <class T>
Together together(const std::vector<std::span<const T>>& truths, std::span<const T> pred, T reach) {
    const auto share = [&](std::span<const T> truth, std::size_t cuts) {
        std::size_t both = 1;
        match(truth, pred, reach, [&](std::size_t, std::size_t) { ++both; });
        return static_cast<double>(both) / static_cast<double>(cuts + 1);
    };
    std::vector<T> all;
    double recalls = 0;
    for (const std::span<const T> truth : truths) {
        all.insert(all.end(), truth.begin(), truth.end());
        recalls += share(truth, truth.size());
    }
    interruptible_sort(std::span(all));
    all.erase(std::unique(all.begin(), all.end()), all.end());
    Together found{share(all, pred.size()), recalls / static_cast<double>(truths.size())};
    found.f1 = 2 * found.precision * found.recall / (found.precision + found.recall);
    return found;
}

}  // namespace segscore
