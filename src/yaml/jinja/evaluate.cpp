#include "yaml/jinja/evaluate.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers/checked.hpp"

namespace tilewright::jinja {
namespace {

using Kind = Expression::Kind;

Value checked_text(std::string text, const Context& context, std::size_t place) {
    if (text.size() > kMaxText) context.document.fail(place, ErrorCode::overflow, "a text of more than 1 MiB");
    return text;
}

Value joined_lists(const Value& a, const Value& b, const Context& context, std::size_t place) {
    List both = items_of(a, context, place);
    const List more = items_of(b, context, place);
    both.insert(both.end(), more.begin(), more.end());
    return both;
}

std::int64_t difference(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_sub_overflow(a, b, &result)) throw OverflowError();
    return result;
}

std::int64_t power(std::int64_t base, std::int64_t exponent) {
    std::int64_t result = 1;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 != 0) result = checked_mul(result, base);
        if (exponent > 1) base = checked_mul(base, base);
    }
    return result;
}

// Python's rounding: towards minus infinity.
std::int64_t floor_division(std::int64_t a, std::int64_t b) {
    if (b == -1) return difference(0, a);
    const std::int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Value arithmetic(const Expression& at, const Value& a, const Value& b, const Context& context) {
    const std::string& op = at.text;
    if (op == "+" && a.text() != nullptr && b.text() != nullptr)
        return checked_text(*a.text() + *b.text(), context, at.position);
    if (op == "+" && a.list() != nullptr && b.list() != nullptr) return joined_lists(a, b, context, at.position);
    if (!a.is_number() || !b.is_number())
        context.document.fail(at.position, ErrorCode::wrong_type,
                              "'" + op + "' of " + kind_of(a) + " and " + kind_of(b) + " has no meaning");
    const bool divides = op == "/" || op == "//" || op == "%";
    if (divides && number(b) == 0.0) context.document.fail(at.position, ErrorCode::bad_value, "division by 0");
    try {
        if (a.real() == nullptr && b.real() == nullptr)
            if (const auto whole = whole_result(op, static_cast<std::int64_t>(a.whole() ? *a.whole() : *a.truth()),
                                                static_cast<std::int64_t>(b.whole() ? *b.whole() : *b.truth())))
                return *whole;
    } catch (const OverflowError&) {
        context.document.fail(at.position, ErrorCode::overflow, "the result does not fit in 64 bits");
    }
    const double result = real_result(op, number(a), number(b));
    if (!std::isfinite(result)) context.document.fail(at.position, ErrorCode::overflow, "the result is no number");
    return result;
}

bool contains(const Value& whole, const Value& part, const Context& context, std::size_t place) {
    if (whole.text() != nullptr && part.text() != nullptr) return whole.text()->find(*part.text()) != std::string::npos;
    if (whole.text() != nullptr) return false;
    const List items = items_of(whole, context, place);
    return std::any_of(items.begin(), items.end(), [&](const Value& item) { return equal(item, part); });
}

bool compared(const Expression& at, const Value& a, const Value& b, const Context& context) {
    const bool texts = a.text() != nullptr && b.text() != nullptr;
    if (!texts && !(a.is_number() && b.is_number()))
        context.document.fail(at.position, ErrorCode::wrong_type,
                              kind_of(a) + " and " + kind_of(b) + " are not in any order");
    const int order = texts ? a.text()->compare(*b.text()) : number(a) < number(b) ? -1 : number(a) > number(b) ? 1 : 0;
    if (at.text == "<") return order < 0;
    if (at.text == "<=") return order <= 0;
    return at.text == ">" ? order > 0 : order >= 0;
}

Value binary(const Expression& at, const Context& context) {
    const std::string& op = at.text;
    const Value left = evaluate(at.parts[0], context);
    if (op == "and") return is_true(left) ? evaluate(at.parts[1], context) : left;
    if (op == "or") return is_true(left) ? left : evaluate(at.parts[1], context);
    const Value right = evaluate(at.parts[1], context);
    if (op == "==") return equal(left, right);
    if (op == "!=") return !equal(left, right);
    const Value a = opened(left);
    const Value b = opened(right);
    for (const Value* side : {&a, &b})
        if (side->is_undefined())
            context.document.fail(
                at.position, ErrorCode::unknown_name,
                "the Jinja variable '" + std::get<Undefined>(side->data).name + "' has no value and no default");
    if (op == "~") return checked_text(to_text(a) + to_text(b), context, at.position);
    if (op == "in") return contains(b, a, context, at.position);
    if (op[0] == '<' || op[0] == '>') return compared(at, a, b, context);
    return arithmetic(at, a, b, context);
}

Value part_named(const Value& of, const std::string& name) {
    if (const yaml::Node* node = of.node(); node != nullptr && node->is_map()) {
        const yaml::Node* found = node->find(name);
        return found == nullptr ? Value(Undefined{name}) : Value(*found);
    }
    if (const Dictionary* dictionary = of.dictionary())
        for (const auto& [key, value] : *dictionary)
            if (key == name) return value;
    return Undefined{name};
}

std::int64_t whole_at(const Value& value, const Context& context, std::size_t place) {
    if (value.whole() == nullptr)
        context.document.fail(place, ErrorCode::wrong_type, "expected a whole number, found " + kind_of(value));
    return *value.whole();
}

Value indexed(const Expression& at, const Context& context) {
    const Value of = evaluate(at.parts[0], context);
    const Value index = opened(evaluate(at.parts[1], context));
    if (index.text() != nullptr) return part_named(of, *index.text());
    const List items = items_of(of, context, at.position);
    std::int64_t which = whole_at(index, context, at.position);
    if (which < 0) which += static_cast<std::int64_t>(items.size());
    if (which < 0 || which >= static_cast<std::int64_t>(items.size())) return Undefined{"an item of a shorter list"};
    return items[which];
}

Value sliced(const Expression& at, const Context& context) {
    const Value of = opened(evaluate(at.parts[0], context));
    const List items = items_of(of, context, at.position);
    const auto size = static_cast<std::int64_t>(items.size());
    const auto bound = [&](const Expression& part, std::int64_t missing) {
        const Value value = opened(evaluate(part, context));
        if (value.is_none()) return missing;
        const std::int64_t given = whole_at(value, context, part.position);
        return std::clamp(given < 0 ? given + size : given, std::int64_t{0}, size);
    };
    const std::int64_t begin = bound(at.parts[1], 0);
    const std::int64_t end = std::max(begin, bound(at.parts[2], size));
    if (of.text() != nullptr)
        return of.text()->substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    return List(items.begin() + begin, items.begin() + end);
}

std::vector<Value> values_of(const Expression& at, std::size_t first, const Context& context) {
    std::vector<Value> values;
    for (std::size_t i = first; i < at.parts.size(); ++i) values.push_back(evaluate(at.parts[i], context));
    return values;
}

Value called(const Expression& at, const Context& context) {
    const Expression& callee = at.parts[0];
    if (callee.kind == Kind::name) return context.function(callee.text, values_of(at, 1, context), at.position);
    if (callee.kind != Kind::attribute)
        context.document.fail(at.position, ErrorCode::wrong_type, "only functions and methods can be called");
    std::vector<Value> arguments{evaluate(callee.parts[0], context)};
    for (Value& argument : values_of(at, 1, context)) arguments.push_back(std::move(argument));
    return method(callee.text, arguments, context, callee.position);
}

Value negated(const Expression& at, const Context& context) {
    const Value value = opened(evaluate(at.parts[0], context));
    Expression zero_minus = at;
    zero_minus.text = "-";
    return arithmetic(zero_minus, std::int64_t{0}, value, context);
}

Value map_of(const Expression& at, const Context& context) {
    Dictionary entries;
    for (std::size_t i = 0; i + 1 < at.parts.size(); i += 2)
        entries.emplace_back(to_text(evaluate(at.parts[i], context)), evaluate(at.parts[i + 1], context));
    return entries;
}

Value chosen(const Expression& at, const Context& context) {
    if (is_true(evaluate(at.parts[1], context))) return evaluate(at.parts[0], context);
    return at.parts.size() > 2 ? evaluate(at.parts[2], context) : Value("");
}

Value computed(const Expression& at, const Context& context) {
    switch (at.kind) {
        case Kind::literal: return at.value;
        case Kind::name: return context.variable(at.text);
        case Kind::list: return values_of(at, 0, context);
        case Kind::map: return map_of(at, context);
        case Kind::negative: return negated(at, context);
        case Kind::opposite: return !is_true(evaluate(at.parts[0], context));
        case Kind::binary: return binary(at, context);
        case Kind::choice: return chosen(at, context);
        case Kind::attribute: return part_named(evaluate(at.parts[0], context), at.text);
        case Kind::index: return indexed(at, context);
        case Kind::slice: return sliced(at, context);
        case Kind::call: return called(at, context);
        case Kind::each: break;  // of arithmetic alone
        case Kind::filter: return filtered(at.text, values_of(at, 0, context), context, at.position);
        case Kind::test: return tested(at.text, values_of(at, 0, context), context, at.position);
    }
    return {};
}

}  // namespace

double real_result(const std::string& op, double a, double b) {
    if (op == "+") return a + b;
    if (op == "-") return a - b;
    if (op == "*") return a * b;
    if (op == "/") return a / b;
    if (op == "//") return std::floor(a / b);
    if (op == "%") return a - b * std::floor(a / b);
    return std::pow(a, b);
}

std::optional<std::int64_t> whole_result(const std::string& op, std::int64_t a, std::int64_t b) {
    if (op == "+") return checked_add(a, b);
    if (op == "-") return difference(a, b);
    if (op == "*") return checked_mul(a, b);
    if (op == "//") return floor_division(a, b);
    if (op == "%") return b == -1 ? 0 : difference(a, checked_mul(floor_division(a, b), b));
    if (op == "**" && b >= 0) return power(a, b);
    return std::nullopt;
}

Value evaluate(const Expression& at, const Context& context) {
    constexpr int kMaxDepth = 50;
    if (--context.steps < 0) context.document.fail(at.position, ErrorCode::overflow, "the template computes too much");
    Value value = computed(at, context);
    if (value.depth > kMaxDepth)
        context.document.fail(at.position, ErrorCode::overflow, "lists and maps are nested too deeply");
    return value;
}

List items_of(const Value& given, const Context& context, std::size_t place) {
    const Value value = opened(given);
    if (const List* list = value.list()) {
        context.steps -= static_cast<std::int64_t>(list->size());  // a copy is work too
        if (context.steps < 0) context.document.fail(place, ErrorCode::overflow, "the template computes too much");
        return *list;
    }
    List items;
    if (const Dictionary* dictionary = value.dictionary())
        for (const auto& [key, unused] : *dictionary) items.emplace_back(key);
    else if (const std::string* text = value.text())
        for (const char c : *text) items.emplace_back(std::string(1, c));
    else
        context.document.fail(place, ErrorCode::wrong_type, "expected a list, found " + kind_of(value));
    context.steps -= static_cast<std::int64_t>(items.size());
    return items;
}

}  // namespace tilewright::jinja
