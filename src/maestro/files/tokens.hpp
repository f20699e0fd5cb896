// Tokens of the data-centric notation, with their places.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

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

}  // namespace tilewright::maestro
