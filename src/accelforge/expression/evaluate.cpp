#include "accelforge/expression/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "accelforge/expression/syntax.hpp"
#include "base/error.hpp"

namespace tilewright::accelforge {
namespace {

constexpr int kMostSteps = 1'000'000;
constexpr std::size_t kShown = 200;  // characters of an expression in a message

using Form = Expression::Kind;

class Evaluator {
   public:
    Evaluator(std::string_view text, const yaml::Node& place) : text_(text.substr(0, kShown)), place_(place) {}

    Value value(const Expression& expression, const Names& names);

   private:
    [[noreturn]] void fail(ErrorCode code, const std::string& why) const {
        place_.fail(code, "in '" + text_ + "': " + why);
    }
    double number(const Value& value) const {
        if (!value.is_number()) fail(ErrorCode::wrong_type, "expected a number, found " + kind_of(value));
        return value.number();
    }
    Value named(const std::string& name, const Names& names) const;
    Value unary(const std::string& sign, const Value& value) const;
    Value binary(const Expression& expression, const Names& names);
    Value computed(const std::string& sign, const Value& left, const Value& right);
    Value of_sets(const std::string& sign, const SetValue& left, const SetValue& right) const;
    Value of_numbers(const std::string& sign, double left, double right) const;
    Value compared(const std::string& sign, const Value& left, const Value& right) const;
    Value contained(const Value& member, const Value& whole) const;
    Value comprehended(const Expression& expression, const Names& names);
    Value part(const Value& whole, const std::string& name) const;
    Value part_of_set(const SetValue& set, const std::string& name) const;
    Value element(const Value& whole, const Value& index) const;
    Value call(const Expression& expression, const Names& names);
    Value united(const Expression& expression, const Names& names);
    std::optional<Value> of_lists(const std::string& sign, const Value& left, const Value& right);
    Value list_of(std::vector<Value> items) { return {std::make_shared<const std::vector<Value>>(std::move(items))}; }

    std::string text_;
    const yaml::Node& place_;
    int steps_ = kMostSteps;
};

Value Evaluator::value(const Expression& expression, const Names& names) {
    if (--steps_ < 0) fail(ErrorCode::overflow, "takes too many steps");
    const auto at = [&](std::size_t i) { return value(expression.parts[i], names); };
    switch (expression.kind) {
        case Form::number: return {expression.number};
        case Form::text: return {expression.text};
        case Form::name: return named(expression.text, names);
        case Form::unary: return unary(expression.text, at(0));
        case Form::binary: return binary(expression, names);
        case Form::choice: return is_true(at(1)) ? at(0) : at(2);
        case Form::comprehension: return comprehended(expression, names);
        case Form::part: return part(at(0), expression.text);
        case Form::index: return element(at(0), at(1));
        case Form::call: return call(expression, names);
        case Form::named: return at(0);
        case Form::members: return united(expression, names);
        case Form::list: break;
    }
    if (expression.parts.size() == 1 && expression.parts[0].kind == Form::comprehension) return at(0);
    std::vector<Value> items;
    for (std::size_t i = 0; i < expression.parts.size(); ++i) items.push_back(at(i));
    return {std::make_shared<const std::vector<Value>>(std::move(items))};
}

Value Evaluator::named(const std::string& name, const Names& names) const {
    if (const Value* found = names.find(name)) return *found;
    if (name == "True" || name == "true") return {true};
    if (name == "False" || name == "false") return {false};
    if (name == "inf") return {std::numeric_limits<double>::infinity()};
    if (name == "pi") return {3.14159265358979323846};
    if (is_function(name)) return {FunctionValue{name}};
    place_.fail(ErrorCode::unknown_name, "unknown name '" + name + "'" + (text_ == name ? "" : " in '" + text_ + "'") +
                                             did_you_mean(name, names.all()));
}

Value Evaluator::unary(const std::string& sign, const Value& value) const {
    if (sign == "not") return {!is_true(value)};
    if (sign != "~") return {sign == "-" ? -number(value) : number(value)};
    const SetValue* set = value.set();
    if (set == nullptr) fail(ErrorCode::wrong_type, "'~' takes a set, found " + kind_of(value));
    return {SetValue{set->universe, ~set->members & set->universe->all()}};
}

Value Evaluator::binary(const Expression& expression, const Names& names) {
    const std::string& sign = expression.text;
    Value left = value(expression.parts[0], names);
    if (sign == "and") return is_true(left) ? value(expression.parts[1], names) : left;
    if (sign == "or") return is_true(left) ? left : value(expression.parts[1], names);
    return computed(sign, left, value(expression.parts[1], names));
}

Value Evaluator::computed(const std::string& sign, const Value& left, const Value& right) {
    if (sign == "in") return contained(left, right);
    if (sign == "not in") return {!is_true(contained(left, right))};
    if (sign == "==" || sign == "!=" || sign.front() == '<' || sign.front() == '>') return compared(sign, left, right);
    const bool sets = left.set() != nullptr && right.set() != nullptr;
    if (sets) return of_sets(sign, *left.set(), *right.set());
    if (std::optional<Value> list = of_lists(sign, left, right)) return *std::move(list);
    return of_numbers(sign, number(left), number(right));
}

// Lists joined, or a list repeated.
std::optional<Value> Evaluator::of_lists(const std::string& sign, const Value& left, const Value& right) {
    const bool repeats = sign == "*" && (left.list() == nullptr) != (right.list() == nullptr);
    const bool joins = sign == "+" && left.list() != nullptr && right.list() != nullptr;
    if (!repeats && !joins) return std::nullopt;
    std::vector<Value> items = left.list() != nullptr ? *left.list() : *right.list();
    if (joins) {
        items.insert(items.end(), right.list()->begin(), right.list()->end());
        return list_of(std::move(items));
    }
    const double times = std::max(0.0, number(left.list() != nullptr ? right : left));
    if (!(times * static_cast<double>(items.size()) <= steps_)) fail(ErrorCode::overflow, "takes too many steps");
    std::vector<Value> all;
    for (double i = 0; i < times; ++i) all.insert(all.end(), items.begin(), items.end());
    steps_ -= static_cast<int>(all.size());
    return list_of(std::move(all));
}

Value Evaluator::united(const Expression& expression, const Names& names) {
    std::optional<SetValue> all;
    for (const Expression& part : expression.parts) {
        const Value one = value(part, names);
        const SetValue* set = one.set();
        if (set == nullptr) fail(ErrorCode::wrong_type, "expected a set between '{' and '}', found " + kind_of(one));
        all = all ? *of_sets("|", *all, *set).set() : *set;
    }
    if (!all) fail(ErrorCode::bad_value, "'{}' is no set: 'Nothing' is the empty one");
    return {*all};
}

Value Evaluator::of_sets(const std::string& sign, const SetValue& left, const SetValue& right) const {
    if (left.universe != right.universe) fail(ErrorCode::wrong_type, "sets of tensors and of rank variables are mixed");
    if (sign == "&") return {SetValue{left.universe, left.members & right.members}};
    if (sign == "|") return {SetValue{left.universe, left.members | right.members}};
    if (sign == "^") return {SetValue{left.universe, left.members ^ right.members}};
    if (sign == "-") return {SetValue{left.universe, left.members & ~right.members}};
    fail(ErrorCode::wrong_type, "'" + sign + "' is not for sets");
}

Value Evaluator::of_numbers(const std::string& sign, double left, double right) const {
    if (sign == "+") return {left + right};
    if (sign == "-") return {left - right};
    if (sign == "*") return {left * right};
    if (sign == "**") return {std::pow(left, right)};
    if (sign == "&" || sign == "|" || sign == "^") fail(ErrorCode::wrong_type, "'" + sign + "' takes two sets");
    if (right == 0.0) fail(ErrorCode::bad_value, "division by zero");
    if (sign == "/") return {left / right};
    const double quotient = std::floor(left / right);
    return {sign == "//" ? quotient : left - quotient * right};
}

Value Evaluator::compared(const std::string& sign, const Value& left, const Value& right) const {
    const bool asks_equality = sign == "==" || sign == "!=";
    bool equal = false;
    if (asks_equality && left.set() != nullptr && right.set() != nullptr) {
        equal = left.set()->members == right.set()->members;
    } else if (asks_equality && std::holds_alternative<std::string>(left.data)) {
        const auto* other = std::get_if<std::string>(&right.data);
        equal = other != nullptr && *other == std::get<std::string>(left.data);
    } else {
        const double a = number(left);
        const double b = number(right);
        if (!asks_equality) return {sign == "<" ? a < b : sign == "<=" ? a <= b : sign == ">" ? a > b : a >= b};
        equal = a == b;
    }
    return {equal == (sign == "==")};
}

Value Evaluator::contained(const Value& member, const Value& whole) const {
    if (whole.set() != nullptr && member.set() != nullptr)
        return {(member.set()->members & ~whole.set()->members) == 0 && member.set()->members != 0};
    const std::vector<Value>* list = whole.list();
    if (list == nullptr) fail(ErrorCode::wrong_type, "'in' takes a set or a list, found " + kind_of(whole));
    return {std::ranges::any_of(*list, [&](const Value& one) {
        return one.data.index() == member.data.index() && std::get<bool>(compared("==", one, member).data);
    })};
}

Value Evaluator::comprehended(const Expression& expression, const Names& names) {
    const Value whole = value(expression.parts[1], names);
    const std::vector<Value>* list = whole.list();
    if (list == nullptr) fail(ErrorCode::wrong_type, "'for' goes through a list, found " + kind_of(whole));
    std::vector<Value> made;
    for (const Value& one : *list) {
        Names inner{{{expression.text, one}}, &names};
        if (expression.parts.size() > 2 && !is_true(value(expression.parts[2], inner))) continue;
        made.push_back(value(expression.parts[0], inner));
    }
    return {std::make_shared<const std::vector<Value>>(std::move(made))};
}

Value Evaluator::part_of_set(const SetValue& set, const std::string& name) const {
    if (name == "tensors") return {set};
    if (name != "bits_per_value" && name != "rank_variables")
        fail(ErrorCode::unknown_name, "a set has no '" + name + "'");
    if (set.universe->bits.empty() || set.universe->variables == nullptr)
        fail(ErrorCode::wrong_type, "'" + name + "' is not known of this set here");
    if (name == "rank_variables") {
        std::uint64_t members = 0;
        for (std::size_t t = 0; t < set.universe->names.size(); ++t)
            if (set.has(static_cast<int>(t))) members |= set.universe->variables_of[t];
        return {SetValue{set.universe->variables, members}};
    }
    if (set.size() != 1)
        fail(ErrorCode::bad_value, "'bits_per_value' is of one tensor; the set has " + std::to_string(set.size()));
    return {set.universe->bits[static_cast<std::size_t>(__builtin_ctzll(set.members))]};
}

Value Evaluator::part(const Value& whole, const std::string& name) const {
    if (const SetValue* set = whole.set()) return part_of_set(*set, name);
    const auto* record = std::get_if<RecordValue>(&whole.data);
    if (record == nullptr) fail(ErrorCode::wrong_type, kind_of(whole) + " has no part '" + name + "'");
    if (const auto found = (*record)->find(name); found != (*record)->end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [one, unused] : **record) known.push_back(one);
    fail(ErrorCode::unknown_name, "there is no '" + name + "'" + did_you_mean(name, known));
}

Value Evaluator::element(const Value& whole, const Value& index) const {
    if (const auto* name = std::get_if<std::string>(&index.data)) return part(whole, *name);
    const std::vector<Value>* list = whole.list();
    if (list == nullptr) fail(ErrorCode::wrong_type, kind_of(whole) + " cannot be indexed");
    const double at = number(index);
    const auto size = static_cast<double>(list->size());
    const double from_begin = at < 0 ? at + size : at;
    if (!(from_begin >= 0 && from_begin < size)) fail(ErrorCode::bad_value, "the index is outside the list");
    return (*list)[static_cast<std::size_t>(from_begin)];
}

// A set may be called: the result is the set itself.
Value Evaluator::call(const Expression& expression, const Names& names) {
    const Expression& function = expression.parts[0];
    const bool by_name = function.kind == Form::name && is_function(function.text);
    Value one = by_name ? Value{FunctionValue{function.text}} : value(function, names);
    if (one.set() != nullptr && expression.parts.size() == 1) return one;
    const auto* callable = std::get_if<FunctionValue>(&one.data);
    if (callable == nullptr) fail(ErrorCode::unsupported, "only functions can be called, not " + kind_of(one));
    std::vector<Value> arguments;
    for (std::size_t i = 1; i < expression.parts.size(); ++i) {
        const Expression& part = expression.parts[i];
        if (part.kind == Form::named && part.text != "return_per_slice")
            fail(ErrorCode::unsupported, "'" + callable->name + "' has no argument called '" + part.text + "'");
        arguments.push_back(value(part, names));
    }
    std::optional<Value> result = callable->own ? callable->own(arguments) : called(callable->name, arguments);
    if (!result) fail(ErrorCode::wrong_type, "'" + callable->name + "' does not take these values");
    return *std::move(result);
}

bool is_word(std::string_view text, std::string_view lower) {
    return std::ranges::equal(text, lower, {}, [](char c) { return static_cast<char>(c | 0x20); });
}

[[noreturn]] void refuse_kind(const yaml::Node& node, const char* expected, const Value& found) {
    const bool quoted = node.is_quoted();
    node.fail(ErrorCode::wrong_type, std::string("expected ") + expected + ", found " + kind_of(found) +
                                         (quoted ? " (a text in quotes is no expression)" : ""));
}

}  // namespace

double Value::number() const {
    if (const auto* truth = std::get_if<bool>(&data)) return *truth ? 1.0 : 0.0;
    return std::get<double>(data);
}

const std::vector<Value>* Value::list() const {
    const auto* found = std::get_if<ListValue>(&data);
    return found == nullptr ? nullptr : found->get();
}

std::string kind_of(const Value& value) {
    static constexpr const char* kKinds[] = {"a number", "a truth value",      "a text",    "a set",
                                             "a list",   "a thing with parts", "a function"};
    return kKinds[value.data.index()];
}

const Value* Names::find(std::string_view name) const {
    for (const Names* at = this; at != nullptr; at = at->outer) {
        if (const auto found = at->own.find(name); found != at->own.end()) return &found->second;
        if (at->deferred)
            if (const Value* value = at->deferred(name)) return value;
    }
    return nullptr;
}

std::vector<std::string> Names::all() const {
    std::vector<std::string> names;
    for (const Names* at = this; at != nullptr; at = at->outer)
        for (const auto& [name, unused] : at->own) names.push_back(name);
    return names;
}

bool is_true(const Value& value) {
    if (value.is_number()) return value.number() != 0.0;
    if (const SetValue* set = value.set()) return set->members != 0;
    if (const auto* list = value.list()) return !list->empty();
    if (const auto* text = std::get_if<std::string>(&value.data)) return !text->empty();
    return true;
}

Value evaluate_text(std::string_view text, const yaml::Node& place, const Names& names) {
    try {
        return Evaluator(text, place).value(parse_expression(text), names);
    } catch (const ExpressionProblem& problem) {
        place.fail(ErrorCode::bad_value,
                   "'" + std::string(text.substr(0, kShown)) + "' is no expression: " + problem.message);
    }
}

Value evaluate(const yaml::Node& node, const Names& names) {
    if (node.is_sequence()) {
        std::vector<Value> items;
        for (const yaml::Node& item : node.items()) items.push_back(evaluate(item, names));
        return {std::make_shared<const std::vector<Value>>(std::move(items))};
    }
    const std::string& text = node.text();
    if (node.is_quoted() && !node.is_block()) return {text};
    if (const std::optional<double> number = node.try_real()) return {*number};
    if (is_word(text, "true")) return {true};
    if (is_word(text, "false")) return {false};
    return evaluate_text(text, node, names);
}

double number_at(const yaml::Node& node, const Names& names) {
    const Value value = evaluate(node, names);
    if (!value.is_number()) refuse_kind(node, "a number", value);
    if (std::isnan(value.number())) node.fail(ErrorCode::bad_value, "the result is not a number");
    return value.number();
}

bool truth_at(const yaml::Node& node, const Names& names) { return is_true(evaluate(node, names)); }

SetValue set_at(const yaml::Node& node, const Names& names) {
    const Value value = evaluate(node, names);
    if (value.set() == nullptr) refuse_kind(node, "a set", value);
    return *value.set();
}

SetValue set_of(std::string_view text, const yaml::Node& place, const Names& names) {
    const Value value = evaluate_text(text, place, names);
    if (value.set() == nullptr) refuse_kind(place, "a set", value);
    return *value.set();
}

}  // namespace tilewright::accelforge
