// Values of AccelForge's expressions: numbers, texts, sets of tensors or rank variables, lists, things with named parts
// (a component, an action), functions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilewright::accelforge {

/// Universe of sets: all tensors, or all rank variables, of one einsum. Complements are relative to it.
struct Universe {
    std::vector<std::string> names;
    std::vector<double> bits;  ///< of a value of each tensor; empty: rank variables
    std::shared_ptr<const Universe> variables;
    std::vector<std::uint64_t> variables_of;  ///< by tensor: members of `variables`

    std::uint64_t all() const { return names.size() >= 64 ? ~0ULL : (1ULL << names.size()) - 1; }
};

struct SetValue {
    std::shared_ptr<const Universe> universe;
    std::uint64_t members = 0;

    int size() const { return __builtin_popcountll(members); }
    bool has(int member) const { return (members >> member & 1U) != 0; }
};

struct Value;
using ListValue = std::shared_ptr<const std::vector<Value>>;
using RecordValue = std::shared_ptr<const std::map<std::string, Value, std::less<>>>;

/// A function by its name, or a machine's own one. Empty result: it does not take these values.
struct FunctionValue {
    std::string name;
    std::function<std::optional<Value>(const std::vector<Value>&)> own = {};
};

struct Value {
    std::variant<double, bool, std::string, SetValue, ListValue, RecordValue, FunctionValue> data;

    bool is_number() const { return std::holds_alternative<double>(data) || std::holds_alternative<bool>(data); }
    double number() const;  ///< requires is_number(); true counts as 1
    const SetValue* set() const { return std::get_if<SetValue>(&data); }
    const std::vector<Value>* list() const;
};

/// "a number", "a set": for messages.
std::string kind_of(const Value& value);

/// Names with values; missing ones are looked up in `outer`.
struct Names {
    std::map<std::string, Value, std::less<>> own;
    const Names* outer = nullptr;
    /// Values computed when asked for; nullptr: there is none.
    std::function<const Value*(std::string_view)> deferred = {};

    const Value* find(std::string_view name) const;
    std::vector<std::string> all() const;  ///< for suggestions
};

}  // namespace tilewright::accelforge
