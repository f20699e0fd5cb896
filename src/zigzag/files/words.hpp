// Lists inside one scalar, as in ZigZag's files: "I1, tl" and "K, 32".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.hpp"
#include "zigzag/values/layer.hpp"

namespace tilewright::zigzag {

/// The comma-separated words, trimmed.
std::vector<std::string> words_of(std::string_view text);

/// Items of a sequence of scalars, or words of one scalar. Throws InputError unless there are `count`; `form`: the
/// expected look, for the message.
std::vector<std::string> words_of(const yaml::Node& node, std::size_t count, const std::string& form);

/// An integer >= 1, else InputError at `node`.
std::int64_t positive_number(const std::string& text, const yaml::Node& node);

/// "I1", "I2" or "O", else InputError at `node`.
MemoryOperand memory_operand(const std::string& name, const yaml::Node& node);

/// "; did you mean 'OX'?", or "; there are OX and OY" without a near name.
std::string known_names(std::string_view name, const std::vector<std::string>& known);

/// Upper case, ZigZag's spelling in comparisons.
std::string upper_case(std::string_view text);

}  // namespace tilewright::zigzag
