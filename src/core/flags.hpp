// Sets of flags: scoped enumerations with one bit per flag, and `nothing` for the empty set.
#pragma once

#include <type_traits>

namespace segscore {

template <class Set>
concept Flags = std::is_enum_v<Set> && requires { Set::nothing; };

template <Flags Set>
constexpr Set operator|(Set x, Set y) {
    return static_cast<Set>(static_cast<unsigned>(x) | static_cast<unsigned>(y));
}
template <Flags Set>
constexpr Set& operator|=(Set& x, Set y) {
    return x = x | y;
}
// The flags of x that are not in y.
template <Flags Set>
constexpr Set operator-(Set x, Set y) {
    return static_cast<Set>(static_cast<unsigned>(x) & ~static_cast<unsigned>(y));
}
// Whether the sets have a flag in common.
template <Flags Set>
constexpr bool meet(Set x, Set y) {
    return (static_cast<unsigned>(x) & static_cast<unsigned>(y)) != 0;
}

}  // namespace segscore
