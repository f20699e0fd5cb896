// Jinja as a tree: the expressions between {{ and }}, and the texts and statements of a template.
//
//     template   := { text | "{{" choice "}}" | "{#" .. "#}" | statement }
//     statement  := "{%" "set" NAME {"," NAME} "=" tuple "%}"  |  "{%" "set" NAME "%}" template "{%" "endset" "%}"
//                |  "{%" "if" choice "%}" template {"{%" "elif" choice "%}" template}
//                                                  ["{%" "else" "%}" template] "{%" "endif" "%}"
//                |  "{%" "for" NAME {"," NAME} "in" or ["if" choice] "%}" template
//                                                  ["{%" "else" "%}" template] "{%" "endfor" "%}"
//                |  "{%" "include" choice "%}"  |  "{%" "raw" "%}" .. "{%" "endraw" "%}"
//                |  "{%" "assert" choice ["," choice] "%}"
//     tuple      := choice {"," choice}
//     choice     := or ["if" or ["else" choice]]
//     or         := and {"or" and}          and := not {"and" not}          not := "not" not | comparison
//     comparison := sum {("==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not" "in") sum}
//     sum        := concat {("+" | "-") concat}    concat := product {"~" product}
//     product    := unary {("*" | "/" | "//" | "%") unary}
//     unary      := ("-" | "+") unary | postfix ["**" unary]
//     postfix    := primary {"." NAME | "[" index "]" | "(" arguments ")" | "|" NAME ["(" arguments ")"]
//                            | "is" ["not"] NAME ["(" arguments ")" | primary]}
//     primary    := NAME | NUMBER | STRING {STRING} | "(" tuple ")" | "[" [tuple] "]" | "{" [choice ":" choice, ..] "}"
//     arguments  := [[NAME "="] choice {"," [NAME "="] choice}]
//     index      := choice | [choice] ":" [choice]
//
// "{%-" and "-%}" (likewise for the others) strip adjacent white space. Macros, blocks and imports are refused.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "yaml/jinja/value.hpp"

namespace tilewright::jinja {

struct Document {
    Document(std::string name, std::string content);

    std::string file;
    std::string text;
    std::vector<std::size_t> lines;  ///< start of each

    /// Throws InputError at `position` of the text.
    [[noreturn]] void fail(std::size_t position, ErrorCode code, const std::string& message) const;
    int line_at(std::size_t position) const;
};

struct Expression {
    enum class Kind {
        literal,    ///< value
        name,       ///< text
        list,       ///< parts
        map,        ///< parts: key, value, key, value
        negative,   ///< -parts[0]
        opposite,   ///< not parts[0]
        binary,     ///< parts[0] text parts[1]; "and", "or", "in", "+", ..
        choice,     ///< parts[0] if parts[1] else parts[2]
        attribute,  ///< parts[0].text
        index,      ///< parts[0][parts[1]]
        slice,      ///< parts[0][parts[1]:parts[2]]; a missing end is the literal None
        call,       ///< parts[0](parts[1], ..)
        each,       ///< parts[0] for each text ("a" or "a,b") in parts[1] [if parts[2]]; arithmetic alone
        filter,     ///< parts[0] | text(parts[1], ..)
        test,       ///< parts[0] is text(parts[1], ..)
    };
    Kind kind = Kind::literal;
    std::string text;
    Value value;
    std::vector<Expression> parts;
    std::size_t position = 0;
};

struct Statement;
using Block = std::vector<Statement>;

struct Statement {
    enum class Kind {
        text,     ///< text, copied
        print,    ///< conditions[0]
        set,      ///< names = conditions[0]; without a condition: the output of blocks[0]
        branch,   ///< if conditions[i] then blocks[i]; an extra block: else
        loop,     ///< for names in conditions[0] [if conditions[1]]: blocks[0], else blocks[1]
        include,  ///< the file conditions[0]
        claim,    ///< asserts conditions[0]; conditions[1] is the message
    };
    Kind kind = Kind::text;
    std::string_view text;
    std::vector<std::string> names;
    std::vector<Expression> conditions;
    std::vector<Block> blocks;
    std::size_t position = 0;
};

/// An error in an expression, at a position of its text.
struct Mistake {
    std::size_t position = 0;
    ErrorCode code = ErrorCode::syntax;
    std::string message;
};

/// The tree of attribute arithmetic (timeloop/expression): the same without filters, tests, maps, slices, "~" and "in",
/// with every "else", comparisons of two, "value for a in list if condition" as an item of a list or the arguments of a
/// call, and f"A={a}". Literals of numbers have their text, but no value; True and False are names. Throws Mistake.
Expression parse_arithmetic(std::string_view text);

/// The tree of the expression from `begin` to `end` of `document`. Throws InputError (syntax).
Expression parse_expression(const Document& document, std::size_t begin, std::size_t end);
/// Likewise "a, b": one expression, or a list of several.
Expression parse_tuple(const Document& document, std::size_t begin, std::size_t end);
/// Likewise the names, the list and the condition of "a, b in list if condition".
Statement parse_loop_head(const Document& document, std::size_t begin, std::size_t end);

/// The tree of a whole template. It refers to the text of `document`. Throws InputError (syntax, unsupported).
Block parse_template(const Document& document);

}  // namespace tilewright::jinja
