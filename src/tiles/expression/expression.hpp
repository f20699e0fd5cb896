// The grammar of rule files: whole numbers, comparisons that chain, and choices, as Python writes them. Text to a tree.
//
//     choice     := or ["if" or "else" choice]     or := and {"or" and}     and := not {"and" not}
//     not        := "not" not | comparison         comparison := sum {("==" | "!=" | "<" | "<=" | ">" | ">=") sum}
//     sum        := product {("+" | "-") product}  product := unary {("*" | "//" | "%" | "/") unary}
//     unary      := "-" unary | power              power := atom ["**" unary]
//     atom       := NUMBER | NAME | NAME "(" choice {"," choice} ")" | "(" choice ")"
//
// "/" and numbers with a point are of times (Numbers::real) alone: rules know whole numbers only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace tilewright::tiles {

enum class Numbers : std::uint8_t { whole, real };

/// A text and where it is written: messages name the line and column of what is wrong in it.
struct PlacedText {
    std::string text;
    Location where;
    std::string line = "";  ///< of the source, shown with a message

    [[noreturn]] void fail(std::size_t place, ErrorCode code, const std::string& message) const;
};

enum class Operation : std::uint8_t {
    number,
    name,
    negate,
    logical_not,
    add,
    subtract,
    multiply,
    divide,
    floor_divide,
    modulo,
    power,
    logical_and,
    logical_or,
    compare,  ///< parts[0] comparisons[0] parts[1] comparisons[1] parts[2] ...
    choose,   ///< parts[0] if parts[1] else parts[2]
    // Functions, and what they compare:
    equal,
    not_equal,
    less,
    at_most,
    greater,
    at_least,
    minimum,
    maximum,
    ceil_divide,
    round_up,
    power_of_two,
    divides,
    overlapped,      ///< (a^4 + b^4)^(1/4), of times
    bank_conflicts,  ///< passes that a load takes in 32 banks, of times
    bank_lines,      ///< lines of 32 words that it touches, of times
};

struct Expression {
    Operation operation = Operation::number;
    std::int64_t whole = 0;
    double real = 0.0;
    std::string name;
    std::vector<Operation> comparisons;
    std::vector<Expression> parts;
    std::size_t place = 0;  ///< in the text, from 0
};

inline constexpr std::size_t kMostExpressionBytes = 4096;

/// Throws InputError at the place of what is no expression.
Expression parse_expression(const PlacedText& text, Numbers numbers);

/// Every name in it, as often as it stands there.
void collect_names(const Expression& expression, std::vector<std::string>& names);

/// Whether a name is one of the language, which nothing else may have.
bool is_word_of_language(std::string_view name);

}  // namespace tilewright::tiles
