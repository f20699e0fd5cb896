#include "timeloop/expression/expression.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <memory>
#include <set>

#include "base/numbers/checked.hpp"
#include "yaml/jinja/evaluate.hpp"

namespace tilewright::timeloop {
namespace {

using jinja::Expression;
using Kind = Expression::Kind;

constexpr std::size_t kMaxTextLength = 4096;
constexpr std::int64_t kMostItems = 100'000;  // of a list, with those of lists in it
constexpr int kMostTurns = 1'000'000;         // of comprehensions in one expression

std::string number_text(double value) {
    char buffer[32];
    const auto [end, problem] = std::to_chars(buffer, buffer + sizeof buffer, value);
    return problem == std::errc{} ? std::string(buffer, end) : "?";
}

class Computer {
   public:
    Computer(std::string_view text, const yaml::Node& place, const NameLookup& lookup,
             const std::vector<std::string>& known_names)
        : text_(text), place_(place), lookup_(lookup), known_names_(known_names) {}
    /// Inside a comprehension: with its names, and counting its steps.
    Computer(const Computer& around, const NameLookup& lookup)
        : text_(around.text_),
          place_(around.place_),
          lookup_(lookup),
          known_names_(around.known_names_),
          steps_(around.steps_) {}

    Value compute(const Expression& expression) const;

   private:
    [[noreturn]] void fail(ErrorCode code, const std::string& why) const {
        place_.fail(code, "in '" + std::string(text_.substr(0, 200)) + "': " + why);
    }
    double number(const Value& value, const std::string& user) const {
        if (!value.is_number()) fail(ErrorCode::wrong_type, user + " needs a number, found " + to_text(value));
        return value.real();
    }
    Value real(double value) const {
        if (!std::isfinite(value)) fail(ErrorCode::bad_value, "the result is not a finite number");
        return {value};
    }
    Value whole(double value) const {
        if (!(std::abs(value) < 9.0e18)) fail(ErrorCode::overflow, "the result does not fit in 64 bits");
        return {static_cast<std::int64_t>(value)};
    }
    bool is_true(const Value& value) const;
    Value literal(const Expression& expression) const;
    Value named(const std::string& name) const;
    Value arithmetic(const std::string& op, const Value& left, const Value& right) const;
    Value binary(const Expression& expression) const;
    Value compared(const std::string& op, const Value& left, const Value& right) const;
    std::optional<Value> of_lists(const std::string& op, const Value& left, const Value& right) const;
    std::vector<Value> items(const Expression& expression, std::size_t first) const;
    std::vector<Value> each(const Expression& expression) const;
    Value call(const Expression& expression) const;
    Value method(const Expression& of, std::vector<Value> arguments) const;
    Value part(const Value& whole, const std::string& name) const;
    Value element(const Value& whole, const Value& index) const;
    Value called(const std::string& function, std::vector<Value> arguments) const;
    Value of_list(const std::string& function, std::vector<Value> arguments) const;
    Value of_one(const std::string& function, const Value& argument) const;

    std::string_view text_;
    const yaml::Node& place_;
    const NameLookup& lookup_;
    const std::vector<std::string>& known_names_;
    std::shared_ptr<int> steps_ = std::make_shared<int>(kMostTurns);
};

bool Computer::is_true(const Value& value) const {
    if (const auto* list = std::get_if<std::vector<Value>>(&value.data)) return !list->empty();
    if (const auto* text = std::get_if<std::string>(&value.data)) return !text->empty();
    if (std::holds_alternative<Function>(value.data)) return true;
    return number(value, "a condition") != 0.0;
}

Value Computer::literal(const Expression& expression) const {
    if (const std::string* text = expression.value.text()) return {*text};
    const char* begin = expression.text.data();
    const char* end = begin + expression.text.size();
    if (expression.text.find_first_not_of("0123456789") == std::string::npos) {
        std::int64_t value = 0;
        if (std::from_chars(begin, end, value).ec != std::errc{})
            fail(ErrorCode::overflow, expression.text + " does not fit in 64 bits");
        return {value};
    }
    double value = 0.0;
    const auto [stop, problem] = std::from_chars(begin, end, value);
    if (problem != std::errc{} || stop != end) fail(ErrorCode::bad_value, "'" + expression.text + "' is not a number");
    return real(value);
}

Value Computer::named(const std::string& name) const {
    if (name == "True" || name == "true") return {std::int64_t{1}};
    if (name == "False" || name == "false") return {std::int64_t{0}};
    if (std::optional<Value> value = lookup_(name)) return *std::move(value);
    if (is_known_function(name)) return {Function{name}};
    place_.fail(ErrorCode::unknown_name, "unknown name '" + name + "' in '" + std::string(text_.substr(0, 200)) + "'" +
                                             did_you_mean(name, known_names_));
}

Value Computer::binary(const Expression& expression) const {
    const std::string& op = expression.text;
    Value left = compute(expression.parts[0]);
    if (op == "and") return is_true(left) ? compute(expression.parts[1]) : left;
    if (op == "or") return is_true(left) ? left : compute(expression.parts[1]);
    const Value right = compute(expression.parts[1]);
    return op[0] == '<' || op[0] == '>' || op == "==" || op == "!=" ? compared(op, left, right)
                                                                    : arithmetic(op, left, right);
}

Value Computer::compute(const Expression& expression) const {
    const auto part_at = [&](std::size_t i) { return compute(expression.parts[i]); };
    switch (expression.kind) {
        case Kind::literal: return literal(expression);
        case Kind::name: return named(expression.text);
        case Kind::binary: return binary(expression);
        case Kind::opposite: return {std::int64_t{is_true(part_at(0)) ? 0 : 1}};
        case Kind::choice: return is_true(part_at(1)) ? part_at(0) : part_at(2);
        case Kind::negative: return arithmetic("-", {std::int64_t{0}}, part_at(0));
        case Kind::attribute: return part(part_at(0), expression.text);
        case Kind::index: return element(part_at(0), part_at(1));
        default: break;  // lists and calls: unreachable from parse_arithmetic()
    }
    if (expression.kind == Kind::call) return call(expression);
    return {items(expression, 0)};
}

// Values of the parts of a list or a call; a comprehension stands for all of its items.
std::vector<Value> Computer::items(const Expression& expression, std::size_t first) const {
    const bool alone = expression.parts.size() == first + 1 && expression.parts[first].kind == Kind::each;
    if (alone && first == 0) return each(expression.parts[0]);
    if (alone) return {{each(expression.parts[first])}};
    std::vector<Value> values;
    for (std::size_t i = first; i < expression.parts.size(); ++i) values.push_back(compute(expression.parts[i]));
    return values;
}

std::vector<Value> Computer::each(const Expression& expression) const {
    const Value over = compute(expression.parts[1]);
    const auto* list = std::get_if<std::vector<Value>>(&over.data);
    if (list == nullptr) fail(ErrorCode::wrong_type, "'for' needs a list, found " + to_text(over));
    const std::string& names = expression.text;
    const std::size_t comma = names.find(',');
    std::vector<Value> values;
    for (const Value& item : *list) {
        const auto* pair = std::get_if<std::vector<Value>>(&item.data);
        if (comma != std::string::npos && (pair == nullptr || pair->size() != 2))
            fail(ErrorCode::wrong_type, "'for " + names + "' needs pairs, found " + to_text(item));
        const NameLookup inner = [&](std::string_view name) -> std::optional<Value> {
            if (comma == std::string::npos) return name == names ? std::optional(item) : lookup_(name);
            if (name == names.substr(0, comma)) return (*pair)[0];
            return name == names.substr(comma + 1) ? std::optional((*pair)[1]) : lookup_(name);
        };
        if (--*steps_ < 0) fail(ErrorCode::overflow, "takes too many steps");
        const Computer computer(*this, inner);
        if (expression.parts.size() > 2 && !computer.is_true(computer.compute(expression.parts[2]))) continue;
        values.push_back(computer.compute(expression.parts[0]));
    }
    return values;
}

Value Computer::call(const Expression& expression) const {
    const Expression& of = expression.parts[0];
    std::vector<Value> arguments = items(expression, 1);
    if (of.kind == Kind::attribute) return method(of, std::move(arguments));
    std::optional<Value> given = of.kind == Kind::name ? lookup_(of.text) : compute(of);
    if (!given) return called(of.text, std::move(arguments));
    if (const auto* text = std::get_if<std::string>(&given->data))  // a folded text (`f: >`) is an expression, too
        given = evaluate_text(*text, place_, lookup_, known_names_);
    const auto* function = std::get_if<Function>(&given->data);
    if (function == nullptr) fail(ErrorCode::wrong_type, to_text(*given) + " is no function");
    return called(function->name, std::move(arguments));
}

// parts.get(name, otherwise) and the number of copies that a fan-out makes.
Value Computer::method(const Expression& of, std::vector<Value> arguments) const {
    const auto unknown = [&] {
        std::string name = of.text;
        const Expression* at = &of.parts[0];
        for (; at->kind == Kind::attribute; at = &at->parts[0]) name = at->text + "." + name;
        if (at->kind == Kind::name) name = at->text + "." + name;
        place_.fail(ErrorCode::unsupported, "'" + name + "': custom functions in Python are not run");
    };
    const bool gets = of.text == "get" && !arguments.empty() && arguments.size() <= 2 && arguments[0].is_text();
    const bool counts = of.text == "get_fanout" && arguments.empty();
    if (!gets && !counts) unknown();
    const Value whole = compute(of.parts[0]);
    const auto* parts = std::get_if<Parts>(&whole.data);
    if (parts == nullptr) fail(ErrorCode::wrong_type, to_text(whole) + " has no '" + of.text + "'");
    if (gets) {
        if (std::optional<Value> found = parts->find(std::get<std::string>(arguments[0].data))) return *found;
        if (arguments.size() == 2) return arguments[1];
        fail(ErrorCode::unknown_name, "there is no " + to_text(arguments[0]));
    }
    const std::optional<Value> spatial = parts->find("spatial");
    if (spatial) parts = std::get_if<Parts>(&spatial->data);
    Value fanout{std::int64_t{1}};
    for (const char* side : {"meshX", "meshY"})
        if (const std::optional<Value> mesh = parts == nullptr ? std::nullopt : parts->find(side))
            fanout = arithmetic("*", fanout, *mesh);
    return fanout;
}

std::int64_t items_in(const Value& value) {
    const auto* list = std::get_if<std::vector<Value>>(&value.data);
    std::int64_t count = 1;
    if (list != nullptr)
        for (const Value& item : *list) count += items_in(item);
    return count;
}

// Lists joined, or a list repeated.
std::optional<Value> Computer::of_lists(const std::string& op, const Value& left, const Value& right) const {
    const auto* a = std::get_if<std::vector<Value>>(&left.data);
    const auto* b = std::get_if<std::vector<Value>>(&right.data);
    const Value& times = a == nullptr ? left : right;
    const bool joins = op == "+" && a != nullptr && b != nullptr;
    if (!joins && (op != "*" || (a == nullptr) == (b == nullptr) || !times.is_whole())) return std::nullopt;
    const std::vector<Value>& once = a == nullptr ? *b : *a;
    const std::int64_t count = joins ? 1 : std::max<std::int64_t>(0, std::get<std::int64_t>(times.data));
    if (saturating_mul(count, items_in(a == nullptr ? right : left)) + (joins ? items_in(right) : 0) > kMostItems)
        fail(ErrorCode::overflow, "the list has more than 100,000 items");
    std::vector<Value> all;
    for (std::int64_t i = 0; i < count; ++i) all.insert(all.end(), once.begin(), once.end());
    if (joins) all.insert(all.end(), b->begin(), b->end());
    return Value{std::move(all)};
}

Value Computer::arithmetic(const std::string& op, const Value& left, const Value& right) const {
    if (op == "+" && left.is_text() && right.is_text()) {
        std::string joined = std::get<std::string>(left.data) + std::get<std::string>(right.data);
        if (joined.size() > kMaxTextLength) fail(ErrorCode::overflow, "the text is longer than 4096 characters");
        return {std::move(joined)};
    }
    if (std::optional<Value> list = of_lists(op, left, right)) return *std::move(list);
    const double a = number(left, "arithmetic");
    const double b = number(right, "arithmetic");
    if (b == 0.0 && (op[0] == '/' || op == "%")) fail(ErrorCode::bad_value, "division by zero");
    try {
        if (left.is_whole() && right.is_whole())
            if (const auto whole =
                    jinja::whole_result(op, std::get<std::int64_t>(left.data), std::get<std::int64_t>(right.data)))
                return {*whole};
    } catch (const OverflowError&) {
        fail(ErrorCode::overflow, "the result does not fit in 64 bits");
    }
    return real(jinja::real_result(op, a, b));
}

Value Computer::compared(const std::string& op, const Value& left, const Value& right) const {
    const auto truth = [](bool holds) { return Value{std::int64_t{holds ? 1 : 0}}; };
    if (left.is_text() && right.is_text() && (op == "==" || op == "!="))
        return truth((std::get<std::string>(left.data) == std::get<std::string>(right.data)) == (op == "=="));
    const double a = number(left, "a comparison");
    const double b = number(right, "a comparison");
    if (op == "<") return truth(a < b);
    if (op == "<=") return truth(a <= b);
    if (op == ">") return truth(a > b);
    if (op == ">=") return truth(a >= b);
    return truth((a == b) == (op == "=="));
}

Value Computer::part(const Value& whole, const std::string& name) const {
    const auto* parts = std::get_if<Parts>(&whole.data);
    if (parts == nullptr) fail(ErrorCode::wrong_type, to_text(whole) + " has no part '" + name + "'");
    std::optional<Value> found = parts->find(name);
    if (!found) fail(ErrorCode::unknown_name, "there is no '" + name + "'");
    return *std::move(found);
}

Value Computer::element(const Value& whole, const Value& index) const {
    if (index.is_text()) return part(whole, std::get<std::string>(index.data));
    const auto* list = std::get_if<std::vector<Value>>(&whole.data);
    const auto* at = std::get_if<std::int64_t>(&index.data);
    if (list == nullptr || at == nullptr)
        fail(ErrorCode::wrong_type, to_text(whole) + " cannot be indexed by " + to_text(index));
    const auto size = static_cast<std::int64_t>(list->size());
    if (*at < -size || *at >= size)
        fail(ErrorCode::bad_value, "the index " + std::to_string(*at) + " is outside the list");
    return (*list)[*at < 0 ? *at + size : *at];
}

Value Computer::of_list(const std::string& function, std::vector<Value> arguments) const {
    if (arguments.size() == 1)
        if (auto* list = std::get_if<std::vector<Value>>(&arguments[0].data)) arguments = std::vector<Value>(*list);
    Value result{std::int64_t{function == "prod" ? 1 : 0}};
    if (function == "sum" || function == "prod") {
        for (const Value& value : arguments) result = arithmetic(function == "sum" ? "+" : "*", result, value);
        return result;
    }
    if (arguments.empty()) fail(ErrorCode::bad_value, function + "() of nothing");
    result = arguments[0];
    for (const Value& value : arguments) {
        const double candidate = number(value, function + "()");
        const double best = number(result, function + "()");
        if (function == "min" ? candidate < best : candidate > best) result = value;
    }
    return result;
}

Value Computer::of_one(const std::string& function, const Value& argument) const {
    if (function == "len") {
        if (const auto* list = std::get_if<std::vector<Value>>(&argument.data))
            return {static_cast<std::int64_t>(list->size())};
        if (const auto* parts = std::get_if<Parts>(&argument.data)) return {static_cast<std::int64_t>(parts->size)};
        if (const auto* text = std::get_if<std::string>(&argument.data))
            return {static_cast<std::int64_t>(text->size())};
        fail(ErrorCode::wrong_type, "len() of " + to_text(argument));
    }
    if (function == "str") return argument.is_text() ? argument : Value{to_text(argument)};
    const double value = number(argument, function + "()");
    if (argument.is_whole() && (function == "ceil" || function == "floor" || function == "round" || function == "int"))
        return argument;
    if (function == "ceil") return whole(std::ceil(value));
    if (function == "floor") return whole(std::floor(value));
    if (function == "round") return whole(std::nearbyint(value));  // halves to even, as Python
    if (function == "int") return whole(std::trunc(value));
    if (function == "abs")
        return argument.is_whole() && value < 0 ? arithmetic("-", {std::int64_t{0}}, argument)
               : argument.is_whole()            ? argument
                                                : real(std::abs(value));
    if (function == "float") return real(value);
    if (function == "sqrt") return real(std::sqrt(value));
    if (function == "exp") return real(std::exp(value));
    if (function == "log2") return real(std::log2(value));
    if (function == "log10") return real(std::log10(value));
    return real(std::log(value));
}

Value Computer::called(const std::string& function, std::vector<Value> arguments) const {
    if (function == "min" || function == "max" || function == "sum" || function == "prod")
        return of_list(function, std::move(arguments));
    if (function == "pow" && arguments.size() == 2) return arithmetic("**", arguments[0], arguments[1]);
    if (is_array_function(function)) {
        if (std::optional<Value> value = array_function(function, arguments)) return *std::move(value);
        fail(ErrorCode::wrong_type, function + "() does not take these values (docs/guide-compute-in-memory.md)");
    }
    const bool known = is_known_function(function);
    if (known && function != "pow" && arguments.size() == 1) return of_one(function, arguments[0]);
    if (known)
        fail(ErrorCode::bad_value, function + "() takes " + (function == "pow" ? "two arguments" : "one argument") +
                                       ", found " + std::to_string(arguments.size()));
    const std::string hint = did_you_mean(function, known_functions());
    fail(ErrorCode::unknown_name,
         "unknown function '" + function + "'" + (hint.empty() ? "; custom functions in Python are not run" : hint));
}

Value value_of_map(const yaml::Node& node, const NameLookup& lookup, const std::vector<std::string>& known_names) {
    Parts parts;
    parts.size = node.entries().size();
    parts.find = [node, lookup, known_names](std::string_view name) -> std::optional<Value> {
        const yaml::Node* found = node.find(name);
        if (found == nullptr) return std::nullopt;
        return evaluate_node(*found, lookup, known_names);
    };
    return {std::move(parts)};
}

void collect_words(const yaml::Node& node, std::set<std::string>& words) {
    if (node.is_map())
        for (const yaml::Node::Entry& entry : node.entries()) collect_words(entry.value, words);
    if (node.is_sequence())
        for (const yaml::Node& item : node.items()) collect_words(item, words);
    if (!node.is_scalar() || node.is_quoted()) return;
    std::string word;
    for (const char c : node.text() + " ") {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
            word.push_back(c);
        } else if (!word.empty()) {
            words.insert(std::move(word));
            word.clear();
        }
    }
}

}  // namespace

double Value::real() const {
    return is_whole() ? static_cast<double>(std::get<std::int64_t>(data)) : std::get<double>(data);
}

std::string to_text(const Value& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return std::to_string(*whole);
    if (const auto* real = std::get_if<double>(&value.data)) return number_text(*real);
    if (const auto* text = std::get_if<std::string>(&value.data)) return "'" + *text + "'";
    if (const auto* function = std::get_if<Function>(&value.data)) return "the function '" + function->name + "'";
    return std::holds_alternative<Parts>(value.data) ? "a map" : "a list";
}

Value evaluate_text(std::string_view text, const yaml::Node& place, const NameLookup& lookup,
                    const std::vector<std::string>& known_names) {
    try {
        if (text.size() > kMaxTextLength)
            throw jinja::Mistake{0, ErrorCode::bad_value, "it is longer than 4096 characters"};
        return Computer(text, place, lookup, known_names).compute(jinja::parse_arithmetic(text));
    } catch (const jinja::Mistake& mistake) {
        place.fail(ErrorCode::bad_value,
                   "'" + std::string(text.substr(0, 200)) + "' is not an expression: " + mistake.message);
    }
}

Value evaluate_node(const yaml::Node& node, const NameLookup& lookup, const std::vector<std::string>& known_names) {
    if (node.is_map()) return value_of_map(node, lookup, known_names);
    if (node.is_sequence()) {
        std::vector<Value> values;
        for (const yaml::Node& item : node.items()) values.push_back(evaluate_node(item, lookup, known_names));
        return {std::move(values)};
    }
    const std::string& text = node.text();
    if (node.is_quoted() || text.empty()) return {text};
    const std::optional<double> number = node.try_real();
    if (number && text.find_first_not_of("+-0123456789") == std::string::npos) return {node.integer()};
    if (number) return {*number};
    return evaluate_text(text, node, lookup, known_names);
}

std::vector<std::string> words_in(const yaml::Node& node) {
    std::set<std::string> words;
    collect_words(node, words);
    return {words.begin(), words.end()};
}

}  // namespace tilewright::timeloop
