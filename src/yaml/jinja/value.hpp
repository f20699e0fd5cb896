// Values of Jinja expressions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "yaml/node.hpp"

namespace tilewright::jinja {

struct Value;
using List = std::vector<Value>;
using Dictionary = std::vector<std::pair<std::string, Value>>;  ///< in order

/// A name without a value: false, recognised by "defined", an error when printed.
struct Undefined {
    std::string name;
};
struct None {};

/// A value. A node is part of an included YAML file; it keeps its place there. Cheap to copy.
struct Value {
    std::variant<Undefined, None, bool, std::int64_t, double, std::string, std::shared_ptr<const List>,
                 std::shared_ptr<const Dictionary>, yaml::Node>
        data;
    int depth = 0;  ///< nesting of lists and maps; 0 for plain values

    Value() = default;
    Value(Undefined undefined) : data(std::move(undefined)) {}
    Value(None none) : data(none) {}
    Value(bool truth) : data(truth) {}
    Value(std::int64_t number) : data(number) {}
    Value(double number) : data(number) {}
    Value(std::string text) : data(std::move(text)) {}
    Value(const char* text) : data(std::string(text)) {}
    Value(List list);
    Value(Dictionary dictionary);
    Value(yaml::Node node) : data(std::move(node)) {}

    bool is_undefined() const { return std::holds_alternative<Undefined>(data); }
    bool is_none() const { return std::holds_alternative<None>(data); }
    const bool* truth() const { return std::get_if<bool>(&data); }
    const std::int64_t* whole() const { return std::get_if<std::int64_t>(&data); }
    const double* real() const { return std::get_if<double>(&data); }
    const std::string* text() const { return std::get_if<std::string>(&data); }
    const List* list() const;
    const Dictionary* dictionary() const;
    const yaml::Node* node() const { return std::get_if<yaml::Node>(&data); }
    bool is_number() const { return whole() != nullptr || real() != nullptr || truth() != nullptr; }
};

/// A node as one of the other kinds (lists and maps one level deep); other values as they are.
Value opened(const Value& value);

/// Python's truth: empty texts, lists and maps, 0, None and undefined values are false.
bool is_true(const Value& value);

/// Requires is_number(); true counts as 1.
double number(const Value& value);

/// Throws InputError (overflow, without a place) for values too large to compare.
bool equal(const Value& a, const Value& b);

/// As printed by Jinja: True, 4, 0.5, text without quotes, ['a', 1], {'k': 2}. "" if undefined. Texts of more than some
/// MiB are cut short.
std::string to_text(const Value& value);

/// The number or truth value spelled by `text`, else the text: for command-line values.
Value from_text(const std::string& text);

/// "a text", "a list": for messages.
std::string kind_of(const Value& value);

}  // namespace tilewright::jinja
