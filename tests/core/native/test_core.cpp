// The core without Python, for the sanitizers: every small case, every block size, and input that is nonsense.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "../../../src/core/catalog.hpp"
#include "../../../src/core/chance.hpp"
#include "../../../src/core/explain.hpp"
#include "../../../src/core/pace.hpp"
#include "../../../src/core/random.hpp"
#include "../../../src/core/regions.hpp"
#include "../../../src/core/soft.hpp"
#include "../../../src/core/soft_losses.hpp"
#include "../../../src/core/sorting.hpp"
#include "../../../src/core/text.hpp"
#include "../../../src/core/thresholds.hpp"

using namespace segscore;

void segscore::check_interrupt() {}

namespace {

int checks = 0;

void check(bool holds, const char* what) {
    ++checks;
    if (holds) return;
    std::fprintf(stderr, "failed: %s\n", what);
    std::exit(1);
}

// Hands out a copy of a few values at a time, so that reading behind a block is seen.
template <class T>
struct Blocks {
    std::vector<T> values;
    std::size_t block_size;
    std::size_t position = 0;
    std::vector<T> block{};

    std::span<const T> next() {
        const std::size_t count = std::min(block_size, values.size() - position);
        block = std::vector<T>(values.begin() + static_cast<std::ptrdiff_t>(position),
                               values.begin() + static_cast<std::ptrdiff_t>(position + count));
        position += count;
        return block;
    }
    bool is_at_end() const { return position == values.size(); }
};

template <class Visitor, class T>
Visitor walked(const std::vector<T>& truth, const std::vector<T>& pred, T n, std::size_t truth_block,
               std::size_t pred_block) {
    Blocks<T> truth_source{truth, truth_block}, pred_source{pred, pred_block};
    Cuts<T, Blocks<T>> truth_cuts(truth_source, "truth", n), pred_cuts(pred_source, "pred", n);
    Visitor visitor{};
    walk(truth_cuts, pred_cuts, n, visitor);
    return visitor;
}

std::vector<std::int64_t> segmentation(unsigned gaps, std::int64_t n) {
    std::vector<std::int64_t> cuts;
    for (std::int64_t c = 1; c < n; ++c)
        if ((gaps >> (c - 1) & 1) != 0) cuts.push_back(c);
    return cuts;
}

Pairs<u128> by_definition(unsigned truth, unsigned pred, std::int64_t n) {
    Pairs<u128> pairs;
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = i + 1; j < n; ++j) {
            const auto between = ((1u << j) - 1) & ~((1u << i) - 1);
            const bool in_truth = (truth & between) == 0, in_pred = (pred & between) == 0;
            pairs.both += in_truth && in_pred;
            pairs.truth_only += in_truth && !in_pred;
            pairs.pred_only += !in_truth && in_pred;
            pairs.neither += !in_truth && !in_pred;
            pairs.total += 1;
        }
    return pairs;
}

bool equal(const Pairs<u128>& x, const Pairs<u128>& y) {
    return x.both == y.both && x.truth_only == y.truth_only && x.pred_only == y.pred_only && x.neither == y.neither &&
           x.total == y.total;
}

void test_every_pair_of_segmentations() {
    using Narrow = Exact<std::uint64_t>;
    using Wide = Exact<u128>;
    for (std::int64_t n = 1; n <= 7; ++n)
        for (unsigned truth = 0; truth < 1u << (n - 1); ++truth)
            for (unsigned pred = 0; pred < 1u << (n - 1); ++pred) {
                const auto t = segmentation(truth, n), p = segmentation(pred, n);
                const auto expected = by_definition(truth, pred, n);
                for (const std::size_t size : {1u, 2u, 100u}) {
                    check(equal(walked<PairCounts<Narrow>>(t, p, n, size, 3).pairs(n), expected), "64-bit counts");
                    check(equal(walked<PairCounts<Wide>>(t, p, n, 3, size).pairs(n), expected), "128-bit counts");
                    check(walked<Disagreement<Narrow>>(t, p, n, size, size).pairs(n).disagreement() ==
                              expected.disagreement(),
                          "the paper's d");
                    const auto narrow = walked<TripleCounts<Narrow>>(t, p, n, size, 2);
                    const auto wide = walked<TripleCounts<Wide>>(t, p, n, 2, size);
                    const Natural<4> triples(narrow.triples);
                    check(triples == wide.triples, "triples");
                    const double modified = modified_adjusted_rand_index(narrow.pairs(n), triples, n);
                    check(n < 4 || modified <= 1.0 || std::isnan(modified), "the modified index is at most 1");
                }
                auto closed_truth = t, closed_pred = p;  // with the auxiliary points of the paper
                closed_truth.push_back(n);
                closed_pred.insert(closed_pred.begin(), 0);
                const auto closed = walked<PairCounts<Wide>>(closed_truth, closed_pred, n, 2, 1);
                check(equal(closed.pairs(n), expected), "with a leading 0 and a trailing n");
            }
}

void test_long_inputs_in_several_places() {
    std::mt19937_64 random(1);
    for (int round = 0; round < 60; ++round) {
        std::vector<std::int64_t> sides[2];
        std::int64_t n = 0;
        for (auto& side : sides) {
            std::int64_t cut = static_cast<std::int64_t>(random() % 3000);
            const std::size_t size = random() % 3000;
            const std::uint64_t gap = 1 + random() % 7;
            for (std::size_t k = 0; k < size; ++k) side.push_back(cut += 1 + static_cast<std::int64_t>(random() % gap));
            n = std::max(n, cut + 1);
        }
        const auto whole = walked<PairCounts<Exact<u128>>>(sides[0], sides[1], n, 1u << 20, 1u << 20).pairs(n);
        const auto pieces = walked<PairCounts<Exact<u128>>>(sides[0], sides[1], n, 7, 11).pairs(n);
        check(equal(whole, pieces), "several places at once");
    }
}

void test_nonsense_throws_and_stays_in_bounds() {
    std::mt19937_64 random(2);
    for (int round = 0; round < 4000; ++round) {
        const std::int64_t n = 10000;
        std::vector<std::int64_t> sides[2];
        for (auto& side : sides) {
            const std::size_t size = round % 2 == 0 ? 600 + random() % 600 : random() % 6;
            for (std::size_t k = 0; k < size; ++k) side.push_back(static_cast<std::int64_t>(k) * 3 + 1);
            for (std::uint64_t faults = random() % 3; faults > 0 && size > 0; --faults) {
                const std::int64_t values[] = {
                    static_cast<std::int64_t>(random()), INT64_MIN, INT64_MAX, -1, 0, n, n + 1, 5};
                side[random() % size] = values[random() % 8];
            }
        }
        const auto valid = [&](const std::vector<std::int64_t>& side) {
            for (std::size_t k = 0; k < side.size(); ++k)
                if (side[k] < 0 || side[k] > n || (k > 0 && side[k] <= side[k - 1])) return false;
            return true;
        };
        for (const std::size_t size : {5u, 1u << 20}) {
            bool threw = false;
            try {
                walked<TripleCounts<Exact<std::uint64_t>>>(sides[0], sides[1], n, size, size);
            } catch (const InputError&) {
                threw = true;
            }
            check(threw != (valid(sides[0]) && valid(sides[1])), "nonsense throws, sense does not");
        }
    }
    // Values 2^63 apart, between which no step is possible, in every place at once.
    std::vector<std::int64_t> stuck(2000, INT64_MIN), zeros(100, 0);
    stuck.front() = 0;
    stuck.back() = zeros.back() = 1;
    for (const bool swapped : {false, true}) {
        bool threw = false;
        try {
            walked<Disagreement<Exact<u128>>>(swapped ? zeros : stuck, swapped ? stuck : zeros, std::int64_t{2},
                                              1u << 20, 1u << 20);
        } catch (const InputError&) {
            threw = true;
        }
        check(threw, "a walk that cannot move throws");
    }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const auto& bad : {std::vector<double>{1, nan, 3}, {nan}, {3, 2}, {-1}, {1, 11}})
        for (const bool swapped : {false, true}) {
            bool threw = false;
            const std::vector<double> good{2, 4, 6};
            try {
                walked<PairCounts<Compensated>>(swapped ? good : bad, swapped ? bad : good, 10.0, 2, 2);
            } catch (const InputError&) {
                threw = true;
            }
            check(threw, "nonsense in continuous time throws");
        }
}

void test_arithmetic() {
    std::mt19937_64 random(3);
    for (int round = 0; round < 20000; ++round) {
        const u128 x = (u128{random()} << 64 | random()) >> (3 + random() % 125);  // as large as counts get
        const u128 y = (u128{random()} << 64 | random()) >> (3 + random() % 125);  // as large as counts get
        check((Natural<4>(x) + Natural<4>(y)) - Natural<4>(y) == Natural<4>(x), "x + y - y = x");
        check((Natural<4>(x) <=> Natural<4>(y)) == (x <=> y), "order");
        check(bit_width(Natural<4>(x)) == bit_width(x), "width");
        Natural<4> shifted(x);
        shifted <<= 77;
        check(shifted == product(x, u128{1} << 77), "a shift is a product");
        if (x != 0)
            check(ratio(product(x, y), product(x, x)) == long_division(Natural<4>(y), Natural<4>(x)), "cancelling");

        // A fraction of small numbers is one rounding away in double, whatever it was multiplied with.
        const u128 small = random() >> 12, other = (random() >> 12) + 1;
        const double quotient = static_cast<double>(small) / static_cast<double>(other);
        check(long_division(small, other) == quotient, "division of small numbers");
        check(ratio(product(small, x | 1), product(other, x | 1)) == quotient, "division of their multiples");
        check(long_division(small << 70, other << 70) == quotient, "division of shifted numbers");
        const u128 root = random() >> 34, high = root + (random() >> 40);
        if (root > 0) {  // x / sqrt(y y) is x / y
            check(ratio_to_geometric_mean(root, high, high) == ratio(root, high), "geometric mean of one number");
        }
    }
    Compensated sum;
    for (int k = 0; k < 1000; ++k) {
        sum.add_product(1e8, 1e8);
        sum.add(0.0625);
        sum.add_product(-1e8, 1e8);
    }
    check(sum.value() == 62.5, "a sum that keeps what is small");
}

// Every score of the catalog, on lengths up to the largest and with options to match: within its bounds, without a
// sanitizer's complaint.
void test_every_score_at_every_length() {
    std::mt19937_64 random(4);
    const std::int64_t lengths[] = {0, 1, 2, 3, 10, 1000, std::int64_t{1} << 32, std::int64_t{1} << 62, INT64_MAX};
    for (int round = 0; round < 4000; ++round) {
        const std::int64_t n = lengths[random() % 9];
        std::vector<std::int64_t> sides[2];
        for (auto& side : sides) {
            for (std::uint64_t count = random() % 6; count > 0 && n > 1; --count)
                side.push_back(1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n - 1)));
            std::sort(side.begin(), side.end());
            side.erase(std::unique(side.begin(), side.end()), side.end());
        }
        Options options;
        options.margin = {Margin::Kind::whole, static_cast<std::int64_t>(random() >> 1), 0};
        if (random() % 2 == 0) options.k = {Margin::Kind::whole, 1 + static_cast<std::int64_t>(random() >> 2), 0};
        options.n_t = 1 + static_cast<std::int64_t>(random() >> 2);
        options.lamprier = random() % 2 == 0;
        options.weighted = random() % 4 == 0;
        const Margin whole_margin = options.margin;
        const Sides<std::int64_t> points{sides[0], sides[1], n};
        Need needs = Need::nothing;
        for (const Metric& metric : catalog) needs |= metric.needs;
        const Evaluation<std::int64_t> evaluation(points, needs);
        for (const Metric& metric : catalog) {
            if (metric.name.ends_with("adjusted_mutual_information") && n > 1000) continue;  // not O(r+s)
            const double value = metric.value(evaluation, options);
            const double slack = 1e-9 * std::max(1.0, std::fabs(metric.high));
            const bool bounded = value >= metric.low - slack && (value <= metric.high + slack || options.weighted);
            if (!bounded && !std::isnan(value)) std::fprintf(stderr, "%s = %g\n", metric.name.data(), value);
            check(bounded || std::isnan(value), "a score within its bounds");
        }
        if (n < 1) continue;
        std::vector<double> times[2];
        for (int side = 0; side < 2; ++side)
            for (const std::int64_t cut : sides[side])
                if (times[side].empty() || static_cast<double>(cut) > times[side].back())
                    times[side].push_back(static_cast<double>(cut));
        const double duration = static_cast<double>(n) * 1.5;
        options.margin = {Margin::Kind::real, 0, duration / 7};
        const Evaluation<double> in_time(Sides<double>{times[0], times[1], duration}, needs);
        for (const Metric& metric : catalog)
            if (metric.value.takes_time()) {
                const double value = metric.value(in_time, options);
                const bool bounded = value >= metric.low - 1e-9 && (value <= metric.high + 1e-9 || options.weighted);
                check(std::isnan(value) || bounded, "and in time");
            }
        std::size_t paired = 0;
        match_closest(points.truth, points.pred, whole_margin.within(n), [&](std::size_t, std::size_t) { ++paired; });
        check(paired == evaluation.matched(whole_margin).both, "the closest matching is a maximum one");
        BestIous ious;
        walk_checked(points.truth, points.pred, n, ious);
        check(ious.found.size() == points.truth.size() + 1, "a best counterpart for each segment");
        for (const std::int64_t r : {std::int64_t{0}, static_cast<std::int64_t>(sides[1].size()), n / 2, n - 1}) {
            const double expected = expected_disagreement(points.truth, n, r);
            const auto most = static_cast<double>(pairs_among(n));
            check(expected >= -1e-9 * most && expected <= most * (1 + 1e-9), "chance within its bounds");
        }
    }
}

// Cuts that were rewritten after they were checked: a number or a InputError for every score, and nothing undefined.
template <class T>
void test_nonsense_behind_the_gate(const std::vector<T>& extremes) {
    std::mt19937_64 random(5);
    for (int round = 0; round < 3000; ++round) {
        const T n = 10000;
        std::vector<T> sides[2];
        std::vector<std::int64_t> labels[2];
        for (int s = 0; s < 2; ++s) {
            const std::size_t size = round % 8 == 0 ? 600 + random() % 600 : random() % 6;
            for (std::size_t k = 0; k < size; ++k) sides[s].push_back(static_cast<T>(k * 3 + 1 + random() % 2));
            for (std::uint64_t faults = 1 + random() % 4; faults > 0 && size > 0; --faults)
                sides[s][random() % size] = extremes[random() % extremes.size()];
            for (std::size_t k = 0; k <= size; ++k) labels[s].push_back(static_cast<std::int64_t>(random() % (k + 1)));
        }
        Options options;
        options.margin = {Margin::Kind::whole, static_cast<std::int64_t>(random() % 5), 0};
        options.n_t = 1 + static_cast<std::int64_t>(random() % 100);
        options.k = {Margin::Kind::whole, 1 + static_cast<std::int64_t>(random() % 100), 0};
        options.lamprier = random() % 2 == 0;
        const auto survives = [&](const auto& run) {
            ++checks;
            try {
                run();
            } catch (const InputError&) {
            }
        };
        Sides<T> nonsense{sides[0], sides[1], n};
        for (const bool with_labels : {false, true}) {
            if (with_labels) {
                nonsense.truth_labels = labels[0];
                nonsense.pred_labels = labels[1];
            }
            for (const Metric& metric : catalog) {
                if (with_labels && !metric.takes_labels()) continue;
                survives([&] {
                    const Evaluation<T> evaluation(nonsense, metric.needs);
                    if (std::is_integral_v<T> || metric.value.takes_time()) metric.value(evaluation, options);
                });
            }
        }
        survives([&] {
            const std::span<const T> truth(sides[0]), pred(sides[1]);
            match_closest(truth, pred, T{2}, [](std::size_t, std::size_t) {});
            BestIous ious;
            walk_checked(truth, pred, n, ious);
        });
        survives([&] { explain(std::span<const T>(sides[0]), std::span<const T>(sides[1]), n); });
    }
}

// Without the rejection of some draws, numbers that leave a remainder of 0 or 1 would come half again as often.
void test_bounded_random_numbers() {
    Random random(1);
    const std::uint64_t bound = std::uint64_t{3} << 61;
    std::array<int, 3> counts{};
    constexpr int draws = 30000;
    for (int k = 0; k < draws; ++k) ++counts[random.below(bound) % 3];
    for (const int count : counts) check(std::abs(count - draws / 3) < 5 * 82, "each number equally likely");
}

// Longer than several blocks, so that blocks are merged; by the key alone, so that the order of equal keys shows.
void test_sorting() {
    std::mt19937_64 random(6);
    for (const std::size_t size : {0, 1, 1 << 18, 3 * (1 << 18) + 5, 1 << 20}) {
        std::vector<Cause<std::int64_t>> causes(size);
        for (std::size_t k = 0; k < size; ++k)
            causes[k] = {static_cast<std::int64_t>(random() % 1000), static_cast<std::int64_t>(k), 0};
        std::vector<std::int64_t> integers;
        for (const Cause<std::int64_t>& cause : causes) integers.push_back(cause.first);
        interruptible_sort(std::span(causes), [](const Cause<std::int64_t>& x, const Cause<std::int64_t>& y) {
            return x.first < y.first;
        });
        interruptible_sort(std::span(integers));
        for (std::size_t k = 0; k < size; ++k) {
            check(causes[k].first == integers[k], "both are sorted");
            if (k == 0) continue;
            check(integers[k - 1] <= integers[k], "integers are sorted");
            if (integers[k - 1] == integers[k]) check(causes[k - 1].second < causes[k].second, "the sort is stable");
        }
    }
}

}  // namespace

// A finalizer that reads more than its metric declares fails at once, and does not find zeros.
void test_what_is_not_needed_is_not_there() {
    const std::vector<std::int64_t> truth{3, 8}, pred{4, 8};
    const auto throws = [](const auto& read) {
        try {
            read();
        } catch (const std::bad_optional_access&) {
            return true;
        }
        return false;
    };
    const Evaluation<std::int64_t> whole(Sides<std::int64_t>{truth, pred, 10}, Need::disagreement);
    check(whole.pairs().disagreement() == 7 && whole.sides().pred.size() == 2, "what is needed is there");
    check(throws([&] { whole.triples(); }), "no triples");
    check(throws([&] { whole.information(); }), "no entropies");
    check(throws([&] { whole.overlap(); }), "no overlaps");
    WholeSource<std::int64_t> truth_source{truth}, pred_source{pred};
    Cuts<std::int64_t, WholeSource<std::int64_t>> truth_cuts(truth_source, "truth", 10),
        pred_cuts(pred_source, "pred", 10);
    const Evaluation<std::int64_t> streamed(truth_cuts, pred_cuts, std::int64_t{10}, Need::disagreement);
    check(streamed.pairs().disagreement() == 7, "the same from a stream");
    check(throws([&] { streamed.sides(); }), "no cuts behind a stream");
    const std::vector<std::int64_t> labels{0, 1, 0};
    const Evaluation<std::int64_t> labelled(Sides<std::int64_t>{truth, pred, 10, labels, labels}, Need::overlap);
    check(labelled.overlap().purity > 0.7, "labels are summed as needed");
    check(throws([&] { labelled.pairs(); }), "and no more");
}

// The lists in a text, or what is wrong with it.
template <class T>
std::string read_as(std::string_view text) {
    TextLists<T> lists;
    Pace pace({});
    try {
        const Answer answer = TextReader<T>(text, "pred", lists, pace).read();
        if (answer != Answer::cuts) return answer == Answer::missing ? "missing" : "empty";
    } catch (const UnreadableText& error) {
        return error.what();
    }
    std::string found;
    for (std::size_t k = 0; k < lists.ends.size(); ++k) {
        found += lists.is_nested ? "[" : "";
        for (const T cut : lists.at(k)) found += std::to_string(static_cast<std::int64_t>(cut)) + " ";
        found += lists.is_nested ? "]" : "";
    }
    return found;
}

void test_texts() {
    const auto is = [](std::string_view text, std::string_view wanted) {
        check(read_as<std::int64_t>(text) == wanted, "a text is read or refused as it must be");
    };
    for (const char* text : {"[3, 8]", "[3 8]", "[ 3\n  8]", "(3, 8)", "3,8", "[np.int64(3), 8]", "[3., 8.]",
                             "array([3, 8])", "range(3, 9, 5)", "  [3, 8]\t", "[3.0e+00 8.0e+00]"})
        is(text, "3 8 ");
    is("[]", "");
    is("[[3, 8], [4]]", "[3 8 ][4 ]");
    is("None", "missing");
    is(" \n", "empty");
    is("[9223372036854775807]", "9223372036854775807 ");
    is("[9223372036854775808]",
       "pred = '[9223372036854775808]' holds 9223372036854775808, which is outside 0 < cut < 2**63; expected cuts");
    is(std::string_view("[3]\0", 4),
       "pred = '[3] ' is not a list of integers, as in [3, 8]; write it again with .tolist()");
    // Any text is read within its bounds, which the sanitizers watch; each one is on the heap for that.
    const std::string_view pieces[] = {"[", "]",      "(",    ")",         ",",      " ",   "3",      "8",
                                       "-", ".",      "e+06", "np.int64(", "range(", "...", "array(", "{",
                                       "}", "dtype=", "None", "nan",       "9",      "e-1", "\n",     "1234567"};
    std::mt19937_64 random(7);
    for (int round = 0; round < 20000; ++round) {
        std::string text;
        for (std::uint64_t k = random() % 9; k > 0; --k) text += pieces[random() % std::size(pieces)];
        const std::vector<char> exact(text.begin(), text.end());
        const std::string_view given(exact.data(), exact.size());
        const std::string whole = read_as<std::int64_t>(given);
        read_as<double>(given);  // only its bounds matter here
        // Blanks around a text change nothing but what is shown of it.
        const std::string padded = read_as<std::int64_t>(" " + text + "\n");
        check(whole.starts_with("pred") == padded.starts_with("pred"), "blanks around a text change nothing");
        if (!whole.starts_with("pred")) check(whole == padded, "blanks around a text change no cut");
    }
}

// Curves over margins and over thresholds have one maximum matching per point.
void test_curves() {
    std::mt19937_64 random(8);
    for (int round = 0; round < 3000; ++round) {
        const auto drawn = [&] {
            std::vector<std::int64_t> cuts;
            std::int64_t last = 0;
            for (std::uint64_t k = random() % 12; k > 0; --k)
                cuts.push_back(last += 1 + static_cast<std::int64_t>(random() % 9));
            return cuts;
        };
        const auto truth = drawn(), pred = drawn();
        constexpr std::int64_t n = 200;
        const auto matched = [&](Points kept, std::int64_t margin) {
            std::size_t count = 0;
            match(Points(truth), kept, margin, [&](std::size_t, std::size_t) { ++count; });
            return count;
        };
        const auto steps = MarginSteps<std::int64_t>(truth, pred, n).find();
        for (std::int64_t margin = 0; margin <= n; margin += 1 + margin / 8) {
            std::size_t found = 0;
            for (const auto& step : steps)
                if (step.margin <= margin) found = step.matched;
            check(found == matched(pred, margin), "the curve at a margin");
        }
        std::vector<double> confidences;
        for (std::size_t k = 0; k < pred.size(); ++k) confidences.push_back(static_cast<double>(random() % 7));
        const auto margin = static_cast<std::int64_t>(random() % 20);
        for (const auto& step : threshold_steps<std::int64_t>(truth, pred, confidences, margin)) {
            std::vector<std::int64_t> kept;
            for (std::size_t k = 0; k < pred.size(); ++k)
                if (confidences[k] >= step.threshold) kept.push_back(pred[k]);
            check(step.kept == kept.size() && step.matched == matched(kept, margin), "the curve at a threshold");
        }
        const std::vector<std::int64_t> starts{0, 10, 30}, ends{10, 20, n};
        const auto counts = count_in_regions<std::int64_t>(pred, starts, ends);
        check(counts.size() == 3 && counts[0] + counts[1] + counts[2] <= pred.size(), "cuts in regions");
    }
}

// Soft segmentations: the walks against sums over all pairs of points, for hostile lengths of blocks and logits.
namespace soft {

double together(const std::vector<double>& keeps, std::size_t x, std::size_t y) {
    double product = 1;
    for (std::size_t k = x; k < y; ++k) product *= keeps[k];
    return product;
}

bool is_near(double found, double wanted, double scale) { return std::abs(found - wanted) <= 1e-12 * scale + 1e-300; }

void test_expected_counts() {
    std::mt19937_64 random(9);
    const auto drawn = [&] { return static_cast<double>(random() % 5) / 4; };
    for (int round = 0; round < 2000; ++round) {
        const std::size_t gaps = random() % 12;
        const auto n = static_cast<std::int64_t>(gaps) + 1;
        std::array<std::vector<std::int64_t>, 2> cuts;
        std::array<std::vector<double>, 2> chances, keeps, dense;
        for (std::size_t side = 0; side < 2; ++side) {
            dense[side].assign(gaps, 1);
            for (std::size_t k = 0; k < gaps; ++k) {
                if (random() % 2 == 0) continue;
                cuts[side].push_back(static_cast<std::int64_t>(k) + 1);
                chances[side].push_back(drawn());
                keeps[side].push_back(1 - chances[side].back());
                dense[side][k] = keeps[side].back();
            }
        }
        const SoftCuts<std::int64_t> truth(cuts[0], chances[0], keeps[0]), pred(cuts[1], chances[1], keeps[1]);
        const Pairs<double> counts = soft_pairs(truth, pred, n, SoftPairCounts(true));
        const Pairs<double> apart = soft_pairs(truth, pred, n, SoftDisagreement());
        double both = 0, truth_only = 0, pred_only = 0;
        for (std::size_t x = 0; x <= gaps; ++x)
            for (std::size_t y = x + 1; y <= gaps; ++y) {
                const double one = together(dense[0], x, y), other = together(dense[1], x, y);
                both += one * other;
                truth_only += one * (1 - other);
                pred_only += other * (1 - one);
            }
        check(is_near(counts.both, both, counts.total) && is_near(counts.truth_only, truth_only, counts.total) &&
                  is_near(counts.pred_only, pred_only, counts.total) &&
                  is_near(counts.neither, counts.total - both - truth_only - pred_only, counts.total),
              "expected counts of pairs");
        check(is_near(apart.truth_only, truth_only + pred_only, counts.total), "expected disagreement");
        for (std::int64_t least = 1; least <= std::min<std::int64_t>(n, 4); ++least) {
            std::int64_t last = 0;
            for (const std::int64_t cut : best_cuts(pred, n, least)) {
                check(cut - last >= least && n - cut >= least, "decoded segments have the least length");
                last = cut;
            }
        }
        near_cuts<std::int64_t>(cuts[0], pred, static_cast<std::int64_t>(random() % 4));
    }
}

void test_losses_at_all_lengths_of_blocks() {
    std::mt19937_64 random(10);
    constexpr double infinite = std::numeric_limits<double>::infinity();
    for (const std::size_t gaps :
         {1u, 2u, 3u, 15u, 16u, 17u, 18u, 255u, 256u, 511u, 512u, 513u, 514u, 1024u, 1025u, 1400u}) {
        std::vector<double> truth(gaps), logits(gaps), keeps(gaps), derivatives(gaps);
        for (std::size_t k = 0; k < gaps; ++k) {
            truth[k] = random() % 20 == 0 ? 1 : static_cast<double>(random() % 2) / 64;
            logits[k] = static_cast<double>(random() % 1000) / 100 - 8;
            if (random() % 50 == 0) logits[k] = random() % 2 == 0 ? infinite : -infinite;
            keeps[k] = chance_of_logit(logits[k]).keep;
        }
        const auto load = [&](Gaps& into) {
            check(into.from + into.count <= gaps, "a block of gaps");
            for (std::size_t k = 0; k < into.count; ++k) {
                into.truth_cut[k] = truth[into.from + k];
                into.cut[k] = logits[into.from + k];
            }
            chances_of_logits(into);
            complete(into);
        };
        std::size_t stored = 0;
        const auto store = [&](const Gaps& at, std::span<const double> values) {
            check(at.count == values.size() && at.from + at.count <= gaps, "derivatives of a block");
            for (std::size_t k = 0; k < values.size(); ++k) derivatives[at.from + k] = values[k];
            stored += values.size();
        };
        const double found = soft_loss(gaps, load, store);
        check(stored == gaps, "each derivative is stored once");
        // The pairs with each earlier point, and the derivatives at some gaps, from the definition in O(n^2).
        for (const std::size_t at : {std::size_t{0}, Gaps::most % gaps, gaps / 2, gaps - 1 - Gaps::most % gaps,
                                     (gaps - Gaps::most % gaps) % gaps, random() % gaps}) {
            double wanted = 0, derivative = 0, size = 0;
            for (std::size_t x = 0; x < gaps; ++x) {
                double one = 1, other = 1, without = 1;
                for (std::size_t y = x; y < gaps; ++y) {
                    one *= 1 - truth[y];
                    other *= keeps[y];
                    without *= y == at ? 1 : keeps[y];
                    wanted += one * (1 - other) + other * (1 - one);
                    if (x <= at && at <= y) derivative -= (1 - 2 * one) * without;
                    if (x <= at && at <= y) size += without;
                }
            }
            check(is_near(found, wanted, static_cast<double>(gaps * gaps)), "the loss");
            check(is_near(derivatives[at], derivative, size), "a derivative of the loss");
        }
    }
    check(soft_loss(0, [](Gaps&) {}, [](const Gaps&, std::span<const double>) {}) == 0, "a loss without gaps");
}

void test_values_of_a_block() {
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
    const double least = std::numeric_limits<double>::denorm_min(), above_1 = 1 + 0x1p-52;
    for (const double good : {0.0, -0.0, 0.5, 1.0, least}) check(are_probabilities({&good, 1}), "a probability");
    for (const double bad : {nan, -nan, infinite, -infinite, -least, above_1, 2.0, -1.0})
        check(!are_probabilities({&bad, 1}), "not a probability");
    for (const double good : {0.0, -1.0, infinite, -infinite, 1e308}) check(are_numbers({&good, 1}), "a number");
    for (const double bad : {nan, -nan}) check(!are_numbers({&bad, 1}), "not a number");
    for (double logit = -800; logit <= 800; logit += 0.37) {
        const Chance chance = chance_of_logit(logit);
        const long double small = std::exp(-std::abs(static_cast<long double>(logit)));
        const long double likely = 1 / (1 + small), unlikely = small / (1 + small);
        const auto is_right = [](double found, long double wanted) {
            return std::abs(found - wanted) <= 4 * 0x1p-53L * wanted + 0x1p-1074L;
        };
        check(
            is_right(chance.cut, logit < 0 ? unlikely : likely) && is_right(chance.keep, logit < 0 ? likely : unlikely),
            "the probability of a logit");
    }
}

}  // namespace soft

int main() {
    soft::test_expected_counts();
    soft::test_losses_at_all_lengths_of_blocks();
    soft::test_values_of_a_block();
    test_curves();
    test_texts();
    test_sorting();
    test_nonsense_behind_the_gate<std::int64_t>({INT64_MIN, INT64_MIN + 3, INT64_MAX, -1, 0, 5, 5000, 10000, 10001});
    constexpr double infinite = std::numeric_limits<double>::infinity();
    test_nonsense_behind_the_gate<double>(
        {std::numeric_limits<double>::quiet_NaN(), infinite, -infinite, -1, 0, 5, 1e300});
    test_bounded_random_numbers();
    test_what_is_not_needed_is_not_there();
    test_every_score_at_every_length();
    test_every_pair_of_segmentations();
    test_long_inputs_in_several_places();
    test_nonsense_throws_and_stays_in_bounds();
    test_arithmetic();
    std::printf("native: %d checks passed\n", checks);
}
