// The walk over the overlap cells of two segmentations, each once, in order. Algorithm 1 of the paper.
//
// The cells are the segments of the union of both cut sets, so there are exactly |A u B| + 1 of them, all non-empty.
// The state is O(1), and the cuts are read once. The walk also checks that the cuts increase: exactly then every cell
// has a positive length.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "cuts.hpp"
#include "pace.hpp"

namespace segscore {

// The overlap of a true and a predicted segment.
template <class T>
struct Cell {
    T length;
    T truth_start, truth_end;
    T pred_start, pred_end;

    T truth_length() const { return difference(truth_end, truth_start); }
    T pred_length() const { return difference(pred_end, pred_start); }
    T either_length() const { return difference(std::max(truth_end, pred_end), std::min(truth_start, pred_start)); }
};

// A visitor is called with each cell. A visitor whose sums do not depend on the order of the cells has
// `void merge(const Visitor&)`; long inputs are then walked in several places at once.
template <class Visitor>
concept Mergeable = requires(Visitor into, const Visitor& from) { into.merge(from); };

// A visitor that has seen no cell yet. A visitor that needs data before it starts copies the data in blank().
template <class Visitor>
Visitor blank(const Visitor& visitor) {
    if constexpr (requires { visitor.blank(); })
        return visitor.blank();
    else
        return {};
}

// A place in the walk: the remaining cuts of both sides, and the start of the present cell.
template <class T>
struct Place {
    const T* truth;
    const T* pred;
    T truth_start;
    T pred_start;
    T position;
};

// One step from `place` to the next cut. The step has no branch, because the side of the next cut is unpredictable.
// It uses sign bits, because compilers turn plain comparisons of integers back into branches. `order` becomes negative
// if the cuts do not increase.
template <class T, class Visitor>
[[gnu::always_inline]] inline void step(Place<T>& place, Visitor& visit, std::uint64_t& order) {
    const T truth_end = *place.truth;
    const T pred_end = *place.pred;
    if constexpr (std::is_integral_v<T>) {
        // Unsigned, so that nonsense may wrap around. It shows in the sign of `order`: a negative cut, or a cell
        // without length. A cut so negative that it wraps past the other side is never passed, and is found at the end.
        const auto t = static_cast<std::uint64_t>(truth_end), p = static_cast<std::uint64_t>(pred_end);
        const auto is_negative = [](std::uint64_t x) {  // returns all ones or all zeros
            return static_cast<std::uint64_t>(static_cast<std::int64_t>(x) >> 63);
        };
        const std::uint64_t truth_first = is_negative(t - p), pred_first = is_negative(p - t);
        const std::uint64_t end = p + ((t - p) & truth_first);
        const std::uint64_t length = end - static_cast<std::uint64_t>(place.position);
        order |= end | (length - 1);
        visit(Cell<T>{static_cast<T>(length), place.truth_start, truth_end, place.pred_start, pred_end});
        place.position = static_cast<T>(end);
        place.truth += 1 + static_cast<std::int64_t>(pred_first);
        place.pred += 1 + static_cast<std::int64_t>(truth_first);
        const auto truth_start = static_cast<std::uint64_t>(place.truth_start);
        const auto pred_start = static_cast<std::uint64_t>(place.pred_start);
        place.truth_start = static_cast<T>(truth_start + ((t - truth_start) & ~pred_first));
        place.pred_start = static_cast<T>(pred_start + ((p - pred_start) & ~truth_first));
    } else {
        const T end = truth_end < pred_end ? truth_end : pred_end;
        if (!(truth_end > place.position && pred_end > place.position)) order |= std::uint64_t{1} << 63;
        visit(Cell<T>{end - place.position, place.truth_start, truth_end, place.pred_start, pred_end});
        place.position = end;
        const bool truth_ends = !(truth_end > pred_end), pred_ends = !(pred_end > truth_end);
        place.truth += truth_ends;
        place.pred += pred_ends;
        if (truth_ends) place.truth_start = truth_end;
        if (pred_ends) place.pred_start = pred_end;
    }
}

// Reads off the cuts where the segments start, so that a visitor which does not ask for it need not pay for it.
template <class T>
[[gnu::always_inline]] inline void read_starts(Place<T>& now, const Place<T>& before) {
    now.truth_start = now.truth == before.truth ? before.truth_start : now.truth[-1];
    now.pred_start = now.pred == before.pred ? before.pred_start : now.pred[-1];
}

// `count` steps from each of several places, interleaved: while one step waits for the load of its next cut, the others
// go on. Three places are best; with four the state no longer fits the registers.
template <class T, class Visitor, std::size_t... I>
[[gnu::noinline]] void interleave(std::array<Place<T>, sizeof...(I)>& places,
                                  std::array<Visitor, sizeof...(I)>& visitors, std::uint64_t& order, std::size_t count,
                                  std::index_sequence<I...>) {
    std::array<Place<T>, sizeof...(I)> at = places;  // local copies, so that they live in registers
    std::array<Visitor, sizeof...(I)> visit = visitors;
    std::uint64_t seen = order;
    for (; count > 0; --count) (step(at[I], visit[I], seen), ...);
    (read_starts(at[I], places[I]), ...);
    places = at;
    visitors = visit;
    order = seen;
}

// Where the first `count` values of both sides together end. On unsorted input any split may come out; it lies within
// bounds, and the walk notices.
template <class T>
Place<T> split(std::span<const T> truth, std::span<const T> pred, std::size_t count, const Place<T>& from) {
    std::size_t low = count > pred.size() ? count - pred.size() : 0;
    std::size_t high = std::min(count, truth.size());
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (truth[middle] < pred[count - middle - 1])
            low = middle + 1;
        else
            high = middle;
    }
    std::size_t i = low, j = count - low;
    const T truth_last = i > 0 ? truth[i - 1] : from.truth_start, pred_last = j > 0 ? pred[j - 1] : from.pred_start;
    const T position = std::max(truth_last, pred_last);
    Place<T> place{truth.data() + i, pred.data() + j, truth_last, pred_last, position};
    // A cut that both sides have is one step, so it belongs before the split on both sides.
    if (i < truth.size() && truth[i] == position) place.truth_start = *place.truth++;
    if (j < pred.size() && pred[j] == position) place.pred_start = *place.pred++;
    return place;
}

// Walks until one of the two blocks is used up. Returns false if some cuts do not increase.
template <class T, class Visitor>
bool walk_blocks(std::span<const T> truth, std::span<const T> pred, Place<T>& place, Visitor& visit) {
    const T* const truth_end = truth.data() + truth.size();
    const T* const pred_end = pred.data() + pred.size();
    std::uint64_t order = 0;
    // Between a cut and one 2^63 below it no step is possible; such nonsense shows here, and must end the loop.
    const auto increasing = [&order] { return static_cast<std::int64_t>(order) >= 0; };
    place.truth = truth.data();
    place.pred = pred.data();

    constexpr std::size_t lanes = 3, worthwhile = 1024;
    constexpr std::ptrdiff_t too_few = 8;
    if constexpr (Mergeable<Visitor>) {
        if (truth.size() + pred.size() >= worthwhile) {
            // Walks the part in which both sides have cuts, in pieces of equal size.
            const T stop = std::min(truth.back(), pred.back());
            truth = truth.first(
                static_cast<std::size_t>(std::upper_bound(truth.begin(), truth.end(), stop) - truth.begin()));
            pred =
                pred.first(static_cast<std::size_t>(std::upper_bound(pred.begin(), pred.end(), stop) - pred.begin()));
            const std::size_t total = truth.size() + pred.size();
            std::array<Place<T>, lanes> at, until;
            std::array<Visitor, lanes> visitors;
            visitors.fill(blank(visit));
            at[0] = place;
            for (std::size_t k = 1; k < lanes; ++k) until[k - 1] = at[k] = split(truth, pred, total * k / lanes, place);
            until[lanes - 1] = {truth.data() + truth.size(), pred.data() + pred.size(), 0, 0, stop};

            const auto left = [&](std::size_t k) {  // values left in piece k, negative for unsorted cuts
                return (until[k].truth - at[k].truth) + (until[k].pred - at[k].pred);
            };
            for (;;) {  // so few steps that no piece can overrun: a step uses at most one value of each side
                std::ptrdiff_t count = std::numeric_limits<std::ptrdiff_t>::max();
                for (std::size_t k = 0; k < lanes; ++k)
                    count = std::min({count, left(k) / 2, truth_end - at[k].truth, pred_end - at[k].pred});
                if (count < too_few || !increasing()) break;
                interleave(at, visitors, order, static_cast<std::size_t>(count), std::make_index_sequence<lanes>{});
            }
            for (std::size_t k = 0; k < lanes; ++k) {
                while (increasing() && left(k) > 0 && at[k].truth != truth_end && at[k].pred != pred_end)
                    step(at[k], visitors[k], order);
                if (at[k].truth != until[k].truth || at[k].pred != until[k].pred || at[k].position != until[k].position)
                    return false;
                visit.merge(visitors[k]);
            }
            place = at[lanes - 1];
            return increasing();
        }
    }
    Place<T> at = place;  // a local copy, so that it lives in registers
    while (increasing() && at.truth != truth_end && at.pred != pred_end) step(at, visit, order);
    read_starts(at, place);
    place = at;
    return increasing();
}

// Walks both sides to their end. A side is a Cuts or a CheckedCuts.
template <class T, class Truth, class Pred, class Visitor>
void walk(Truth& truth, Pred& pred, T n, Visitor& visit) {
    constexpr std::size_t cuts_per_check = std::size_t{1} << 19;
    Place<T> place{};
    Pace pace;
    const auto check = [&](bool increasing) {
        if (increasing) return;
        truth.check();
        pred.check();
        refuse_change();
    };
    for (;;) {
        const bool truth_more = truth.more(), pred_more = pred.more();
        if (!truth_more || !pred_more) break;
        const auto part = [&](std::span<const T> block) { return block.first(std::min(block.size(), cuts_per_check)); };
        const auto truth_block = part(truth.block()), pred_block = part(pred.block());
        pace.step(truth_block.size() + pred_block.size());
        const bool increasing = walk_blocks(truth_block, pred_block, place, visit);
        const bool moved = place.truth != truth_block.data() || place.pred != pred_block.data();
        check(increasing && moved);  // cuts that were rewritten after the check may leave no step
        truth.drop(static_cast<std::size_t>(place.truth - truth_block.data()));
        pred.drop(static_cast<std::size_t>(place.pred - pred_block.data()));
    }
    // At most one side has cuts left; the other side is in its last segment, which ends at n.
    const auto finish = [&](auto& side, T& start, const auto& cell) {
        while (side.more()) {
            for (const T cut : side.block()) {
                check(cut > place.position);
                visit(cell(cut));
                place.position = start = cut;
                pace.step();
            }
            side.drop(side.block().size());
        }
    };
    finish(truth, place.truth_start,
           [&](T cut) { return Cell<T>{cut - place.position, place.truth_start, cut, place.pred_start, n}; });
    finish(pred, place.pred_start,
           [&](T cut) { return Cell<T>{cut - place.position, place.truth_start, n, place.pred_start, cut}; });
    if (n > place.position) visit(Cell<T>{n - place.position, place.truth_start, n, place.pred_start, n});
}

// The same for checked cuts in memory.
template <class T, class Visitor>
void walk_checked(std::span<const T> truth, std::span<const T> pred, T n, Visitor& visit) {
    CheckedCuts<T> truth_cuts(truth), pred_cuts(pred);
    walk(truth_cuts, pred_cuts, n, visit);
}

// Three walks over checked cuts in memory, one truth and three predictions, interleaved:
// short ones wait for each other's loads as the pieces of a long one do.
template <class T, class Visitor>
void walk_three(std::span<const T> truth, const std::array<std::span<const T>, 3>& preds, T n,
                std::array<Visitor, 3>& visitors) {
    std::array<Place<T>, 3> at{};
    for (std::size_t k = 0; k < 3; ++k) at[k] = {truth.data(), preds[k].data(), 0, 0, 0};
    const T* const truth_end = truth.data() + truth.size();
    const auto pred_end = [&](std::size_t k) { return preds[k].data() + preds[k].size(); };
    std::uint64_t order = 0;
    for (;;) {  // so few steps that no walk can overrun
        std::ptrdiff_t count = std::numeric_limits<std::ptrdiff_t>::max();
        for (std::size_t k = 0; k < 3; ++k)
            count = std::min({count, truth_end - at[k].truth, pred_end(k) - at[k].pred});
        if (count <= 0) break;
        interleave(at, visitors, order, static_cast<std::size_t>(count), std::make_index_sequence<3>{});
    }
    for (std::size_t k = 0; k < 3; ++k) {
        Place<T>& place = at[k];
        while (place.truth != truth_end && place.pred != pred_end(k)) step(place, visitors[k], order);
        for (; place.truth != truth_end; place.position = place.truth_start = *place.truth++)
            visitors[k](Cell<T>{*place.truth - place.position, place.truth_start, *place.truth, place.pred_start, n});
        for (; place.pred != pred_end(k); place.position = place.pred_start = *place.pred++)
            visitors[k](Cell<T>{*place.pred - place.position, place.truth_start, n, place.pred_start, *place.pred});
        if (n > place.position) visitors[k](Cell<T>{n - place.position, place.truth_start, n, place.pred_start, n});
    }
}

}  // namespace segscore
