// Cuts written as text, as the cells of CSV files hold them.
//
// What Python, NumPy, pandas and Polars print for a list of cuts is read: [3, 8], [np.int64(3), 8], [3 8] with line
// breaks, (3, 8), range(3, 6), 3,8, and lists of such lists for several annotators. Every other text is refused, and so
// is a text from which values or digits may be missing: no text is read in part.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "cuts.hpp"
#include "pace.hpp"

namespace segscore {

// A text that is not a list of cuts.
struct UnreadableText : InputError {
    using InputError::InputError;
};

inline bool is_blank(char letter) { return letter == ' ' || (letter >= '\t' && letter <= '\r'); }

// Whether a text says that there is no list.
inline bool is_nothing(std::string_view word) {
    return word == "None" || word == "nan" || word == "NaN" || word == "null" || word == "<NA>";
}

// Refuses a text, and shows it in one line without control characters, and at most its beginning.
[[noreturn]] inline void refuse_text(std::string_view name, std::string_view text, const std::string& reason) {
    constexpr std::size_t most = 60;
    std::string shown;
    for (const char letter : text) {
        if (!is_blank(letter) && (static_cast<unsigned char>(letter) >= 0x20))
            shown += letter;
        else if (!shown.ends_with(' '))
            shown += ' ';
        if (shown.size() > most) break;
    }
    if (shown.size() > most) {
        shown.resize(most);
        if (shown.ends_with(' ')) shown.pop_back();
        while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0x80) != 0) shown.pop_back();
        shown += " (and more)";
    }
    const char quote = shown.find('\'') == std::string::npos ? '\'' : '"';
    throw UnreadableText(std::string(name) + " = " + quote + shown + quote + " " + reason);
}

// The lists in a text: one list of cuts, or one list per annotator.
template <class T>
struct TextLists {
    std::vector<T> cuts;            // of all lists, one after another
    std::vector<std::size_t> ends;  // the end of each list in `cuts`
    bool is_nested = false;         // whether the text is a list of lists

    std::span<const T> at(std::size_t k) const {
        const std::size_t start = k == 0 ? 0 : ends[k - 1];
        return std::span<const T>(cuts).subspan(start, ends[k] - start);
    }
};

// What a cell of a table says. `missing` is null, None or nan; `empty` is a text without letters.
enum class Answer { cuts, missing, empty };

// Whether a text begins like a list of lists.
inline bool begins_nested(std::string_view text) {
    std::size_t at = 0;
    const auto skip = [&] {
        while (at < text.size() && is_blank(text[at])) ++at;
    };
    skip();
    if (at == text.size() || (text[at] != '[' && text[at] != '(')) return false;
    ++at;
    skip();
    const std::string_view rest = text.substr(at);
    return rest.starts_with('[') || rest.starts_with('(') || rest.starts_with("array(") || rest.starts_with("list(") ||
           rest.starts_with("range(");
}

template <class T>
class TextReader {
public:
    // `name` is the name of the side in messages.
    TextReader(std::string_view text, std::string_view name, TextLists<T>& lists, Pace& pace)
        : text_(text), name_(name), lists_(lists), pace_(pace) {}

    Answer read() {
        lists_.cuts.clear();
        lists_.ends.clear();
        lists_.is_nested = false;
        skip();
        if (at_end()) return Answer::empty;
        if (text_.find("...") != std::string_view::npos)
            refuse(
                "was shortened when it was written (numpy prints \"...\" above 1000 values); write it again with "
                ".tolist()");
        if (is_nothing(rest_without_blanks())) return Answer::missing;
        if ((peek() == '{' && text_.find(':') == std::string_view::npos) || starts("set(") || starts("frozenset("))
            refuse("is a set, which has no order; write it again with sorted()");
        if (begins_number()) {
            do {
                skip();
                number();
                skip();
            } while (take(","));
            lists_.ends.push_back(lists_.cuts.size());
        } else {
            sequence(false);
        }
        skip();
        if (!at_end()) refuse_form();
        return Answer::cuts;
    }

private:
    static constexpr std::size_t most_of_a_range = 10'000'000;

    bool at_end() const { return at_ == text_.size(); }
    char peek() const { return at_end() ? '\0' : text_[at_]; }
    bool starts(std::string_view word) const { return text_.substr(at_).starts_with(word); }
    bool take(std::string_view word) {
        if (!starts(word)) return false;
        at_ += word.size();
        return true;
    }
    bool skip() {
        const std::size_t start = at_;
        while (!at_end() && is_blank(text_[at_])) ++at_;
        return at_ > start;
    }
    bool is_digit() const { return peek() >= '0' && peek() <= '9'; }
    std::string_view rest_without_blanks() const {
        std::string_view rest = text_.substr(at_);
        while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
        return rest;
    }
    bool begins_number() const {
        return is_digit() || peek() == '-' || peek() == '+' || peek() == '.' || starts("np.");
    }

    // Reads one list, or a list of lists.
    void sequence(bool is_inner) {
        if (take("array(")) {
            skip();
            list(is_inner);
            skip();
            if (take(",")) {
                skip();
                if (!take("dtype=")) refuse_form();
                while (!at_end() && peek() != ')' && !is_blank(peek())) ++at_;
            }
            close();
        } else if (take("list(")) {
            skip();
            list(is_inner);
            close();
        } else if (take("range(")) {
            range();
        } else {
            list(is_inner);
        }
        if (!lists_.is_nested || is_inner) lists_.ends.push_back(lists_.cuts.size());
    }
    void close() {
        skip();
        if (!take(")")) refuse_form();
    }
    // Items are separated by commas or by blanks, but not by both.
    void list(bool is_inner) {
        const bool is_tuple = peek() == '(';
        if (!take("[") && !take("(")) refuse_form();
        const std::string_view end = is_tuple ? ")" : "]";
        bool is_separated = false, by_commas = false, has_rounded = false;
        std::size_t items = 0;
        for (;; ++items) {
            const bool is_spaced = skip();
            if (take(end)) break;
            if (items > 0) {
                const bool comma = take(",");
                if (!comma && !is_spaced) refuse_form();
                skip();
                if (is_separated && comma != by_commas) refuse_form();
                is_separated = true;
                by_commas = comma;
                if (comma && is_tuple && take(end)) break;  // (3,)
            }
            if (begins_number()) {
                if (!is_inner && lists_.is_nested) refuse_form();
                has_rounded |= number();
            } else if (is_nothing(word())) {
                refuse("holds " + std::string(word()) + "; expected integers, and [] for no cuts");
            } else {
                if (is_inner || (items > 0 && !lists_.is_nested)) refuse_form();
                lists_.is_nested = true;
                sequence(true);
            }
        }
        if (has_rounded && !by_commas)
            refuse("holds times that NumPy may have rounded to 8 decimals; write it again with .tolist()");
    }
    // The letters up to the next separator.
    std::string_view word() const {
        std::size_t end = at_;
        while (end < text_.size() && !is_blank(text_[end]) && std::string_view(",])").find(text_[end]) == text_.npos)
            ++end;
        return text_.substr(at_, end - at_);
    }
    // range(3, 6) or range(3, 6, 2), as Python prints it.
    void range() {
        std::int64_t bounds[3] = {0, 0, 1};
        for (std::size_t k = 0; k < 3; ++k) {
            skip();
            const char* start = text_.data() + at_;
            const auto [stop, error] = std::from_chars(start, text_.data() + text_.size(), bounds[k]);
            if (error != std::errc()) refuse_form();
            at_ += static_cast<std::size_t>(stop - start);
            skip();
            if (k == 2 || !take(",")) {
                if (k == 0) refuse_form();
                break;
            }
        }
        close();
        const auto [first, end, step] = bounds;
        for (const std::int64_t bound : bounds)
            if (bound <= -(std::int64_t{1} << 53) || bound >= std::int64_t{1} << 53) refuse_form();
        if (step == 0) refuse_form();
        const double count =
            std::ceil((static_cast<double>(end) - static_cast<double>(first)) / static_cast<double>(step));
        if (count > static_cast<double>(most_of_a_range)) refuse("holds more than 10 million values; expected cuts");
        for (std::int64_t k = 0; k < static_cast<std::int64_t>(count); ++k)
            lists_.cuts.push_back(static_cast<T>(first + k * step));
    }
    // Reads a number, and returns whether it is a time that may be rounded.
    bool number() {
        constexpr std::uint64_t of_digits = 16;  // in steps of a Pace
        pace_.step(of_digits);
        if (take("np.")) {  // np.int64(135)
            while (!at_end() && (is_digit() || peek() == '_' || (peek() >= 'a' && peek() <= 'z'))) ++at_;
            if (!take("(") || starts("np.")) refuse_form();
            number();
            close();
            return false;  // a value of its own is printed with all digits
        }
        const std::size_t start = at_;
        if (peek() == '-' || peek() == '+') ++at_;
        std::size_t digits = 0, decimals = 0;
        for (; is_digit(); ++at_) ++digits;
        const bool has_point = take(".");
        for (; has_point && is_digit(); ++at_) ++decimals;
        if (digits + decimals == 0) refuse_form();
        bool has_exponent = false;
        if (peek() == 'e' || peek() == 'E') {
            has_exponent = true;
            ++at_;
            if (peek() == '-' || peek() == '+') ++at_;
            if (!is_digit()) refuse_form();
            while (is_digit()) ++at_;
        }
        if (!at_end() && !is_blank(peek()) && std::string_view(",])").find(peek()) == std::string_view::npos)
            refuse_form();
        std::string_view written = text_.substr(start, at_ - start);
        if (written.starts_with('+')) written.remove_prefix(1);
        if constexpr (std::is_integral_v<T>) {
            if (!has_point && !has_exponent) {
                std::int64_t value = 0;
                if (std::from_chars(written.data(), written.data() + written.size(), value).ec != std::errc())
                    refuse("holds " + std::string(written) + ", which is outside 0 < cut < 2**63; expected cuts");
                lists_.cuts.push_back(value);
                return false;
            }
        }
        double value = 0;
        if (std::from_chars(written.data(), written.data() + written.size(), value).ec != std::errc()) refuse_form();
        if constexpr (std::is_integral_v<T>) {
            if (value != std::floor(value))
                refuse("holds " + std::string(written) +
                       ", which is not a whole number; expected integers, as in [3, 8]");
            const double size = std::abs(value);
            const bool may_lack_digits =
                has_exponent && size >= 1e6 && size >= std::pow(10.0, static_cast<double>(digits + decimals));
            if (may_lack_digits || size >= 0x1p53)
                refuse("holds " + std::string(written) +
                       ", which may have lost digits when it was written; write it again with .astype(int).tolist()");
        }
        lists_.cuts.push_back(static_cast<T>(value));
        return decimals == 8;
    }

    [[noreturn]] void refuse_form() const {
        refuse("is not a list of integers, as in [3, 8]; write it again with .tolist()");
    }
    [[noreturn]] void refuse(const std::string& reason) const { refuse_text(name_, text_, reason); }

    std::string_view text_;
    std::string_view name_;
    TextLists<T>& lists_;
    Pace& pace_;
    std::size_t at_ = 0;
};

}  // namespace segscore
