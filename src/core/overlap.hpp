// The overlap family: how well each segment agrees with the best segment of the other side.
#pragma once

#include <algorithm>
#include <vector>

#include "exact.hpp"
#include "walk.hpp"

namespace segscore {

struct Overlap {
    double covering = 0;          // of the truth's segments by the prediction, by intersection over union
    double reverse_covering = 0;  // of the prediction's segments by the truth
    double mean_iou = 0;          // over the truth's segments, unweighted
    double coverage = 0;          // of the truth's segments, by intersection alone
    double purity = 0;            // of the prediction's segments, by intersection alone
    double b_cubed_precision = 0;
    double b_cubed_recall = 0;
};

// Reads the cells in order, and keeps the best counterpart of a segment until the walk leaves the segment.
struct OverlapVisitor {
    struct Best {
        double iou = 0, common = 0;
        void see(double new_iou, double new_common) {
            iou = std::max(iou, new_iou);
            common = std::max(common, new_common);
        }
    };
    Best truth_best, pred_best;
    Compensated covering, reverse_covering, ious, coverage, purity, precision, recall;
    double segments = 0;

    template <class T>
    void operator()(const Cell<T>& cell) {
        const auto common = static_cast<double>(cell.length);
        const auto in_truth = static_cast<double>(cell.truth_length());
        const auto in_pred = static_cast<double>(cell.pred_length());
        const double iou = common / static_cast<double>(cell.either_length());
        truth_best.see(iou, common);
        pred_best.see(iou, common);
        precision.add_product(common, common / in_pred);
        recall.add_product(common, common / in_truth);
        if (cell.truth_end <= cell.pred_end) {
            covering.add_product(in_truth, truth_best.iou);
            ious.add(truth_best.iou);
            coverage.add(truth_best.common);
            segments += 1;
            truth_best = {};
        }
        if (cell.pred_end <= cell.truth_end) {
            reverse_covering.add_product(in_pred, pred_best.iou);
            purity.add(pred_best.common);
            pred_best = {};
        }
    }
    Overlap overlap(double n) const {
        if (!(n > 0)) return {1, 1, 1, 1, 1, 1, 1};
        return {covering.value() / n, reverse_covering.value() / n, ious.value() / segments, coverage.value() / n,
                purity.value() / n,   precision.value() / n,        recall.value() / n};
    }
};

// The intersection over union of each true segment with its best counterpart, in order.
struct BestIous {
    std::vector<double> found;
    double best = 0;

    template <class T>
    void operator()(const Cell<T>& cell) {
        best = std::max(best, static_cast<double>(cell.length) / static_cast<double>(cell.either_length()));
        if (cell.truth_end > cell.pred_end) return;
        found.push_back(best);
        best = 0;
    }
};

inline double harmonic_mean(double x, double y) { return x + y == 0 ? 0.0 : 2 * x * y / (x + y); }

}  // namespace segscore
