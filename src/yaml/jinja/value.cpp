#include "yaml/jinja/value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tilewright::jinja {
namespace {

constexpr int kMaxShown = 50;

std::string real_text(double number) {
    char buffer[64];
    const auto [end, problem] = std::to_chars(buffer, buffer + sizeof buffer, number);
    std::string text(buffer, problem == std::errc{} ? end : buffer);
    const bool whole = text.find_first_of(".eni") == std::string::npos;
    return whole ? text + ".0" : text;
}

std::string inner_text(const Value& value, int depth);

template <typename Items, typename Spell>
std::string joined(const Items& items, char open, char close, const Spell& spell) {
    constexpr std::size_t kEnough = 2U << 20U;
    std::string text(1, open);
    for (const auto& item : items) {
        if (text.size() > kEnough) break;
        text.append(text.size() > 1 ? ", " : "").append(spell(item));
    }
    return text + close;
}

std::string text_of(const Value& given, int depth) {
    if (depth > kMaxShown) return "...";
    const Value value = opened(given);
    if (value.is_none()) return "None";
    if (const bool* truth = value.truth()) return *truth ? "True" : "False";
    if (const std::int64_t* whole = value.whole()) return std::to_string(*whole);
    if (const double* real = value.real()) return real_text(*real);
    if (const std::string* text = value.text()) return *text;
    if (const List* list = value.list())
        return joined(*list, '[', ']', [&](const Value& item) { return inner_text(item, depth + 1); });
    if (const Dictionary* dictionary = value.dictionary())
        return joined(*dictionary, '{', '}',
                      [&](const auto& item) { return "'" + item.first + "': " + inner_text(item.second, depth + 1); });
    return "";
}

std::string inner_text(const Value& value, int depth) {
    const Value plain = opened(value);
    return plain.text() != nullptr ? "'" + *plain.text() + "'" : text_of(plain, depth);
}

Value from_scalar(const yaml::Node& node) { return node.is_quoted() ? Value(node.text()) : from_text(node.text()); }

}  // namespace

Value::Value(List list) {
    for (const Value& item : list) depth = std::max(depth, item.depth);
    ++depth;
    data = std::make_shared<const List>(std::move(list));
}

Value::Value(Dictionary dictionary) {
    for (const auto& [key, value] : dictionary) depth = std::max(depth, value.depth);
    ++depth;
    data = std::make_shared<const Dictionary>(std::move(dictionary));
}

const List* Value::list() const {
    const auto* found = std::get_if<std::shared_ptr<const List>>(&data);
    return found == nullptr ? nullptr : found->get();
}

const Dictionary* Value::dictionary() const {
    const auto* found = std::get_if<std::shared_ptr<const Dictionary>>(&data);
    return found == nullptr ? nullptr : found->get();
}

Value opened(const Value& value) {
    const yaml::Node* node = value.node();
    if (node == nullptr) return value;
    if (node->is_null()) return None{};
    if (node->is_scalar()) return from_scalar(*node);
    if (node->is_sequence()) {
        List items;
        for (const yaml::Node& item : node->items()) items.emplace_back(item);
        return items;
    }
    Dictionary entries;
    for (const yaml::Node::Entry& entry : node->entries()) entries.emplace_back(entry.key, entry.value);
    return entries;
}

bool is_true(const Value& given) {
    const Value value = opened(given);
    if (value.is_undefined() || value.is_none()) return false;
    if (const std::string* text = value.text()) return !text->empty();
    if (const List* list = value.list()) return !list->empty();
    if (const Dictionary* dictionary = value.dictionary()) return !dictionary->empty();
    return number(value) != 0.0;
}

double number(const Value& value) {
    if (const bool* truth = value.truth()) return *truth ? 1.0 : 0.0;
    if (const std::int64_t* whole = value.whole()) return static_cast<double>(*whole);
    return std::get<double>(value.data);
}

namespace {

bool same(const Value& left, const Value& right, std::int64_t& budget) {
    if (--budget < 0) throw InputError(ErrorCode::overflow, {}, "these values are too large to compare");
    const Value a = opened(left);
    const Value b = opened(right);
    const auto items = [&](const Value& x, const Value& y) { return same(x, y, budget); };
    const auto entries = [&](const auto& x, const auto& y) {
        return x.first == y.first && same(x.second, y.second, budget);
    };
    if (a.whole() != nullptr && b.whole() != nullptr) return *a.whole() == *b.whole();
    if (a.is_number() && b.is_number()) return number(a) == number(b);
    if (a.text() != nullptr && b.text() != nullptr) return *a.text() == *b.text();
    if (a.list() != nullptr && b.list() != nullptr)
        return std::equal(a.list()->begin(), a.list()->end(), b.list()->begin(), b.list()->end(), items);
    if (a.dictionary() != nullptr && b.dictionary() != nullptr)
        return std::equal(a.dictionary()->begin(), a.dictionary()->end(), b.dictionary()->begin(),
                          b.dictionary()->end(), entries);
    return (a.is_none() && b.is_none()) || (a.is_undefined() && b.is_undefined());
}

}  // namespace

bool equal(const Value& a, const Value& b) {
    std::int64_t budget = 1'000'000;
    return same(a, b, budget);
}

std::string to_text(const Value& value) { return text_of(value, 0); }

Value from_text(const std::string& text) {
    if (text == "True" || text == "true") return true;
    if (text == "False" || text == "false") return false;
    if (text == "None") return None{};
    const char* end = text.data() + text.size();
    std::int64_t whole = 0;
    const auto [stopped, problem] = std::from_chars(text.data(), end, whole);
    if (problem == std::errc{} && stopped == end && std::to_string(whole) == text) return whole;
    double real = 0.0;
    const auto [last, failed] = std::from_chars(text.data(), end, real);
    const bool is_real = failed == std::errc{} && last == end && std::isfinite(real) && real_text(real) == text;
    return is_real ? Value(real) : Value(text);
}

std::string kind_of(const Value& value) {
    const Value plain = opened(value);
    if (plain.is_undefined()) return "nothing ('" + std::get<Undefined>(plain.data).name + "' has no value)";
    if (plain.is_none()) return "None";
    if (plain.text() != nullptr) return "a text";
    if (plain.list() != nullptr) return "a list";
    if (plain.dictionary() != nullptr) return "a map";
    return plain.truth() != nullptr ? "a truth value" : "a number";
}

}  // namespace tilewright::jinja
