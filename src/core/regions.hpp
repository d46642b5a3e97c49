// Annotated regions: the number of cuts in each region.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "pace.hpp"

namespace segscore {

// The number of cuts c with start < c <= end, for each region. The regions are in order and do not overlap. Time is
// O(cuts + regions).
template <class T>
std::vector<std::size_t> count_in_regions(std::span<const T> cuts, std::span<const T> starts, std::span<const T> ends) {
    Pace pace;
    std::vector<std::size_t> counts;
    counts.reserve(starts.size());
    std::size_t k = 0;
    for (std::size_t region = 0; region < starts.size(); ++region, pace.step()) {
        for (; k < cuts.size() && !(cuts[k] > starts[region]); ++k) pace.step();
        const std::size_t first = k;
        for (; k < cuts.size() && !(cuts[k] > ends[region]); ++k) pace.step();
        counts.push_back(k - first);
    }
    return counts;
}

}  // namespace segscore
