// Lists written inside one scalar, as ZigZag's files have them: "I1, tl" and "K, 32".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.hpp"
#include "zigzag/values/layer.hpp"

namespace tilewright::zigzag {

/// The words between commas, without the blanks around them.
std::vector<std::string> words_of(std::string_view text);

/// The items of a sequence of scalars, or the words of one scalar. Throws InputError unless there are `count`; `form`
/// says in the message how it should look.
std::vector<std::string> words_of(const yaml::Node& node, std::size_t count, const std::string& form);

/// A whole number >= 1, else InputError at `node`.
std::int64_t positive_number(const std::string& text, const yaml::Node& node);

/// "I1", "I2" or "O", else InputError at `node`.
MemoryOperand memory_operand(const std::string& name, const yaml::Node& node);

/// "; did you mean 'OX'?", or "; there are OX and OY" when no name is near.
std::string known_names(std::string_view name, const std::vector<std::string>& known);

/// Upper case, as ZigZag compares names of dimensions.
std::string upper_case(std::string_view text);

}  // namespace tilewright::zigzag
