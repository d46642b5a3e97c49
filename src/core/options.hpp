// The options of metrics: one table, from which the core, the bindings, the browser and Python read everything.
//
// A new option is one row here, and a parameter with the same name and default in the signatures of Python. A new kind
// of values is one word in OptionKind, option_kind_names and OptionTypes, and one case in bind/options.hpp and
// web/web.cpp.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <tuple>

#include "flags.hpp"
#include "information.hpp"

// The name of each option, the kind of its values and its default, in the order of signatures. A margin has no default,
// the default of k depends on the truth, and without max_delay every delay is accepted.
#define SEGSCORE_OPTIONS(ROW)                  \
    ROW(margin, length, {})                    \
    ROW(relative_margin, share_of_length, {})  \
    ROW(beta, number, 1)                       \
    ROW(average, average, Average::arithmetic) \
    ROW(base, base, std::numbers::e)           \
    ROW(symmetric, flag, false)                \
    ROW(k, window, {})                         \
    ROW(weighted, flag, false)                 \
    ROW(lamprier, flag, false)                 \
    ROW(n_t, count, 2)                         \
    ROW(insertion, cost, 2)                    \
    ROW(deletion, cost, 2)                     \
    ROW(shift, cost, 1)                        \
    ROW(max_delay, length, {})                 \
    ROW(share, share, 0.5)

namespace segscore {

// The distance that two cuts at a distance of `margin` may have after rounding. Decimal times are rounded to binary:
// 10.07 - 10.0 exceeds 0.07. Two times and a margin, each at most `time` and each rounded once, differ by at most 1.5
// units in the last place of `time`, and times that were computed by an operation or two differ by a little more.
// Integers are exact, and margin 0 asks for the same number.
inline double widened(double margin, double time) {
    const double unit = std::bit_cast<double>(std::bit_cast<std::uint64_t>(time) + 1) - time;
    return margin > 0 ? margin + 4 * unit : margin;
}
constexpr std::int64_t widened(std::int64_t margin, std::int64_t) { return margin; }

// A margin or another distance as the user gave it: in the unit of the cuts, or as a share of the length.
struct Margin {
    enum class Kind { none, whole, real, relative } kind = Kind::none;
    std::int64_t whole = 0;
    double real = 0;

    bool is_given() const { return kind != Kind::none; }
    // The distance itself. A distance above n has the same effect as infinity, and does not overflow.
    template <class T>
    T limited(T n) const {
        if (kind == Kind::whole) return static_cast<T>(whole);
        const double reach = kind == Kind::relative ? real * static_cast<double>(n) : real;
        return reach < static_cast<double>(n) ? static_cast<T>(reach) : n;
    }
    // The distance up to which two cuts may be matched.
    template <class T>
    T within(T n) const {
        return widened(limited(n), n);
    }
};

// The kinds of values, their names and their types. Python takes lengths of time for `length` and `window`.
enum class OptionKind { length, share_of_length, window, number, cost, base, share, count, flag, average };
inline constexpr std::array option_kind_names{
    "length", "share of the length", "window", "number", "cost", "base", "share", "count", "flag", "average"};
using OptionTypes = std::tuple<Margin, Margin, Margin, double, double, double, double, std::int64_t, bool, Average>;
template <OptionKind kind>
using OptionValue = std::tuple_element_t<static_cast<std::size_t>(kind), OptionTypes>;
static_assert(option_kind_names.size() == static_cast<std::size_t>(OptionKind::average) + 1 &&
              option_kind_names.size() == std::tuple_size_v<OptionTypes>);

// The values of all options.
struct Options {
#define SEGSCORE_FIELD(name, kind, ...) OptionValue<OptionKind::kind> name = __VA_ARGS__;
    SEGSCORE_OPTIONS(SEGSCORE_FIELD)
#undef SEGSCORE_FIELD

    // The margin in either form; at most one is given.
    const Margin& reach() const { return relative_margin.is_given() ? relative_margin : margin; }
};

#define SEGSCORE_NAME(name, ...) #name,
inline constexpr std::array option_names{SEGSCORE_OPTIONS(SEGSCORE_NAME)};
#undef SEGSCORE_NAME

#define SEGSCORE_KIND(name, kind, ...) OptionKind::kind,
inline constexpr std::array option_kinds{SEGSCORE_OPTIONS(SEGSCORE_KIND)};
#undef SEGSCORE_KIND

namespace option_number {
#define SEGSCORE_NUMBER(name, ...) name,
enum : unsigned { SEGSCORE_OPTIONS(SEGSCORE_NUMBER) count_of_options };
#undef SEGSCORE_NUMBER
}  // namespace option_number

// The set of options that a metric takes.
enum class Takes : unsigned {
    nothing = 0,
#define SEGSCORE_FLAG(name, ...) name = 1u << option_number::name,
    SEGSCORE_OPTIONS(SEGSCORE_FLAG)
#undef SEGSCORE_FLAG
};
static_assert(option_names.size() == option_number::count_of_options && option_names.size() <= 32);

template <OptionKind its_kind>
struct Option {
    static constexpr OptionKind kind = its_kind;
    const char* name;
    Takes flag;
    OptionValue<its_kind> Options::* value;
};

// Calls use(option) for each option, in the order of signatures.
template <class Use>
constexpr void for_each_option(const Use& use) {
#define SEGSCORE_USE(name, kind, ...) use(Option<OptionKind::kind>{#name, Takes::name, &Options::name});
    SEGSCORE_OPTIONS(SEGSCORE_USE)
#undef SEGSCORE_USE
}

}  // namespace segscore
