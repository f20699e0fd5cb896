#include "maestro/files/cursor.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace tilewright::maestro {
namespace {

using dataflow::Arithmetic;
using dataflow::Axis;
using dataflow::Size;

constexpr int kMaxDepth = 50;
constexpr std::size_t kMaxTerms = 1000;
constexpr std::int64_t kMostNumber = 2147483647;

bool all_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_identifier(std::string_view text) {
    const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && std::all_of(text.begin(), text.end(), letter);
}

}  // namespace

std::string text_of(const Token& token) {
    return token.kind == Token::Kind::end ? "the end of the file" : "'" + std::string(token.text) + "'";
}

bool Cursor::accept(std::string_view symbol) {
    if (!token().is(symbol)) return false;
    take();
    return true;
}

void Cursor::expect(std::string_view symbol, const std::string& where) {
    if (!accept(symbol)) fail_here("'" + std::string(symbol) + "' " + where);
}

void Cursor::skip_separators() {
    while (true) {
        if (token().is(",") || token().is(":") || token().is(";")) {
            take();
        } else if (token().is("-") && tokens_[at_ + 1].is(">")) {
            take();
            take();
        } else {
            return;
        }
    }
}

std::string Cursor::name_before_brace() {
    const Token first = token();
    std::size_t end = first.begin;
    while (!token().is("{") && !token().is("}") && token().kind != Token::Kind::end && token().line == first.line)
        end = take().end();
    std::string name(text_.bytes.substr(first.begin, end - first.begin));
    while (!name.empty() && (name.back() == ':' || name.back() == ' ' || name.back() == '\t')) name.pop_back();
    return name;
}

const Token& Cursor::word(const std::string& expected) {
    if (token().kind != Token::Kind::word) fail_here(expected);
    return take();
}

Axis Cursor::axis() {
    const Token& name = word("a dimension");
    if (const auto axis = dataflow::axis_named(name.text)) return *axis;
    fail(
        name, ErrorCode::unknown_name,
        "unknown dimension '" + std::string(name.text) + "'; the dimensions are " + list_words(dataflow::axis_names()));
}

std::int64_t Cursor::digits(const Token& token, std::int64_t least, const std::string& what) const {
    std::int64_t value = 0;
    const auto [stopped, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
    const char* end = token.text.data() + token.text.size();
    if (error != std::errc{} || stopped != end || value > kMostNumber)
        fail(token, ErrorCode::overflow, what + " is at most 2147483647, found '" + std::string(token.text) + "'");
    if (value < least)
        fail(token, ErrorCode::bad_value,
             what + " is at least " + std::to_string(least) + ", found " + std::string(token.text));
    return value;
}

std::int64_t Cursor::number(std::int64_t least, const std::string& what) {
    const Token& found = word(what + ", a whole number");
    if (all_digits(found.text)) return digits(found, least, what);
    const auto constant = constants_.find(found.text);
    if (constant == constants_.end())
        fail(found, ErrorCode::wrong_type,
             what + " is a whole number or a Constant, found '" + std::string(found.text) + "'");
    if (constant->second < least)
        fail(found, ErrorCode::bad_value,
             what + " is at least " + std::to_string(least) + ", and '" + std::string(found.text) + "' is " +
                 std::to_string(constant->second));
    return constant->second;
}

double Cursor::real(const std::string& what) {
    const Token& found = word(what + ", a number");
    double value = 0.0;
    const auto [stopped, error] = std::from_chars(found.text.data(), found.text.data() + found.text.size(), value);
    const char* end = found.text.data() + found.text.size();
    if (error != std::errc{} || stopped != end || !std::isfinite(value))
        fail(found, ErrorCode::wrong_type, what + " is a number, found '" + std::string(found.text) + "'");
    return value;
}

Size Cursor::size() {
    const Token first = token();
    Size size = sum(0);
    if (!dataflow::is_plain(size)) note(first, "arithmetic in a size");
    return size;
}

Size Cursor::sum(int depth) {
    Size left = product(depth);
    while (token().is("+") || (token().is("-") && !tokens_[at_ + 1].is(">"))) {
        const Token operation = take();
        left =
            Size::combine(std::move(left), product(depth), operation.is("+") ? Arithmetic::add : Arithmetic::subtract);
        if (left.postfix.size() > kMaxTerms) fail(operation, ErrorCode::syntax, "a size has at most 1000 terms");
    }
    return left;
}

Size Cursor::product(int depth) {
    Size left = primary(depth);
    while (token().is("*") || token().is("/")) {
        const Token operation = take();
        left = Size::combine(std::move(left), primary(depth),
                             operation.is("*") ? Arithmetic::multiply : Arithmetic::divide);
        if (left.postfix.size() > kMaxTerms) fail(operation, ErrorCode::syntax, "a size has at most 1000 terms");
    }
    return left;
}

Size Cursor::primary(int depth) {
    if (token().is("(")) {
        const Token& open = take();
        if (depth >= kMaxDepth) fail(open, ErrorCode::syntax, "parentheses go at most 50 deep");
        Size inner = sum(depth + 1);
        expect(")", "to close the parenthesis");
        return inner;
    }
    const Token& first = word("a size: a whole number, Sz(dimension), a Constant or a free parameter");
    if (all_digits(first.text)) return Size::number(digits(first, 0, "a size"));
    if (first.text == "Sz") {
        const bool open = accept("(");
        const Axis of = axis();
        if (open) expect(")", "after the dimension of Sz");
        return Size::of(of);
    }
    if (const auto constant = constants_.find(first.text); constant != constants_.end())
        return Size::number(constant->second);
    if (!is_identifier(first.text) || dataflow::axis_named(first.text))
        fail(first, ErrorCode::syntax,
             "expected a size: a whole number, Sz(dimension), a Constant or a free parameter; found " + text_of(first));
    note(first, "the size '" + std::string(first.text) + "', which is left open");
    return Size::parameter(std::string(first.text));
}

void Cursor::define_constant(const Token& name, std::int64_t value) {
    if (!is_identifier(name.text) || name.text == "Sz" || dataflow::axis_named(name.text))
        fail(name, ErrorCode::bad_value,
             "a Constant's name is letters, digits and '_' and no dimension, found " + text_of(name));
    if (!constants_.emplace(name.text, value).second)
        fail(name, ErrorCode::duplicate_key, "the Constant '" + std::string(name.text) + "' is given twice");
}

void Cursor::fail_here(const std::string& expected) const {
    fail(token(), ErrorCode::syntax, "expected " + expected + ", found " + text_of(token()));
}

void Cursor::note(const Token& token, const std::string& refusal) {
    refusals_.push_back({text_.place(token), refusal});
}

namespace {

constexpr std::string_view kSymbols = "{}(),:;+-*/>";
constexpr std::string_view kSpaces = " \t\r\n\f\v";
// The public tool's word separators; braces and + * / are not among them.
constexpr std::string_view kToolSeparators = " ,->():\t;\n";

bool one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
bool ends_tool_word(char c) { return one_of(c, kToolSeparators) || c == '\r'; }

class Lexer {
   public:
    Lexer(const Text& text, std::vector<ToolRefusal>& refusals) : text_(text), refusals_(refusals) {}

    std::vector<Token> run() {
        while (skip_blank()) {
            tokens_.push_back(next());
            note_brace(tokens_.back());
        }
        tokens_.push_back(here(Token::Kind::end, 0));
        return std::move(tokens_);
    }

   private:
    bool at_end() const { return at_ >= text_.bytes.size(); }
    bool at_comment() const { return text_.bytes.substr(at_, 2) == "//"; }

    Token here(Token::Kind kind, std::size_t length) const {
        return {kind, text_.bytes.substr(std::min(at_, text_.bytes.size()), length), at_, line_, column_};
    }

    void step() {
        if (text_.bytes[at_] == '\r') note_once("line ends with a carriage return");
        if (text_.bytes[at_++] == '\n') {
            ++line_;
            column_ = 1;
        } else {
            ++column_;
        }
    }

    // False at the end of the text.
    bool skip_blank() {
        while (!at_end()) {
            if (at_comment()) {
                skip_comment();
            } else if (one_of(text_.bytes[at_], kSpaces)) {
                step();
            } else {
                return true;
            }
        }
        return false;
    }

    void skip_comment() {
        if (at_ > 0 && !ends_tool_word(text_.bytes[at_ - 1]))
            refusals_.push_back({text_.place(here(Token::Kind::symbol, 2)), "a comment that touches a word"});
        while (!at_end() && text_.bytes[at_] != '\n') step();
    }

    Token next() {
        if (is_control(text_.bytes[at_]))
            text_.fail(here(Token::Kind::word, 1), ErrorCode::syntax, "a control character; expected text");
        if (one_of(text_.bytes[at_], kSymbols)) return take(Token::Kind::symbol, 1);
        std::size_t end = at_;
        while (end < text_.bytes.size() && !one_of(text_.bytes[end], kSymbols) && !one_of(text_.bytes[end], kSpaces) &&
               !is_control(text_.bytes[end]))
            ++end;
        return take(Token::Kind::word, end - at_);
    }

    Token take(Token::Kind kind, std::size_t length) {
        const Token token = here(kind, length);
        for (std::size_t i = 0; i < length; ++i) step();
        return token;
    }

    void note_brace(const Token& token) {
        if (!token.is("{") && !token.is("}")) return;
        const bool before = token.begin == 0 || ends_tool_word(text_.bytes[token.begin - 1]);
        const bool after = at_end() || ends_tool_word(text_.bytes[at_]);
        if (!before || !after) refusals_.push_back({text_.place(token), "a brace that touches a word"});
    }

    void note_once(const std::string& reason) {
        const auto same = [&](const ToolRefusal& refusal) { return refusal.reason == reason; };
        if (std::none_of(refusals_.begin(), refusals_.end(), same))
            refusals_.push_back({{text_.file, line_, column_}, reason});
    }

    const Text& text_;
    std::vector<ToolRefusal>& refusals_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    int line_ = 1;
    int column_ = 1;
};

}  // namespace

void Text::fail(const Token& token, ErrorCode code, const std::string& message) const {
    const std::size_t end = std::min(bytes.find('\n', token.begin), bytes.size());
    const std::size_t newline = token.begin == 0 ? std::string_view::npos : bytes.rfind('\n', token.begin - 1);
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    throw InputError(code, place(token), message, bytes.substr(begin, end - begin));
}

std::vector<Token> tokens_of(const Text& text, std::vector<ToolRefusal>& refusals) {
    return Lexer(text, refusals).run();
}

}  // namespace tilewright::maestro
