// The edit family: what turns one set of cuts into the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "match.hpp"

namespace segscore {

// Fournier's boundary edits: cuts that both have are matched; of the others, two at a distance below n_t may be one
// that moved, the nearest first and from the left; the rest is missed by the prediction or added by it.
struct BoundaryEdits {
    struct Move {
        std::int64_t truth, pred;
    };
    std::vector<std::int64_t> matched, missed, added;
    std::vector<Move> moved;

    double cost(std::int64_t n_t) const {
        double shifts = 0;
        for (const Move& move : moved) shifts += static_cast<double>(apart(move.truth, move.pred));
        return static_cast<double>(missed.size() + added.size()) + shifts / static_cast<double>(n_t);
    }
    double boundary_similarity(std::int64_t n_t) const {
        const std::size_t edits = matched.size() + missed.size() + added.size() + moved.size();
        return edits == 0 ? 1.0 : 1 - cost(n_t) / static_cast<double>(edits);
    }
    double segmentation_similarity(std::int64_t n_t, std::int64_t n) const {
        return n < 2 ? 1.0 : 1 - cost(n_t) / static_cast<double>(n - 1);
    }
};

inline BoundaryEdits boundary_edits(std::span<const std::int64_t> truth, std::span<const std::int64_t> pred,
                                    std::int64_t n_t) {
    BoundaryEdits edits;
    struct Lone {
        std::int64_t cut;
        bool is_truth;
        bool moved;
    };
    std::vector<Lone> alone;
    for (std::size_t i = 0, j = 0; i < truth.size() || j < pred.size();) {
        if (i < truth.size() && j < pred.size() && truth[i] == pred[j]) {
            edits.matched.push_back(truth[i++]);
            ++j;
        } else if (j >= pred.size() || (i < truth.size() && truth[i] < pred[j])) {
            alone.push_back({truth[i++], true, false});
        } else {
            alone.push_back({pred[j++], false, false});
        }
    }
    // Once no two are as near as the longest move allows, larger offsets find nothing; large n_t then cost nothing.
    for (std::int64_t offset = 1; offset < n_t && alone.size() > 1; ++offset) {
        bool reachable = false;
        for (std::size_t i = 0, j = 0; i < alone.size(); ++i) {
            while (j < alone.size() && alone[j].cut - alone[i].cut < offset) ++j;
            if (j == alone.size()) break;
            reachable |= alone[j].cut - alone[i].cut < n_t;
            if (alone[j].cut - alone[i].cut != offset || alone[i].is_truth == alone[j].is_truth) continue;
            if (alone[i].moved || alone[j].moved) continue;
            alone[i].moved = alone[j].moved = true;
            const bool truth_first = alone[i].is_truth;
            edits.moved.push_back({alone[truth_first ? i : j].cut, alone[truth_first ? j : i].cut});
        }
        std::erase_if(alone, [](const Lone& lone) { return lone.moved; });
        if (!reachable) break;
    }
    for (const Lone& lone : alone) (lone.is_truth ? edits.missed : edits.added).push_back(lone.cut);
    return edits;
}

// Bookstein's generalised Hamming distance: the least cost of inserting, deleting and shifting cuts of the prediction
// until they are the truth's. A shift that costs as much as a deletion and an insertion is none, so cuts fall into
// clusters, and each is a small programme of its own.
inline double generalized_hamming(std::span<const std::int64_t> truth, std::span<const std::int64_t> pred,
                                  double insertion, double deletion, double shift) {
    std::int64_t reach = std::numeric_limits<std::int64_t>::max();
    if (shift > 0 && (insertion + deletion) / shift < 9e18)
        reach = static_cast<std::int64_t>((insertion + deletion) / shift);
    double total = 0;
    std::vector<double> row;
    for_each_cluster(truth, pred, reach, [&](std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1) {
        row.assign(j1 - j0 + 1, 0.0);
        for (std::size_t j = 1; j < row.size(); ++j) row[j] = row[j - 1] + deletion;
        for (std::size_t i = i0; i < i1; ++i) {
            double diagonal = row[0];
            row[0] += insertion;
            for (std::size_t j = 1; j < row.size(); ++j) {
                const double moved = diagonal + shift * static_cast<double>(apart(truth[i], pred[j0 + j - 1]));
                diagonal = row[j];
                row[j] = std::min({moved, row[j] + insertion, row[j - 1] + deletion});
            }
        }
        total += row.back();
    });
    return total;
}

}  // namespace segscore
