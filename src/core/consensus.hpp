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
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "pace.hpp"

namespace segscore {

// The pairs of points of a segment, or their area in time.
template <class T, class Number>
Number pairs_in(const Number& length) {
    if constexpr (std::is_integral_v<T>)
        return length * (length - 1) / 2;
    else
        return length * length * Number(0.5);
}

// The cuts of the cheapest segmentation whose cuts are among `at`, which starts with 0 and ends with n, and whose
// segments have at least a length. `all` is the cost of a pair that is together in no input, and minus the cost of a
// pair that is together in all inputs. model.across(together, place) returns the weight of the inputs that keep the
// points before a place together with the present points, from this weight for the points behind the place;
// model.pass(place) is called once at each place, in order.
//
// Ties go to the segmentation whose last cut is latest, then to the one whose second to last cut is latest, and so on.
// With a least length a dropped start is still needed until a segment from the newer start is long enough.
template <class T, class Number, class Model>
std::vector<T> cheapest_cuts(std::span<const T> at, const Number& all, T least_length, Model& model) {
    constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
    const std::size_t points = at.size();
    std::vector<Number> least{Number{}}, cost{Number{}};     // F, and the cost of the segment from each start up to now
    std::vector<std::size_t> from{0};                        // the start of the last segment
    std::vector<std::pair<std::size_t, std::size_t>> drops;  // a start, and the newer start that is as good
    std::size_t oldest = 0, dropped = 0;
    Pace pace;
    for (std::size_t j = 1; j < points; ++j) {
        const auto is_long = [&](std::size_t a, std::size_t b) { return at[b] - at[a] >= least_length; };
        for (; dropped < drops.size() && is_long(drops[dropped].second, j); ++dropped)
            oldest = std::max(oldest, drops[dropped].first + 1);
        pace.step(j - oldest);
        least.emplace_back();
        cost.emplace_back();
        from.push_back(nowhere);
        const auto between = [&](std::size_t a, std::size_t b) {
            return static_cast<Number>(at[b]) - static_cast<Number>(at[a]);
        };
        const Number length = between(j - 1, j);
        const Number within = all * pairs_in<T>(length);
        // From the newest start to the oldest: `extra` is the cost of one more point together with (a, at[j - 1]].
        Number extra{}, together = all;
        for (std::size_t a = j; a-- > oldest;) {
            if (a + 1 < j) {
                together = model.across(together, a + 1);
                extra += between(a, a + 1) * (all - together - together);
                if (!(extra < Number{}) && is_long(a, j - 1) && (drops.empty() || drops.back().first < a)) {
                    drops.emplace_back(a, j - 1);
                    if (is_long(j - 1, j)) break;  // dropped at the next place
                }
            }
            cost[a] += length * extra - within;
            if (from[a] == nowhere || !is_long(a, j)) continue;
            const Number total = least[a] + cost[a];
            if (from[j] == nowhere || total < least[j]) {
                least[j] = total;
                from[j] = a;
            }
        }
        model.pass(j);
    }
    std::vector<T> found;
    for (std::size_t j = points - 1; points > 1 && from[j] > 0; j = from[j]) found.push_back(at[from[j]]);
    std::reverse(found.begin(), found.end());
    return found;
}

// One cut of one input.
template <class T>
struct InputCut {
    T cut;
    std::size_t input;
};

// The cuts of the consensus. `cuts` are those of all inputs, in order; Number must hold n squared times the sum of the
// weights.
template <class T, class Number>
std::vector<T> consensus(std::span<const InputCut<T>> cuts, std::span<const Number> weights, T n) {
    Number all{};
    for (const Number& weight : weights) all += weight;
    std::vector<T> at{0};  // 0, the distinct cuts, n
    Pace pace;
    for (const InputCut<T>& each : cuts) {
        pace.step();
        if (each.cut != at.back()) at.push_back(each.cut);
    }
    if (n > 0) at.push_back(n);

    struct Model {
        std::span<const InputCut<T>> cuts;
        std::span<const Number> weights;
        std::span<const T> at;
        std::vector<Number> started;  // weight of the inputs whose present segment starts at each place
        std::vector<std::size_t> start_of;
        Pace& pace;
        std::size_t next = 0;

        Number across(const Number& together, std::size_t place) const { return together - started[place]; }
        void pass(std::size_t place) {
            for (; next < cuts.size() && cuts[next].cut == at[place]; ++next) {
                pace.step();
                const std::size_t input = cuts[next].input;
                started[start_of[input]] -= weights[input];
                started[place] += weights[input];
                start_of[input] = place;
            }
        }
    };
    Model model{cuts, weights, at, std::vector<Number>(at.size()), std::vector<std::size_t>(weights.size(), 0), pace};
    model.started[0] = all;
    // In time every segment between two places is long enough.
    return cheapest_cuts<T>(at, all, std::is_integral_v<T> ? T{1} : T{0}, model);
}

}  // namespace segscore
