// A position among tokens, with the notation's common parts: names, numbers, sizes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "maestro/dataflow/size.hpp"
#include "maestro/files/tokens.hpp"

namespace tilewright::maestro {

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
