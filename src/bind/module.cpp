// What Python sees of the core: a table of contents.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "../core/pairs.hpp"
#include "../core/walk.hpp"
#include "chance.hpp"
#include "load.hpp"
#include "many.hpp"
#include "scores.hpp"
#include "tables.hpp"

namespace segscore {
namespace {

using namespace nb::literals;

// Both sides from Python, walked with the narrowest sums that are exact. `finish(visitor, n)` makes the result.
// Visitor is a template over the accumulator.
template <template <class> class Visitor, class Finish>
auto walked(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration, const Finish& finish) {
    constexpr std::size_t worth_a_thread_switch = 512;
    const auto run = [&](auto& truth_input, auto& pred_input, auto length, End truth_end, End pred_end, auto visitor) {
        using T = decltype(length);
        Cuts<T, Input<T>> truth_cuts(truth_input, "truth", length, truth_end);
        Cuts<T, Input<T>> pred_cuts(pred_input, "pred", length, pred_end);
        const End end = truth_end == End::given ? pred_end : truth_end;
        if constexpr (requires { visitor.duration; }) visitor.duration = length;
        const bool native = truth_input.is_native() && pred_input.is_native();
        if (native && truth_input.size() + pred_input.size() >= worth_a_thread_switch) {
            const nb::gil_scoped_release released;
            length = walk(truth_cuts, pred_cuts, length, end, visitor, {check_signals});
        } else {
            length = walk(truth_cuts, pred_cuts, length, end, visitor, {check_signals});
        }
        return finish(visitor, length);
    };
    if (!duration.is_none()) {
        if (!n.is_none()) raise_type("n= and duration= exclude each other; expected one of them");
        const double length = load_duration(duration);
        Input<double> truth_input(truth, "truth"), pred_input(pred, "pred");
        refuse_one_iterator(truth_input, pred_input);
        return run(truth_input, pred_input, length, End::given, End::given, Visitor<Compensated>{});
    }
    Input<std::int64_t> truth_input(truth, "truth"), pred_input(pred, "pred");
    const Length length = agree_on_length(n, truth_input, pred_input);
    constexpr std::int64_t narrow = std::int64_t{1} << 32;
    if (length.n <= narrow)
        return run(truth_input, pred_input, length.n, length.truth, length.pred, Visitor<Exact<std::uint64_t>>{});
    return run(truth_input, pred_input, length.n, length.truth, length.pred, Visitor<Exact<u128>>{});
}

nb::object to_python(u128 value) { return to_integer(value); }
nb::object to_python(double value) { return nb::float_(value); }

// A score that is a finalizer of the pair sums which Visitor collects.
template <template <class> class Visitor, class Finalizer>
void define_score(nb::module_& module, const char* name, Finalizer finalizer) {
    const std::size_t row = row_named(name);
    module.def(
        name,
        [finalizer, row](nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration) -> double {
            if (is_labelled(truth, pred)) return score(row, truth, pred, n, duration, Options{});
            return walked<Visitor>(truth, pred, n, duration,
                                   [&](const auto& visitor, auto length) { return finalizer(visitor.pairs(length)); });
        },
        "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "duration"_a.none());
}

nb::tuple pair_counts(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration) {
    const auto shown_counts = [](const auto& pairs) {
        return nb::make_tuple(to_python(pairs.both), to_python(pairs.truth_only), to_python(pairs.pred_only),
                              to_python(pairs.neither));
    };
    if (is_labelled(truth, pred))
        return with_sides(truth, pred, n, duration, [&](const auto& sides) {
            return shown_counts(Evaluation(sides, Options{}, Need::pairs).pairs);
        });
    return walked<PairCounts>(truth, pred, n, duration,
                              [&](const auto& visitor, auto length) { return shown_counts(visitor.pairs(length)); });
}

nb::object mirkin_distance(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration, bool normalized) {
    const auto distance_of = [&](const auto& pairs, auto length) -> nb::object {
        if (!normalized) return to_python(2 * pairs.disagreement());
        return nb::float_(normalized_mirkin_distance(pairs, length));
    };
    if (is_labelled(truth, pred))
        return with_sides(truth, pred, n, duration, [&](const auto& sides) {
            return distance_of(Evaluation(sides, Options{}, Need::pairs).pairs, sides.n);
        });
    return walked<Disagreement>(truth, pred, n, duration, [&](const auto& visitor, auto length) {
        return distance_of(visitor.pairs(length), length);
    });
}

// How many cells the walk visits.
template <class>
struct CellCount {
    std::uint64_t cells = 0;
    template <class T>
    void operator()(const Cell<T>&) {
        ++cells;
    }
    void merge(const CellCount& other) { cells += other.cells; }
};

std::uint64_t count_cells(nb::handle truth, nb::handle pred, nb::handle n, nb::handle duration) {
    return walked<CellCount>(truth, pred, n, duration, [](const auto& visitor, auto) { return visitor.cells; });
}

// The cuts of a Segmentation as the bytes of int64, and its length.
nb::tuple load_cuts(nb::handle cuts, nb::handle n, const char* name) {
    Input<std::int64_t> input(cuts, name);
    std::optional<std::int64_t> length;
    End end = End::given;
    if (!n.is_none()) length = load_n(n);
    if (!length.has_value()) length = input.n();
    if (input.n().has_value() && input.n() != length)
        throw CutError(std::string(name) + " has n = " + text(*input.n()) + " but n = " + text(*length) +
                       " was passed; expected one length");
    if (!length.has_value()) length = input.last();
    if (!length.has_value()) {
        length = std::numeric_limits<std::int64_t>::max();
        end = End::open;
    }
    if (*length < 0)
        throw CutError(std::string(name) + " ends at " + text(*length) +
                       "; without n= it must end with the length (pass n=)");
    std::vector<std::int64_t> kept;
    const auto found = gather(input, *length, end, kept);
    return nb::make_tuple(nb::bytes(reinterpret_cast<const char*>(found.data()), found.size_bytes()), *length);
}

// Integers in no particular order (lengths, starts, ...), as the bytes of int64.
nb::bytes load_integers(nb::handle values, const char* name) {
    Input<std::int64_t> input(values, name);
    std::vector<std::int64_t> kept;
    for (auto block = input.next(); !block.empty(); block = input.next())
        kept.insert(kept.end(), block.begin(), block.end());
    return nb::bytes(reinterpret_cast<const char*>(kept.data()), kept.size() * sizeof(std::int64_t));
}

}  // namespace
}  // namespace segscore

NB_MODULE(_core, module) {
    using namespace segscore;
    module.def("load_cuts", &load_cuts, "cuts"_a.none(), "n"_a.none(), "name"_a);
    module.def("load_integers", &load_integers, "values"_a.none(), "name"_a);
    module.def("load_n", &load_n, "n"_a.none());
    module.def("count_cells", &count_cells, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "duration"_a.none());
    module.def("pair_counts", &pair_counts, "truth"_a.none(), "pred"_a.none(), "n"_a.none(), "duration"_a.none());
    module.def("mirkin_distance", &mirkin_distance, "truth"_a.none(), "pred"_a.none(), "n"_a.none(),
               "duration"_a.none(), "normalized"_a);
    define_score<Disagreement>(module, "rand_index", [](const auto& p) { return rand_index(p); });
    define_score<Disagreement>(module, "rand_distance", [](const auto& p) { return rand_distance(p); });
    define_score<PairCounts>(module, "pair_precision", [](const auto& p) { return pair_precision(p); });
    define_score<PairCounts>(module, "pair_recall", [](const auto& p) { return pair_recall(p); });
    define_score<PairCounts>(module, "pair_f1", [](const auto& p) { return pair_f1(p); });
    define_score<PairCounts>(module, "adapted_rand_error", [](const auto& p) { return adapted_rand_error(p); });
    define_score<PairCounts>(module, "blanc", [](const auto& p) { return blanc(p); });
    define_score<PairCounts>(module, "jaccard_index", [](const auto& p) { return jaccard_index(p); });
    define_score<PairCounts>(module, "fowlkes_mallows_index", [](const auto& p) { return fowlkes_mallows_index(p); });
    define_score<PairCounts>(module, "adjusted_rand_index", [](const auto& p) { return adjusted_rand_index(p); });
    define_score<TripleCounts>(module, "modified_adjusted_rand_index",
                               [](const auto& p) { return modified_adjusted_rand_index(p); });
    define_scores(module);
    define_chance(module);
    define_many(module);
    define_tables(module);
}
