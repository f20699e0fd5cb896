// Possible misspellings of known names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Edit distance: letters changed, added, removed or swapped with a neighbour; ignoring case, and '-' for '_'.
std::size_t letters_apart(std::string_view a, std::string_view b);

/// Whether `name` is within two letters, and a third of its length, of one of `known` (ignoring case, '-' and '_').
bool may_be_slip(std::string_view name, const std::vector<std::string>& known);

}  // namespace tilewright
