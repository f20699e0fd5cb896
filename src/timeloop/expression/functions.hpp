// Functions of CiMLoop's slicing_encoding.py and of its machine of W. Wan et al. (Nature 2022), built in by name, and
// the names of all functions of expressions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "timeloop/expression/expression.hpp"

namespace tilewright::timeloop {

/// All names, for suggestions; a function is a value by its name, too.
const std::vector<std::string>& known_functions();
bool is_known_function(const std::string& name);

/// Of lists and histograms: `enumerate`, `range`, `list`, `sum_map`, encodings (`offset_encode_hist`), means of slices.
bool is_array_function(const std::string& name);
/// Empty: it does not take these values.
std::optional<Value> array_function(const std::string& name, const std::vector<Value>& arguments);

}  // namespace tilewright::timeloop
