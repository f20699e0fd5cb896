// The grammar of attribute arithmetic: text to a tree of operations (expression.cpp computes it).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::timeloop {

enum class Operation {
    whole,
    real,
    text,
    name,
    list,
    negate,
    logical_not,
    add,
    subtract,
    multiply,
    divide,
    floor_divide,
    modulo,
    power,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    choose,  ///< condition, value if true, value if false
    call,    ///< `text` is the function, the operands its arguments
    part,    ///< operand . text
    index,   ///< operand [ operand ]
};

struct Expression {
    Operation operation = Operation::whole;
    std::string text;  ///< the literal, the name, the function or the part
    std::vector<std::unique_ptr<Expression>> operands;
};

/// Thrown by the parser; the message says what was expected and where in the text.
struct ExpressionSyntax {
    std::string message;
};

std::unique_ptr<Expression> parse_expression(std::string_view text);

}  // namespace tilewright::timeloop
