// The cuts of one segmentation as they arrive, block by block, and the checks of these cuts.
//
// A cut c stands between two points, x[:c] | x[c:], so 0 < c < n, and cuts strictly increase. A leading 0 and a
// trailing n, the auxiliary points of the paper, are accepted and dropped.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pace.hpp"

namespace segscore {

using Points = std::span<const std::int64_t>;  // cuts between points
using Times = std::span<const double>;         // cuts in continuous time

// x - y. Another thread may rewrite an array after its cuts were checked. The difference may then wrap around, but the
// behaviour is never undefined.
inline std::int64_t difference(std::int64_t x, std::int64_t y) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y));
}
inline double difference(double x, double y) { return x - y; }

// |x - y|, without a branch for cuts.
template <class T>
T apart(T x, T y) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
        const auto gap = static_cast<std::uint64_t>(difference(x, y)), negative = -(gap >> 63);
        return static_cast<std::int64_t>((gap ^ negative) - negative);
    } else {
        return x < y ? y - x : x - y;
    }
}

// An error in the input. The message is for the user: where, what was found, what was expected, the remedy.
struct InputError : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// Raises for input that was changed after it was checked.
[[noreturn]] inline void refuse_change() {
    throw InputError("truth or pred changed while it was read; expected input that does not change");
}

template <class T>
std::string text(T value) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    std::string written(digits, end);
    if constexpr (std::is_floating_point_v<T>)
        if (written.find_first_not_of("-0123456789") == std::string::npos) written += ".0";
    return written;
}

// Source provides `std::span<const T> next()`: the raw values, in blocks of any size, an empty one at the end; and
// `bool is_at_end()`: true only if no further block has values.
template <class T, class Source>
class Cuts {
public:
    // `n` is the length, or the duration.
    Cuts(Source& source, std::string_view name, T n) : source_(source), name_(name), n_(n) {}

    // Whether cuts remain; if so, block() holds at least one. Only the ends of a new block are checked here. The reader
    // verifies the order while reading, at no extra cost, and calls check() to name the fault.
    bool more() { return !block_.empty() || (!exhausted_ && refill()); }
    std::span<const T> block() const { return block_; }
    void drop(std::size_t count) { block_ = block_.subspan(count); }

    // Whether the present block has no fault. Fast, because it does not find out which fault.
    bool is_in_order() const {
        if constexpr (std::is_integral_v<T>) {
            std::uint64_t order = 0;  // negative if a value is negative or does not exceed the previous value
            for (std::size_t k = 1; k < raw_.size(); ++k) {
                const auto cut = static_cast<std::uint64_t>(raw_[k]);
                order |= cut | (cut - static_cast<std::uint64_t>(raw_[k - 1]) - 1);
            }
            return static_cast<std::int64_t>(order) >= 0;
        } else {
            bool increases = true;
            for (std::size_t k = 1; k < raw_.size(); ++k) increases &= raw_[k] > raw_[k - 1];
            return increases;
        }
    }

    // Throws the first fault of the present block, if there is one.
    void check() const {
        T previous = previous_;
        for (std::size_t k = 0; k < raw_.size(); previous = raw_[k++]) {
            const T cut = raw_[k];
            const std::size_t index = index_ + k;
            if (std::is_floating_point_v<T> && cut != cut)
                throw InputError(at(index, cut) + " is not a number; cuts must be finite (drop it first)");
            if (index == 0 ? cut < 0 : !(cut > previous)) {
                if (index == 0 || cut < 0) throw InputError(outside(index, cut));
                throw InputError(at(index, cut) + " does not exceed " + at(index - 1, previous) +
                                 "; cuts must strictly increase (" + remedy(cut == previous) + ")");
            }
            if (cut > n_) throw InputError(outside(index, cut));
        }
    }

private:
    [[gnu::noinline]] bool refill() {
        do read();
        while (!exhausted_ && block_.empty());
        return !block_.empty();
    }
    void read() {
        if (!raw_.empty()) previous_ = raw_.back();
        index_ += raw_.size();
        // Kept in registers until it is whole: what was just stored in parts is slow to load again.
        const std::span<const T> raw = source_.next();
        raw_ = raw;
        exhausted_ = raw.empty() || source_.is_at_end();
        if (raw.empty()) return;
        // The ends give the range. The last two values are checked, because a trailing n is dropped before it is
        // compared.
        const bool first = index_ == 0;
        const bool in_place = first ? raw.front() >= 0 : raw.front() > previous_;
        const bool in_range = raw.back() <= n_ && raw.back() >= raw.front();
        const bool last_increases = raw.size() < 2 || raw.back() > raw[raw.size() - 2];
        if (!in_place || !in_range || !last_increases) check();
        std::span<const T> block = raw;
        if (first && block.front() == 0) block = block.subspan(1);
        if (!block.empty() && block.back() == n_) block = block.first(block.size() - 1);
        block_ = block;
    }
    std::string at(std::size_t index, T cut) const {
        return std::string(name_) + "[" + std::to_string(index) + "] = " + text(cut);
    }
    // A value per point, or per gap, is no list of cuts: strictly increasing cuts would be fewer.
    std::string remedy(bool repeats) const {
        std::size_t count = index_ + raw_.size();
        if constexpr (requires { source_.size(); }) count = std::max(count, source_.size());
        if (std::is_floating_point_v<T> || static_cast<std::uint64_t>(n_) > count + 1)
            return repeats ? "drop the repeat" : "sort them first";
        const bool marks = std::all_of(raw_.begin(), raw_.end(), [](T value) { return value == 0 || value == 1; });
        return std::string("for one label per point use Segmentation.from_labels") +
               (marks ? ", for 0/1 marks Segmentation.from_mask" : "");
    }
    std::string outside(std::size_t index, T cut) const {
        std::string message =
            at(index, cut) + " is outside 0 < cut < " + (std::is_integral_v<T> ? "n = " : "duration = ") + text(n_);
        if constexpr (std::is_integral_v<T>)
            if (cut > n_ && cut - n_ == 1 && index + 1 == index_ + raw_.size())
                message +=
                    "; cuts that end with n + 1 look like 1-based starts (use Segmentation.from_starts(..., "
                    "one_based=True))";
        return message;
    }

    Source& source_;
    std::string_view name_;
    T n_;
    bool exhausted_ = false;
    std::span<const T> raw_{};    // the block as it came
    std::span<const T> block_{};  // the unread part of the block, without a leading 0 and a trailing n
    std::size_t index_ = 0;       // of raw_[0] in the input
    T previous_ = 0;              // the value before raw_[0]
};

// A Source of values in memory: one block that stays in place.
template <class T>
struct WholeSource {
    std::span<const T> values;
    std::span<const T> next() { return std::exchange(values, {}); }
    bool is_at_end() const { return values.empty(); }
};

// Checks all cuts of a Source, and calls take(block) with each block.
template <class T, class Source, class Take>
void check_all(Source& source, std::string_view name, T n, const Take& take) {
    Cuts<T, Source> cuts(source, name, n);
    Pace pace;
    while (cuts.more()) {
        if (!cuts.is_in_order()) cuts.check();
        take(cuts.block());
        pace.step(cuts.block().size());
        cuts.drop(cuts.block().size());
    }
}

// All cuts of a Source whose blocks stay in place, one behind the other, checked.
template <class T, class Source>
std::span<const T> checked_in_place(Source& source, std::string_view name, T n) {
    std::span<const T> all;
    const auto extend = [&](std::span<const T> block) {
        all = all.empty() ? block : std::span<const T>(all.data(), all.size() + block.size());
    };
    check_all(source, name, n, extend);
    return all;
}

// Checked cuts in memory, with the interface of the class above. If a fault is found here, the cuts were rewritten
// after the check.
template <class T>
class CheckedCuts {
public:
    explicit CheckedCuts(std::span<const T> cuts) : block_(cuts) {}
    bool more() const { return !block_.empty(); }
    std::span<const T> block() const { return block_; }
    void drop(std::size_t count) { block_ = block_.subspan(count); }
    void check() const {}

private:
    std::span<const T> block_;
};

// Calls each(length) for every segment of checked cuts; a call takes `work` steps of a Pace.
template <class T, class Each>
void visit_lengths(std::span<const T> cuts, T n, const Each& each, std::uint64_t work = 1) {
    T start = 0;
    Pace pace;
    for (const T cut : cuts) {
        if (!(cut > start)) refuse_change();
        each(cut - start);
        start = cut;
        pace.step(work);
    }
    if (n < start) refuse_change();
    if (n > start) each(n - start);
}

// Copies of several segmentations of one length. Their cuts are in arrays that do not grow, because it takes long to
// move a large array.
template <class T>
class Segmentations {
public:
    T n = 0;

    Segmentations() = default;
    Segmentations(Segmentations&&) = default;
    std::size_t size() const { return each_.size(); }
    std::span<const T> operator[](std::size_t k) const { return each_[k]; }
    void add(std::span<const T> cuts) {
        constexpr std::size_t least = std::size_t{1} << 16;
        if (arrays_.empty() || arrays_.back().capacity() - arrays_.back().size() < cuts.size())
            arrays_.emplace_back().reserve(std::max(least, cuts.size()));
        auto& array = arrays_.back();
        const std::size_t start = array.size();
        array.insert(array.end(), cuts.begin(), cuts.end());
        each_.push_back(std::span<const T>(array).subspan(start));
    }

private:
    std::vector<std::vector<T>> arrays_;
    std::vector<std::span<const T>> each_;
};

}  // namespace segscore
