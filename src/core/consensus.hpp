// The consensus: the segmentation with the smallest sum of Rand distances to several others.
//
// The sum is a constant plus a cost for each pair that the consensus keeps together: W - 2 times the weight of the
// inputs that keep the pair together. All cuts of an optimum are cuts of an input, because the sum is strictly concave
// in the position of a cut between two of these. So the consensus is a shortest path over the union of the cuts:
//   F(b) = min over starts a of F(a) + cost(a, b).
// A start is dropped once extending its segment costs more than a new segment: the cost of the next point with
// (a, now] only grows for later points, so the newer start stays at least as good. The remaining starts are the newest
// ones, typically about as many as there are inputs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pause.hpp"

namespace segscore {

// One cut of one input.
struct InputCut {
    std::int64_t cut;
    std::size_t input;
};

// The cuts of the consensus. Ties go to the one whose last cut is latest, then to the one whose second to last cut is
// latest, and so on. `cuts` are those of all inputs, in order; Number must hold n squared times the sum of the weights.
template <class Number>
std::vector<std::int64_t> consensus(std::span<const InputCut> cuts, std::span<const Number> weights, std::int64_t n,
                                    const Pause& pause) {
    Number all{};
    for (const Number& weight : weights) all += weight;
    std::vector<std::int64_t> at{0};  // 0, the distinct cuts, n
    Pace pace(pause);
    for (const InputCut& each : cuts) {
        pace.step();
        if (each.cut != at.back()) at.push_back(each.cut);
    }
    if (n > 0) at.push_back(n);
    const std::size_t points = at.size();
    std::vector<Number> least{Number{}}, cost{Number{}};  // F, and the cost of the segment from each start up to now
    std::vector<std::size_t> from{0};                     // the start of the last segment
    std::vector<Number> started{all};  // weight of the inputs whose present segment starts at each place
    std::vector<std::size_t> start_of(weights.size(), 0);

    std::size_t oldest = 0, next_cut = 0;
    for (std::size_t j = 1; j < points; ++j) {
        pace.step(j - oldest);
        for (auto* numbers : {&least, &cost, &started}) numbers->emplace_back();
        from.push_back(0);
        const Number length = static_cast<Number>(at[j] - at[j - 1]);
        const Number within = all * (length * (length - 1) / 2);
        // From the newest start to the oldest: `extra` is the cost of one more point together with (a, at[j - 1]].
        Number extra{}, together = all;
        for (std::size_t a = j; a-- > oldest;) {
            if (a + 1 < j) {
                together -= started[a + 1];
                extra += static_cast<Number>(at[a + 1] - at[a]) * (all - together - together);
                if (!(extra < Number{})) {
                    oldest = a + 1;
                    break;
                }
            }
            cost[a] += length * extra - within;
            const Number total = least[a] + cost[a];
            if (a == j - 1 || total < least[j]) {
                least[j] = total;
                from[j] = a;
            }
        }
        for (; next_cut < cuts.size() && cuts[next_cut].cut == at[j]; ++next_cut) {
            pace.step();
            const std::size_t input = cuts[next_cut].input;
            started[start_of[input]] -= weights[input];
            started[j] += weights[input];
            start_of[input] = j;
        }
    }
    std::vector<std::int64_t> found;
    for (std::size_t j = points - 1; points > 1 && from[j] > 0; j = from[j]) found.push_back(at[from[j]]);
    std::reverse(found.begin(), found.end());
    return found;
}

}  // namespace segscore
