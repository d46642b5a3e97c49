// Streams: the pairs of every prefix, and the pairs of the latest points, while cuts arrive in the order of time.
//
// In points all sums are exact. In time, areas are differences of sums in twice the precision of a double.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <type_traits>
#include <utility>

#include "exact.hpp"
#include "pairs.hpp"

namespace segscore {

// Places and sums of a stream, and the pairs of a stretch.
template <class T>
struct Stretches {
    using Place = std::conditional_t<std::is_integral_v<T>, std::int64_t, DoubleDouble>;
    using Sum = std::conditional_t<std::is_integral_v<T>, u128, DoubleDouble>;
    using Measure = std::conditional_t<std::is_integral_v<T>, u128, double>;

    static Sum among(const Place& start, const Place& end) {
        const Place length = end - start;
        if constexpr (std::is_integral_v<T>)
            return pairs_among(length);
        else
            return length * length * 0.5;
    }
    // From the pairs together in the truth, in the prediction and in both, and all pairs.
    static Pairs<Measure> counts(const Sum& truth, const Sum& pred, const Sum& both, const Sum& total) {
        const auto rounded = [](const Sum& sum) { return static_cast<Measure>(sum); };
        return {rounded(both), rounded(truth - both), rounded(pred - both), rounded(total + both - truth - pred),
                rounded(total)};
    }
};

// The pairs of every prefix of two streams of cuts. How far an open segment will reach is unknown, so pairs are counted
// as segments and cells close: those of a cell are together on both sides.
template <class T>
struct RunningPairs : private Stretches<T> {
    using typename Stretches<T>::Sum;
    using Stretches<T>::among;

    T truth_start = 0, pred_start = 0, cell_start = 0;  // of what is open
    Sum truth{}, pred{}, both{};                        // together in what is closed

    void cut_truth(T cut) {
        truth += among(std::exchange(truth_start, cut), cut);
        both += among(std::exchange(cell_start, cut), cut);
    }
    void cut_pred(T cut) {
        pred += among(std::exchange(pred_start, cut), cut);
        both += among(std::exchange(cell_start, cut), cut);
    }
    // The first t points or units of time, where t is not before the last cut.
    auto until(T t) const {
        return this->counts(truth + among(truth_start, t), pred + among(pred_start, t), both + among(cell_start, t),
                            among(0, t));
    }
};

// The pairs of the last `window` points or units of time before each time.
template <class T>
class WindowedPairs : private Stretches<T> {
public:
    using typename Stretches<T>::Place;
    using typename Stretches<T>::Sum;
    using Stretches<T>::among;

    // The cuts of one side in the window, and the pairs together in the segments between two of these cuts.
    struct Recent {
        std::deque<T> cuts{};
        Sum pairs{};

        void append(T cut) {
            if (!cuts.empty() && cuts.back() == cut) return;
            if (!cuts.empty()) pairs += among(cuts.back(), cut);
            cuts.push_back(cut);
        }
        void forget(const Place& start) {
            while (!cuts.empty() && !(start < Place(cuts.front()))) {
                const T cut = cuts.front();
                cuts.pop_front();
                if (!cuts.empty()) pairs -= among(cut, cuts.front());
            }
            if (cuts.size() < 2) pairs = Sum{};  // in time, rounding ends here
        }
        Sum together(const Place& start, const Place& end) const {
            if (cuts.empty()) return among(start, end);
            return pairs + among(start, cuts.front()) + among(cuts.back(), end);
        }
    };

    T window = 0;
    Recent truth{}, pred{}, both{};

    explicit WindowedPairs(T size) : window(size) {}
    void cut_truth(T cut) { take(truth, cut); }
    void cut_pred(T cut) { take(pred, cut); }
    auto until(T t) {
        const Place end = t, start = forget(t);
        return this->counts(truth.together(start, end), pred.together(start, end), both.together(start, end),
                            among(start, end));
    }
    std::size_t kept() const { return std::max({truth.cuts.size(), pred.cuts.size(), both.cuts.size()}); }

private:
    // Forgets the cuts before the window of a time, and returns the start of this window.
    Place forget(T t) {
        const Place begin = Place(t) - Place(window), start = begin < Place(0) ? Place(0) : begin;
        for (Recent* side : {&truth, &pred, &both}) side->forget(start);
        return start;
    }
    void take(Recent& side, T cut) {
        side.append(cut);
        both.append(cut);
        forget(cut);
    }
};

}  // namespace segscore
