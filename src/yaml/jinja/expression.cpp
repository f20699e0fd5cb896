// Expressions of Jinja and of attributes: tokens, and a parser by recursive descent (grammar: syntax.hpp).
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "yaml/jinja/syntax.hpp"

namespace tilewright::jinja {
namespace {

constexpr int kMaxNested = 80;  // expressions inside each other

using Kind = Expression::Kind;

struct Token {
    enum class Kind { name, number, string, symbol, foreign, end };
    Kind kind = Kind::end;
    std::string text;  // a string without quotes and escapes
    std::size_t position = 0;
};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// The language; tokens foreign to it match no rule of the grammar.
enum class Dialect { jinja, arithmetic };

class Lexer {
   public:
    Lexer(std::string_view text, std::size_t begin, Dialect dialect) : text_(text), at_(begin), dialect_(dialect) {}

    std::vector<Token> tokens() {
        std::vector<Token> tokens;
        do tokens.push_back(next());
        while (tokens.back().kind != Token::Kind::end);
        return tokens;
    }

   private:
    char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

    Token next() {
        while (std::isspace(static_cast<unsigned char>(at(at_))) != 0) ++at_;
        const std::size_t begin = at_;
        if (at_ >= text_.size()) return {Token::Kind::end, "", begin};
        const char c = text_[at_];
        if (is_letter(c)) {
            while (is_letter(at(at_)) || is_digit(at(at_))) ++at_;
            const std::string_view word = text_.substr(begin, at_ - begin);
            return {is_foreign(word) ? Token::Kind::foreign : Token::Kind::name, std::string(word), begin};
        }
        if (is_digit(c) || (c == '.' && is_digit(at(at_ + 1)))) return {Token::Kind::number, number(), begin};
        if (c == '"' || c == '\'') return {Token::Kind::string, quoted(c), begin};
        return symbol();
    }

    // With a suffix ("64KB"), without digit separators (16_777_216).
    std::string number() {
        std::string number;
        for (char before = ' '; at_ < text_.size(); before = text_[at_++]) {
            const char c = text_[at_];
            const bool sign = (c == '+' || c == '-') && (before == 'e' || before == 'E');
            if (!is_letter(c) && !is_digit(c) && c != '.' && !sign) break;
            if (c != '_' || !is_digit(before) || !is_digit(at(at_ + 1))) number.push_back(c);
        }
        return number;
    }

    std::string quoted(char quote) {
        const std::size_t begin = at_++;
        std::string text;
        for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
            const char c = text_[at_];
            if (c == '\\' && at_ + 1 < text_.size())
                text.push_back(text_[++at_] == 'n' ? '\n' : text_[at_] == 't' ? '\t' : text_[at_]);
            else
                text.push_back(c);
        }
        if (at_ >= text_.size()) throw Mistake{begin, ErrorCode::syntax, "a quoted text does not end"};
        ++at_;
        return text;
    }

    bool is_foreign(std::string_view token) const {
        static constexpr std::array<std::string_view, 7> kOfJinja{"in", "is", "{", "}", ":", "|", "~"};
        return dialect_ == Dialect::arithmetic && std::ranges::find(kOfJinja, token) != kOfJinja.end();
    }

    Token symbol() {
        static constexpr std::array<std::string_view, 25> kSymbols{"==", "!=", "<=", ">=", "//", "**", "(", ")", "[",
                                                                   "]",  "{",  "}",  ",",  ":",  ".",  "|", "~", "+",
                                                                   "-",  "*",  "/",  "%",  "<",  ">",  "="};
        for (const std::string_view symbol : kSymbols)
            if (text_.substr(at_).starts_with(symbol)) {
                at_ += symbol.size();
                return {is_foreign(symbol) ? Token::Kind::foreign : Token::Kind::symbol, std::string(symbol),
                        at_ - symbol.size()};
            }
        if (dialect_ == Dialect::arithmetic) return {Token::Kind::foreign, std::string(1, text_[at_]), at_++};
        throw Mistake{at_, ErrorCode::syntax,
                      std::string("'") + text_[at_] + "' has no meaning in an expression of Jinja"};
    }

    std::string_view text_;
    std::size_t at_;
    Dialect dialect_;
};

class ExpressionParser {
   public:
    ExpressionParser(std::string_view text, std::size_t begin, Dialect dialect)
        : is_arithmetic_(dialect == Dialect::arithmetic), tokens_(Lexer(text, begin, dialect).tokens()) {}

    Expression whole() {
        Expression parsed = choice();
        expect_end();
        return parsed;
    }
    Expression whole_tuple() {
        Expression parsed = tuple();
        expect_end();
        return parsed;
    }
    Statement loop_head() {
        Statement loop;
        loop.kind = Statement::Kind::loop;
        do loop.names.push_back(name("a name for the items"));
        while (take(","));
        if (!take_word("in")) fail("'in'");
        loop.conditions.push_back(either());
        if (take_word("if")) loop.conditions.push_back(choice());
        expect_end();
        return loop;
    }

   private:
    struct Deeper {
        explicit Deeper(ExpressionParser& deeper) : parser(deeper) {
            if (++parser.depth_ > kMaxNested)
                throw Mistake{parser.token().position, ErrorCode::syntax, "the expression is nested too deeply"};
        }
        ~Deeper() { --parser.depth_; }
        Deeper(const Deeper&) = delete;
        Deeper& operator=(const Deeper&) = delete;
        ExpressionParser& parser;
    };

    const Token& token() const { return tokens_[at_]; }
    bool is(std::string_view symbol) const { return token().kind == Token::Kind::symbol && token().text == symbol; }
    bool is_word(std::string_view word) const { return token().kind == Token::Kind::name && token().text == word; }
    bool take(std::string_view symbol) { return is(symbol) && advance(); }
    bool take_word(std::string_view word) { return is_word(word) && advance(); }
    bool is_foreign_word(std::string_view word) const {
        return token().kind != Token::Kind::string && token().text == word;
    }
    bool advance() {
        ++at_;
        return true;
    }
    [[noreturn]] void fail(const std::string& expected) const {
        const Token& found = token();
        throw Mistake{found.position, ErrorCode::syntax,
                      "expected " + expected + (is_arithmetic_ ? "" : " in the expression of Jinja") + ", found " +
                          (found.kind == Token::Kind::end ? "its end" : "'" + found.text + "'")};
    }
    void expect(std::string_view symbol) {
        if (!take(symbol)) fail("'" + std::string(symbol) + "'");
    }
    void expect_closing(std::string_view symbol) {
        if (!take(symbol)) fail("',' or '" + std::string(symbol) + "'");
    }
    void expect_end() const {
        if (token().kind != Token::Kind::end) fail(is_arithmetic_ ? "an operator" : "its end");
    }
    std::string name(const std::string& what) {
        if (token().kind != Token::Kind::name) fail(what);
        return tokens_[at_++].text;
    }
    Expression made(Kind kind, std::string text, std::vector<Expression> parts, std::size_t position) const {
        return {kind, std::move(text), {}, std::move(parts), position};
    }

    Expression tuple() {
        const std::size_t position = token().position;
        std::vector<Expression> items{choice()};
        const bool is_list = is(",");
        while (take(",") && token().kind != Token::Kind::end && !is(")") && !is("]")) items.push_back(choice());
        return is_list ? made(Kind::list, "", std::move(items), position) : std::move(items.front());
    }
    Expression choice();
    Expression either();
    Expression both();
    Expression opposite();
    Expression comparison();
    Expression sum();
    Expression concatenation();
    Expression product();
    Expression unary();
    Expression postfix();
    Expression primary();
    Expression subscript(Expression of);
    Expression test(Expression of);
    Expression list();
    Expression item();
    Expression formatted();
    Expression map();
    std::vector<Expression> arguments(Expression first);
    template <typename Operand>
    Expression chain(const Operand& operand, std::initializer_list<std::string_view> symbols, int most = kMaxChain);

    static constexpr int kMaxChain = 5000;
    bool is_arithmetic_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

// operand {symbol operand}, left-associative, with a bound on the symbols. Long chains are loops here, so they do not
// nest; their trees do.
template <typename Operand>
Expression ExpressionParser::chain(const Operand& operand, std::initializer_list<std::string_view> symbols, int most) {
    const int longest = is_arithmetic_ ? kMaxChain : 200;
    Expression left = operand();
    for (int length = 0; length < most; ++length) {
        const auto found = std::find_if(symbols.begin(), symbols.end(),
                                        [&](std::string_view symbol) { return is(symbol) || is_word(symbol); });
        if (found == symbols.end()) return left;
        const std::size_t position = token().position;
        if (length > longest) throw Mistake{position, ErrorCode::syntax, "the expression is too long"};
        advance();
        std::vector<Expression> parts;
        parts.push_back(std::move(left));
        parts.push_back(operand());
        left = made(Kind::binary, std::string(*found), std::move(parts), position);
    }
    return left;
}

Expression ExpressionParser::choice() {
    const Deeper deeper(*this);
    Expression value = either();
    const std::size_t position = token().position;
    if (!take_word("if")) return value;
    std::vector<Expression> parts;
    parts.push_back(std::move(value));
    parts.push_back(either());
    if (take_word("else"))
        parts.push_back(choice());
    else if (is_arithmetic_)
        fail("'else'");
    return made(Kind::choice, "", std::move(parts), position);
}

Expression ExpressionParser::either() {
    return chain([&] { return both(); }, {"or"});
}

Expression ExpressionParser::both() {
    return chain([&] { return opposite(); }, {"and"});
}

Expression ExpressionParser::opposite() {
    const Deeper deeper(*this);
    const std::size_t position = token().position;
    if (!take_word("not")) return comparison();
    return made(Kind::opposite, "", {opposite()}, position);
}

Expression ExpressionParser::comparison() {
    Expression left =
        chain([&] { return sum(); }, {"==", "!=", "<=", ">=", "<", ">", "in"}, is_arithmetic_ ? 1 : kMaxChain);
    const std::size_t position = token().position;
    if (is_arithmetic_ || !is_word("not") || tokens_[at_ + 1].text != "in") return left;
    at_ += 2;
    std::vector<Expression> parts;
    parts.push_back(std::move(left));
    parts.push_back(sum());
    return made(Kind::opposite, "", {made(Kind::binary, "in", std::move(parts), position)}, position);
}

Expression ExpressionParser::sum() {
    return chain([&] { return concatenation(); }, {"+", "-"});
}

Expression ExpressionParser::concatenation() {
    return chain([&] { return product(); }, {"~"});
}

Expression ExpressionParser::product() {
    return chain([&] { return unary(); }, {"*", "//", "/", "%"});
}

Expression ExpressionParser::unary() {
    const Deeper deeper(*this);
    const std::size_t position = token().position;
    if (take("-")) return made(Kind::negative, "", {unary()}, position);
    if (take("+")) return unary();
    Expression base = postfix();
    if (!take("**")) return base;
    std::vector<Expression> parts;
    parts.push_back(std::move(base));
    parts.push_back(unary());
    return made(Kind::binary, "**", std::move(parts), position);
}

std::vector<Expression> ExpressionParser::arguments(Expression first) {
    std::vector<Expression> arguments;
    arguments.push_back(std::move(first));
    if (!take("(")) return arguments;
    while (!is(")")) {
        if (token().kind == Token::Kind::name && tokens_[at_ + 1].text == "=" &&
            tokens_[at_ + 1].kind == Token::Kind::symbol)
            at_ += 2;  // named arguments count in their order
        arguments.push_back(item());
        if (!take(",")) break;
    }
    expect_closing(")");
    return arguments;
}

Expression ExpressionParser::postfix() {
    constexpr int kMaxLength = 60;
    Expression value = primary();
    for (int length = 0;; ++length) {
        const std::size_t position = token().position;
        if (length > kMaxLength) throw Mistake{position, ErrorCode::syntax, "the expression is too long"};
        if (take(".")) {
            std::string attribute = name("the name of a part");
            value = made(Kind::attribute, std::move(attribute), {std::move(value)}, position);
        } else if (take("[")) {
            value = subscript(std::move(value));
        } else if (is("(")) {
            value = made(Kind::call, "", arguments(std::move(value)), position);
        } else if (take("|")) {
            std::string filter = name("the name of a filter");
            value = made(Kind::filter, std::move(filter), arguments(std::move(value)), position);
        } else if (take_word("is")) {
            value = test(std::move(value));
        } else {
            return value;
        }
    }
}

Expression ExpressionParser::subscript(Expression of) {
    const std::size_t position = token().position;
    const auto bound = [&](std::string_view without) {
        return is(without) ? Expression{Kind::literal, "", None{}, {}, position} : choice();
    };
    std::vector<Expression> parts;
    parts.push_back(std::move(of));
    parts.push_back(bound(":"));
    const bool is_slice = take(":");
    if (is_slice) parts.push_back(bound("]"));
    expect("]");
    return made(is_slice ? Kind::slice : Kind::index, "", std::move(parts), position);
}

Expression ExpressionParser::test(Expression of) {
    const std::size_t position = token().position;
    const bool negated = take_word("not");
    std::string which = name("the name of a test");
    std::vector<Expression> parts = arguments(std::move(of));
    const bool operand = token().kind == Token::Kind::number || token().kind == Token::Kind::string;
    if (parts.size() == 1 && operand) parts.push_back(primary());
    Expression made_test = made(Kind::test, std::move(which), std::move(parts), position);
    return negated ? made(Kind::opposite, "", {std::move(made_test)}, position) : made_test;
}

// Python's "VALUE for NAME, .. in LIST if CONDITION" stands for the items of a list.
Expression ExpressionParser::item() {
    Expression value = choice();
    const std::size_t position = token().position;
    if (!is_arithmetic_ || !take_word("for")) return value;
    std::string names = name("a name for the items");
    while (take(",")) names += "," + name("a name for the items");
    if (!is_foreign_word("in")) fail("'in'");
    advance();
    std::vector<Expression> parts{std::move(value), either()};
    if (take_word("if")) parts.push_back(either());
    return made(Kind::each, std::move(names), std::move(parts), position);
}

// Python's f"A={a}": texts and the values between braces.
Expression ExpressionParser::formatted() {
    const Token found = tokens_[at_++];
    Expression all{Kind::literal, "", std::string(), {}, found.position};
    const auto add = [&](Expression part) {
        all = made(Kind::binary, "+", {std::move(all), std::move(part)}, found.position);
    };
    std::string_view rest = found.text;
    for (std::size_t open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
        const std::size_t close = rest.find('}', open);
        if (close == std::string_view::npos) throw Mistake{found.position, ErrorCode::syntax, "'{' without '}'"};
        add({Kind::literal, "", std::string(rest.substr(0, open)), {}, found.position});
        const Deeper deeper(*this);
        Expression str{Kind::name, "str", {}, {}, found.position};
        add(made(Kind::call, "", {std::move(str), parse_arithmetic(rest.substr(open + 1, close - open - 1))},
                 found.position));
        rest.remove_prefix(close + 1);
    }
    add({Kind::literal, "", std::string(rest), {}, found.position});
    return all;
}

Expression ExpressionParser::list() {
    const std::size_t position = token().position;
    std::vector<Expression> items;
    while (!is("]")) {
        items.push_back(item());
        if (!take(",")) break;
    }
    expect_closing("]");
    return made(Kind::list, "", std::move(items), position);
}

Expression ExpressionParser::map() {
    const std::size_t position = token().position;
    std::vector<Expression> items;
    while (!is("}")) {
        items.push_back(choice());
        expect(":");
        items.push_back(choice());
        if (!take(",")) break;
    }
    expect_closing("}");
    return made(Kind::map, "", std::move(items), position);
}

std::optional<Value> number_in(const std::string& text) {
    const char* end = text.data() + text.size();
    std::int64_t whole = 0;
    const auto [stopped, problem] = std::from_chars(text.data(), end, whole);
    if (problem == std::errc{} && stopped == end) return whole;
    double real = 0.0;
    const auto [last, failed] = std::from_chars(text.data(), end, real);
    return failed == std::errc{} && last == end ? std::optional<Value>(real) : std::nullopt;
}

Expression ExpressionParser::primary() {
    const Deeper deeper(*this);
    const Token found = token();
    if (found.kind == Token::Kind::end) fail("a value");
    advance();
    if (found.kind == Token::Kind::number) {
        const std::optional<Value> value = is_arithmetic_ ? None{} : number_in(found.text);
        if (!value)
            throw Mistake{found.position, ErrorCode::overflow, "'" + found.text + "' is no number, or too large a one"};
        return {Kind::literal, found.text, *value, {}, found.position};
    }
    if (found.kind == Token::Kind::string) {
        std::string text = found.text;
        while (token().kind == Token::Kind::string) text += tokens_[at_++].text;
        return {Kind::literal, "", std::move(text), {}, found.position};
    }
    const bool formats =
        found.text == "f" && token().kind == Token::Kind::string && token().position == found.position + 1;
    if (found.kind == Token::Kind::name && is_arithmetic_ && formats) return formatted();
    if (found.kind == Token::Kind::name && is_arithmetic_) return {Kind::name, found.text, {}, {}, found.position};
    if (found.kind == Token::Kind::name) {
        if (found.text == "true" || found.text == "True") return {Kind::literal, "", true, {}, found.position};
        if (found.text == "false" || found.text == "False") return {Kind::literal, "", false, {}, found.position};
        if (found.text == "none" || found.text == "None") return {Kind::literal, "", None{}, {}, found.position};
        return {Kind::name, found.text, {}, {}, found.position};
    }
    const bool is_symbol = found.kind == Token::Kind::symbol;
    if (is_symbol && found.text == "[") return list();
    if (is_symbol && found.text == "{") return map();
    if (is_symbol && found.text == "(") {
        if (take(")")) return made(Kind::list, "", {}, found.position);
        Expression inside = tuple();
        expect(")");
        return inside;
    }
    --at_;
    fail("a value");
}

// Result of `parse` on a part of the document, with mistakes at their places there.
template <typename Parse>
auto parsed(const Document& document, std::size_t begin, std::size_t end, const Parse& parse) {
    try {
        ExpressionParser parser(std::string_view(document.text).substr(0, end), begin, Dialect::jinja);
        return parse(parser);
    } catch (const Mistake& mistake) {
        document.fail(mistake.position, mistake.code, mistake.message);
    }
}

}  // namespace

Expression parse_expression(const Document& document, std::size_t begin, std::size_t end) {
    return parsed(document, begin, end, [](ExpressionParser& parser) { return parser.whole(); });
}

Expression parse_tuple(const Document& document, std::size_t begin, std::size_t end) {
    return parsed(document, begin, end, [](ExpressionParser& parser) { return parser.whole_tuple(); });
}

Statement parse_loop_head(const Document& document, std::size_t begin, std::size_t end) {
    return parsed(document, begin, end, [](ExpressionParser& parser) { return parser.loop_head(); });
}

Expression parse_arithmetic(std::string_view text) { return ExpressionParser(text, 0, Dialect::arithmetic).whole(); }

}  // namespace tilewright::jinja
