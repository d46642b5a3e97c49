// Segmentations with labels that may recur: all segments with the same label are one cluster (A B A has two clusters).
//
// Cells with the same two labels are added up in a table of overlaps; all sums are then those of a clustering.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "exact.hpp"
#include "information.hpp"
#include "overlap.hpp"
#include "pace.hpp"
#include "pairs.hpp"
#include "walk.hpp"

namespace segscore {

using Labels = std::span<const std::int64_t>;  // one number 0 .. count - 1 per segment

// Numbers keys 0, 1, 2, ... as they are first seen. A hash table with open addressing: unlike std::unordered_map it can
// be interrupted while it grows, and is freed at once.
template <class Key = std::uint64_t>
class Numbering {
public:
    std::size_t operator[](Key key) {
        Slot& slot = find(key);
        if (slot.number != unused) return slot.number;
        slot = {key, size_};
        if (2 * ++size_ > slots_.size()) grow();
        return size_ - 1;
    }

private:
    static constexpr std::size_t least = 64, unused = std::numeric_limits<std::size_t>::max();
    struct Slot {
        Key key{};
        std::size_t number = unused;
    };

    Slot& find(const Key& key) {
        constexpr std::uint64_t golden = 0x9e3779b97f4a7c15, of_memory = 8;
        pace_.step(of_memory);  // a random access takes as long as several steps
        const std::uint64_t mixed = std::uint64_t{std::hash<Key>()(key)} * golden;
        std::size_t place = static_cast<std::size_t>(mixed >> 32 ^ mixed) & (slots_.size() - 1);
        while (slots_[place].number != unused && slots_[place].key != key) place = (place + 1) & (slots_.size() - 1);
        return slots_[place];
    }
    void grow() {
        const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
        for (const Slot& slot : before)
            if (slot.number != unused) find(slot.key) = slot;
    }

    Pace pace_;
    std::vector<Slot> slots_ = std::vector<Slot>(least);  // a power of two; at most half of the slots are used
    std::size_t size_ = 0;
};

// The size of a cluster, which is made of many cells: a number of points is exact, a length of time has twice the
// precision of a double. Then the rest of a cluster outside of a cell is accurate too, even if it is small.
template <class T>
using Size = std::conditional_t<std::is_integral_v<T>, std::int64_t, Compensated>;

inline void extend(std::int64_t& size, const Cell<std::int64_t>& cell) { size += cell.length; }
inline void extend(Compensated& size, const Cell<double>& cell) {
    // Not the length of the cell, which is rounded.
    size.add(std::min(cell.truth_end, cell.pred_end));
    size.add(-std::max(cell.truth_start, cell.pred_start));
}
inline double length_of(std::int64_t size) { return static_cast<double>(size); }
inline double length_of(const Compensated& size) { return size.value(); }
inline Compensated without(Compensated whole, const Compensated& part) {
    whole.add({-part.high, -part.low});
    return whole;
}
// log(whole / part), as for numbers of points.
inline double log_ratio(const Compensated& whole, const Compensated& part) {
    const double rest = std::max(0.0, without(whole, part).value()), inside = part.value();
    return rest < inside ? std::log1p(rest / inside) : std::log(whole.value() / inside);
}
inline double either(std::int64_t truth, std::int64_t pred, std::int64_t common) {
    return length_of(truth) + length_of(pred) - length_of(common);
}
inline double either(const Compensated& truth, const Compensated& pred, const Compensated& common) {
    return truth.value() + std::max(0.0, without(pred, common).value());
}

template <class T>
struct Contingency {
    struct Entry {
        std::size_t truth, pred;
        Size<T> common;
    };
    std::vector<Entry> entries;
    std::vector<Size<T>> truth_sizes, pred_sizes;
    Size<T> n{};

    // O(r+s) expected: one look-up per cell. `walk_with(visitor)` shows each cell to a visitor.
    template <class Walk>
    Contingency(Labels truth_labels, Labels pred_labels, T length, const Walk& walk_with) {
        const auto size = [](Labels labels) {
            return labels.empty() ? 0 : static_cast<std::size_t>(*std::max_element(labels.begin(), labels.end())) + 1;
        };
        truth_sizes.assign(size(truth_labels), {});
        pred_sizes.assign(size(pred_labels), {});
        Numbering<> known;
        std::size_t i = 0, j = 0;
        T left = length;
        const auto see = [&](const Cell<T>& cell) {
            if (i >= truth_labels.size() || j >= pred_labels.size()) refuse_change();
            if (!(cell.length > 0) || cell.length > left) refuse_change();
            if constexpr (std::is_integral_v<T>) left -= cell.length;  // of times the sum is rounded
            const auto truth = static_cast<std::size_t>(truth_labels[i]),
                       pred = static_cast<std::size_t>(pred_labels[j]);
            extend(truth_sizes[truth], cell);
            extend(pred_sizes[pred], cell);
            const std::size_t number = known[truth * pred_sizes.size() + pred];
            if (number == entries.size()) entries.push_back({truth, pred, {}});
            extend(entries[number].common, cell);
            i += cell.truth_end <= cell.pred_end;
            j += cell.pred_end <= cell.truth_end;
        };
        if constexpr (std::is_integral_v<T>) {
            n = length;
            walk_with(see);
        } else {
            const double factor = factor_of_units(length);
            left = length * factor;
            n.add(left);
            unit_ = 1 / factor / factor;
            walk_with([&](const Cell<double>& cell) { see(in_units(cell, factor)); });
        }
    }

    Pairs<u128> pairs() const
        requires std::is_integral_v<T>
    {
        const auto together = [](const std::vector<std::int64_t>& sizes) {
            u128 sum = 0;
            for (const std::int64_t size : sizes) sum += pairs_among(size);
            return sum;
        };
        Pairs<u128> pairs;
        Pace pace;
        for (const Entry& entry : entries) {
            pace.step(work_per_entry);
            pairs.both += pairs_among(entry.common);
        }
        pairs.truth_only = together(truth_sizes) - pairs.both;
        pairs.pred_only = together(pred_sizes) - pairs.both;
        pairs.total = pairs_among(n);
        pairs.neither = pairs.total - pairs.both - pairs.disagreement();
        return pairs;
    }
    // The four areas are summed separately, because the smallest area may be smaller than the rounding of the others.
    Pairs<double> pairs() const
        requires std::is_floating_point_v<T>
    {
        Compensated both, truth_only, pred_only, neither;
        Pace pace;
        for (const Entry& entry : entries) {
            pace.step(work_per_entry);
            const Size<T>&truth = truth_sizes[entry.truth], &pred = pred_sizes[entry.pred];
            const double common = entry.common.value();
            const Compensated pred_rest = without(pred, entry.common);
            both.add_product(common, common);
            truth_only.add_product(common, std::max(0.0, without(truth, entry.common).value()));
            pred_only.add_product(common, std::max(0.0, pred_rest.value()));
            neither.add_product(common, std::max(0.0, without(without(n, truth), pred_rest).value()));
        }
        return {both.value() / 2,    truth_only.value() / 2, pred_only.value() / 2,
                neither.value() / 2, pairs_among(n.value()), unit_};
    }
    Natural<4> triples() const
        requires std::is_integral_v<T>
    {
        Natural<4> sum;
        Pace pace;
        for (const Entry& entry : entries) {
            pace.step(work_per_entry);
            sum += product(u128{magnitude(entry.common)} * magnitude(truth_sizes[entry.truth]),
                           magnitude(pred_sizes[entry.pred]));
        }
        return sum;
    }

    Information information() const {
        const double whole = length_of(n);
        const auto entropy = [&](const std::vector<Size<T>>& sizes) {
            if (sizes.size() < 2) return 0.0;  // the size of the only cluster is rounded in time
            Compensated sum;
            Pace pace;
            for (const Size<T>& size : sizes) {
                pace.step(work_per_entry);
                sum.add_product(length_of(size), log_ratio(n, size));
            }
            return sum.value() / whole;
        };
        if (!(whole > 0)) return {};
        Compensated truth_given_pred, pred_given_truth;
        Pace pace;
        for (const Entry& entry : entries) {
            pace.step(work_per_entry);
            const double common = length_of(entry.common);
            truth_given_pred.add_product(common, log_ratio(pred_sizes[entry.pred], entry.common));
            pred_given_truth.add_product(common, log_ratio(truth_sizes[entry.truth], entry.common));
        }
        return {entropy(truth_sizes), entropy(pred_sizes), truth_given_pred.value() / whole,
                pred_given_truth.value() / whole};
    }

    Overlap overlap() const {
        OverlapVisitor sums;
        std::vector<OverlapVisitor::Best> truth_best(truth_sizes.size()), pred_best(pred_sizes.size());
        Pace pace;
        for (const Entry& entry : entries) {
            pace.step(work_per_entry);
            const Size<T>&truth = truth_sizes[entry.truth], &pred = pred_sizes[entry.pred];
            const double common = length_of(entry.common);
            const double iou = common / either(truth, pred, entry.common);
            truth_best[entry.truth].see(iou, common);
            pred_best[entry.pred].see(iou, common);
            sums.precision.add_product(common, common / length_of(pred));
            sums.recall.add_product(common, common / length_of(truth));
        }
        for (std::size_t k = 0; k < truth_sizes.size(); ++k) {
            sums.covering.add_product(length_of(truth_sizes[k]), truth_best[k].iou);
            sums.ious.add(truth_best[k].iou);
            sums.coverage.add(truth_best[k].common);
            sums.segments += 1;
        }
        for (std::size_t k = 0; k < pred_sizes.size(); ++k) {
            sums.reverse_covering.add_product(length_of(pred_sizes[k]), pred_best[k].iou);
            sums.purity.add(pred_best[k].common);
        }
        return sums.overlap(length_of(n));
    }

private:
    static constexpr std::uint64_t work_per_entry = 16;  // in steps of a Pace

    double unit_ = 1;  // the area that is 1 here
};

}  // namespace segscore
