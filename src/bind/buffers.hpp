// Buffers owned by other libraries: the type of their items, and the conversion to the core's own type.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace segscore {

// Converts the items of a buffer to T. Returns the number of items before the first that does not fit, which wraps.
template <class T>
using Convert = std::size_t (*)(const char* from, std::ptrdiff_t stride, std::size_t count, T* to);

template <class T, class From, bool Swapped>
std::size_t convert(const char* from, std::ptrdiff_t stride, std::size_t count, T* to) {
    for (std::size_t k = 0; k < count; ++k, from += stride) {
        std::array<char, sizeof(From)> bytes;
        std::memcpy(bytes.data(), from, sizeof(From));
        if constexpr (Swapped) std::reverse(bytes.begin(), bytes.end());
        const From item = std::bit_cast<From>(bytes);
        to[k] = static_cast<T>(item);
        if constexpr (std::is_same_v<From, std::uint64_t> && std::is_integral_v<T>)
            if (to[k] < 0) return k;
    }
    return count;
}

enum class Items { integers, reals, bools, objects, other };

struct ItemType {
    Items kind;
    bool is_signed;
    bool swapped;
    std::size_t width;
};

inline ItemType item_type(const Py_buffer& view) {
    std::string_view format = view.format == nullptr ? "B" : view.format;
    bool swapped = false;
    if (!format.empty() && std::string_view("@=<>!").find(format[0]) != std::string_view::npos) {
        const bool big = format[0] == '>' || format[0] == '!';
        swapped = format[0] != '@' && format[0] != '=' && big != (std::endian::native == std::endian::big);
        format.remove_prefix(1);
    }
    ItemType type{Items::other, false, swapped, static_cast<std::size_t>(view.itemsize)};
    if (format.size() != 1) return type;
    const auto is_one_of = [&](std::string_view codes) { return codes.find(format[0]) != std::string_view::npos; };
    if (is_one_of("bhilqn")) type = {Items::integers, true, swapped, type.width};
    if (is_one_of("BHILQN")) type = {Items::integers, false, swapped, type.width};
    if (is_one_of("efdg")) type.kind = Items::reals;
    if (format == "?") type.kind = Items::bools;
    if (format == "O") type.kind = Items::objects;
    return type;
}

template <class T, bool Swapped>
Convert<T> conversion(const ItemType& type) {
    if (type.kind == Items::integers) {
        switch (type.width) {
            case 1:
                return type.is_signed ? convert<T, std::int8_t, Swapped> : convert<T, std::uint8_t, Swapped>;
            case 2:
                return type.is_signed ? convert<T, std::int16_t, Swapped> : convert<T, std::uint16_t, Swapped>;
            case 4:
                return type.is_signed ? convert<T, std::int32_t, Swapped> : convert<T, std::uint32_t, Swapped>;
            case 8:
                return type.is_signed ? convert<T, std::int64_t, Swapped> : convert<T, std::uint64_t, Swapped>;
            default:
                return nullptr;
        }
    }
    if constexpr (std::is_floating_point_v<T>) {
        if (type.kind == Items::reals && type.width == 4) return convert<T, float, Swapped>;
        if (type.kind == Items::reals && type.width == 8) return convert<T, double, Swapped>;
    }
    return nullptr;
}

// A view of a buffer owned by another library, released at the end.
struct Buffer : Py_buffer {
    Buffer() { obj = nullptr; }
    ~Buffer() {
        if (obj != nullptr) PyBuffer_Release(this);
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
};

}  // namespace segscore
