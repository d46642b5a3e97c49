// The edit family: the edits that turn one set of cuts into the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cuts.hpp"
#include "exact.hpp"
#include "matching.hpp"
#include "pace.hpp"

namespace segscore {

// Fournier's boundary edits. Cuts that both sides have are matched. Of the others, a true and a predicted cut at a
// distance below n_t count as one cut that moved; the nearest pairs are taken first, and ties go to the left. The rest
// is missed or added. `edits` receives each edit by matched(cut), moved(truth, pred), missed(cut) or added(cut).
template <class Edits>
void visit_edits(std::span<const std::int64_t> truth, std::span<const std::int64_t> pred, std::int64_t n_t,
                 Edits& edits) {
    struct Lone {
        std::int64_t cut;
        bool is_truth;
        bool moved = false;
    };
    const auto left_over = [&](const Lone& lone) { lone.is_truth ? edits.missed(lone.cut) : edits.added(lone.cut); };
    const auto move = [&](Lone& x, Lone& y) {
        x.moved = y.moved = true;
        x.is_truth ? edits.moved(x.cut, y.cut) : edits.moved(y.cut, x.cut);
    };
    // Moves by 1 are found during the merge, since they need only the previous cut. With n_t = 2 there is no further
    // pass.
    std::vector<Lone> alone;
    std::optional<Lone> before;
    const auto pass_on = [&] {
        if (before.has_value()) n_t > 2 ? alone.push_back(*before) : left_over(*before);
    };
    const auto meet = [&](Lone lone) {
        if (n_t > 1 && before.has_value() && lone.is_truth != before->is_truth &&
            difference(lone.cut, before->cut) == 1) {
            move(*before, lone);
            before.reset();
        } else {
            pass_on();
            before = lone;
        }
    };
    Pace pace;
    for (std::size_t i = 0, j = 0; i < truth.size() || j < pred.size();) {
        pace.step();
        const bool truth_left = i < truth.size(), pred_left = j < pred.size();
        const std::int64_t t = truth_left ? truth[i] : 0, p = pred_left ? pred[j] : 0;
        if (truth_left && pred_left && t == p) {
            edits.matched(t);
            ++i;
            ++j;
        } else if (truth_left && (!pred_left || t < p)) {
            meet({t, true});
            ++i;
        } else {
            meet({p, false});
            ++j;
        }
    }
    pass_on();
    // The following loop ends, because the distances are positive.
    const auto is_before = [](const Lone& x, const Lone& y) { return 0 < x.cut && x.cut < y.cut; };
    for (std::size_t k = 1; k < alone.size(); ++k, pace.step())
        if (!is_before(alone[k - 1], alone[k])) refuse_change();
    // One pass for each distance from 2 to n_t - 1 that occurs between cuts of different sides.
    std::vector<std::size_t> next_other;  // for each index, the next index of a cut of the other side
    for (std::int64_t offset = 2; offset < n_t && alone.size() > 1;) {
        next_other.resize(alone.size() + 1);
        next_other.back() = alone.size();
        for (std::size_t k = alone.size(); k-- > 0; pace.step())
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
            if (exact && !alone[i].moved && !alone[j].moved) move(alone[i], alone[j]);
            pace.step();
        }
        std::erase_if(alone, [](const Lone& lone) { return lone.moved; });
        offset = following;
    }
    for (const Lone& lone : alone) {
        left_over(lone);
        pace.step();
    }
}

// Counts the edits, which is all that the similarities need.
struct EditCounts {
    std::size_t edits = 0;
    std::size_t lone = 0;
    double shifts = 0;  // sum of the distances of all moves

    void matched(std::int64_t) { ++edits; }
    void moved(std::int64_t truth, std::int64_t pred) {
        ++edits;
        shifts += static_cast<double>(apart(truth, pred));
    }
    void missed(std::int64_t) {
        ++edits;
        ++lone;
    }
    void added(std::int64_t cut) { missed(cut); }

    double cost(std::int64_t n_t) const { return static_cast<double>(lone) + shifts / static_cast<double>(n_t); }
    double boundary_similarity(std::int64_t n_t) const {
        return edits == 0 ? 1.0 : 1 - cost(n_t) / static_cast<double>(edits);
    }
    double segmentation_similarity(std::int64_t n_t, std::int64_t n) const {
        return n < 2 ? 1.0 : 1 - cost(n_t) / static_cast<double>(n - 1);
    }
};

inline EditCounts count_edits(std::span<const std::int64_t> truth, std::span<const std::int64_t> pred,
                              std::int64_t n_t) {
    EditCounts counts;
    visit_edits(truth, pred, n_t, counts);
    return counts;
}

// Pairs of cuts, and the sum of their distances.
struct Pairing {
    std::size_t count = 0;
    u128 distance = 0;
};

// The best of all ways to pair cuts at most `reach` apart without crossing: worse(x, y) compares two of them. A dynamic
// programme from the end: row i holds, for each cut of the prediction within reach of truth[i], the best pairing of
// what is left. Below its reach nothing else can be paired, above its reach the next row goes on. Time is O(r + s +
// number of pairs within reach).
template <class Worse>
Pairing best_pairing(std::span<const std::int64_t> truth, std::span<const std::int64_t> pred, std::int64_t reach,
                     const Worse& worse) {
    struct Band {
        std::size_t low, high;  // of the prediction's cuts within reach
    };
    std::vector<Band> bands;
    bands.reserve(truth.size() + 1);
    std::size_t low = 0, high = 0;
    Pace pace;
    for (const std::int64_t cut : truth) {
        pace.step();
        while (low < pred.size() && pred[low] < cut && apart(cut, pred[low]) > reach) ++low;
        high = std::max(high, low);
        while (high < pred.size() && (pred[high] < cut || apart(cut, pred[high]) <= reach)) ++high;
        bands.push_back({low, high});
    }
    bands.push_back({pred.size(), pred.size()});
    std::vector<Pairing> row, next(1);  // from low to high
    for (std::size_t i = truth.size(); i-- > 0;) {
        const Band band = bands[i];
        pace.step();
        const auto below = [&](std::size_t j) { return next[std::max(j, bands[i + 1].low) - bands[i + 1].low]; };
        row.assign(band.high - band.low + 1, {});
        row.back() = below(band.high);
        for (std::size_t j = band.high; j-- > band.low;) {
            pace.step();
            Pairing paired = below(j + 1);
            ++paired.count;
            paired.distance += static_cast<std::uint64_t>(apart(truth[i], pred[j]));
            row[j - band.low] = std::max({paired, below(j), row[j + 1 - band.low]}, worse);
        }
        std::swap(row, next);
    }
    return next.front();
}

// Bookstein's generalised Hamming distance: the least cost of inserting, deleting and shifting cuts of the prediction
// until they are the truth's. A shift saves an insertion and a deletion and costs by its length, so the cheapest edit
// is the pairing that saves most, and cuts too far apart to save anything are not paired. Costs are compared by the
// counts, which are exact, so that a small one beside a large one is not lost.
inline double generalized_hamming(std::span<const std::int64_t> truth, std::span<const std::int64_t> pred,
                                  double insertion, double deletion, double shift) {
    const double saved = insertion + deletion;
    constexpr std::int64_t everywhere = std::numeric_limits<std::int64_t>::max();
    const bool reaches_all = !(saved / shift < static_cast<double>(everywhere));  // true for 0 / 0 too
    const std::int64_t reach = reaches_all ? everywhere : static_cast<std::int64_t>(saved / shift);
    const auto worse = [&](const Pairing& x, const Pairing& y) {
        const auto more = static_cast<double>(y.count) - static_cast<double>(x.count);
        const double farther = y.distance < x.distance ? -static_cast<double>(x.distance - y.distance)
                                                       : static_cast<double>(y.distance - x.distance);
        return more * saved > farther * shift;
    };
    const Pairing shifted = best_pairing(truth, pred, reach, worse);
    return insertion * static_cast<double>(truth.size() - shifted.count) +
           deletion * static_cast<double>(pred.size() - shifted.count) + shift * static_cast<double>(shifted.distance);
}

}  // namespace segscore
