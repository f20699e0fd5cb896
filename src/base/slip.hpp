// Names that may be slips of others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Whether `name` is no more than two letters away from one of `known` (case, '-' and '_' aside), and a third of its
/// letters: somebody may have meant that one.
bool may_be_slip(std::string_view name, const std::vector<std::string>& known);

}  // namespace tilewright
