#include "timeloop/files/load.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

#include "base/error.hpp"

namespace tilewright::timeloop {
namespace {

constexpr std::size_t kMostDepth = 200;

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '*'; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '*' || c == '-' || c == '_'; }
bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Expected next token.
enum class Expected {
    name,       ///< of a setting, or the end of the group
    equals,     ///< behind a name
    value,      ///< behind '=' or in a list
    separator,  ///< behind a value
};

class Rewriter {
   public:
    Rewriter(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    std::string run() {
        out_ = "{";  // before the first line: its columns move by one
        while (skip(), at_ < text_.size()) step();
        if (!open_.empty()) fail("'" + std::string(1, open_.back()) + "' is never closed");
        if (expected_ == Expected::equals || expected_ == Expected::value) fail("the last setting has no value");
        return std::move(out_) + "}\n";
    }

   private:
    void step() {
        const char c = text_[at_];
        if (c == '}' || c == ')' || c == ']') return close(c);
        switch (expected_) {
            case Expected::name: return name();
            case Expected::equals:
                if (c != '=' && c != ':') fail("expected '=' or ':' behind the name of a setting");
                return take(": ", Expected::value);
            case Expected::value: return value(c);
            case Expected::separator: return separator(c);
        }
    }

    void name() {
        if (text_[at_] == ';' || text_[at_] == ',') return take(" ", Expected::name);  // an empty one
        if (text_[at_] == '@') fail("@include is not supported: give the files one by one");
        if (!begins_name(text_[at_])) fail("expected the name of a setting");
        out_ += '"';
        while (at_ < text_.size() && in_name(text_[at_])) out_ += text_[at_++];
        out_ += '"';
        expected_ = Expected::equals;
    }

    void value(char c) {
        if (c == '{' || c == '(' || c == '[') return open(c);
        if (c == '"') return texts();
        scalar();
    }

    void separator(char c) {
        if (c == ';' || c == ',') return take(",", in_list() ? Expected::value : Expected::name);
        if (in_list()) fail("expected ',' or the end of the list");
        out_ += ',';  // settings need no separator
        expected_ = Expected::name;
    }

    void open(char c) {
        if (open_.size() == kMostDepth) fail("groups and lists are nested too deeply");
        open_ += c;
        take(c == '{' ? "{" : "[", c == '{' ? Expected::name : Expected::value);
    }

    void close(char c) {
        const char opened = c == '}' ? '{' : c == ')' ? '(' : '[';
        if (open_.empty() || open_.back() != opened || expected_ == Expected::equals ||
            (expected_ == Expected::value && c == '}'))
            fail("nothing to close with '" + std::string(1, c) + "' here");
        open_.pop_back();
        take(c == '}' ? "}" : "]", Expected::separator);
    }

    // "a" "b" is "ab". The escapes of libconfig are YAML's.
    void texts() {
        out_ += text_[at_++];
        for (;;) {
            while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
                if (text_[at_] == '\\' && at_ + 1 < text_.size()) out_ += text_[at_++];
                out_ += text_[at_++];
            }
            if (at_ == text_.size() || text_[at_] != '"') fail("a text that does not end in its line");
            const std::size_t next = text_.find_first_not_of(" \t\r", at_ + 1);
            if (next == std::string_view::npos || text_[next] != '"') break;
            at_ = next + 1;
        }
        out_ += text_[at_++];
        expected_ = Expected::separator;
    }

    void scalar() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (in_name(text_[at_]) || text_[at_] == '.' || text_[at_] == '+')) ++at_;
        std::string_view word = text_.substr(begin, at_ - begin);
        const bool is_number = !word.empty() && (std::isdigit(static_cast<unsigned char>(word.front())) != 0 ||
                                                 word.front() == '-' || word.front() == '+' || word.front() == '.');
        if (is_number) {
            while (word.ends_with('L')) word.remove_suffix(1);
        } else if (std::string lower(word); std::transform(lower.begin(), lower.end(), lower.begin(),
                                                           [](unsigned char c) { return std::tolower(c); }),
                                            lower != "true" && lower != "false") {
            at_ = begin;
            fail("expected a value: a number, true, false, a text in quotes, a group or a list");
        }
        out_ += in_decimal(word);
        expected_ = Expected::separator;
    }

    // Expressions have no hexadecimal numbers.
    static std::string in_decimal(std::string_view word) {
        std::uint64_t value = 0;
        const bool is_hex = word.starts_with("0x") || word.starts_with("0X");
        const char* end = word.data() + word.size();
        if (!is_hex) return std::string(word);
        const auto [stopped, error] = std::from_chars(word.data() + 2, end, value, 16);
        return error == std::errc{} && stopped == end ? std::to_string(value) : std::string(word);
    }

    // Blanks and comments; comments become blanks, so that lines and columns stay.
    void skip() {
        while (at_ < text_.size()) {
            const std::string_view rest = text_.substr(at_);
            if (is_blank(rest.front())) {
                out_ += text_[at_++] == '\n' ? '\n' : ' ';
            } else if (rest.front() == '#' || rest.starts_with("//")) {
                blank(std::min(rest.find('\n'), rest.size()));
            } else if (rest.starts_with("/*")) {
                const std::size_t end = rest.find("*/", 2);
                if (end == std::string_view::npos) fail("a comment that does not end");
                blank(end + 2);
            } else {
                return;
            }
        }
    }

    void blank(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) out_ += text_[at_++] == '\n' ? '\n' : ' ';
    }

    void take(const char* written, Expected next) {
        out_ += written;
        ++at_;
        expected_ = next;
    }

    bool in_list() const { return !open_.empty() && open_.back() != '{'; }

    [[noreturn]] void fail(const std::string& message) const {
        const std::string_view before = text_.substr(0, at_);
        const auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
        const std::size_t newline = before.rfind('\n');
        const auto column = static_cast<int>(newline == std::string_view::npos ? at_ + 1 : at_ - newline);
        throw InputError(ErrorCode::syntax, {file_, line, column}, message + " (in libconfig's notation)");
    }

    std::string_view text_;
    const std::string& file_;
    std::string out_;
    std::string open_;  // unclosed '{', '(' and '['
    Expected expected_ = Expected::name;
    std::size_t at_ = 0;
};

// Behind blanks and comments.
std::string_view beginning(std::string_view text) {
    for (;;) {
        const std::size_t begin = text.find_first_not_of(" \t\r\n");
        if (begin == std::string_view::npos) return {};
        text.remove_prefix(begin);
        std::size_t end = 0;
        if (text.front() == '#' || text.starts_with("//"))
            end = text.find('\n');
        else if (text.starts_with("/*"))
            end = text.find("*/");
        else
            return text;
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + (text.starts_with("/*") ? 2 : 1));
    }
}

// The terminator of libconfig's settings; YAML has none between its brackets.
bool has_semicolon_inside(std::string_view group) {
    int depth = 0;
    for (const char c : group) {
        if (c == ';') return true;
        depth += c == '{' || c == '(' || c == '[' ? 1 : c == '}' || c == ')' || c == ']' ? -1 : 0;
        if (depth == 0) return false;
    }
    return false;
}

}  // namespace

bool is_libconfig(std::string_view text, const std::string& file) {
    if (file.ends_with(".cfg")) return true;
    const std::string_view begin = beginning(text);
    if (begin.empty() || !begins_name(begin.front())) return false;
    const std::size_t name =
        static_cast<std::size_t>(std::find_if_not(begin.begin(), begin.end(), in_name) - begin.begin());
    const std::size_t sign = begin.find_first_not_of(" \t\r\n", name);
    if (sign == std::string_view::npos) return false;
    if (begin[sign] == '=') return true;
    const std::size_t value = begin.find_first_not_of(" \t\r\n", sign + 1);
    return begin[sign] == ':' && value != std::string_view::npos && (begin[value] == '{' || begin[value] == '(') &&
           has_semicolon_inside(begin.substr(value));
}

std::string libconfig_as_yaml(std::string_view text, const std::string& file) { return Rewriter(text, file).run(); }

}  // namespace tilewright::timeloop
