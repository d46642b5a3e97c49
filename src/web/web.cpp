// The core for browsers: a small C interface, compiled to WebAssembly by `make web`. reports/page/core.js calls it.
//
// Cuts are int64, or double in the functions whose names end with _in_time. fault() checks them first: exceptions do
// not cross, so cuts that are not in order would end the module. Whatever a function returns by address, the caller
// gives back to release().
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "../core/catalog.hpp"
#include "../core/evaluation.hpp"
#include "../core/exact.hpp"
#include "../core/explain.hpp"
#include "../core/labels.hpp"
#include "../core/matching.hpp"
#include "../core/options.hpp"
#include "../core/pace.hpp"
#include "../core/pairs.hpp"
#include "../core/walk.hpp"

// Nobody interrupts a page: its work is short.
void segscore::check_interrupt() {}

// Exceptions end the module.
extern "C" void* __cxa_allocate_exception(std::size_t) noexcept { __builtin_trap(); }
extern "C" void __cxa_throw(void*, void*, void (*)(void*)) { __builtin_trap(); }

#define EXPORTED(name) extern "C" __attribute__((export_name(#name)))

namespace {

constexpr std::size_t option_count = segscore::option_names.size();

// A list for JavaScript: the number of values, and then the values.
template <class T>
T* listed(const std::vector<T>& values) {
    auto* const list = static_cast<T*>(std::malloc((values.size() + 1) * sizeof(T)));
    if (list == nullptr) __builtin_trap();
    list[0] = static_cast<T>(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) list[k + 1] = values[k];
    return list;
}

// The value of an option from a number.
template <segscore::OptionKind kind>
segscore::OptionValue<kind> from_number(double value) {
    using enum segscore::OptionKind;
    using segscore::Margin;
    if constexpr (kind == share_of_length)
        return {Margin::Kind::relative, 0, value};
    else if constexpr (kind == length || kind == window)
        return {Margin::Kind::real, 0, value};
    else if constexpr (kind == flag)
        return value != 0;
    else
        return static_cast<segscore::OptionValue<kind>>(value);
}

// The options of a metric from one number per option; nan stands for the default.
segscore::Options options_of(const double* given) {
    segscore::Options options;
    segscore::for_each_option([&]<segscore::OptionKind kind>(const segscore::Option<kind>& option) {
        const double value = *given++;
        if (value == value) options.*option.value = from_number<kind>(value);
    });
    return options;
}

// The cuts of both sides, and the length.
template <class T>
struct Both {
    std::span<const T> truth, pred;
    T n;

    Both(const T* t, std::size_t r, const T* p, std::size_t s, T length) : truth(t, r), pred(p, s), n(length) {}
};

// The index of the first value that is not a cut behind those before it, or -1.
template <class T>
std::int64_t first_fault(std::span<const T> cuts, T n) {
    T before = 0;
    for (std::size_t k = 0; k < cuts.size(); before = cuts[k++])
        if (!(cuts[k] > before && cuts[k] < n)) return static_cast<std::int64_t>(k);
    return -1;
}

// Pairs of sides for scores: the cuts of all sides one behind the other, and the labels of all sides likewise, as
// numbers. A side is the place of its first cut, its number of cuts, and the place of its first label, or `unlabelled`;
// if one side of a pair has labels, both have. A pair is the number of its true side, that of its predicted side, and
// its length.
template <class T>
struct Gathered {
    struct Side {
        std::uint32_t first, count, labels;
    };
    struct Pair {
        std::uint32_t truth, pred;
    };
    static constexpr std::uint32_t unlabelled = 0xffffffff;

    const T* cuts;
    const std::int64_t* labels;
    const Side* sides;
    const Pair* pairs;
    const T* lengths;

    std::span<const T> cuts_of(const Side& side) const { return {cuts + side.first, side.count}; }
    segscore::Labels labels_of(const Side& side) const {
        return side.labels == unlabelled ? segscore::Labels{} : segscore::Labels{labels + side.labels, side.count + 1};
    }
    segscore::Sides<T> at(std::size_t k) const {
        const Side &truth = sides[pairs[k].truth], &pred = sides[pairs[k].pred];
        return {cuts_of(truth), cuts_of(pred), lengths[k], labels_of(truth), labels_of(pred)};
    }
};

// The scores of several metrics for each of `pairs` pairs. Each metric has option_count options.
template <class T>
void score(const Gathered<T>& gathered, std::size_t pairs, const std::uint32_t* metrics, const double* options,
           std::size_t count, double* found) {
    std::vector<segscore::Options> chosen;
    segscore::Needs needs;
    for (std::size_t m = 0; m < count; ++m) {
        chosen.push_back(options_of(options + m * option_count));
        needs.add(segscore::catalog[metrics[m]]);
    }
    for (std::size_t k = 0; k < pairs; ++k, found += count) {
        const auto finalize = [&](const segscore::Evaluation<T>& evaluation, const auto& is_wanted) {
            for (std::size_t m = 0; m < count; ++m) {
                const segscore::Metric& metric = segscore::catalog[metrics[m]];
                if (is_wanted(metric)) found[m] = metric.value(evaluation, chosen[m]);
            }
        };
        segscore::evaluate(gathered.at(k), needs, finalize);
    }
}

// The closest maximum matching: the index of a true cut and the index of its predicted cut, for each pair.
template <class T>
std::int64_t* match(const Both<T>& both, double margin) {
    std::vector<std::int64_t> pairs;
    const auto found = [&](std::size_t i, std::size_t j) {
        pairs.push_back(static_cast<std::int64_t>(i));
        pairs.push_back(static_cast<std::int64_t>(j));
    };
    const segscore::Margin given{segscore::Margin::Kind::real, 0, margin};
    segscore::match_closest(both.truth, both.pred, given.within(both.n), found);
    return listed(pairs);
}

// The start and the end of each cell, and the ends of its true and its predicted segment.
template <class T>
T* list_cells(const Both<T>& both) {
    std::vector<T> found;
    const auto collect = [&](const segscore::Cell<T>& cell) {
        const T start = std::max(cell.truth_start, cell.pred_start), end = std::min(cell.truth_end, cell.pred_end);
        for (const T value : {start, end, cell.truth_end, cell.pred_end}) found.push_back(value);
    };
    segscore::walk_checked(both.truth, both.pred, both.n, collect);
    return listed(found);
}

// Three lists, one behind the other: predicted cuts, missed cuts and matched pairs. Each list is its size and then, for
// each cause, its two places and the change of the Rand Index if the cut is removed, added or moved.
template <class T>
double* explain(const Both<T>& both) {
    const segscore::Blame<T> blame = segscore::explain(both.truth, both.pred, both.n);
    auto total = segscore::pairs_among(both.n);
    if (total == 0) total = 1;  // without pairs nothing changes
    std::vector<double> found;
    const auto add = [&](const std::vector<segscore::Cause<T>>& causes, int sign) {
        found.push_back(static_cast<double>(causes.size()));
        for (const auto& [first, second, pairs] : causes) {
            const auto size = static_cast<decltype(total)>(pairs < 0 ? -pairs : pairs);
            found.push_back(static_cast<double>(first));
            found.push_back(static_cast<double>(second));
            found.push_back((pairs < 0 ? -sign : sign) * segscore::ratio(size, total));
        }
    };
    add(blame.predicted, -1);
    add(blame.missed, -1);
    add(blame.matched, 1);
    return listed(found);
}

}  // namespace

EXPORTED(allocate) void* allocate(std::size_t bytes) { return std::malloc(bytes); }
EXPORTED(release) void release(void* memory) { std::free(memory); }

EXPORTED(metric_count) std::size_t metric_count() { return segscore::catalog.size(); }
EXPORTED(metric_name) const char* metric_name(std::size_t metric) { return segscore::catalog[metric].name.data(); }
EXPORTED(needs_margin) bool needs_margin(std::size_t metric) { return segscore::catalog[metric].needs_margin(); }
EXPORTED(option_count) std::size_t count_options() { return option_count; }
EXPORTED(option_name) const char* option_name(std::size_t option) { return segscore::option_names[option]; }
EXPORTED(option_kind) const char* option_kind(std::size_t option) {
    return segscore::option_kind_names[static_cast<std::size_t>(segscore::option_kinds[option])];
}

EXPORTED(average_count) std::size_t average_count() { return segscore::average_names.size(); }
EXPORTED(average_name) const char* average_name(std::size_t average) { return segscore::average_names[average]; }

EXPORTED(takes_labels) bool takes_labels(std::size_t metric) { return segscore::catalog[metric].takes_labels(); }
EXPORTED(takes_time) bool takes_time(std::size_t metric) { return segscore::catalog[metric].value.takes_time(); }

EXPORTED(fault) std::int64_t fault(const std::int64_t* cuts, std::size_t count, std::int64_t n) {
    return first_fault<std::int64_t>({cuts, count}, n);
}
EXPORTED(fault_in_time) std::int64_t fault_in_time(const double* cuts, std::size_t count, double duration) {
    return first_fault<double>({cuts, count}, duration);
}

EXPORTED(scores)
void scores(const std::int64_t* cuts, const std::int64_t* labels, const Gathered<std::int64_t>::Side* sides,
            const Gathered<std::int64_t>::Pair* pairs, const std::int64_t* lengths, std::size_t pair_count,
            const std::uint32_t* metrics, const double* options, std::size_t count, double* found) {
    score<std::int64_t>({cuts, labels, sides, pairs, lengths}, pair_count, metrics, options, count, found);
}
EXPORTED(scores_in_time)
void scores_in_time(const double* cuts, const std::int64_t* labels, const Gathered<double>::Side* sides,
                    const Gathered<double>::Pair* pairs, const double* durations, std::size_t pair_count,
                    const std::uint32_t* metrics, const double* options, std::size_t count, double* found) {
    score<double>({cuts, labels, sides, pairs, durations}, pair_count, metrics, options, count, found);
}

EXPORTED(matched)
std::int64_t* matched(const std::int64_t* truth, std::size_t r, const std::int64_t* pred, std::size_t s, std::int64_t n,
                      double margin) {
    return match<std::int64_t>({truth, r, pred, s, n}, margin);
}
EXPORTED(matched_in_time)
std::int64_t* matched_in_time(const double* truth, std::size_t r, const double* pred, std::size_t s, double duration,
                              double margin) {
    return match<double>({truth, r, pred, s, duration}, margin);
}

EXPORTED(cells)
std::int64_t* cells(const std::int64_t* truth, std::size_t r, const std::int64_t* pred, std::size_t s, std::int64_t n) {
    return list_cells<std::int64_t>({truth, r, pred, s, n});
}
EXPORTED(cells_in_time)
double* cells_in_time(const double* truth, std::size_t r, const double* pred, std::size_t s, double duration) {
    return list_cells<double>({truth, r, pred, s, duration});
}

EXPORTED(explained)
double* explained(const std::int64_t* truth, std::size_t r, const std::int64_t* pred, std::size_t s, std::int64_t n) {
    return explain<std::int64_t>({truth, r, pred, s, n});
}
EXPORTED(explained_in_time)
double* explained_in_time(const double* truth, std::size_t r, const double* pred, std::size_t s, double duration) {
    return explain<double>({truth, r, pred, s, duration});
}
