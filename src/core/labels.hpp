// Segmentations with labels that may recur: all segments with the same label are one cluster (A B A has two clusters).
//
// Cells with the same two labels are added up in a table of overlaps; all sums are then those of a clustering.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "information.hpp"
#include "overlap.hpp"
#include "pairs.hpp"
#include "walk.hpp"

namespace segscore {

using Labels = std::span<const std::int64_t>;  // one number 0 .. count - 1 per segment

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
    Contingency(Labels truth_labels, Labels pred_labels, std::int64_t points, const Walk& walk_with) : n(points) {
        const auto size = [](Labels labels) {
            return labels.empty() ? 0 : static_cast<std::size_t>(*std::max_element(labels.begin(), labels.end())) + 1;
        };
        truth_sizes.assign(size(truth_labels), 0);
        pred_sizes.assign(size(pred_labels), 0);
        std::unordered_map<std::uint64_t, std::size_t> known;
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
            const auto [found, is_new] = known.try_emplace(truth * pred_sizes.size() + pred, entries.size());
            if (is_new) entries.push_back({truth, pred, 0});
            entries[found->second].common += cell.length;
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
        for (const Entry& entry : entries) pairs.both += pairs_among(entry.common);
        pairs.truth_only = together(truth_sizes) - pairs.both;
        pairs.pred_only = together(pred_sizes) - pairs.both;
        pairs.total = pairs_among(n);
        pairs.neither = pairs.total - pairs.both - pairs.disagreement();
        return pairs;
    }
    Natural<4> triples() const {
        Natural<4> sum;
        for (const Entry& entry : entries)
            sum += product(u128{magnitude(entry.common)} * magnitude(truth_sizes[entry.truth]),
                           magnitude(pred_sizes[entry.pred]));
        return sum;
    }

    Information information() const {
        const auto points = static_cast<double>(n);
        const auto entropy = [&](const std::vector<std::int64_t>& sizes) {
            Compensated sum;
            for (const std::int64_t size : sizes) sum.add_product(static_cast<double>(size), log_ratio(n, size));
            return sum.value() / points;
        };
        if (n == 0) return {};
        Compensated truth_given_pred, pred_given_truth;
        for (const Entry& entry : entries) {
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
        for (const Entry& entry : entries) {
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
};

}  // namespace segscore
