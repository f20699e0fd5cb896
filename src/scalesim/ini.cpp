#include "scalesim/ini.hpp"

#include <charconv>

namespace tilewright::scalesim {
namespace {

constexpr std::int64_t kMostNumber = 2147483647;

class IniReader {
   public:
    IniReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    std::vector<IniEntry> run() {
        for (std::size_t begin = 0; begin < text_.size(); ++line_) {
            const std::size_t end = std::min(text_.find('\n', begin), text_.size());
            take(text_.substr(begin, end - begin));
            begin = end + 1;
        }
        return std::move(entries_);
    }

   private:
    void take(std::string_view line) {
        const std::string_view content = trimmed(line);
        if (content.empty() || content[0] == '#' || content[0] == ';') return;
        for (std::size_t i = 0; i < line.size(); ++i)
            if (static_cast<unsigned char>(line[i]) < 0x20 && line[i] != '\t' && line[i] != '\r')
                fail(line, i, "a control character; expected text");
        if (content[0] == '[') return section(line, content);
        if (line[0] == ' ' || line[0] == '\t')
            fail(line, line.find_first_not_of(" \t"),
                 "an indented line, which continues the value before it in SCALE-Sim; begin it in the first column");
        if (section_.empty()) fail(line, 0, "expected a section such as [general] first");
        const std::size_t separator = line.find_first_of(":=");
        const std::string_view key = trimmed(line.substr(0, separator));
        if (separator == std::string_view::npos || key.empty()) fail(line, 0, "expected 'key : value' or '[section]'");
        const std::string_view value = trimmed(line.substr(separator + 1));
        if (value.empty()) fail(line, separator, "'" + std::string(key) + "' has no value");
        const auto at = static_cast<int>(value.data() - line.data()) + 1;
        entries_.push_back({section_, std::string(key), std::string(value), {file_, line_, 1}, {file_, line_, at}});
    }

    void section(std::string_view line, std::string_view content) {
        if (content.back() != ']' || content.size() < 3) fail(line, 0, "expected '[section]'");
        section_ = content.substr(1, content.size() - 2);
    }

    [[noreturn]] void fail(std::string_view line, std::size_t at, const std::string& message) const {
        throw InputError(ErrorCode::syntax, {file_, line_, static_cast<int>(at) + 1}, message, line);
    }

    std::string_view text_;
    std::string file_;
    std::string section_;
    std::vector<IniEntry> entries_;
    int line_ = 1;
};

}  // namespace

std::vector<IniEntry> read_ini(std::string_view text, const std::string& file) { return IniReader(text, file).run(); }

std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> parts;
    while (true) {
        const std::size_t comma = text.find(',');
        parts.emplace_back(trimmed(text.substr(0, comma)));
        if (comma == std::string_view::npos) return parts;
        text.remove_prefix(comma + 1);
    }
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpaces = " \t\r";
    const std::size_t begin = text.find_first_not_of(kSpaces);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

std::string_view line_of(std::string_view text, int number) {
    for (; number > 1; --number) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    return text.substr(0, text.find('\n'));
}

std::string yaml_name(const std::string& name) {
    std::string quoted = "'";
    for (const char c : name) quoted += c == '\'' ? std::string("''") : std::string(1, c);
    return quoted + "'";
}

std::int64_t whole_number(std::string_view text, std::int64_t least, const std::string& what, const Fail& fail) {
    std::int64_t value = 0;
    const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range || value > kMostNumber)
        fail(ErrorCode::overflow, what + " is at most 2147483647, found '" + std::string(text) + "'");
    if (error != std::errc{} || stopped != text.data() + text.size())
        fail(ErrorCode::wrong_type, what + " is a whole number, found '" + std::string(text) + "'");
    if (value < least)
        fail(ErrorCode::bad_value, what + " is at least " + std::to_string(least) + ", found " + std::string(text));
    return value;
}

}  // namespace tilewright::scalesim
