// Grammar of AccelForge's expressions, a subset of Python, as a tree:
//
//     choice     := or ["if" or "else" choice]       or := and {"or" and}     and := not {"and" not}
//     not        := "not" not | comparison
//     comparison := union {("==" | "!=" | "<" | "<=" | ">" | ">=" | ["not"] "in") union}
//     union      := difference {"|" difference}      difference := meet {"^" meet}      meet := sum {"&" sum}
//     sum        := product {("+" | "-") product}    product := unary {("*" | "/" | "//" | "%") unary}
//     unary      := ("-" | "+" | "~") unary | postfix ["**" unary]
//     postfix    := primary {"." NAME | "(" items ")" | "[" choice "]"}
//     primary    := NUMBER | TEXT | NAME | "(" choice ")" | "[" items "]" | "{" items "}"
//     items      := [item {"," item} | choice "for" NAME "in" or ["if" or]]        item := [NAME "="] choice
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::accelforge {

struct Expression {
    enum class Kind {
        number,
        text,
        name,
        unary,          ///< `text` parts[0]; "-", "+", "~", "not"
        binary,         ///< parts[0] `text` parts[1]; arithmetic, sets, comparisons, "and", "or", "in"
        choice,         ///< parts[0] if parts[1] else parts[2]
        list,           ///< parts
        comprehension,  ///< parts[0] for `text` in parts[1] [if parts[2]]
        part,           ///< parts[0] . `text`
        index,          ///< parts[0] [ parts[1] ]
        call,           ///< parts[0] ( parts[1], .. )
        named,          ///< `text` = parts[0], an argument
        members,        ///< { parts }, a set
    };
    Kind kind = Kind::number;
    std::string text;
    double number = 0.0;
    std::vector<Expression> parts;
};

/// Thrown by the parser: the expectation, and the position in the text.
struct ExpressionProblem {
    std::string message;
};

Expression parse_expression(std::string_view text);

}  // namespace tilewright::accelforge
