// A position among tokens, with the notation's common parts: names, numbers, sizes.
// Tokens of the data-centric notation, with their places.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "maestro/dataflow/size.hpp"

namespace tilewright::maestro {

struct Token {
    enum class Kind { word, symbol, end } kind = Kind::end;
    std::string_view text;  ///< of a symbol: one of { } ( ) , : ; + - * / >
    std::size_t begin = 0;  ///< offset in the text
    int line = 1;
    int column = 1;

    bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
    bool is_word(std::string_view word) const { return kind == Kind::word && text == word; }
    std::size_t end() const { return begin + text.size(); }
};

struct Text {
    std::string_view bytes;
    std::string file;

    Location place(const Token& token) const { return {file, token.line, token.column}; }
    /// Throws InputError at the token, with its line below.
    [[noreturn]] void fail(const Token& token, ErrorCode code, const std::string& message) const;
};

/// Text read differently by the public tool, with the same meaning to a human.
struct ToolRefusal {
    Location where;
    std::string reason;

    bool operator==(const ToolRefusal&) const = default;
};

/// All tokens, the last of kind `end`; `//` begins a comment. Adds the public tool's stumbling blocks to `refusals`:
/// carriage returns at line ends, braces or comments touching a word. Throws InputError for control characters.
std::vector<Token> tokens_of(const Text& text, std::vector<ToolRefusal>& refusals);

class Cursor {
   public:
    Cursor(const Text& text, const std::vector<Token>& tokens, std::vector<ToolRefusal>& refusals)
        : text_(text), tokens_(tokens), refusals_(refusals) {}

    const Token& token() const { return tokens_[at_]; }
    const Token& take() { return tokens_[token().kind == Token::Kind::end ? at_ : at_++]; }
    bool accept(std::string_view symbol);
    void expect(std::string_view symbol, const std::string& where);
    /// Commas, colons, semicolons and arrows: decoration.
    void skip_separators();

    /// The words up to the next `{` as written ("Conv2d-1"), possibly none.
    std::string name_before_brace();
    /// A word; `expected`: its kind ("a dimension").
    const Token& word(const std::string& expected);
    dataflow::Axis axis();
    /// An integer from `least` to 2147483647, in digits or as a Constant.
    std::int64_t number(std::int64_t least, const std::string& what);
    /// A number with a fraction.
    double real(const std::string& what);
    /// + - * / over numbers, constants, Sz(axis) and names (free parameters).
    dataflow::Size size();

    /// Throws InputError unless the name is new.
    void define_constant(const Token& name, std::int64_t value);
    [[noreturn]] void fail(const Token& token, ErrorCode code, const std::string& message) const {
        text_.fail(token, code, message);
    }
    [[noreturn]] void fail_here(const std::string& expected) const;
    void note(const Token& token, const std::string& refusal);
    Location place(const Token& token) const { return text_.place(token); }

   private:
    std::int64_t digits(const Token& token, std::int64_t least, const std::string& what) const;
    dataflow::Size sum(int depth);
    dataflow::Size product(int depth);
    dataflow::Size primary(int depth);

    const Text& text_;
    const std::vector<Token>& tokens_;
    std::vector<ToolRefusal>& refusals_;
    std::map<std::string, std::int64_t, std::less<>> constants_;
    std::size_t at_ = 0;
};

/// "'{'", "the end of the file": a token's name in messages.
std::string text_of(const Token& token);

}  // namespace tilewright::maestro
