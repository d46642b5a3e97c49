// Labels written as text, as the cells of CSV files hold them.
//
// JSON is read, ["A", "B"] or [1, 2], and what Python prints for a list: ['A', "it's"], [np.str_('A')]; and lists of
// such lists for several annotators. Every other text is refused: no text is read in part.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cuts.hpp"
#include "pace.hpp"
#include "text.hpp"

namespace segscore {

// The lists in a text: one list of labels, or one list per annotator. The first letter of a label is its kind, so that
// the number 1 and the text "1" are different labels.
struct LabelLists {
    std::vector<std::string> labels;  // of all lists, one after another
    std::vector<std::size_t> ends;    // the end of each list in `labels`
    bool is_nested = false;           // whether the text is a list of lists

    std::span<const std::string> at(std::size_t k) const {
        const std::size_t start = k == 0 ? 0 : ends[k - 1];
        return std::span<const std::string>(labels).subspan(start, ends[k] - start);
    }
};

class LabelReader {
public:
    // `name` is the name of the labels in messages.
    LabelReader(std::string_view text, std::string_view name, LabelLists& lists, Pace& pace)
        : text_(text), name_(name), lists_(lists), pace_(pace) {}

    // Reads the whole text; false if it says that there are no labels.
    bool read() {
        lists_.labels.clear();
        lists_.ends.clear();
        lists_.is_nested = false;
        skip();
        std::string_view rest = text_.substr(at_);
        while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
        if (rest.empty() || is_nothing(rest)) return false;
        sequence(false);
        skip();
        if (at_ < text_.size()) refuse_form();
        return true;
    }

private:
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(std::string_view word) {
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }
    void skip() {
        while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    }
    // Reads one list, or a list of lists.
    void sequence(bool is_inner) {
        const bool is_tuple = peek() == '(';
        if (!take("[") && !take("(")) refuse_form();
        const std::string_view end = is_tuple ? ")" : "]";
        for (std::size_t items = 0;; ++items) {
            skip();
            if (take(end)) break;
            if (items > 0) {
                if (!take(",")) refuse_form();
                skip();
                if (is_tuple && take(end)) break;  // ("A",)
            }
            if (peek() == '[' || peek() == '(') {
                if (is_inner || (items > 0 && !lists_.is_nested)) refuse_form();
                lists_.is_nested = true;
                sequence(true);
            } else {
                if (lists_.is_nested && !is_inner) refuse_form();
                label(items);
            }
        }
        if (!lists_.is_nested || is_inner) lists_.ends.push_back(lists_.labels.size());
    }
    void label(std::size_t index, bool is_wrapped = false) {
        constexpr std::uint64_t of_label = 32;  // in steps of a Pace
        pace_.step(of_label);
        if (peek() == '"' || peek() == '\'') return lists_.labels.push_back("t" + string());
        const std::size_t start = at_;
        while (at_ < text_.size() && !is_blank(peek()) && std::string_view(",[](){}\"'").find(peek()) == text_.npos)
            ++at_;
        const std::string_view word = text_.substr(start, at_ - start);
        if (!is_wrapped && word.starts_with("np.") && take("(")) {  // np.str_('A')
            skip();
            label(index, true);
            skip();
            if (!take(")")) refuse_form();
        } else if (word == "true" || word == "True" || word == "np.True_") {
            lists_.labels.push_back("b1");
        } else if (word == "false" || word == "False" || word == "np.False_") {
            lists_.labels.push_back("b0");
        } else if (is_nothing(word)) {
            throw InputError(std::string(name_) + "[" + std::to_string(index) + "] is " + std::string(word) +
                             "; expected a label for each segment");
        } else {
            lists_.labels.push_back("n" + number(word));
        }
    }
    // The one spelling of a number: 1, 1.0 and 1e0 are the same label.
    std::string number(std::string_view word) const {
        if (word.starts_with('+')) word.remove_prefix(1);
        const bool begins = !word.empty() && (word[0] == '-' || word[0] == '.' || (word[0] >= '0' && word[0] <= '9'));
        const char *first = word.data(), *last = word.data() + word.size();
        std::int64_t whole = 0;
        if (const auto [stop, error] = std::from_chars(first, last, whole);
            begins && error == std::errc() && stop == last)
            return std::to_string(whole);
        double real = 0;
        const auto [stop, error] = std::from_chars(first, last, real);
        if (!begins || error != std::errc() || stop != last || !std::isfinite(real)) refuse_form();
        if (real == std::floor(real) && std::abs(real) < 0x1p53) return std::to_string(static_cast<std::int64_t>(real));
        std::array<char, 32> digits;
        return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), real).ptr};
    }
    // The letters between two quotes, with the escapes of JSON and of Python.
    std::string string() {
        const char quote = text_[at_++];
        std::string letters;
        for (;;) {
            if (at_ >= text_.size()) refuse_form();
            const char letter = text_[at_++];
            if (letter == quote) return letters;
            if (letter == '\\')
                escape(letters);
            else
                letters += letter;
            pace_.step();
        }
    }
    void escape(std::string& letters) {
        constexpr std::string_view codes = "\"'\\/bfnrt", meant = "\"'\\/\b\f\n\r\t";
        if (at_ >= text_.size()) refuse_form();
        const char code = text_[at_++];
        if (const std::size_t place = codes.find(code); place != std::string_view::npos) {
            letters += meant[place];
            return;
        }
        if (code != 'x' && code != 'u' && code != 'U') refuse_form();
        std::uint32_t point = hexadecimal(code == 'x' ? 2 : code == 'u' ? 4 : 8);
        if (point >= 0xD800 && point < 0xDC00) {  // JSON writes letters beyond 2^16 as two halves
            if (!take("\\u")) refuse_form();
            const std::uint32_t low = hexadecimal(4);
            if (low < 0xDC00 || low >= 0xE000) refuse_form();
            point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
        } else if ((point >= 0xDC00 && point < 0xE000) || point > 0x10FFFF) {
            refuse_form();
        }
        const auto add = [&](std::uint32_t byte) { letters += static_cast<char>(byte); };
        const auto rest = [&](int shift) { add(0x80 | (point >> shift & 0x3F)); };
        if (point < 0x80) return add(point);
        if (point < 0x800) return add(0xC0 | point >> 6), rest(0);
        if (point < 0x10000) return add(0xE0 | point >> 12), rest(6), rest(0);
        add(0xF0 | point >> 18), rest(12), rest(6), rest(0);
    }
    std::uint32_t hexadecimal(std::size_t digits) {
        std::uint32_t value = 0;
        const std::string_view written = text_.substr(at_, digits);
        const auto [stop, error] = std::from_chars(written.data(), written.data() + written.size(), value, 16);
        if (written.size() < digits || error != std::errc() || stop != written.data() + digits) refuse_form();
        at_ += digits;
        return value;
    }

    [[noreturn]] void refuse_form() const {
        refuse_text(name_, text_, R"(is not a list of labels, as in ["A", "B"]; write it again as JSON)");
    }

    std::string_view text_;
    std::string_view name_;
    LabelLists& lists_;
    Pace& pace_;
    std::size_t at_ = 0;
};

}  // namespace segscore
