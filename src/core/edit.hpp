// The edit family: what turns one set of cuts into the other.
#pragma once

#include <algorithm>
#include <cmath>
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
    // One pass for each distance below n_t that two of different sides have, and none for others.
    std::vector<std::size_t> next_other;  // the first at or behind an index that is of the other side than that one
    for (std::int64_t offset = 1; offset < n_t && alone.size() > 1;) {
        next_other.assign(alone.size() + 1, alone.size());
        for (std::size_t k = alone.size(); k-- > 0;)
            next_other[k] =
                k + 1 < alone.size() && alone[k + 1].is_truth == alone[k].is_truth ? next_other[k + 1] : k + 1;
        std::int64_t following = n_t;
        for (std::size_t i = 0, j = 0; i < alone.size(); ++i) {
            while (j < alone.size() && alone[j].cut - alone[i].cut < offset) ++j;
            if (j == alone.size()) break;
            const bool exact = alone[j].cut - alone[i].cut == offset && alone[j].is_truth != alone[i].is_truth;
            std::size_t farther = j + (alone[j].cut - alone[i].cut == offset ? 1 : 0);
            if (farther < alone.size() && alone[farther].is_truth == alone[i].is_truth) farther = next_other[farther];
            if (farther < alone.size()) following = std::min(following, alone[farther].cut - alone[i].cut);
            if (!exact || alone[i].moved || alone[j].moved) continue;
            alone[i].moved = alone[j].moved = true;
            const bool truth_first = alone[i].is_truth;
            edits.moved.push_back({alone[truth_first ? i : j].cut, alone[truth_first ? j : i].cut});
        }
        std::erase_if(alone, [](const Lone& lone) { return lone.moved; });
        offset = following;
    }
    for (const Lone& lone : alone) (lone.is_truth ? edits.missed : edits.added).push_back(lone.cut);
    return edits;
}

// Bookstein's generalised Hamming distance: the least cost of inserting, deleting and shifting cuts of the prediction
// until they are the truth's. A shift saves an insertion and a deletion and costs by its length, so the cheapest edit
// is the pairing that saves most, and cuts too far apart to save anything are not paired.
inline double generalized_hamming(std::span<const std::int64_t> truth, std::span<const std::int64_t> pred,
                                  double insertion, double deletion, double shift) {
    constexpr double farthest = 9e18;
    const double reach = shift > 0 ? std::min(farthest, std::floor((insertion + deletion) / shift)) : farthest;
    const double saved = best_pairing(
        truth, pred, static_cast<std::int64_t>(reach),
        [&](std::int64_t t, std::int64_t p) { return insertion + deletion - shift * static_cast<double>(apart(t, p)); },
        [](std::size_t, std::size_t) {});
    return insertion * static_cast<double>(truth.size()) + deletion * static_cast<double>(pred.size()) - saved;
}

}  // namespace segscore
