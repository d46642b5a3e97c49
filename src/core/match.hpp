// The boundary family: which cuts found each other, and how far off they are.
//
// The rule of the margin, in one place: cuts t of the truth and p of the prediction may be matched if |t - p| <= margin
// (inclusive); each is matched at most once; and as many are matched as can be. Advancing along both lists and matching
// the two next ones whenever they may be is such a maximum: if a maximum matching does not contain that pair, pointing
// the partner of one to the other gives one that does.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace segscore {

template <class T>
T apart(T x, T y) {
    return x < y ? y - x : x - y;
}

// Calls found(i, j) for each matched pair, in order.
template <class T, class Found>
void match(std::span<const T> truth, std::span<const T> pred, T margin, const Found& found) {
    for (std::size_t i = 0, j = 0; i < truth.size() && j < pred.size();) {
        if (apart(truth[i], pred[j]) <= margin)
            found(i++, j++);
        else if (truth[i] < pred[j])
            ++i;
        else
            ++j;
    }
}

// Calls group(i, i_end, j, j_end) for runs of both lists such that no cut can reach one of another run.
template <class T, class Group>
void for_each_cluster(std::span<const T> truth, std::span<const T> pred, T reach, const Group& group) {
    for (std::size_t i = 0, j = 0; i < truth.size() || j < pred.size();) {
        const std::size_t first_i = i, first_j = j;
        const auto truth_next = [&] { return j >= pred.size() || (i < truth.size() && truth[i] <= pred[j]); };
        T last = truth_next() ? truth[i] : pred[j];
        while (i < truth.size() || j < pred.size()) {
            const T next = truth_next() ? truth[i] : pred[j];
            if (next - last > reach) break;
            last = next;
            truth_next() ? ++i : ++j;
        }
        group(first_i, i, first_j, j);
    }
}

// Among the maximum matchings one with the least sum of errors, by a programme over each cluster of cuts: O(r+s) if
// clusters are small, at worst O(rs). Of equal ones the earliest pairs win.
template <class T, class Found>
void match_closest(std::span<const T> truth, std::span<const T> pred, T margin, const Found& found) {
    struct Value {
        std::size_t count = 0;
        T error = 0;
        bool better_than(const Value& other) const {
            return count != other.count ? count > other.count : error < other.error;
        }
    };
    std::vector<Value> best;
    for_each_cluster(truth, pred, margin, [&](std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1) {
        const std::size_t rows = i1 - i0 + 1, columns = j1 - j0 + 1;
        best.assign(rows * columns, {});
        const auto paired = [&](std::size_t i, std::size_t j) {  // with the first ones left in the cluster matched
            Value value = best[(i + 1) * columns + j + 1];
            value.count += 1;
            value.error += apart(truth[i0 + i], pred[j0 + j]);
            return value;
        };
        for (std::size_t i = rows - 1; i-- > 0;)
            for (std::size_t j = columns - 1; j-- > 0;) {
                Value value = best[(i + 1) * columns + j];
                if (best[i * columns + j + 1].better_than(value)) value = best[i * columns + j + 1];
                if (apart(truth[i0 + i], pred[j0 + j]) <= margin && !value.better_than(paired(i, j)))
                    value = paired(i, j);
                best[i * columns + j] = value;
            }
        for (std::size_t i = 0, j = 0; i + 1 < rows && j + 1 < columns;) {
            const Value& value = best[i * columns + j];
            const bool may = apart(truth[i0 + i], pred[j0 + j]) <= margin;
            if (may && !value.better_than(paired(i, j))) {
                found(i0 + i++, j0 + j++);
            } else if (!value.better_than(best[(i + 1) * columns + j])) {
                ++i;
            } else {
                ++j;
            }
        }
    });
}

// Precision, recall and F from counts. Nothing found of nothing there is right; of something, wrong.
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
        const double weight = beta * beta;
        return (1 + weight) * static_cast<double>(both) /
               (weight * static_cast<double>(truth) + static_cast<double>(pred));
    }
};

// The distances from each cut of one side to the nearest of the other, in order; none if the other has none.
template <class T, class Each>
void nearest(std::span<const T> from, std::span<const T> to, const Each& each) {
    std::size_t j = 0;
    for (const T cut : from) {
        if (to.empty()) return;
        while (j + 1 < to.size() && to[j + 1] <= cut) ++j;
        T distance = apart(cut, to[j]);
        if (j + 1 < to.size()) distance = std::min(distance, apart(cut, to[j + 1]));
        each(distance);
    }
}

template <class T>
double directed_hausdorff(std::span<const T> from, std::span<const T> to) {
    if (from.empty() && to.empty()) return 0;
    if (from.empty() || to.empty()) return std::numeric_limits<double>::infinity();
    T largest = 0;
    nearest(from, to, [&](T distance) { largest = std::max(largest, distance); });
    return static_cast<double>(largest);
}

template <class T>
double mean_error(std::span<const T> from, std::span<const T> to) {
    if (from.empty() && to.empty()) return 0;
    double sum = 0, count = 0;
    nearest(from, to, [&](T distance) {
        sum += static_cast<double>(distance);
        count += 1;
    });
    return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

template <class T>
double median_error(std::span<const T> from, std::span<const T> to) {
    if (from.empty() && to.empty()) return 0;
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
