#include "frontend/timeloop/jinja.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/file.hpp"

namespace tilewright::timeloop {
namespace {

constexpr std::size_t kMaxText = 64U << 20U;  // an include that multiplies
constexpr std::size_t kMaxDepth = 32;         // includes or conditions inside each other
constexpr int kMaxIncludes = 10'000;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
    return text;
}

bool is_name(std::string_view text) {
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
           std::all_of(text.begin(), text.end(), is_word);
}

// 'text', "text", a number, True, False: what it stands for when printed.
std::optional<std::string> literal(std::string_view text) {
    text = trimmed(text);
    if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front()) {
        const std::string_view inside = text.substr(1, text.size() - 2);
        if (inside.find_first_of("'\"\\") != std::string_view::npos) return std::nullopt;
        return std::string(inside);
    }
    const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return is_word(c) || c == '.' || c == '-' || c == '+';
    });
    const bool number = plain && (std::isdigit(static_cast<unsigned char>(text.front())) != 0 || text.front() == '-');
    if (number || text == "True" || text == "False" || text == "true" || text == "false") return std::string(text);
    return std::nullopt;
}

// "f(argument)" -> "argument" when the function is called `name`.
std::optional<std::string_view> argument_of(std::string_view call, std::string_view name) {
    call = trimmed(call);
    if (!call.starts_with(name)) return std::nullopt;
    call = trimmed(call.substr(name.size()));
    if (call.size() < 2 || call.front() != '(' || call.back() != ')') return std::nullopt;
    return trimmed(call.substr(1, call.size() - 2));
}

bool is_true(const std::string& text) {
    return !(text.empty() || text == "False" || text == "false" || text == "0" || text == "None");
}

class Expander {
   public:
    explicit Expander(const JinjaVariables& variables) : variables_(variables) {}

    yaml::Source take(const std::string& file) {
        output_.file = file;
        return std::move(output_);
    }

    void start(std::string_view text, const std::string& file) {
        open_.push_back(std::filesystem::path(file).lexically_normal().string());
        expand(text, file);
    }

   private:
    struct Branch {
        bool shown;   // this part of the condition is copied
        bool parent;  // ... and so is what lies around it
    };
    // Where the directive under way begins: messages point there.
    struct Cursor {
        std::string_view text;
        std::string file;
        std::size_t position = 0;
        int line = 1;
        std::size_t directive = 0;
        int directive_line = 1;
    };

    void expand(std::string_view text, const std::string& file);
    [[noreturn]] static void fail(const Cursor& at, ErrorCode code, const std::string& message);
    [[noreturn]] static void unsupported(const Cursor& at, std::string_view what);
    void copy(Cursor& at, std::size_t end, bool shown);
    void append(char c, const std::string& file, int line);
    void statement(const Cursor& at, std::string_view body, std::vector<Branch>& branches) const;
    void print(const Cursor& at, std::string_view body);
    void include(const Cursor& at, std::string_view argument);
    std::optional<std::string> value_of(const Cursor& at, std::string_view expression) const;

    const JinjaVariables& variables_;
    yaml::Source output_;
    std::vector<std::string> open_;  // the files being included, outermost first
    int includes_ = 0;
};

void Expander::fail(const Cursor& at, ErrorCode code, const std::string& message) {
    std::size_t begin = at.text.rfind('\n', at.directive);
    begin = begin == std::string_view::npos || at.directive == 0 ? 0 : begin + 1;
    std::string_view line = at.text.substr(begin);
    line = line.substr(0, line.find_first_of("\r\n"));
    throw InputError(code, {at.file, at.directive_line, static_cast<int>(at.directive - begin) + 1}, message, line);
}

void Expander::unsupported(const Cursor& at, std::string_view what) {
    fail(at, ErrorCode::unsupported,
         "the Jinja '" + std::string(what.substr(0, 60)) +
             "' is not supported; known are include_text('file'), name|default(value) and if/else/endif of those");
}

void Expander::append(char c, const std::string& file, int line) {
    if (output_.text.empty() || output_.text.back() == '\n') output_.origin.emplace_back(file, line);
    output_.text.push_back(c);
}

// Moves to `end`, copying what lies between when it is shown.
void Expander::copy(Cursor& at, std::size_t end, bool shown) {
    for (; at.position < end; ++at.position) {
        const char c = at.text[at.position];
        if (shown) append(c, at.file, at.line);
        if (c == '\n') ++at.line;
    }
}

void Expander::expand(std::string_view text, const std::string& file) {
    if (output_.text.size() + text.size() > kMaxText)
        throw InputError(ErrorCode::overflow, {file, 0, 0}, "the included text is longer than 64 MiB");
    Cursor at{text, file};
    std::vector<Branch> branches;
    const auto shown = [&] { return branches.empty() || branches.back().shown; };
    while (at.position < text.size()) {
        std::size_t next = text.find('{', at.position);
        while (next != std::string_view::npos &&
               (next + 1 >= text.size() || std::string_view("{%#").find(text[next + 1]) == std::string_view::npos))
            next = text.find('{', next + 1);
        copy(at, std::min(next, text.size()), shown());
        if (at.position >= text.size()) break;
        at.directive = at.position;
        at.directive_line = at.line;
        const char kind = text[at.position + 1];
        const std::string_view closing = kind == '{' ? "}}" : kind == '%' ? "%}" : "#}";
        const std::size_t end = text.find(closing, at.position + 2);
        if (end == std::string_view::npos) fail(at, ErrorCode::syntax, "the Jinja opened here does not end");
        std::string_view body = text.substr(at.position + 2, end - at.position - 2);
        if (kind != '#' && body.starts_with('-')) body.remove_prefix(1);
        if (kind != '#' && body.ends_with('-')) body.remove_suffix(1);
        if (kind == '%') statement(at, trimmed(body), branches);
        if (kind == '{' && shown()) print(at, trimmed(body));
        copy(at, end + 2, false);
    }
    if (!branches.empty()) fail(at, ErrorCode::syntax, "an 'if' of this file has no 'endif'");
}

void Expander::statement(const Cursor& at, std::string_view body, std::vector<Branch>& branches) const {
    const bool around = branches.empty() || branches.back().shown;
    if (body.starts_with("if ")) {
        if (branches.size() >= kMaxDepth) fail(at, ErrorCode::syntax, "conditions are nested too deeply");
        std::string_view condition = trimmed(body.substr(3));
        const bool negated = condition.starts_with("not ");
        if (negated) condition = trimmed(condition.substr(4));
        const std::optional<std::string> value = around ? value_of(at, condition) : std::string("False");
        if (!value) unsupported(at, body);
        branches.push_back({around && is_true(*value) != negated, around});
    } else if (body == "else" || body == "endif") {
        if (branches.empty()) fail(at, ErrorCode::syntax, "'" + std::string(body) + "' without 'if'");
        if (body == "endif")
            branches.pop_back();
        else
            branches.back().shown = branches.back().parent && !branches.back().shown;
    } else if (around) {
        unsupported(at, body);
    }
}

// name, or name|default(literal)
std::optional<std::string> Expander::value_of(const Cursor& at, std::string_view expression) const {
    const std::size_t bar = expression.find('|');
    std::string name(trimmed(expression.substr(0, bar)));
    if (!is_name(name)) return std::nullopt;
    const auto given = variables_.find(name);
    if (bar == std::string_view::npos) {
        if (given != variables_.end()) return given->second;
        if (literal(name)) return name;
        fail(at, ErrorCode::unknown_name, "the Jinja variable '" + name + "' has no value and no default");
    }
    const std::optional<std::string_view> argument = argument_of(expression.substr(bar + 1), "default");
    const std::optional<std::string> fallback = argument ? literal(*argument) : std::nullopt;
    if (!fallback) return std::nullopt;
    return given != variables_.end() ? given->second : *fallback;
}

void Expander::print(const Cursor& at, std::string_view body) {
    if (const auto argument = argument_of(body, "include_text")) {
        include(at, *argument);
        return;
    }
    const std::optional<std::string> value = value_of(at, body);
    if (!value) unsupported(at, body);
    for (const char c : *value) append(c, at.file, at.directive_line);
}

void Expander::include(const Cursor& at, std::string_view argument) {
    const std::optional<std::string> name = literal(argument);
    if (!name || name->empty()) fail(at, ErrorCode::syntax, "include_text needs the name of a file in quotes");
    const std::filesystem::path path = (std::filesystem::path(at.file).parent_path() / *name).lexically_normal();
    if (std::find(open_.begin(), open_.end(), path.string()) != open_.end())
        fail(at, ErrorCode::cyclic_inheritance, "'" + *name + "' includes itself");
    if (open_.size() >= kMaxDepth || ++includes_ > kMaxIncludes) fail(at, ErrorCode::syntax, "too many includes");
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored))
        fail(at, ErrorCode::missing_file, "the file '" + path.string() + "' to include does not exist");
    if (const std::uintmax_t size = std::filesystem::file_size(path, ignored); !ignored && size > kMaxText)
        fail(at, ErrorCode::unsupported,
             "'" + path.string() + "' has " + std::to_string(size) + " bytes; the most to include is " +
                 std::to_string(kMaxText));
    std::string text = read_file(path);
    if (!text.empty() && text.back() == '\n') text.pop_back();  // as Jinja does
    open_.push_back(path.string());
    expand(text, path.string());
    open_.pop_back();
}

}  // namespace

yaml::Source expand_jinja(std::string_view text, const std::string& file, const JinjaVariables& variables) {
    Expander expander(variables);
    expander.start(text, file);
    return expander.take(file);
}

}  // namespace tilewright::timeloop
