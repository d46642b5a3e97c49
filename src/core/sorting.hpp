// Sorting and merging that can be interrupted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "pace.hpp"

namespace segscore {

// Merges two sorted ranges into the place `to`; of equal items, those on the left come first.
template <class Item, class Less = std::less<>>
void interruptible_merge(std::span<const Item> left, std::span<const Item> right, Item* to, Pace& pace,
                         const Less& less = {}) {
    std::size_t i = 0, j = 0;
    while (i < left.size() && j < right.size()) {
        const bool is_right = less(right[j], left[i]);
        *to++ = is_right ? right[j] : left[i];
        j += is_right;
        i += !is_right;
        pace.step();
    }
    for (; i < left.size(); pace.step()) *to++ = left[i++];
    for (; j < right.size(); pace.step()) *to++ = right[j++];
}

// A stable sort: sorts blocks, then merges them.
template <class Item, class Less = std::less<>>
void interruptible_sort(std::span<Item> items, const Less& less = {}) {
    constexpr std::size_t block = std::size_t{1} << 18, work_per_item = 8;
    Pace pace;
    const auto part = [size = items.size()](Item* all, std::size_t begin, std::size_t count) {
        return begin < size ? std::span<Item>(all + begin, std::min(count, size - begin)) : std::span<Item>{};
    };
    for (std::size_t begin = 0; begin < items.size(); begin += block) {
        const auto some = part(items.data(), begin, block);
        if constexpr (std::is_integral_v<Item>)
            std::sort(some.begin(), some.end(), less);
        else
            std::stable_sort(some.begin(), some.end(), less);
        pace.step(some.size() * work_per_item);
    }
    if (items.size() <= block) return;
    const auto spare = std::make_unique_for_overwrite<Item[]>(items.size());
    Item *from = items.data(), *to = spare.get();
    for (std::size_t width = block; width < items.size(); width *= 2, std::swap(from, to))
        for (std::size_t begin = 0; begin < items.size(); begin += 2 * width)
            interruptible_merge<Item>(part(from, begin, width), part(from, begin + width, width), to + begin, pace,
                                      less);
    if (from != items.data()) interruptible_merge<Item>(part(from, 0, items.size()), {}, items.data(), pace, less);
}

}  // namespace segscore
