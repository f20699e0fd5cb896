// Arithmetic in attribute values: the subset of Python in use with Timeloop's front end, e.g. `datawidth * 3`, `max(1,
// ceil(log2(depth)))`, `1 if depth > 8 else 0`, `len(spec.problem.instance)`, `buffer.attributes["width"]`; and with
// CiMLoop: `[1] * 15`, `sum(p * (1 - p) for p in bits)`, `spec.variables.get("A", 1)`, `column.get_fanout()`, functions
// as values and those of its slicing_encoding.py.
//
// Integers stay integers (overflow is an error); `/` and real-valued functions give reals.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "yaml/node.hpp"

namespace tilewright::timeloop {

struct Value;

/// A value with named parts: a component, its attributes, a map of the file.
struct Parts {
    std::function<std::optional<Value>(std::string_view name)> find;
    std::size_t size = 0;
};

/// A function by its name: `encode` in `f: magnitude_encode_hist`, `f(histogram)`.
struct Function {
    std::string name;
};

struct Value {
    std::variant<std::int64_t, double, std::string, std::vector<Value>, Parts, Function> data;

    bool is_whole() const { return std::holds_alternative<std::int64_t>(data); }
    bool is_number() const { return is_whole() || std::holds_alternative<double>(data); }
    bool is_text() const { return std::holds_alternative<std::string>(data); }
    double real() const;  ///< requires is_number()
};

/// "7", "0.5", "'text'", "a list": for messages.
std::string to_text(const Value& value);

/// The value of a name in an expression, if any. May throw InputError.
using NameLookup = std::function<std::optional<Value>(std::string_view name)>;

/// The value of `text`, written at `place`. Throws InputError there: bad_value for a malformed or uncomputable
/// expression, unknown_name (with the nearest of `known_names`), overflow.
Value evaluate_text(std::string_view text, const yaml::Node& place, const NameLookup& lookup,
                    const std::vector<std::string>& known_names = {});

/// The value of a YAML node: numbers, booleans and quoted text as they are, other text as an expression, lists and maps
/// by part.
Value evaluate_node(const yaml::Node& node, const NameLookup& lookup, const std::vector<std::string>& known_names = {});

/// Candidate names in the expressions of `node`: every word of every plain value below it.
std::vector<std::string> words_in(const yaml::Node& node);

// Functions of CiMLoop's slicing_encoding.py and of its machine of W. Wan et al. (Nature 2022), built in by name, and
// the names of all functions of expressions.

/// All names, for suggestions; a function is a value by its name, too.
const std::vector<std::string>& known_functions();
bool is_known_function(const std::string& name);

/// Of lists and histograms: `enumerate`, `range`, `list`, `sum_map`, encodings (`offset_encode_hist`), means of slices.
bool is_array_function(const std::string& name);
/// Empty: it does not take these values.
std::optional<Value> array_function(const std::string& name, const std::vector<Value>& arguments);

}  // namespace tilewright::timeloop
