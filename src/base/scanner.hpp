// Scanner: a left-to-right text reader for the small notations inside files: einsums, equations, loops, factors.
//
//     Scanner scanner("K[3] = 4");
//     const std::string_view name = scanner.name();  // "K"; "" if there is none
//     if (!scanner.accept('[')) fail("expected '['", scanner.place());
//
// It gives places; messages are the caller's. A value referring to the text.
// Comma-separated lists.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace tilewright {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool continues_name(char c) { return starts_name(c) || is_digit(c); }
inline constexpr std::string_view kSpaces = " \t\n\r";

class Scanner {
   public:
    explicit Scanner(std::string_view text) : text_(text) {}

    std::string_view text() const { return text_; }
    std::size_t place() const { return place_; }
    std::string_view rest() const { return text_.substr(place_); }
    void seek(std::size_t place) { place_ = place; }

    bool at_end() const { return place_ == text_.size(); }
    bool at_digit() const { return !at_end() && is_digit(text_[place_]); }

    /// Skips a run of these characters; returns it.
    std::string_view skip(std::string_view characters) {
        const std::size_t begin = place_;
        while (!at_end() && characters.find(text_[place_]) != std::string_view::npos) ++place_;
        return text_.substr(begin, place_ - begin);
    }

    // After spaces:
    bool finished() {
        skip(kSpaces);
        return at_end();
    }
    bool at(char c) { return !finished() && text_[place_] == c; }
    bool accept(char c) {
        if (!at(c)) return false;
        ++place_;
        return true;
    }

    /// The name here, or "".
    std::string_view name_here() const {
        std::size_t end = place_;
        if (end < text_.size() && starts_name(text_[end]))
            while (end < text_.size() && continues_name(text_[end])) ++end;
        return text_.substr(place_, end - place_);
    }
    /// The same, advancing past it.
    std::string_view name() {
        const std::string_view found = name_here();
        place_ += found.size();
        return found;
    }

    /// Reads an integer here; the result of std::from_chars.
    std::errc number(std::int64_t& value) {
        const auto [end, problem] = std::from_chars(text_.data() + place_, text_.data() + text_.size(), value);
        if (problem == std::errc{}) place_ = static_cast<std::size_t>(end - text_.data());
        return problem;
    }

   private:
    std::string_view text_;
    std::size_t place_ = 0;
};

/// End of the entry beginning at `begin`: the next comma outside of (), [] and {}, or the end of the text. A comma
/// between function arguments does not end it.
inline std::size_t end_of_entry(std::string_view text, std::size_t begin) {
    int depth = 0;
    for (std::size_t at = begin; at < text.size(); ++at) {
        const char letter = text[at];
        if (letter == '(' || letter == '[' || letter == '{') ++depth;
        if (letter == ')' || letter == ']' || letter == '}') --depth;
        if (letter == ',' && depth <= 0) return at;
    }
    return text.size();
}

}  // namespace tilewright
