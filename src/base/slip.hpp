// Names that may be slips of others.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// How many letters to change, add, take away or swap with their neighbour to make one name of the other; case aside,
/// and '-' for '_'.
std::size_t letters_apart(std::string_view a, std::string_view b);

/// Whether `name` is no more than two letters away from one of `known` (case, '-' and '_' aside), and a third of its
/// letters: that one may have been meant.
bool may_be_slip(std::string_view name, const std::vector<std::string>& known);

}  // namespace tilewright
