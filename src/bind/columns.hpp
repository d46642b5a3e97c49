// Columns in a batch of a table: cuts as lists, lists of lists for several annotators, or text; and lengths.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "../core/cuts.hpp"
#include "../core/pace.hpp"
#include "../core/text.hpp"
#include "arrow.hpp"
#include "values.hpp"

namespace segscore {

// A column of text of any of Arrow's kinds.
struct StringColumn {
    enum class Kind { small, large, view };
    const ArrowArray* array = nullptr;
    Kind kind = Kind::small;

    static std::optional<StringColumn> of(const ArrowSchema& schema, const ArrowArray& values) {
        const std::string_view format = schema.dictionary == nullptr ? schema.format : "";
        if (format == "u") return StringColumn{&values, Kind::small};
        if (format == "U") return StringColumn{&values, Kind::large};
        if (format == "vu") return StringColumn{&values, Kind::view};
        return std::nullopt;
    }
    std::string_view at(std::int64_t row) const {
        const std::int64_t k = array->offset + row;
        if (kind == Kind::view) {
            const char* view = static_cast<const char*>(array->buffers[1]) + 16 * k;
            const auto field = [view](std::size_t place) {
                std::int32_t value;
                std::memcpy(&value, view + 4 * place, sizeof value);
                return value;
            };
            const auto size = static_cast<std::size_t>(field(0));
            if (size <= 12) return {view + 4, size};
            return {static_cast<const char*>(array->buffers[2 + field(2)]) + field(3), size};
        }
        const auto offset = [this](std::int64_t index) -> std::int64_t {
            return kind == Kind::large ? static_cast<const std::int64_t*>(array->buffers[1])[index]
                                       : static_cast<const std::int32_t*>(array->buffers[1])[index];
        };
        const std::int64_t start = offset(k);
        return {static_cast<const char*>(array->buffers[2]) + start, static_cast<std::size_t>(offset(k + 1) - start)};
    }
};

// The lists of one row, and the memory of those that are not read in place.
template <class T>
struct RowLists {
    std::vector<std::span<const T>> lists;
    std::vector<std::vector<T>> kept;
    TextLists<T> text;
};

// One side of a batch: lists of cuts, or lists of lists for several annotators, or text that holds either.
template <class T>
struct CutsColumn {
    ListColumn rows;
    std::optional<ListColumn> inner;
    std::optional<StringColumn> texts;
    NumberColumn<T> cuts;
    bool is_null = false;  // the whole column
    bool several;          // whether a row may hold several lists

    CutsColumn(const ArrowSchema& schema, const ArrowArray& array, const std::string& name, bool may_be_several)
        : several(may_be_several) {
        const std::string where = "column '" + name + "'";
        const char* takes = std::is_integral_v<T> ? "a list of integers per row" : "a list of numbers per row";
        texts = StringColumn::of(schema, array);
        if (texts.has_value()) return;
        const auto outer = ListColumn::of(schema, array);
        if (!outer.has_value() && std::string_view(schema.format) == "n") {  // a column in which every row is null
            is_null = true;
            return;
        }
        if (!outer.has_value()) raise_type(where + " holds " + described(schema) + "; expected " + takes);
        rows = *outer;
        inner = ListColumn::of(*rows.items_schema, *rows.items);
        if (inner.has_value() && !several)
            raise_type(where + " holds lists of lists; expected " + takes + " (only the truth may have several)");
        cuts = inner.has_value() ? NumberColumn<T>(*inner->items_schema, *inner->items, where, takes)
                                 : NumberColumn<T>(*rows.items_schema, *rows.items, where, takes);
    }
    // Whether a text of the rows up to `length` is a list of lists.
    bool has_nested_text(std::int64_t offset, std::int64_t length) const {
        if (!texts.has_value()) return false;
        for (std::int64_t row = offset; row < offset + length; ++row)
            if (is_valid(*texts->array, row) && begins_nested(texts->at(row))) return true;
        return false;
    }
    // Reads the lists of a row. In a column of nested lists, [] is an empty list of annotators.
    Answer read(std::int64_t row, const char* name, bool is_nested, RowLists<T>& to, Pace& pace) const {
        to.lists.clear();
        if (texts.has_value()) {
            if (!is_valid(*texts->array, row)) return Answer::missing;
            const Answer answer = TextReader<T>(texts->at(row), name, to.text, pace).read();
            if (answer != Answer::cuts) return answer;
            if (to.text.is_nested && !several)
                throw UnreadableText(std::string(name) +
                                     " is a list of lists; expected one list (only the truth may have several)");
            if (is_nested && !to.text.is_nested && to.text.cuts.empty()) return Answer::cuts;
            for (std::size_t k = 0; k < to.text.ends.size(); ++k) to.lists.push_back(to.text.at(k));
            return Answer::cuts;
        }
        if (is_null || !is_valid(*rows.array, row)) return Answer::missing;
        const std::size_t count = inner.has_value() ? static_cast<std::size_t>(rows.at(row).second) : 1;
        if (to.kept.size() < count) to.kept.resize(count);
        for (std::size_t k = 0; k < count; ++k) {
            const auto list = at(row, k, name, to.kept[k], pace);
            if (!list.has_value()) return Answer::missing;
            to.lists.push_back(*list);
        }
        return Answer::cuts;
    }

private:
    // The list of one annotator, in place or in `kept`; nothing if the list is null.
    std::optional<std::span<const T>> at(std::int64_t row, std::size_t annotator, const char* name,
                                         std::vector<T>& kept, Pace& pace) const {
        auto [start, count] = rows.at(row);
        if (inner.has_value()) {
            const std::int64_t which = start + static_cast<std::int64_t>(annotator);
            if (!is_valid(*inner->array, which)) return std::nullopt;
            std::tie(start, count) = inner->at(which);
        }
        const ArrowArray& items = *cuts.array;
        const auto size = static_cast<std::size_t>(count);
        const bool all_null = cuts.convert == nullptr;
        if (all_null || items.null_count != 0)
            for (std::int64_t k = 0; k < count; ++k, pace.step())
                if (all_null || !is_valid(items, start + k))
                    throw InputError(std::string(name) + "[" + std::to_string(k) +
                                     "] is null or not an exact integer; expected only integers (3, not 3.0)");
        std::span<const T> values;
        if (size > 0 && cuts.in_place) {
            values = {reinterpret_cast<const T*>(cuts.data) + start, size};
        } else if (size > 0) {
            kept.clear();
            kept.reserve(size);
            constexpr std::size_t cuts_per_check = std::size_t{1} << 20;
            while (kept.size() < size) {
                const std::size_t before = kept.size(), wanted = std::min(cuts_per_check, size - before);
                kept.resize(before + wanted);
                const std::size_t read =
                    cuts.read(start + static_cast<std::int64_t>(before), wanted, kept.data() + before);
                if (read < wanted)
                    throw InputError(std::string(name) + "[" + std::to_string(before + read) +
                                     "] is outside 0 < cut < 2**63");
                pace.step(wanted);
            }
            values = kept;
        }
        return values;
    }
};

// A column of lengths, or of durations.
template <class T>
class LengthColumn {
public:
    LengthColumn(const ArrowSchema& schema, const ArrowArray& array, const std::string& name) {
        const std::string where = "column '" + name + "'";
        const std::string_view format = schema.format;
        // pandas stores integers with nulls as real numbers.
        const bool is_real = format == "f" || format == "g";
        exact_below_ = format == "f" ? 0x1p24 : 0x1p53;
        if (std::is_integral_v<T> && is_real)
            reals_ = NumberColumn<double>(schema, array, where, "a number per row");
        else
            numbers_ = NumberColumn<T>(schema, array, where,
                                       std::is_integral_v<T> ? "an integer per row" : "a number per row");
    }
    // The length of a row, checked; nothing if it is null or nan.
    std::optional<T> at(std::int64_t row) const {
        if (reals_.convert != nullptr) return whole_at(row);
        if (numbers_.convert == nullptr || !is_valid(*numbers_.array, row)) return std::nullopt;
        T n;
        [[maybe_unused]] const bool fits = numbers_.read(row, 1, &n) == 1;
        if constexpr (std::is_integral_v<T>) {
            if (!fits || n < 0) throw InputError("n is out of range; expected 0 <= n < 2**63");
        } else {
            checked_duration(n);
        }
        return n;
    }

private:
    std::optional<T> whole_at(std::int64_t row) const {
        double length;
        reals_.read(row, 1, &length);
        if (!is_valid(*reals_.array, row) || std::isnan(length)) return std::nullopt;
        if (!(length >= 0 && length < 0x1p63) || length != std::floor(length))
            throw InputError("n = " + text(length) + " is not a length; expected an integer, 0 <= n < 2**63");
        if (length >= exact_below_)
            throw InputError("n = " + text(length) + " is a real number that may be rounded; expected an integer");
        return static_cast<T>(length);
    }

    NumberColumn<T> numbers_;
    NumberColumn<double> reals_;  // lengths that are stored as real numbers
    double exact_below_ = 0;      // larger numbers may be rounded
};

}  // namespace segscore
