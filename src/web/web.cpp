// The core for browsers: a small C interface, compiled to WebAssembly by `make web`. results/page/core.js calls it.
//
// All cuts are int64, and fault() checks them first: exceptions do not cross, so cuts that are not in order would end
// the module. Whatever a function returns by address, the caller gives back to release().
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "../core/catalog.hpp"
#include "../core/exact.hpp"
#include "../core/explain.hpp"
#include "../core/matching.hpp"
#include "../core/pairs.hpp"
#include "../core/walk.hpp"

// Exceptions end the module.
extern "C" void* __cxa_allocate_exception(std::size_t) noexcept { __builtin_trap(); }
extern "C" void __cxa_throw(void*, void*, void (*)(void*)) { __builtin_trap(); }

#define EXPORTED(name) extern "C" __attribute__((export_name(#name)))

namespace {

using segscore::Points;

constexpr std::size_t option_count = segscore::parameter_names.size();

// A list for JavaScript: the number of values, and then the values.
template <class T>
T* listed(const std::vector<T>& values) {
    auto* const list = static_cast<T*>(std::malloc((values.size() + 1) * sizeof(T)));
    if (list == nullptr) __builtin_trap();
    list[0] = static_cast<T>(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) list[k + 1] = values[k];
    return list;
}

// The options of a metric from one number per parameter, in the order of parameter_names; nan stands for the default.
segscore::Options options_of(const double* given) {
    using segscore::Margin, segscore::Takes;
    segscore::Options options;
    const auto set = [&](Takes option, const auto& use) {
        const double value = given[std::countr_zero(static_cast<unsigned>(option))];
        if (value == value) use(value);
    };
    set(Takes::margin, [&](double value) { options.margin = {Margin::Kind::real, 0, value}; });
    set(Takes::relative_margin, [&](double value) { options.margin = {Margin::Kind::relative, 0, value}; });
    set(Takes::beta, [&](double value) { options.beta = value; });
    set(Takes::average, [&](double value) { options.average = static_cast<segscore::Average>(value); });
    set(Takes::base, [&](double value) { options.log_base = std::log(value); });
    set(Takes::symmetric, [&](double value) { options.symmetric = value != 0; });
    set(Takes::k, [&](double value) { options.k = static_cast<std::int64_t>(value); });
    set(Takes::weighted, [&](double value) { options.weighted = value != 0; });
    set(Takes::lamprier, [&](double value) { options.lamprier = value != 0; });
    set(Takes::n_t, [&](double value) { options.n_t = static_cast<std::int64_t>(value); });
    set(Takes::insertion, [&](double value) { options.insertion = value; });
    set(Takes::deletion, [&](double value) { options.deletion = value; });
    set(Takes::shift, [&](double value) { options.shift = value; });
    set(Takes::max_delay, [&](double value) { options.max_delay = {Margin::Kind::real, 0, value}; });
    return options;
}

}  // namespace

EXPORTED(allocate) void* allocate(std::size_t bytes) { return std::malloc(bytes); }
EXPORTED(release) void release(void* memory) { std::free(memory); }

EXPORTED(metric_count) std::size_t metric_count() { return segscore::catalog.size(); }
EXPORTED(metric_name) const char* metric_name(std::size_t metric) { return segscore::catalog[metric].name.data(); }
EXPORTED(needs_margin) bool needs_margin(std::size_t metric) { return segscore::catalog[metric].needs_margin(); }
EXPORTED(option_count) std::size_t count_options() { return option_count; }
EXPORTED(option_name) const char* option_name(std::size_t option) { return segscore::parameter_names[option].data(); }

EXPORTED(average_count) std::size_t average_count() { return segscore::average_names.size(); }
EXPORTED(average_name) const char* average_name(std::size_t average) { return segscore::average_names[average]; }

// The index of the first value that is not a cut behind those before it, or -1.
EXPORTED(fault) std::int64_t fault(const std::int64_t* cuts, std::size_t count, std::int64_t n) {
    std::int64_t before = 0;
    for (std::size_t k = 0; k < count; before = cuts[k++])
        if (cuts[k] <= before || cuts[k] >= n) return static_cast<std::int64_t>(k);
    return -1;
}

// The scores of several metrics from one evaluation. Each has option_count options.
EXPORTED(scores)
void scores(const std::int64_t* truth, std::size_t r, const std::int64_t* pred, std::size_t s, std::int64_t n,
            const std::uint32_t* metrics, const double* options, std::size_t count, double* found) {
    segscore::Need needs = segscore::Need::nothing;
    for (std::size_t k = 0; k < count; ++k) needs = needs | segscore::catalog[metrics[k]].needs;
    const segscore::Evaluation<std::int64_t> evaluation({Points(truth, r), Points(pred, s), n}, needs);
    for (std::size_t k = 0; k < count; ++k)
        found[k] = segscore::catalog[metrics[k]].in_points(evaluation, options_of(options + k * option_count));
}

// The closest maximum matching: the index of a true cut and the index of its predicted cut, for each pair.
EXPORTED(matched)
std::int64_t* matched(const std::int64_t* truth, std::size_t r, const std::int64_t* pred, std::size_t s,
                      std::int64_t margin) {
    std::vector<std::int64_t> pairs;
    segscore::match_closest(Points(truth, r), Points(pred, s), margin,
                            [&](std::size_t i, std::size_t j) {
                                pairs.push_back(static_cast<std::int64_t>(i));
                                pairs.push_back(static_cast<std::int64_t>(j));
                            },
                            {});
    return listed(pairs);
}

// The start and the end of each cell, and the ends of its true and its predicted segment.
EXPORTED(cells)
std::int64_t* cells(const std::int64_t* truth, std::size_t r, const std::int64_t* pred, std::size_t s, std::int64_t n) {
    std::vector<std::int64_t> found;
    const auto collect = [&](const segscore::Cell<std::int64_t>& cell) {
        const std::int64_t end = std::min(cell.truth_end, cell.pred_end);
        for (const std::int64_t value : {end - cell.length, end, cell.truth_end, cell.pred_end}) found.push_back(value);
    };
    segscore::walk_checked(Points(truth, r), Points(pred, s), n, collect);
    return listed(found);
}

// Three lists, one behind the other: predicted cuts, missed cuts and matched pairs. Each list is its size and then, for
// each cause, its two places and the change of the Rand Index if the cut is removed, added or moved.
EXPORTED(explained)
double* explained(const std::int64_t* truth, std::size_t r, const std::int64_t* pred, std::size_t s, std::int64_t n) {
    const segscore::Blame blame = segscore::explain(Points(truth, r), Points(pred, s), n, {});
    const segscore::u128 total = std::max<segscore::u128>(1, segscore::pairs_among(n));
    std::vector<double> found;
    const auto add = [&](const std::vector<segscore::Cause>& causes, int sign) {
        found.push_back(static_cast<double>(causes.size()));
        for (const auto& [first, second, pairs] : causes) {
            const auto size = static_cast<segscore::u128>(pairs < 0 ? -pairs : pairs);
            const double change = segscore::ratio(size, total);
            found.push_back(static_cast<double>(first));
            found.push_back(static_cast<double>(second));
            found.push_back((pairs < 0 ? -sign : sign) * change);
        }
    };
    add(blame.predicted, -1);
    add(blame.missed, -1);
    add(blame.matched, 1);
    return listed(found);
}
