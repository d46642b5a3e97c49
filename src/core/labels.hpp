// Segmentations with labels that may recur: all segments with the same label are one cluster (A B A has two clusters).
//
// Cells with the same two labels are added up in a table of overlaps; all sums are then those of a clustering.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "information.hpp"
#include "overlap.hpp"
#include "pairs.hpp"
#include "pause.hpp"
#include "walk.hpp"

namespace segscore {

using Labels = std::span<const std::int64_t>;  // one number 0 .. count - 1 per segment

// Numbers keys 0, 1, 2, ... as they are first seen. A hash table with open addressing: unlike std::unordered_map it can
// pause while it grows, and is freed at once.
class Numbering {
public:
    explicit Numbering(const Pause& pause) : pace_(pause), slots_(least) {}

    std::size_t operator[](std::uint64_t key) {
        Slot& slot = find(key);
        if (slot.number != unused) return slot.number;
        slot = {key, size_};
        if (2 * ++size_ > slots_.size()) grow();
        return size_ - 1;
    }

private:
    static constexpr std::size_t least = 64, unused = std::numeric_limits<std::size_t>::max();
    struct Slot {
        std::uint64_t key = 0;
        std::size_t number = unused;
    };

    Slot& find(std::uint64_t key) {
        constexpr std::uint64_t golden = 0x9e3779b97f4a7c15, of_memory = 8;
        pace_.step(of_memory);  // a random access takes as long as several steps
        const std::uint64_t mixed = key * golden;
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
    std::vector<Slot> slots_;  // a power of two; at most half of the slots are used
    std::size_t size_ = 0;
};

struct Contingency {
    struct Entry {
        std::size_t truth, pred;
        std::int64_t common;
    };
    std::vector<Entry> entries;
    std::vector<std::int64_t> truth_sizes, pred_sizes;
    std::int64_t n = 0;

    // O(r+s) expected: one look-up per cell.
    template <class Walk>
    Contingency(Labels truth_labels, Labels pred_labels, std::int64_t points, const Walk& walk_with, const Pause& pause)
        : n(points), pause_(pause) {
        const auto size = [](Labels labels) {
            return labels.empty() ? 0 : static_cast<std::size_t>(*std::max_element(labels.begin(), labels.end())) + 1;
        };
        truth_sizes.assign(size(truth_labels), 0);
        pred_sizes.assign(size(pred_labels), 0);
        Numbering known(pause);
        std::size_t i = 0, j = 0;
        std::int64_t left = n;
        walk_with([&](const Cell<std::int64_t>& cell) {
            if (i >= truth_labels.size() || j >= pred_labels.size()) refuse_change();
            if (cell.length <= 0 || cell.length > left) refuse_change();
            left -= cell.length;
            const auto truth = static_cast<std::size_t>(truth_labels[i]),
                       pred = static_cast<std::size_t>(pred_labels[j]);
            truth_sizes[truth] += cell.length;
            pred_sizes[pred] += cell.length;
            const std::size_t number = known[truth * pred_sizes.size() + pred];
            if (number == entries.size()) entries.push_back({truth, pred, 0});
            entries[number].common += cell.length;
            i += cell.truth_end <= cell.pred_end;
            j += cell.pred_end <= cell.truth_end;
        });
    }

    Pairs<u128> pairs() const {
        const auto together = [](const std::vector<std::int64_t>& sizes) {
            u128 sum = 0;
            for (const std::int64_t size : sizes) sum += pairs_among(size);
            return sum;
        };
        Pairs<u128> pairs;
        Pace pace(pause_);
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
    Natural<4> triples() const {
        Natural<4> sum;
        Pace pace(pause_);
        for (const Entry& entry : entries) {
            pace.step(work_per_entry);
            sum += product(u128{magnitude(entry.common)} * magnitude(truth_sizes[entry.truth]),
                           magnitude(pred_sizes[entry.pred]));
        }
        return sum;
    }

    Information information() const {
        const auto points = static_cast<double>(n);
        const auto entropy = [&](const std::vector<std::int64_t>& sizes) {
            Compensated sum;
            Pace pace(pause_);
            for (const std::int64_t size : sizes) {
                pace.step(work_per_entry);
                sum.add_product(static_cast<double>(size), log_ratio(n, size));
            }
            return sum.value() / points;
        };
        if (n == 0) return {};
        Compensated truth_given_pred, pred_given_truth;
        Pace pace(pause_);
        for (const Entry& entry : entries) {
            pace.step(work_per_entry);
            const auto common = static_cast<double>(entry.common);
            truth_given_pred.add_product(common, log_ratio(pred_sizes[entry.pred], entry.common));
            pred_given_truth.add_product(common, log_ratio(truth_sizes[entry.truth], entry.common));
        }
        return {entropy(truth_sizes), entropy(pred_sizes), truth_given_pred.value() / points,
                pred_given_truth.value() / points};
    }

    Overlap overlap() const {
        OverlapVisitor sums;
        std::vector<OverlapVisitor::Best> truth_best(truth_sizes.size()), pred_best(pred_sizes.size());
        Pace pace(pause_);
        for (const Entry& entry : entries) {
            pace.step(work_per_entry);
            const auto common = static_cast<double>(entry.common);
            const auto in_truth = static_cast<double>(truth_sizes[entry.truth]);
            const auto in_pred = static_cast<double>(pred_sizes[entry.pred]);
            const double iou = common / (in_truth + in_pred - common);
            truth_best[entry.truth].see(iou, common);
            pred_best[entry.pred].see(iou, common);
            sums.precision.add_product(common, common / in_pred);
            sums.recall.add_product(common, common / in_truth);
        }
        for (std::size_t k = 0; k < truth_sizes.size(); ++k) {
            sums.covering.add_product(static_cast<double>(truth_sizes[k]), truth_best[k].iou);
            sums.ious.add(truth_best[k].iou);
            sums.coverage.add(truth_best[k].common);
            sums.segments += 1;
        }
        for (std::size_t k = 0; k < pred_sizes.size(); ++k) {
            sums.reverse_covering.add_product(static_cast<double>(pred_sizes[k]), pred_best[k].iou);
            sums.purity.add(pred_best[k].common);
        }
        return sums.overlap(static_cast<double>(n));
    }

private:
    static constexpr std::uint64_t work_per_entry = 16;  // in steps of a Pace

    Pause pause_;
};

}  // namespace segscore
