// What a random prediction scores: r cuts, every set of r gaps equally likely, the truth as it is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "exact.hpp"
#include "pairs.hpp"

namespace segscore {

// The logarithm of C(n - length, m) / C(n, m): the chance that m of n points all miss a stretch of that length. As a
// product of m factors, or for large m by Stirling's series, whose large terms cancel in the algebra and not in the
// sum: with a = n + 1 and z = a - length - m, (a - length)(a - m) = a z + length m.
inline double log_chance_to_miss(double n, double length, double m) {
    constexpr double never = -std::numeric_limits<double>::infinity();
    if (m > n - length) return never;
    if (length < m) std::swap(length, m);  // it is symmetric
    constexpr double few = 128;
    if (m <= few) {
        Compensated sum;
        for (double i = 0; i < m; ++i) sum.add(std::log1p(-length / (n - i)));
        return sum.value();
    }
    const double a = n + 1, z = a - length - m;
    constexpr double negligible = 16;  // below it the chance is less than 1e-20
    if (z < negligible) return never;
    const auto series = [](double u) {
        return 1 / (12 * u) - 1 / (360 * u * u * u) + 1 / (1260 * std::pow(u, 5)) - 1 / (1680 * std::pow(u, 7));
    };
    return (z - 0.5) * std::log1p(length * m / (a * z)) + m * std::log1p(-length / a) + length * std::log1p(-m / a) +
           series(a - length) - series(a) - series(z) + series(a - m);
}

// The mean number of pairs on which such a prediction and the truth disagree.
inline double expected_disagreement(std::span<const std::int64_t> truth, std::int64_t n, std::int64_t r) {
    if (n < 2) return 0;
    u128 together = 0;
    Compensated met;  // over the truth's segments, the chance that r + 2 of n points do not all miss it
    const auto points = static_cast<double>(n), m = static_cast<double>(r) + 2;
    std::int64_t start = 0;
    const auto add = [&](std::int64_t end) {
        together += pairs_among(end - start);
        if (r > 0 && r < n - 1) met.add(-std::expm1(log_chance_to_miss(points, static_cast<double>(end - start), m)));
        start = end;
    };
    for (const std::int64_t cut : truth) add(cut);
    add(n);
    if (r == 0) return static_cast<double>(pairs_among(n) - together);
    if (r >= n - 1) return static_cast<double>(together);
    const double pred_together = points * static_cast<double>(n - 1 - r) / m;
    const double both = pred_together * (m - met.value()) / (m - 1);
    return pred_together + static_cast<double>(together) - 2 * both;
}

}  // namespace segscore
