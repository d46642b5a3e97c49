// Arrow's C data interface: columns of lists, read without a copy.
//
// https://arrow.apache.org/docs/format/CDataInterface.html; the three structures are its ABI.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "buffers.hpp"
#include "values.hpp"

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};
struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
    int (*get_next)(ArrowArrayStream*, ArrowArray*);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

namespace segscore {

// Owns one of the three structures, and releases it.
template <class Structure>
struct Released {
    Structure value{};
    Released() = default;
    Released(Released&& other) noexcept : value(std::exchange(other.value, {})) {}
    Released& operator=(Released&&) = delete;
    ~Released() {
        if (value.release != nullptr) value.release(&value);
    }
};

// One validity bit per row. Without bits all rows are valid, except in a column of type null, where no row is valid.
inline bool is_valid(const ArrowArray& array, std::int64_t row) {
    if (array.n_buffers == 0 || array.buffers[0] == nullptr) return true;
    const std::int64_t bit = array.offset + row;
    return (static_cast<const std::uint8_t*>(array.buffers[0])[bit / 8] >> (bit % 8) & 1) != 0;
}

// Describes a type of column that cannot be read.
inline std::string described(const ArrowSchema& schema) {
    const std::string_view format = schema.format;
    if (schema.dictionary != nullptr) return "dictionary-encoded values";
    for (const auto& [start, name] : {std::pair{"u", "text"},
                                      {"U", "text"},
                                      {"vu", "text"},
                                      {"b", "booleans"},
                                      {"z", "bytes"},
                                      {"Z", "bytes"},
                                      {"vz", "bytes"},
                                      {"w", "bytes"},
                                      {"t", "times"},
                                      {"d", "decimals"},
                                      {"+s", "structs"},
                                      {"+m", "maps"},
                                      {"n", "nulls"}})
        if (format.starts_with(start)) return name;
    const bool is_list =
        format.starts_with("+l") || format.starts_with("+L") || format.starts_with("+v") || format.starts_with("+w");
    const bool is_number = format.size() == 1 && std::string_view("cCsSiIlLefg").find(format) != std::string_view::npos;
    return is_list ? "lists" : is_number ? "numbers" : "Arrow type '" + std::string(format) + "'";
}

// The numbers of a column, converted as they are read.
template <class T>
struct NumberColumn {
    const ArrowArray* array = nullptr;
    const char* data = nullptr;  // the data of row 0
    std::ptrdiff_t width = 0;
    Convert<T> convert = nullptr;
    bool in_place = false;

    // `takes` describes the expected type in error messages.
    NumberColumn() = default;
    NumberColumn(const ArrowSchema& schema, const ArrowArray& values, const std::string& where, const char* takes) {
        array = &values;
        const std::string_view format = schema.dictionary == nullptr ? schema.format : "";
        ItemType type{};
        constexpr std::string_view integers = "cCsSiIlL";
        if (const auto place = integers.find(format); format.size() == 1 && place != std::string_view::npos) {
            type.kind = Items::integers;
            type.width = std::size_t{1} << (place / 2);
            type.is_signed = place % 2 == 0;
        } else if (format == "f" || format == "g") {
            type.kind = Items::reals;
            type.width = format == "f" ? 4 : 8;
            type.is_signed = true;
        } else if (format == "n") {  // only nulls
            return;
        } else {
            const bool is_time = format.starts_with("ts") || format.starts_with("td");
            raise_type(where + " holds " + described(schema) + "; expected " + takes +
                       (is_time ? " (or start= and end= for timestamps)" : ""));
        }
        convert = conversion<T, false>(type);
        if (convert == nullptr) raise_type(where + " holds real numbers; expected " + takes);
        width = static_cast<std::ptrdiff_t>(type.width);
        data = values.n_buffers > 1 && values.buffers[1] != nullptr
                   ? static_cast<const char*>(values.buffers[1]) + values.offset * width
                   : nullptr;
        in_place = type.width == sizeof(T) && type.is_signed &&
                   (type.kind == Items::integers) == std::is_integral_v<T> &&
                   reinterpret_cast<std::uintptr_t>(data) % alignof(T) == 0;
    }
    // Returns how many of `count` numbers from `start` on were read before the first that is out of range.
    std::size_t read(std::int64_t start, std::size_t count, T* to) const {
        return convert(data + start * width, width, count, to);
    }
};

// A column of lists of any of Arrow's kinds: the place of each row's list in the inner column.
struct ListColumn {
    enum class Kind { list, large_list, view, large_view, fixed };
    const ArrowArray* array = nullptr;
    const ArrowArray* items = nullptr;
    const ArrowSchema* items_schema = nullptr;
    Kind kind = Kind::list;
    std::int64_t size = 0;  // length of lists of fixed size

    static std::optional<ListColumn> of(const ArrowSchema& schema, const ArrowArray& values) {
        ListColumn column;
        const std::string_view format = schema.format;
        if (format == "+l")
            column.kind = Kind::list;
        else if (format == "+L")
            column.kind = Kind::large_list;
        else if (format == "+vl")
            column.kind = Kind::view;
        else if (format == "+vL")
            column.kind = Kind::large_view;
        else if (format.starts_with("+w:"))
            column.kind = Kind::fixed;
        else
            return std::nullopt;
        if (column.kind == Kind::fixed) column.size = std::stoll(std::string(format.substr(3)));
        column.array = &values;
        column.items = values.children[0];
        column.items_schema = schema.children[0];
        return column;
    }
    // (first item, number of items) of a valid row.
    std::pair<std::int64_t, std::int64_t> at(std::int64_t row) const {
        const auto [start, count] = unchecked(row);
        if (start < 0 || count < 0 || start > items->length - count)
            throw InputError("the list lies outside of its column; expected a valid Arrow table");
        return {start, count};
    }

private:
    std::pair<std::int64_t, std::int64_t> unchecked(std::int64_t row) const {
        const std::int64_t k = array->offset + row;
        const auto read = [this](int buffer, bool wide, std::int64_t index) -> std::int64_t {
            return wide ? static_cast<const std::int64_t*>(array->buffers[buffer])[index]
                        : static_cast<const std::int32_t*>(array->buffers[buffer])[index];
        };
        switch (kind) {
            case Kind::list:
            case Kind::large_list: {
                const bool wide = kind == Kind::large_list;
                const std::int64_t start = read(1, wide, k);
                return {start, read(1, wide, k + 1) - start};
            }
            case Kind::view:
            case Kind::large_view: {
                const bool wide = kind == Kind::large_view;
                return {read(1, wide, k), read(2, wide, k)};
            }
            case Kind::fixed:
                return {k * size, size};
        }
        return {0, 0};
    }
};

// The batches of a stream of tables, with their schema.
struct Batches {
    Released<ArrowSchema> schema;
    std::vector<Released<ArrowArray>> arrays;

    explicit Batches(nb::handle capsule) {
        auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
        if (stream == nullptr) nb::raise_python_error();
        const auto check = [stream](int status) {
            if (status == 0) return;
            const char* message = stream->get_last_error(stream);
            throw InputError(std::string("table could not be read: ") +
                             (message != nullptr ? message : "no reason given"));
        };
        check(stream->get_schema(stream, &schema.value));
        if (std::string_view(schema.value.format) != "+s")
            raise_type("table is a stream of single columns; expected a stream of tables");
        for (;;) {
            Released<ArrowArray> batch;
            check(stream->get_next(stream, &batch.value));
            if (batch.value.release == nullptr) break;
            arrays.push_back(std::move(batch));
        }
    }
    // The index of a column, found by name.
    std::int64_t column(const std::string& name) const {
        for (std::int64_t k = 0; k < schema.value.n_children; ++k)
            if (name == schema.value.children[k]->name) return k;
        std::string names;
        for (std::int64_t k = 0; k < schema.value.n_children; ++k)
            names += (k > 0 ? ", " : "") + std::string(schema.value.children[k]->name);
        throw InputError("table has no column '" + name + "'; it has " + (names.empty() ? "none" : names));
    }
};

}  // namespace segscore
