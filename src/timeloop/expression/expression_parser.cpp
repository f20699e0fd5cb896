#include "timeloop/expression/expression_parser.hpp"

#include <array>
#include <cctype>
#include <utility>

namespace tilewright::timeloop {
namespace {

constexpr std::size_t kMaxLength = 4096;
constexpr int kMaxDepth = 60;

using Tree = std::unique_ptr<Expression>;

Tree tree(Operation operation, std::string text = {}) {
    auto made = std::make_unique<Expression>();
    made->operation = operation;
    made->text = std::move(text);
    return made;
}

Tree tree(Operation operation, Tree left, Tree right) {
    Tree made = tree(operation);
    made->operands.push_back(std::move(left));
    made->operands.push_back(std::move(right));
    return made;
}

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_word(char c) { return starts_word(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

struct Token {
    enum class Kind { end, number, text, word, symbol } kind = Kind::end;
    std::string text;
};

class Lexer {
   public:
    explicit Lexer(std::string_view text) : text_(text) { advance(); }

    const Token& token() const { return token_; }
    bool is(std::string_view symbol) const {
        return (token_.kind == Token::Kind::symbol || token_.kind == Token::Kind::word) && token_.text == symbol;
    }
    bool accept(std::string_view symbol) {
        if (!is(symbol)) return false;
        advance();
        return true;
    }
    void advance();
    [[noreturn]] void fail(const std::string& expected) const {
        const std::string found = token_.kind == Token::Kind::end ? "its end" : "'" + token_.text + "'";
        throw ExpressionSyntax{"expected " + expected + ", found " + found};
    }

   private:
    void number();
    void quoted();
    void symbol();

    std::string_view text_;
    std::size_t position_ = 0;
    Token token_;
};

void Lexer::advance() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])) != 0) ++position_;
    token_ = {};
    if (position_ >= text_.size()) return;
    const char c = text_[position_];
    const bool dot_number =
        c == '.' && position_ + 1 < text_.size() && std::isdigit(static_cast<unsigned char>(text_[position_ + 1])) != 0;
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || dot_number) {
        number();
    } else if (starts_word(c)) {
        token_.kind = Token::Kind::word;
        while (position_ < text_.size() && in_word(text_[position_])) token_.text.push_back(text_[position_++]);
    } else if (c == '"' || c == '\'') {
        quoted();
    } else {
        symbol();
    }
}

void Lexer::number() {
    token_.kind = Token::Kind::number;
    char before = ' ';
    while (position_ < text_.size()) {
        const char c = text_[position_];
        const bool sign = (c == '+' || c == '-') && (before == 'e' || before == 'E');
        if (!in_word(c) && c != '.' && !sign) break;
        const bool separates = c == '_' && std::isdigit(static_cast<unsigned char>(before)) != 0 &&
                               position_ + 1 < text_.size() &&
                               std::isdigit(static_cast<unsigned char>(text_[position_ + 1])) != 0;
        if (!separates) token_.text.push_back(c);  // 16_777_216
        before = c;
        ++position_;
    }
}

void Lexer::quoted() {
    token_.kind = Token::Kind::text;
    const char quote = text_[position_++];
    while (position_ < text_.size() && text_[position_] != quote) token_.text.push_back(text_[position_++]);
    if (position_ >= text_.size()) throw ExpressionSyntax{"a quoted text does not end"};
    ++position_;
}

void Lexer::symbol() {
    token_.kind = Token::Kind::symbol;
    constexpr std::array<std::string_view, 6> kPairs{"**", "//", "<=", ">=", "==", "!="};
    const std::string_view two = text_.substr(position_, 2);
    for (const std::string_view pair : kPairs) {
        if (two != pair) continue;
        token_.text = pair;
        position_ += 2;
        return;
    }
    token_.text = text_[position_++];
}

class Parser {
   public:
    explicit Parser(std::string_view text) : lexer_(text) {}

    Tree parse() {
        Tree parsed = choice();
        if (lexer_.token().kind != Token::Kind::end) lexer_.fail("an operator");
        return parsed;
    }

   private:
    // Recursion is bounded, so that a file cannot exhaust the stack.
    struct Deeper {
        explicit Deeper(int& count) : depth(count) {
            if (++depth > kMaxDepth) throw ExpressionSyntax{"it is nested too deeply"};
        }
        ~Deeper() { --depth; }
        Deeper(const Deeper&) = delete;
        Deeper& operator=(const Deeper&) = delete;
        int& depth;
    };

    Tree choice();
    Tree any_of();
    Tree all_of();
    Tree negation();
    Tree comparison();
    Tree sum();
    Tree product();
    Tree signed_value();
    Tree power();
    Tree postfix();
    Tree primary();
    Tree suffixed(Tree operand);
    void sequence(Expression& into, std::string_view closing);

    Lexer lexer_;
    int depth_ = 0;
};

Tree Parser::choice() {
    const Deeper deeper(depth_);
    Tree value = any_of();
    if (!lexer_.accept("if")) return value;
    Tree condition = any_of();
    if (!lexer_.accept("else")) lexer_.fail("'else'");
    Tree chosen = tree(Operation::choose, std::move(condition), std::move(value));
    chosen->operands.push_back(choice());
    return chosen;
}

Tree Parser::any_of() {
    Tree left = all_of();
    while (lexer_.accept("or")) left = tree(Operation::logical_or, std::move(left), all_of());
    return left;
}

Tree Parser::all_of() {
    Tree left = negation();
    while (lexer_.accept("and")) left = tree(Operation::logical_and, std::move(left), negation());
    return left;
}

Tree Parser::negation() {
    const Deeper deeper(depth_);
    if (!lexer_.accept("not")) return comparison();
    Tree made = tree(Operation::logical_not);
    made->operands.push_back(negation());
    return made;
}

Tree Parser::comparison() {
    Tree left = sum();
    using Pair = std::pair<std::string_view, Operation>;
    constexpr std::array<Pair, 6> kKinds{Pair{"<", Operation::less},    Pair{"<=", Operation::less_equal},
                                         Pair{">", Operation::greater}, Pair{">=", Operation::greater_equal},
                                         Pair{"==", Operation::equal},  Pair{"!=", Operation::not_equal}};
    for (const auto& [symbol, operation] : kKinds)
        if (lexer_.accept(symbol)) return tree(operation, std::move(left), sum());
    return left;
}

Tree Parser::sum() {
    Tree left = product();
    for (;;) {
        if (lexer_.accept("+"))
            left = tree(Operation::add, std::move(left), product());
        else if (lexer_.accept("-"))
            left = tree(Operation::subtract, std::move(left), product());
        else
            return left;
    }
}

Tree Parser::product() {
    Tree left = signed_value();
    for (;;) {
        if (lexer_.accept("*"))
            left = tree(Operation::multiply, std::move(left), signed_value());
        else if (lexer_.accept("/"))
            left = tree(Operation::divide, std::move(left), signed_value());
        else if (lexer_.accept("//"))
            left = tree(Operation::floor_divide, std::move(left), signed_value());
        else if (lexer_.accept("%"))
            left = tree(Operation::modulo, std::move(left), signed_value());
        else
            return left;
    }
}

Tree Parser::signed_value() {
    const Deeper deeper(depth_);
    if (lexer_.accept("+")) return signed_value();
    if (!lexer_.accept("-")) return power();
    Tree made = tree(Operation::negate);
    made->operands.push_back(signed_value());
    return made;
}

Tree Parser::power() {
    Tree base = postfix();
    if (!lexer_.accept("**")) return base;
    return tree(Operation::power, std::move(base), signed_value());
}

Tree Parser::postfix() { return suffixed(primary()); }

Tree Parser::suffixed(Tree operand) {
    for (int links = 0; links < kMaxDepth; ++links) {
        if (lexer_.accept(".")) {
            if (lexer_.token().kind != Token::Kind::word) lexer_.fail("a name after '.'");
            Tree made = tree(Operation::part, lexer_.token().text);
            lexer_.advance();
            made->operands.push_back(std::move(operand));
            operand = std::move(made);
        } else if (lexer_.accept("[")) {
            operand = tree(Operation::index, std::move(operand), choice());
            if (!lexer_.accept("]")) lexer_.fail("']'");
        } else if (operand->operation == Operation::name && lexer_.accept("(")) {
            operand->operation = Operation::call;
            sequence(*operand, ")");
        } else {
            return operand;
        }
    }
    throw ExpressionSyntax{"it is nested too deeply"};
}

Tree Parser::primary() {
    const Token token = lexer_.token();
    if (token.kind == Token::Kind::number) {
        lexer_.advance();
        const bool whole = token.text.find_first_not_of("0123456789") == std::string::npos;
        return tree(whole ? Operation::whole : Operation::real, token.text);
    }
    if (token.kind == Token::Kind::text || token.kind == Token::Kind::word) {
        lexer_.advance();
        return tree(token.kind == Token::Kind::text ? Operation::text : Operation::name, token.text);
    }
    if (lexer_.accept("[")) {
        Tree made = tree(Operation::list);
        sequence(*made, "]");
        return made;
    }
    if (!lexer_.accept("(")) lexer_.fail("a value");
    Tree inside = choice();
    if (!lexer_.accept(")")) lexer_.fail("')'");
    return inside;
}

void Parser::sequence(Expression& into, std::string_view closing) {
    if (lexer_.accept(closing)) return;
    do {
        into.operands.push_back(choice());
    } while (lexer_.accept(","));
    if (!lexer_.accept(closing)) lexer_.fail("',' or '" + std::string(closing) + "'");
}

}  // namespace

Tree parse_expression(std::string_view text) {
    if (text.size() > kMaxLength) throw ExpressionSyntax{"it is longer than 4096 characters"};
    return Parser(text).parse();
}

}  // namespace tilewright::timeloop
