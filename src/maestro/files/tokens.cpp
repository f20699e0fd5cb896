#include "maestro/files/tokens.hpp"

#include <algorithm>

namespace tilewright::maestro {
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
