// Filters, tests and methods used by templates of public designs.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "yaml/jinja/evaluate.hpp"

namespace tilewright::jinja {
namespace {

/// One use of a filter, test or method: arguments, and place for errors.
struct Use {
    const std::vector<Value>& arguments;
    const Context& context;
    std::size_t place;

    bool has(std::size_t i) const { return i < arguments.size(); }
    Value at(std::size_t i) const { return has(i) ? opened(arguments[i]) : Value(None{}); }
    [[noreturn]] void fail(ErrorCode code, const std::string& message) const {
        context.document.fail(place, code, message);
    }
    std::string text(std::size_t i) const { return to_text(at(i)); }
    std::string text(std::size_t i, const char* missing) const { return has(i) ? text(i) : missing; }
    List items(std::size_t i) const { return items_of(at(i), context, place); }
    double real(std::size_t i) const {
        if (!at(i).is_number()) fail(ErrorCode::wrong_type, "expected a number, found " + kind_of(at(i)));
        return number(at(i));
    }
    Value sized(std::string made) const {
        if (made.size() > kMaxText) fail(ErrorCode::overflow, "a text of more than 1 MiB");
        return made;
    }
};

using Function = Value (*)(const Use&);

std::string changed(std::string text, int (*change)(int)) {
    for (char& c : text) c = static_cast<char>(change(static_cast<unsigned char>(c)));
    return text;
}

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string::npos) return "";
    return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// The number of a value or its text; `missing` otherwise.
Value as_number(const Use& use, bool whole, const Value& missing) {
    Value value = use.at(0);
    if (value.text() != nullptr) {
        const std::string text = trimmed(*value.text());
        value = from_text(text);
        if (value.text() != nullptr) try {
                std::size_t end = 0;
                const double real = std::stod(text, &end);
                if (end == text.size() && std::isfinite(real)) value = real;
            } catch (const std::exception&) {
                return missing;
            }
    }
    if (!value.is_number()) return missing;
    if (!whole) return number(value);
    if (value.whole() != nullptr) return value;
    const double real = std::trunc(number(value));
    if (std::abs(real) > 9.0e18) use.fail(ErrorCode::overflow, "the number does not fit in 64 bits");
    return static_cast<std::int64_t>(real);
}

Value join(const Use& use) {
    std::string text;
    bool first = true;
    for (const Value& item : use.items(0)) {
        if (!first) text += use.text(1, "");
        first = false;
        text += to_text(item);
        (void)use.sized(text);
    }
    return text;
}

// All lines but the first indented, by 4 by default. Jinja's two switches: the first line too, and blank lines.
Value indent(const Use& use) {
    const std::string text = use.text(0);
    const Value width = use.has(1) ? use.at(1) : Value(std::int64_t{4});
    const std::int64_t spaces = width.whole() == nullptr ? -1 : *width.whole();
    constexpr std::int64_t kWidest = 1000;
    if (spaces < 0 || spaces > kWidest)
        use.fail(ErrorCode::bad_value, "indent takes a number of spaces from 0 to 1000");
    if (use.has(2)) use.fail(ErrorCode::unsupported, "of indent only the width is supported");
    const std::string margin(static_cast<std::size_t>(spaces), ' ');
    std::string made;
    for (std::size_t at = 0; at < text.size(); ++at) {
        made.push_back(text[at]);
        if (text[at] != '\n') continue;
        const bool blank_follows = at + 1 == text.size() || text[at + 1] == '\n';
        if (!blank_follows) made += margin;
        (void)use.sized(made);
    }
    return use.sized(made);
}

Value replace(const Use& use) {
    const std::string text = use.text(0);
    const std::string from = use.text(1, "");
    const std::string to = use.text(2, "");
    if (from.empty()) return text;
    std::string made;
    std::size_t at = 0;
    for (std::size_t next = text.find(from); next != std::string::npos; next = text.find(from, at)) {
        made.append(text, at, next - at).append(to);
        at = next + from.size();
        (void)use.sized(made);
    }
    return use.sized(made.append(text, at));
}

Value round_to(const Use& use) {
    const double scale = std::pow(10.0, use.has(1) ? use.real(1) : 0.0);
    const double rounded = std::round(use.real(0) * scale) / scale;
    if (!std::isfinite(rounded)) use.fail(ErrorCode::overflow, "the result is no number");
    return rounded;
}

Value length(const Use& use) {
    if (use.at(0).text() != nullptr) return static_cast<std::int64_t>(use.at(0).text()->size());
    return static_cast<std::int64_t>(use.items(0).size());
}

bool before(const Use& use, const Value& a, const Value& b) {
    const Value left = opened(a);
    const Value right = opened(b);
    if (left.text() != nullptr && right.text() != nullptr) return *left.text() < *right.text();
    if (!left.is_number() || !right.is_number())
        use.fail(ErrorCode::wrong_type, kind_of(left) + " and " + kind_of(right) + " are not in any order");
    return number(left) < number(right);
}

Value sorted(const Use& use) {
    List items = use.items(0);
    std::stable_sort(items.begin(), items.end(), [&](const Value& a, const Value& b) { return before(use, a, b); });
    return items;
}

Value extreme(const Use& use, bool largest) {
    const List items = use.items(0);
    if (items.empty()) return Undefined{"the extreme of an empty list"};
    Value best = items.front();
    for (const Value& item : items)
        if (largest ? before(use, best, item) : before(use, item, best)) best = item;
    return best;
}

Value sum(const Use& use) {
    double total = 0.0;
    bool whole = true;
    for (const Value& item : use.items(0)) {
        const Value plain = opened(item);
        if (!plain.is_number()) use.fail(ErrorCode::wrong_type, "expected numbers, found " + kind_of(plain));
        whole = whole && plain.real() == nullptr;
        total += number(plain);
    }
    return whole && std::abs(total) < 9.0e15 ? Value(static_cast<std::int64_t>(total)) : Value(total);
}

Value unique(const Use& use) {
    List kept;
    for (const Value& item : use.items(0)) {
        use.context.steps -= static_cast<std::int64_t>(kept.size());
        if (use.context.steps < 0) use.fail(ErrorCode::overflow, "the template computes too much");
        if (std::none_of(kept.begin(), kept.end(), [&](const Value& other) { return equal(item, other); }))
            kept.push_back(item);
    }
    return kept;
}

Value defaulted(const Use& use) {
    const Value& given = use.arguments[0];
    const bool missing = given.is_undefined() || (is_true(use.at(2)) && !is_true(given));
    return missing ? (use.has(1) ? use.arguments[1] : Value("")) : given;
}

Value end_item(const Use& use, bool last) {
    const List items = use.items(0);
    if (items.empty()) return Undefined{"an item of an empty list"};
    return last ? items.back() : items.front();
}

Value absolute(const Use& use) {
    const Value value = use.at(0);
    if (value.whole() != nullptr && *value.whole() > INT64_MIN) return std::abs(*value.whole());
    return std::abs(use.real(0));
}

const std::map<std::string, Function>& filters() {
    static const std::map<std::string, Function> kFilters{
        {"abs", absolute},
        {"count", length},
        {"d", defaulted},
        {"default", defaulted},
        {"first", [](const Use& use) { return end_item(use, false); }},
        {"float", [](const Use& use) { return as_number(use, false, use.has(1) ? use.at(1) : Value(0.0)); }},
        {"indent", indent},
        {"int", [](const Use& use) { return as_number(use, true, use.has(1) ? use.at(1) : Value(std::int64_t{0})); }},
        {"join", join},
        {"last", [](const Use& use) { return end_item(use, true); }},
        {"length", length},
        {"list", [](const Use& use) { return Value(use.items(0)); }},
        {"lower", [](const Use& use) { return Value(changed(use.text(0), std::tolower)); }},
        {"max", [](const Use& use) { return extreme(use, true); }},
        {"min", [](const Use& use) { return extreme(use, false); }},
        {"replace", replace},
        {"reverse",
         [](const Use& use) {
             List items = use.items(0);
             std::reverse(items.begin(), items.end());
             return Value(std::move(items));
         }},
        {"round", round_to},
        {"safe", [](const Use& use) { return use.arguments[0]; }},
        {"sort", sorted},
        {"string", [](const Use& use) { return Value(use.text(0)); }},
        {"sum", sum},
        {"trim", [](const Use& use) { return Value(trimmed(use.text(0))); }},
        {"unique", unique},
        {"upper", [](const Use& use) { return Value(changed(use.text(0), std::toupper)); }}};
    return kFilters;
}

Value split(const Use& use) {
    const std::string text = use.text(0);
    List parts;
    if (!use.has(1)) {
        for (std::size_t at = text.find_first_not_of(" \t\r\n"); at != std::string::npos;) {
            const std::size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
            parts.emplace_back(text.substr(at, end - at));
            at = text.find_first_not_of(" \t\r\n", end);
        }
        return parts;
    }
    const std::string by = use.text(1);
    if (by.empty()) use.fail(ErrorCode::bad_value, "a text cannot be split at nothing");
    std::size_t at = 0;
    for (std::size_t next = text.find(by); next != std::string::npos; next = text.find(by, at)) {
        parts.emplace_back(text.substr(at, next - at));
        at = next + by.size();
    }
    parts.emplace_back(text.substr(at));
    return parts;
}

Value items_method(const Use& use) {
    const Value of = use.at(0);
    if (of.dictionary() == nullptr) use.fail(ErrorCode::wrong_type, "expected a map, found " + kind_of(of));
    List items;
    for (const auto& [key, value] : *of.dictionary()) items.emplace_back(List{Value(key), value});
    return items;
}

Value values_method(const Use& use) {
    List values;
    const Value pairs = items_method(use);
    for (const Value& pair : *pairs.list()) values.push_back(pair.list()->back());
    return values;
}

Value get_method(const Use& use) {
    const Value of = use.at(0);
    if (of.dictionary() == nullptr) use.fail(ErrorCode::wrong_type, "expected a map, found " + kind_of(of));
    for (const auto& [key, value] : *of.dictionary())
        if (key == use.text(1, "")) return value;
    return use.at(2);
}

const std::map<std::string, Function>& methods() {
    static const std::map<std::string, Function> kMethods{
        {"endswith", [](const Use& use) { return Value(use.text(0).ends_with(use.text(1, ""))); }},
        {"get", get_method},
        {"items", items_method},
        {"join",
         [](const Use& use) {
             const std::vector<Value> turned{use.at(1), use.at(0)};
             return join({turned, use.context, use.place});
         }},
        {"keys", [](const Use& use) { return Value(use.items(0)); }},
        {"lower", [](const Use& use) { return Value(changed(use.text(0), std::tolower)); }},
        {"replace", replace},
        {"split", split},
        {"startswith", [](const Use& use) { return Value(use.text(0).starts_with(use.text(1, ""))); }},
        {"strip", [](const Use& use) { return Value(trimmed(use.text(0))); }},
        {"upper", [](const Use& use) { return Value(changed(use.text(0), std::toupper)); }},
        {"values", values_method}};
    return kMethods;
}

std::int64_t whole(const Use& use, std::size_t i) {
    if (use.at(i).whole() == nullptr)
        use.fail(ErrorCode::wrong_type, "expected a whole number, found " + kind_of(use.at(i)));
    return *use.at(i).whole();
}

bool divisible(const Use& use) {
    if (whole(use, 1) == 0) use.fail(ErrorCode::bad_value, "division by 0");
    return whole(use, 1) == -1 || whole(use, 0) % whole(use, 1) == 0;
}

const std::map<std::string, bool (*)(const Use&)>& tests() {
    static const std::map<std::string, bool (*)(const Use&)> kTests{
        {"boolean", [](const Use& use) { return use.at(0).truth() != nullptr; }},
        {"defined", [](const Use& use) { return !use.arguments[0].is_undefined(); }},
        {"divisibleby", divisible},
        {"eq", [](const Use& use) { return equal(use.at(0), use.at(1)); }},
        {"equalto", [](const Use& use) { return equal(use.at(0), use.at(1)); }},
        {"even", [](const Use& use) { return whole(use, 0) % 2 == 0; }},
        {"false", [](const Use& use) { return use.at(0).truth() != nullptr && !*use.at(0).truth(); }},
        {"float", [](const Use& use) { return use.at(0).real() != nullptr; }},
        {"integer", [](const Use& use) { return use.at(0).whole() != nullptr; }},
        {"iterable", [](const Use& use) { return !use.at(0).is_number() && !use.at(0).is_none(); }},
        {"mapping", [](const Use& use) { return use.at(0).dictionary() != nullptr; }},
        {"none", [](const Use& use) { return use.at(0).is_none(); }},
        {"number", [](const Use& use) { return use.at(0).is_number(); }},
        {"odd", [](const Use& use) { return whole(use, 0) % 2 != 0; }},
        {"sequence", [](const Use& use) { return use.at(0).list() != nullptr || use.at(0).text() != nullptr; }},
        {"string", [](const Use& use) { return use.at(0).text() != nullptr; }},
        {"true", [](const Use& use) { return use.at(0).truth() != nullptr && *use.at(0).truth(); }},
        {"undefined", [](const Use& use) { return use.arguments[0].is_undefined(); }}};
    return kTests;
}

template <typename Table>
auto found_in(const Table& table, const std::string& name, const char* what, const Context& context,
              std::size_t place) {
    if (const auto found = table.find(name); found != table.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [known, unused] : table) names.push_back(known);
    context.document.fail(place, ErrorCode::unsupported,
                          std::string("the Jinja ") + what + " '" + name + "' is not supported" +
                              did_you_mean(name, names) + "; known are " + list_words(names));
}

}  // namespace

Value filtered(const std::string& name, const std::vector<Value>& arguments, const Context& context,
               std::size_t place) {
    return found_in(filters(), name, "filter", context, place)({arguments, context, place});
}

bool tested(const std::string& name, const std::vector<Value>& arguments, const Context& context, std::size_t place) {
    return found_in(tests(), name, "test", context, place)({arguments, context, place});
}

Value method(const std::string& name, const std::vector<Value>& arguments, const Context& context, std::size_t place) {
    return found_in(methods(), name, "method", context, place)({arguments, context, place});
}

}  // namespace tilewright::jinja
