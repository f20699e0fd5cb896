#include <array>
#include <charconv>

#include "accelforge/expression/syntax.hpp"
#include "base/scanner.hpp"

namespace tilewright::accelforge {
namespace {

constexpr int kDeepest = 100;
constexpr std::size_t kLongest = 10'000;

using Form = Expression::Kind;

class Parser {
   public:
    explicit Parser(std::string_view text) : scanner_(text) {}

    Expression whole() {
        Expression expression = choice();
        if (!scanner_.finished()) fail("'" + std::string(scanner_.rest().substr(0, 20)) + "' cannot follow");
        return expression;
    }

   private:
    [[noreturn]] void fail(const std::string& message) const {
        throw ExpressionProblem{message + " at character " + std::to_string(scanner_.place() + 1)};
    }

    bool accept_word(std::string_view word) {
        scanner_.skip(kSpaces);
        if (scanner_.name_here() != word) return false;
        scanner_.name();
        return true;
    }

    // The longest sign here; none begins another one outside the list.
    template <std::size_t kCount>
    std::string sign(const std::array<std::string_view, kCount>& signs) {
        scanner_.skip(kSpaces);
        for (const std::string_view one : signs) {
            if (!scanner_.rest().starts_with(one)) continue;
            scanner_.seek(scanner_.place() + one.size());
            return std::string(one);
        }
        return {};
    }

    static Expression joined(Form kind, std::string text, std::vector<Expression> parts) {
        return {kind, std::move(text), 0.0, std::move(parts)};
    }

    template <typename Next>
    Expression words(const char* word, Next next) {
        Expression left = next();
        while (accept_word(word)) left = joined(Form::binary, word, {left, next()});
        return left;
    }

    template <std::size_t kCount, typename Next>
    Expression chain(const std::array<std::string_view, kCount>& signs, Next next) {
        Expression left = next();
        for (std::string one = sign(signs); !one.empty(); one = sign(signs))
            left = joined(Form::binary, one, {left, next()});
        return left;
    }

    Expression choice() {
        if (++depth_ > kDeepest) fail("nested too deeply");
        Expression value = either();
        if (accept_word("if")) {
            Expression condition = either();
            if (!accept_word("else")) fail("expected 'else'");
            value = joined(Form::choice, "", {value, condition, choice()});
        }
        --depth_;
        return value;
    }
    Expression either() {
        return words("or", [&] { return both(); });
    }
    Expression both() {
        return words("and", [&] { return negated(); });
    }
    Expression negated() {
        if (++depth_ > kDeepest) fail("nested too deeply");
        Expression value = accept_word("not") ? joined(Form::unary, "not", {negated()}) : comparison();
        --depth_;
        return value;
    }

    std::string comparison_sign() {
        if (accept_word("in")) return "in";
        const std::size_t before = scanner_.place();
        if (accept_word("not")) {
            if (accept_word("in")) return "not in";
            scanner_.seek(before);
        }
        static constexpr std::array<std::string_view, 6> kSigns{"==", "!=", "<=", ">=", "<", ">"};
        return sign(kSigns);
    }
    // a < b < c is a < b and b < c.
    Expression comparison() {
        Expression left = united();
        Expression all;
        bool first = true;
        for (std::string one = comparison_sign(); !one.empty(); one = comparison_sign()) {
            Expression right = united();
            Expression now = joined(Form::binary, one, {left, right});
            all = first ? now : joined(Form::binary, "and", {all, now});
            left = right;
            first = false;
        }
        return first ? left : all;
    }
    Expression united() {
        static constexpr std::array<std::string_view, 1> kSigns{"|"};
        return chain(kSigns, [&] { return differing(); });
    }
    Expression differing() {
        static constexpr std::array<std::string_view, 1> kSigns{"^"};
        return chain(kSigns, [&] { return met(); });
    }
    Expression met() {
        static constexpr std::array<std::string_view, 1> kSigns{"&"};
        return chain(kSigns, [&] { return sum(); });
    }
    Expression sum() {
        static constexpr std::array<std::string_view, 2> kSigns{"+", "-"};
        return chain(kSigns, [&] { return product(); });
    }
    Expression product() {
        static constexpr std::array<std::string_view, 4> kSigns{"//", "*", "/", "%"};
        return chain(kSigns, [&] { return unary(); });
    }
    Expression unary() {
        if (++depth_ > kDeepest) fail("nested too deeply");
        static constexpr std::array<std::string_view, 3> kSigns{"-", "+", "~"};
        static constexpr std::array<std::string_view, 1> kPower{"**"};
        const std::string one = sign(kSigns);
        Expression value = one.empty() ? postfix() : joined(Form::unary, one, {unary()});
        if (one.empty() && !sign(kPower).empty()) value = joined(Form::binary, "**", {value, unary()});
        --depth_;
        return value;
    }

    Expression postfix() {
        Expression value = primary();
        for (;;) {
            if (scanner_.accept('.')) {
                scanner_.skip(kSpaces);
                const std::string name(scanner_.name());
                if (name.empty()) fail("expected a name behind '.'");
                value = joined(Form::part, name, {value});
            } else if (scanner_.accept('(')) {
                std::vector<Expression> parts = items(')');
                parts.insert(parts.begin(), value);
                value = joined(Form::call, "", std::move(parts));
            } else if (scanner_.accept('[')) {
                value = joined(Form::index, "", {value, choice()});
                expect(']');
            } else {
                return value;
            }
        }
    }

    void expect(char c) {
        if (!scanner_.accept(c)) fail(std::string("expected '") + c + "'");
    }

    std::vector<Expression> items(char end) {
        std::vector<Expression> all;
        while (!scanner_.accept(end)) {
            all.push_back(item());
            if (all.size() == 1 && accept_word("for")) all = {comprehension(all.front())};
            if (!scanner_.at(end)) expect(',');
        }
        return all;
    }

    Expression item() {
        scanner_.skip(kSpaces);
        const std::size_t before = scanner_.place();
        const std::string name(scanner_.name());
        if (!name.empty() && scanner_.accept('=') && !scanner_.at('=')) return joined(Form::named, name, {choice()});
        scanner_.seek(before);
        return choice();
    }

    Expression comprehension(const Expression& element) {
        scanner_.skip(kSpaces);
        const std::string name(scanner_.name());
        if (name.empty() || !accept_word("in")) fail("expected 'for NAME in ...'");
        Expression made = joined(Form::comprehension, name, {element, either()});
        if (accept_word("if")) made.parts.push_back(either());
        return made;
    }

    Expression primary() {
        if (scanner_.finished()) fail("expected a value");
        const char c = scanner_.rest().front();
        if (scanner_.accept('(')) {
            Expression inside = choice();
            expect(')');
            return inside;
        }
        if (scanner_.accept('[')) return joined(Form::list, "", items(']'));
        if (scanner_.accept('{')) return joined(Form::members, "", items('}'));
        if (c == '\'' || c == '"') return text(c);
        if (is_digit(c) || c == '.') return number();
        const std::string name(scanner_.name());
        if (name.empty()) fail(std::string("'") + c + "' is not expected");
        return joined(Form::name, name, {});
    }

    Expression text(char quote) {
        const std::string_view rest = scanner_.rest();
        const std::size_t end = rest.find(quote, 1);
        if (end == std::string_view::npos) fail("the text does not end");
        scanner_.seek(scanner_.place() + end + 1);
        return joined(Form::text, std::string(rest.substr(1, end - 1)), {});
    }

    Expression number() {
        const std::string_view rest = scanner_.rest();
        Expression made;
        const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), made.number);
        if (problem != std::errc{}) fail("not a number");
        scanner_.seek(scanner_.place() + static_cast<std::size_t>(end - rest.data()));
        return made;
    }

    Scanner scanner_;
    int depth_ = 0;
};

}  // namespace

Expression parse_expression(std::string_view text) {
    if (text.size() > kLongest) throw ExpressionProblem{"longer than 10,000 characters"};
    return Parser(text).whole();
}

}  // namespace tilewright::accelforge
