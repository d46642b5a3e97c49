// Columns of labels in a batch of a table: one label per segment, as lists, lists of lists for several annotators, or
// text. The labels of a row become numbers.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../core/cuts.hpp"
#include "../core/label_text.hpp"
#include "../core/labels.hpp"
#include "../core/pace.hpp"
#include "../core/text.hpp"
#include "arrow.hpp"
#include "columns.hpp"
#include "values.hpp"

namespace segscore {

// The labels of one row: for each list one number per segment, in the order in which the labels first occur.
struct RowLabels {
    std::vector<std::vector<std::int64_t>> kept;
    std::size_t count = 0;  // of lists; `kept` may hold more, whose memory is used again
    LabelLists text;

    Labels at(std::size_t k) const { return kept[k]; }
    std::vector<std::int64_t>& add() {
        if (kept.size() <= count) kept.emplace_back();
        kept[count].clear();
        return kept[count++];
    }
};

// The labels of a column that holds one label per item. Equal labels have equal keys: a text is its own key, and other
// labels have a number as their key.
class LabelItems {
public:
    LabelItems(const ArrowSchema& schema, const ArrowArray& items, const std::string& where)
        : items_(&items), texts_(StringColumn::of(schema, items)) {
        const std::string_view format = schema.format;
        if (texts_.has_value()) return;
        if (schema.dictionary != nullptr) {
            number_dictionary(*schema.dictionary, where);
        } else if (format == "f" || format == "g") {
            kind_ = Kind::reals;
        } else if (format == "b") {
            kind_ = Kind::bits;
        } else if (format == "n") {
            kind_ = Kind::nulls;
            return;
        }
        constexpr std::string_view integers = "cCsSiIlL";
        const auto place = integers.find(format);
        const bool is_integer = format.size() == 1 && place != std::string_view::npos;
        if (kind_ == Kind::integers && !is_integer)
            raise_type(where + " holds " + described(schema) +
                       "; expected a list of labels per row: text, integers, real numbers or booleans");
        width_ = is_integer ? std::ptrdiff_t{1} << (place / 2) : format == "f" ? 4 : 8;
        data_ = items.n_buffers > 1 ? static_cast<const char*>(items.buffers[1]) : nullptr;
    }

    bool is_text() const { return texts_.has_value(); }
    bool is_null(std::int64_t item) const {
        if (kind_ == Kind::nulls || !is_valid(*items_, item)) return true;
        return is_dictionary_ && dictionary_[entry_of(item)] == null_entry;
    }
    std::string_view text_at(std::int64_t item) const { return texts_->at(item); }
    std::uint64_t number_at(std::int64_t item, const char* name, std::int64_t index) const {
        if (is_dictionary_) return dictionary_[entry_of(item)];
        if (kind_ == Kind::bits) {
            const std::int64_t bit = items_->offset + item;
            return data_[bit / 8] >> (bit % 8) & 1;
        }
        if (kind_ == Kind::integers) return raw(item);
        const double value = width_ == 4 ? static_cast<double>(read<float>(item)) : read<double>(item);
        if (std::isnan(value))
            throw InputError(std::string(name) + "[" + std::to_string(index) +
                             "] is nan; expected a label for each segment");
        return std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);  // -0.0 is equal to 0.0
    }

private:
    enum class Kind { integers, reals, bits, nulls };
    static constexpr std::uint64_t null_entry = ~std::uint64_t{0};

    template <class Value>
    Value read(std::int64_t item) const {
        Value value;
        std::memcpy(&value, data_ + (items_->offset + item) * width_, sizeof value);
        return value;
    }
    // The bits of an integer of any width, which are equal if the integers are.
    std::uint64_t raw(std::int64_t item) const {
        switch (width_) {
            case 1:
                return read<std::uint8_t>(item);
            case 2:
                return read<std::uint16_t>(item);
            case 4:
                return read<std::uint32_t>(item);
            default:
                return read<std::uint64_t>(item);
        }
    }
    // The place of an item in the dictionary.
    std::size_t entry_of(std::int64_t item) const {
        const std::uint64_t entry = raw(item);
        if (entry >= dictionary_.size())
            throw InputError("a label lies outside of its dictionary; expected a valid Arrow table");
        return static_cast<std::size_t>(entry);
    }
    // Entries of a dictionary are numbered by their values, because a dictionary may hold a value twice.
    void number_dictionary(const ArrowSchema& schema, const std::string& where) {
        is_dictionary_ = true;
        const ArrowArray& values = *items_->dictionary;
        const LabelItems entries(schema, values, where);
        Numbering<std::string_view> texts;
        Numbering<> numbers;
        dictionary_.reserve(static_cast<std::size_t>(values.length));
        for (std::int64_t k = 0; k < values.length; ++k)
            dictionary_.push_back(entries.is_null(k)  ? null_entry
                                  : entries.is_text() ? texts[entries.text_at(k)]
                                                      : numbers[entries.number_at(k, where.c_str(), k)]);
    }

    const ArrowArray* items_;
    std::optional<StringColumn> texts_;
    Kind kind_ = Kind::integers;
    bool is_dictionary_ = false;
    std::vector<std::uint64_t> dictionary_;  // the number of each entry
    const char* data_ = nullptr;
    std::ptrdiff_t width_ = 0;
};

// One side of a batch: lists of labels, or lists of lists for several annotators, or text that holds either.
class LabelsColumn {
public:
    LabelsColumn(const ArrowSchema& schema, const ArrowArray& array, const std::string& name, bool may_be_several)
        : texts_(StringColumn::of(schema, array)), several_(may_be_several) {
        const std::string where = "column '" + name + "'";
        if (texts_.has_value()) return;
        rows_ = ListColumn::of(schema, array);
        if (!rows_.has_value()) {
            if (std::string_view(schema.format) == "n") return;  // a column in which every row is null
            raise_type(where + " holds " + described(schema) + "; expected a list of labels per row");
        }
        inner_ = ListColumn::of(*rows_->items_schema, *rows_->items);
        if (inner_.has_value() && !several_)
            raise_type(where +
                       " holds lists of lists; expected a list of labels per row (only the truth may have "
                       "several)");
        const ListColumn& lists = inner_.has_value() ? *inner_ : *rows_;
        items_.emplace(*lists.items_schema, *lists.items, where);
    }
    // Reads the labels of a row; `name` is their name in messages.
    void read(std::int64_t row, const char* name, RowLabels& to, Pace& pace) const {
        to.count = 0;
        if (texts_.has_value()) {
            if (!is_valid(*texts_->array, row) || !LabelReader(texts_->at(row), name, to.text, pace).read())
                refuse_null(name);
            if (to.text.is_nested && !several_)
                throw UnreadableText(std::string(name) +
                                     " is a list of lists; expected one list (only the truth may have several)");
            for (std::size_t k = 0; k < to.text.ends.size(); ++k) {
                Numbering<std::string_view> numbers;
                std::vector<std::int64_t>& list = to.add();
                for (const std::string& label : to.text.at(k))
                    list.push_back(static_cast<std::int64_t>(numbers[label]));
            }
            return;
        }
        if (!rows_.has_value() || !is_valid(*rows_->array, row)) refuse_null(name);
        const auto [start, count] = rows_->at(row);
        if (!inner_.has_value()) return number(start, count, name, to.add());
        for (std::int64_t k = start; k < start + count; ++k) {
            if (!is_valid(*inner_->array, k)) refuse_null(name);
            const auto [first, size] = inner_->at(k);
            number(first, size, name, to.add());
        }
    }

private:
    [[noreturn]] static void refuse_null(const char* name) {
        throw InputError(std::string(name) + " is null; expected a label for each segment");
    }
    // Numbers the labels of one list.
    void number(std::int64_t start, std::int64_t count, const char* name, std::vector<std::int64_t>& to) const {
        to.reserve(static_cast<std::size_t>(count));
        const auto number_all = [&](auto& numbers, const auto& key_of) {
            for (std::int64_t k = 0; k < count; ++k) {
                if (items_->is_null(start + k))
                    throw InputError(std::string(name) + "[" + std::to_string(k) +
                                     "] is null; expected a label for each segment");
                to.push_back(static_cast<std::int64_t>(numbers[key_of(start + k, k)]));
            }
        };
        if (items_->is_text()) {
            Numbering<std::string_view> numbers;
            number_all(numbers, [&](std::int64_t item, std::int64_t) { return items_->text_at(item); });
        } else {
            Numbering<> numbers;
            number_all(numbers, [&](std::int64_t item, std::int64_t k) { return items_->number_at(item, name, k); });
        }
    }

    std::optional<StringColumn> texts_;
    std::optional<ListColumn> rows_, inner_;
    std::optional<LabelItems> items_;
    bool several_;
};

}  // namespace segscore
