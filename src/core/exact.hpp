// Integers that cannot overflow, and quotients rounded once.
//
// Counts of pairs reach 2^125 for n < 2^63, their products 2^251. All steps are exact except the last, the division,
// which is correctly rounded (nearest, ties to even).
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace segscore {

__extension__ using u128 = unsigned __int128;
__extension__ using i128 = __int128;

// A natural number of K 64-bit limbs, least significant first. Callers choose K so that no result overflows.
template <std::size_t K>
struct Natural {
    std::array<std::uint64_t, K> limb{};

    constexpr Natural() = default;
    constexpr Natural(u128 value) : limb{static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64)} {}

    constexpr Natural& operator+=(const Natural& other) {
        u128 carry = 0;
        for (std::size_t k = 0; k < K; ++k) {
            carry += u128{limb[k]} + other.limb[k];
            limb[k] = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
        return *this;
    }
    // Requires *this >= other.
    constexpr Natural& operator-=(const Natural& other) {
        std::uint64_t borrow = 0;
        for (std::size_t k = 0; k < K; ++k) {
            u128 difference = u128{limb[k]} - other.limb[k] - borrow;
            limb[k] = static_cast<std::uint64_t>(difference);
            borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
        }
        return *this;
    }
    constexpr Natural& operator<<=(unsigned shift) {
        const std::size_t whole = shift / 64;
        const unsigned part = shift % 64;
        for (std::size_t k = K; k-- > 0;) {
            const std::uint64_t low = k >= whole ? limb[k - whole] : 0;
            const std::uint64_t lower = k >= whole + 1 ? limb[k - whole - 1] : 0;
            limb[k] = part == 0 ? low : (low << part) | (lower >> (64 - part));
        }
        return *this;
    }
    friend constexpr Natural operator+(Natural x, const Natural& y) { return x += y; }
    friend constexpr Natural operator-(Natural x, const Natural& y) { return x -= y; }
    friend constexpr bool operator==(const Natural&, const Natural&) = default;
    friend constexpr std::strong_ordering operator<=>(const Natural& x, const Natural& y) {
        for (std::size_t k = K; k-- > 0;)
            if (x.limb[k] != y.limb[k]) return x.limb[k] <=> y.limb[k];
        return std::strong_ordering::equal;
    }
};

template <std::size_t K>
constexpr Natural<K> multiply(const Natural<K>& x, const Natural<K>& y) {
    Natural<K> product;
    for (std::size_t i = 0; i < K; ++i) {
        u128 carry = 0;
        for (std::size_t j = 0; i + j < K; ++j) {
            carry += u128{x.limb[i]} * y.limb[j] + product.limb[i + j];
            product.limb[i + j] = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
    }
    return product;
}

constexpr int bit_width(u128 x) {
    const auto high = static_cast<std::uint64_t>(x >> 64);
    return static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<std::uint64_t>(x)));
}
template <std::size_t K>
constexpr int bit_width(const Natural<K>& x) {
    for (std::size_t k = K; k-- > 0;)
        if (x.limb[k] != 0) return static_cast<int>(64 * k) + static_cast<int>(std::bit_width(x.limb[k]));
    return 0;
}

// numerator / denominator, correctly rounded; denominator > 0. Long division gives 57 bits, of which at least 56 are
// significant. So the last bit can record a remainder without touching the 53 bits of the result or the guard bit.
template <class Integer>
double long_division(Integer numerator, Integer denominator) {
    if (numerator == Integer{}) return 0.0;
    const int scale = bit_width(numerator) - bit_width(denominator);
    if (scale > 0) denominator <<= static_cast<unsigned>(scale);
    if (scale < 0) numerator <<= static_cast<unsigned>(-scale);
    std::uint64_t quotient = 0;
    for (int bit = 0; bit < 57; ++bit) {
        quotient <<= 1;
        if (numerator >= denominator) {
            numerator -= denominator;
            quotient |= 1;
        }
        numerator <<= 1;
    }
    if (numerator != Integer{}) quotient |= 1;
    return std::ldexp(static_cast<double>(quotient), scale - 56);
}

// Both arguments of these three are one measure: whole pairs (u128) or areas of continuous time (double).

inline double ratio(u128 numerator, u128 denominator) {
    constexpr u128 exact_in_double = u128{1} << 53;
    if (numerator <= exact_in_double && denominator <= exact_in_double)
        return static_cast<double>(static_cast<std::int64_t>(numerator)) /
               static_cast<double>(static_cast<std::int64_t>(denominator));
    return long_division(numerator, denominator);
}
inline double ratio(const Natural<4>& numerator, const Natural<4>& denominator) {
    const auto is_narrow = [](const Natural<4>& x) { return x.limb[3] == 0 && x.limb[2] == 0 && x.limb[1] >> 63 == 0; };
    const auto narrow = [](const Natural<4>& x) { return u128{x.limb[1]} << 64 | x.limb[0]; };
    if (is_narrow(numerator) && is_narrow(denominator)) return ratio(narrow(numerator), narrow(denominator));
    return long_division(numerator, denominator);
}
inline double ratio(double numerator, double denominator) { return numerator / denominator; }

inline Natural<4> product(u128 x, u128 y) { return multiply(Natural<4>(x), Natural<4>(y)); }
inline double product(double x, double y) { return x * y; }

// (x - y) / denominator, which may be negative.
template <class Number>
double signed_ratio(const Number& x, const Number& y, const Number& denominator) {
    return x >= y ? ratio(x - y, denominator) : -ratio(y - x, denominator);
}

// x / sqrt(y z) for 0 < x <= y, z: an estimate, then moved to the double that exact comparison says is nearest.
inline double ratio_to_geometric_mean(u128 x, u128 y, u128 z) {
    using Wide = Natural<6>;
    const Wide xx = multiply(Wide(x), Wide(x));
    const Wide yz = multiply(Wide(y), Wide(z));
    // Compares the exact value with the midpoint of `below` and the next double.
    const auto against_midpoint_above = [&](double below) {
        int exponent;
        const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(below, &exponent), 53));
        const Wide midpoint(u128{mantissa} * 2 + 1);
        Wide scaled = xx;
        scaled <<= static_cast<unsigned>(2 * (54 - exponent));
        return scaled <=> multiply(multiply(midpoint, midpoint), yz);
    };
    const auto is_odd = [](double value) { return (std::bit_cast<std::uint64_t>(value) & 1) != 0; };
    double best = static_cast<double>(x) / (std::sqrt(static_cast<double>(y)) * std::sqrt(static_cast<double>(z)));
    for (;;) {
        const auto above = against_midpoint_above(best);
        if (above > 0 || (above == 0 && is_odd(best))) {
            best = std::nextafter(best, 2.0);
            continue;
        }
        const double previous = std::nextafter(best, 0.0);
        const auto below = against_midpoint_above(previous);
        if (below > 0 || (below == 0 && !is_odd(best))) return best;
        best = previous;
    }
}
inline double ratio_to_geometric_mean(double x, double y, double z) { return x / (std::sqrt(y) * std::sqrt(z)); }

// A number in twice the precision of a double: the sum of two doubles, of which the first is the nearest to the sum.
// Sums, differences and products have a relative error below 1e-31; those of two plain doubles are exact, unless a
// product underflows.
struct DoubleDouble {
    double high = 0.0, low = 0.0;

    constexpr DoubleDouble() = default;
    constexpr DoubleDouble(double value) : high(value) {}
    template <std::integral Count>
    constexpr explicit DoubleDouble(Count count) : high(static_cast<double>(count)) {}  // rounded above 2^53

    explicit operator double() const { return high; }
    DoubleDouble operator-() const { return {-high, -low}; }
    friend DoubleDouble operator+(const DoubleDouble& x, const DoubleDouble& y) {
        const DoubleDouble highs = sum(x.high, y.high), lows = sum(x.low, y.low);
        const DoubleDouble most = ordered_sum(highs.high, highs.low + lows.high);
        return ordered_sum(most.high, most.low + lows.low);
    }
    friend DoubleDouble operator-(const DoubleDouble& x, const DoubleDouble& y) { return x + -y; }
    friend DoubleDouble operator*(const DoubleDouble& x, const DoubleDouble& y) {
        const double product = x.high * y.high;
        return ordered_sum(product, std::fma(x.high, y.high, -product) + (x.high * y.low + x.low * y.high));
    }
    DoubleDouble& operator+=(const DoubleDouble& other) { return *this = *this + other; }
    DoubleDouble& operator-=(const DoubleDouble& other) { return *this = *this - other; }
    friend bool operator==(const DoubleDouble&, const DoubleDouble&) = default;
    friend bool operator<(const DoubleDouble& x, const DoubleDouble& y) {
        return x.high < y.high || (x.high == y.high && x.low < y.low);
    }

    // x + y, exactly.
    static DoubleDouble sum(double x, double y) {
        const double high = x + y, shadow = high - x;
        return {high, (x - (high - shadow)) + (y - shadow)};
    }

private:
    constexpr DoubleDouble(double the_high, double the_low) : high(the_high), low(the_low) {}
    // The same if x is not smaller than y, or is 0.
    static DoubleDouble ordered_sum(double x, double y) {
        const double high = x + y;
        return {high, y - (high - x)};
    }
};

inline double ratio(const DoubleDouble& numerator, const DoubleDouble& denominator) {
    return static_cast<double>(numerator) / static_cast<double>(denominator);
}

// A sum of products of doubles in twice their precision.
struct Compensated {
    double high = 0.0;
    double low = 0.0;

    void add(double value) {
        const double sum = high + value;
        const double shadow = sum - high;
        low += (high - (sum - shadow)) + (value - shadow);
        high = sum;
    }
    void add_product(double x, double y) {
        const double xy = x * y;
        add(xy);
        low += std::fma(x, y, -xy);
    }
    void add(const Compensated& other) {
        add(other.high);
        low += other.low;
    }
    double value() const { return high + low; }
};

}  // namespace segscore
