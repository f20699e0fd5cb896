#include "tiles/expression/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/scanner.hpp"

namespace tilewright::tiles {
namespace {

// Deeper is no rule that a person wrote, and each level takes a frame of the stack for every line of the grammar.
constexpr int kMostNesting = 60;

struct Function {
    std::string_view name;
    Operation operation;
    std::size_t least;
    std::size_t most;
    bool of_times = false;
};
constexpr std::size_t kAnyNumber = 1000;
constexpr std::array kFunctions{
    Function{"min", Operation::minimum, 2, kAnyNumber},
    Function{"max", Operation::maximum, 2, kAnyNumber},
    Function{"cdiv", Operation::ceil_divide, 2, 2},
    Function{"up", Operation::round_up, 2, 2},
    Function{"pow2", Operation::power_of_two, 1, 1},
    Function{"div", Operation::divides, 2, 2},
    Function{"overlap", Operation::overlapped, 2, 2, true},
    Function{"conflicts", Operation::bank_conflicts, 3, 3, true},
    Function{"lines", Operation::bank_lines, 3, 3, true},
};
constexpr std::array<std::string_view, 5> kWords{"and", "or", "not", "if", "else"};

class Parser {
   public:
    Parser(const PlacedText& text, Numbers numbers) : text_(text), numbers_(numbers), scanner_(text.text) {}

    Expression whole() {
        Expression parsed = choice();
        if (!scanner_.finished()) expected("an operator or the end");
        return parsed;
    }

   private:
    using Rule = Expression (Parser::*)();

    // For habits of other languages.
    std::string hint() const {
        const std::string_view rest = scanner_.rest();
        for (const auto& [written, meant] : {std::pair{"&&", "'and'"}, {"||", "'or'"}, {"=", "'=='"}, {"^", "'**'"}})
            if (rest.starts_with(written)) return std::string(" (") + meant + " is meant?)";
        const std::size_t place = scanner_.place();
        if (!rest.empty() && starts_name(rest.front()) && place > 0 && is_digit(scanner_.text()[place - 1]))
            return " (numbers have no units: 64 KiB is 64 * 1024)";
        return "";
    }

    Expression choice() {
        if (++depth_ > kMostNesting) text_.fail(scanner_.place(), ErrorCode::syntax, "the expression nests too deeply");
        Expression value = logical_or();
        if (word("if")) {
            const std::size_t place = scanner_.place();
            Expression condition = logical_or();
            if (!word("else")) expected("'else'");
            Expression otherwise = choice();
            value = made(Operation::choose, place, {std::move(value), std::move(condition), std::move(otherwise)});
        }
        --depth_;
        return value;
    }

    Expression logical_or() { return joined("or", Operation::logical_or, &Parser::logical_and); }
    Expression logical_and() { return joined("and", Operation::logical_and, &Parser::logical_not); }

    Expression joined(std::string_view between, Operation operation, Rule part) {
        Expression first = (this->*part)();
        while (word(between)) {
            const std::size_t place = scanner_.place();
            Expression second = (this->*part)();
            first = made(operation, place, {std::move(first), std::move(second)});
        }
        return first;
    }

    Expression logical_not() {
        int times = 0;
        while (word("not")) ++times;
        const std::size_t place = scanner_.place();
        Expression value = comparison();
        for (int i = 0; i < times; ++i) value = made(Operation::logical_not, place, {std::move(value)});
        return value;
    }

    Expression comparison() {
        Expression first = sum();
        std::optional<Operation> operation = comparator();
        if (!operation) return first;
        Expression chain = made(Operation::compare, scanner_.place(), {std::move(first)});
        for (; operation; operation = comparator()) {
            chain.comparisons.push_back(*operation);
            chain.parts.push_back(sum());
        }
        return chain;
    }

    std::optional<Operation> comparator() {
        if (symbol("==")) return Operation::equal;
        if (symbol("!=")) return Operation::not_equal;
        if (symbol("<=")) return Operation::at_most;
        if (symbol(">=")) return Operation::at_least;
        if (symbol("<")) return Operation::less;
        if (symbol(">")) return Operation::greater;
        return std::nullopt;
    }

    Expression sum() {
        Expression first = product();
        while (true) {
            const bool adds = symbol("+");
            if (!adds && !symbol("-")) return first;
            const std::size_t place = scanner_.place() - 1;
            Expression second = product();
            first = made(adds ? Operation::add : Operation::subtract, place, {std::move(first), std::move(second)});
        }
    }

    std::optional<Operation> multiplier() {
        if (scanner_.finished() || scanner_.rest().starts_with("**")) return std::nullopt;
        if (symbol("*")) return Operation::multiply;
        if (symbol("//")) return Operation::floor_divide;
        if (symbol("%")) return Operation::modulo;
        if (!scanner_.at('/')) return std::nullopt;
        if (numbers_ == Numbers::whole)
            text_.fail(scanner_.place(), ErrorCode::syntax,
                       "'/' is not of the rule language, whose numbers are whole: '//' rounds down, cdiv() up");
        scanner_.accept('/');
        return Operation::divide;
    }

    Expression product() {
        Expression first = unary();
        while (const std::optional<Operation> operation = multiplier()) {
            const std::size_t place = scanner_.place() - 1;
            Expression second = unary();
            first = made(*operation, place, {std::move(first), std::move(second)});
        }
        return first;
    }

    Expression unary() {
        int minuses = 0;
        std::size_t place = 0;
        for (; symbol("-"); ++minuses) place = scanner_.place() - 1;
        Expression value = power();
        for (int i = 0; i < minuses; ++i) value = made(Operation::negate, place, {std::move(value)});
        return value;
    }

    Expression power() {
        Expression base = atom();
        if (!symbol("**")) return base;
        if (++depth_ > kMostNesting) text_.fail(scanner_.place(), ErrorCode::syntax, "the expression nests too deeply");
        const std::size_t place = scanner_.place() - 2;
        Expression exponent = unary();
        --depth_;
        return made(Operation::power, place, {std::move(base), std::move(exponent)});
    }

    Expression atom() {
        scanner_.finished();
        const std::size_t place = scanner_.place();
        if (scanner_.at_digit()) return number();
        if (scanner_.accept('(')) {
            Expression inside = choice();
            if (!scanner_.accept(')')) expected("')'");
            return inside;
        }
        const std::string name{scanner_.name_here()};
        if (name.empty() || std::ranges::find(kWords, name) != kWords.end()) expected("a number, a name or '('");
        scanner_.name();
        if (scanner_.at('(')) return call(name, place);
        Expression value = made(Operation::name, place, {});
        value.name = name;
        return value;
    }

    Expression call(const std::string& name, std::size_t place) {
        const auto function =
            std::ranges::find_if(kFunctions, [&](const Function& known) { return known.name == name; });
        if (function == kFunctions.end() || (function->of_times && numbers_ == Numbers::whole))
            text_.fail(
                place, ErrorCode::unknown_name,
                fmt::format("there is no function '{}'; the rule language has min, max, cdiv, up, pow2 and div", name));
        Expression value = made(function->operation, place, {});
        scanner_.accept('(');
        do value.parts.push_back(choice());
        while (scanner_.accept(','));
        if (!scanner_.accept(')')) expected("',' or ')'");
        if (value.parts.size() < function->least || value.parts.size() > function->most)
            text_.fail(
                place, ErrorCode::bad_value,
                fmt::format("{}() takes {}{} value{}, found {}", name, function->most == kAnyNumber ? "at least " : "",
                            function->least, function->least == 1 ? "" : "s", value.parts.size()));
        return value;
    }

    Expression number() {
        const std::size_t place = scanner_.place();
        Expression value = made(Operation::number, place, {});
        const std::string_view rest = scanner_.rest();
        const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), value.real);
        const std::size_t real_length = static_cast<std::size_t>(end - rest.data());
        const std::errc whole = scanner_.number(value.whole);
        const bool is_whole = whole != std::errc::invalid_argument && scanner_.place() - place == real_length;
        if (numbers_ == Numbers::real && problem == std::errc{}) {
            scanner_.seek(place + real_length);
        } else if (whole == std::errc::result_out_of_range) {
            text_.fail(place, ErrorCode::overflow, "the number does not fit in 64 bits");
        } else if (!is_whole && real_length > scanner_.place() - place) {
            text_.fail(place, ErrorCode::syntax, "the rule language has whole numbers only");
        }
        if (!scanner_.at_end() && continues_name(scanner_.rest().front())) expected("an operator or the end");
        return value;
    }

    // A symbol that is not the beginning of a longer one.
    bool symbol(std::string_view wanted) {
        scanner_.finished();
        if (!scanner_.rest().starts_with(wanted)) return false;
        scanner_.seek(scanner_.place() + wanted.size());
        return true;
    }
    bool word(std::string_view wanted) {
        scanner_.finished();
        if (scanner_.name_here() != wanted) return false;
        scanner_.name();
        return true;
    }

    static Expression made(Operation operation, std::size_t place, std::vector<Expression> parts) {
        Expression value;
        value.operation = operation;
        value.place = place;
        value.parts = std::move(parts);
        return value;
    }

    [[noreturn]] void expected(const std::string& what) {
        scanner_.finished();
        const std::string found =
            scanner_.at_end() ? "the end" : fmt::format("'{}'", std::string(1, scanner_.rest().front()));
        text_.fail(scanner_.place(), ErrorCode::syntax, fmt::format("expected {}, found {}{}", what, found, hint()));
    }

    const PlacedText& text_;
    Numbers numbers_;
    Scanner scanner_;
    int depth_ = 0;
};

}  // namespace

void PlacedText::fail(std::size_t place, ErrorCode code, const std::string& message) const {
    Location at = where;
    if (at.column > 0) at.column += static_cast<int>(place);
    throw InputError(code, at, message, line);
}

Expression parse_expression(const PlacedText& text, Numbers numbers) {
    if (text.text.size() > kMostExpressionBytes)
        text.fail(0, ErrorCode::bad_value, fmt::format("an expression has at most {} bytes", kMostExpressionBytes));
    return Parser(text, numbers).whole();
}

void collect_names(const Expression& expression, std::vector<std::string>& names) {
    if (expression.operation == Operation::name) names.push_back(expression.name);
    for (const Expression& part : expression.parts) collect_names(part, names);
}

bool is_word_of_language(std::string_view name) {
    return std::ranges::find(kWords, name) != kWords.end() ||
           std::ranges::any_of(kFunctions, [&](const Function& known) { return known.name == name; });
}

}  // namespace tilewright::tiles
