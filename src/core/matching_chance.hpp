// The mean size of the maximum matching of a truth and random cuts, exactly: r predicted cuts, where every set of r
// gaps is equally likely.
//
// The window of a true cut holds the gaps within the margin of the cut. Windows that share no gap are matched
// independently of each other, and the mean of a sum is the sum of the means, whatever the dependence. So the true cuts
// fall into runs of overlapping windows. A run of one window is matched unless all random cuts miss its gaps. A longer
// run is scanned from left to right, as the matching walks along both sides: each random cut takes the first true cut
// that is not taken and whose window has not ended.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chance.hpp"
#include "cuts.hpp"
#include "exact.hpp"
#include "matching.hpp"
#include "pace.hpp"

namespace segscore {

class ExpectedMatches {
public:
    ExpectedMatches(std::span<const std::int64_t> truth, std::int64_t n, std::int64_t cuts, std::int64_t margin)
        : truth_(copied_cuts(truth, pace_)), gaps_(n - 1), cuts_(cuts), margin_(std::min(margin, n)) {
        if (!truth_.empty() && truth_.back() > gaps_) refuse_change();
    }

    double mean() {
        if (cuts_ == 0) return 0;
        double steps = 0;
        visit_runs([&](std::size_t first, std::size_t end) {
            visit_stretches(first, end, [&](const Stretch& stretch) { steps += work(stretch); });
        });
        constexpr double most_steps = 4294967296.0;  // 2**32, about ten seconds
        if (steps > most_steps)
            throw InputError("margin = " + std::to_string(margin_) +
                             " makes windows of the true cuts overlap, and the expected F1 of " +
                             std::to_string(cuts_) +
                             " cuts would take more than 2**32 steps; expected a smaller margin or fewer cuts");
        Compensated sum;
        visit_runs([&](std::size_t first, std::size_t end) {
            sum.add(end - first == 1 ? chance_to_hit(start(first), stop(first)) : mean_of_run(first, end));
        });
        return std::min(sum.value(),
                        static_cast<double>(std::min<std::size_t>(truth_.size(), static_cast<std::size_t>(cuts_))));
    }

private:
    // Gaps between two places where windows start or end: the windows from `first` to before `end` hold all of them.
    struct Stretch {
        std::int64_t covered, length;  // gaps of the run before the stretch, and in the stretch
        std::size_t first, end;
    };
    static constexpr double negligible = 1e-25;

    // The first gap of a window, and the first gap behind it. Gaps are counted from 1.
    std::int64_t start(std::size_t window) const { return truth_[window] > margin_ ? truth_[window] - margin_ : 1; }
    std::int64_t stop(std::size_t window) const {
        return gaps_ - truth_[window] >= margin_ ? truth_[window] + margin_ + 1 : gaps_ + 1;
    }
    double chance_to_hit(std::int64_t start, std::int64_t stop) {
        const std::int64_t width = stop - start;
        if (width != width_) {  // most windows are equally wide
            width_ = width;
            hit_ = -std::expm1(
                log_chance_to_miss(static_cast<double>(gaps_), static_cast<double>(width), static_cast<double>(cuts_)));
        }
        return hit_;
    }

    // Calls each(first, end) for each run of overlapping windows.
    template <class Each>
    void visit_runs(const Each& each) {
        Pace pace;
        for (std::size_t first = 0, end = 1; first < truth_.size(); first = end++) {
            pace.step(many_logarithms);
            while (end < truth_.size() && start(end) < stop(end - 1)) ++end;
            each(first, end);
        }
    }
    // Calls each(stretch) for the stretches of a run of at least two windows, from left to right.
    template <class Each>
    void visit_stretches(std::size_t first, std::size_t end, const Each& each) const {
        if (end - first == 1) return;
        const std::int64_t begin = start(first);
        std::size_t open = first, next = first;  // the windows that have not ended, and those that have not started
        for (std::int64_t at = begin; open < end;) {
            while (next < end && start(next) <= at) ++next;
            const std::int64_t to = next < end ? std::min(stop(open), start(next)) : stop(open);
            each(Stretch{at - begin, to - at, open, next});
            at = to;
            while (open < end && stop(open) <= at) ++open;
        }
    }

    // How many numbers of cuts in a part of the gaps are not negligible: at most 11 standard deviations to each side.
    double spread(std::int64_t length) const {
        const auto gaps = static_cast<double>(gaps_), cuts = static_cast<double>(cuts_);
        const double share = static_cast<double>(length) / gaps, mean = cuts * share;
        const double width = 22 * std::sqrt(mean * (1 - share) * (1 - cuts / gaps)) + 24;
        return std::min(width, 1 + static_cast<double>(std::min(length, cuts_)));
    }
    double work(const Stretch& stretch) const {
        return static_cast<double>(stretch.end - stretch.first + 1) * spread(stretch.covered) * spread(stretch.length);
    }

    // The probabilities of how many cuts are so far in the run, and which window comes next: one row per number of cuts
    // from `least` on, and one column per window from `first` on. The last column stands for no open window.
    struct State {
        std::int64_t least = 0;
        std::size_t first = 0, width = 1;
        std::vector<double> chances{};

        std::size_t rows() const { return chances.size() / width; }
        double* row(std::size_t k) { return chances.data() + k * width; }
    };

    double mean_of_run(std::size_t first, std::size_t end) {
        Compensated matches;
        State now{.first = first, .width = 1, .chances = {1.0}};
        visit_stretches(first, end, [&](const Stretch& stretch) { now = advance(now, stretch, matches); });
        return matches.value();
    }
    // The state behind a stretch. Given the cuts so far, the others are a uniform set of the gaps that follow.
    State advance(State& now, const Stretch& stretch, Compensated& matches) {
        now = renamed(std::move(now), stretch);
        const std::int64_t left = gaps_ - stretch.covered;
        State then{.least = std::numeric_limits<std::int64_t>::max(), .first = now.first, .width = now.width};
        for (std::size_t k = 0; k < now.rows(); ++k) {
            const double* const from = now.row(k);
            const std::int64_t used = now.least + static_cast<std::int64_t>(k);
            const double total = draw(left, stretch.length, cuts_ - used);
            if (k == 0) then.least = used + hits_.front().first;
            pace_.step(1 + hits_.size() * now.width);
            for (const auto& [hits, relative] : hits_) {
                const double chance = relative / total;
                const auto place = static_cast<std::size_t>(std::max(then.least, used + hits) - then.least);
                if (then.chances.size() < (place + 1) * then.width) then.chances.resize((place + 1) * then.width);
                double* const to = then.row(place);
                for (std::size_t window = 0; window < now.width; ++window) {
                    const std::size_t open = now.width - 1 - window;
                    const auto taken = std::min(static_cast<std::uint64_t>(hits), std::uint64_t{open});
                    const double both = from[window] * chance;
                    to[window + taken] += both;
                    matches.add(both * static_cast<double>(taken));
                }
            }
        }
        return pruned(std::move(then));
    }
    // The state with columns for the windows of a stretch. Windows that have ended are not matched any more.
    static State renamed(State now, const Stretch& stretch) {
        State then{.least = now.least, .first = stretch.first, .width = stretch.end - stretch.first + 1};
        then.chances.resize(now.rows() * then.width);
        for (std::size_t k = 0; k < now.rows(); ++k)
            for (std::size_t window = 0; window < now.width; ++window)
                then.row(k)[std::max(now.first + window, stretch.first) - stretch.first] += now.row(k)[window];
        return then;
    }
    // The state without the numbers of cuts at both ends whose probability is negligible.
    static State pruned(State state) {
        const auto is_negligible = [&](std::size_t k) {
            return std::all_of(state.row(k), state.row(k) + state.width, [](double x) { return x < negligible; });
        };
        std::size_t first = 0, end = state.rows();
        while (end > first + 1 && is_negligible(end - 1)) --end;
        while (first + 1 < end && is_negligible(first)) ++first;
        const auto place = [&](std::size_t k) {
            return state.chances.begin() + static_cast<std::ptrdiff_t>(k * state.width);
        };
        state.chances.erase(place(end), state.chances.end());
        state.chances.erase(state.chances.begin(), place(first));
        state.least += static_cast<std::int64_t>(first);
        return state;
    }
    // Fills hits_ with how many of `cuts` random gaps of `gaps` are among `length` of them, and returns the sum of the
    // relative probabilities.
    double draw(std::int64_t gaps, std::int64_t length, std::int64_t cuts) {
        hits_.clear();
        const auto keep = [&](std::int64_t hits, double chance) { hits_.emplace_back(hits, chance); };
        const double total = visit_hits(gaps, length, cuts, keep);
        std::ranges::sort(hits_);
        return total;
    }

    Pace pace_;
    std::vector<std::int64_t> truth_;
    std::int64_t gaps_, cuts_, margin_;
    std::int64_t width_ = -1;
    double hit_ = 0;
    std::vector<std::pair<std::int64_t, double>> hits_;
};

}  // namespace segscore
