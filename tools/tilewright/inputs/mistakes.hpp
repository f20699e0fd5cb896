// All mistakes that a reader can go on after, not only the first.
#pragma once

#include <functional>
#include <vector>

#include "base/error.hpp"
#include "yaml/node.hpp"

namespace tilewright::cli {

/// What `read` finds wrong with `root`. It is read again without each value or key that was refused, as long as it is
/// such a place that is refused next: what is wrong only between several values, or because one is gone, is said once
/// the rest is mended. At most `most` mistakes.
std::vector<InputError> mistakes_in(yaml::Node root, const std::function<void(const yaml::Node&)>& read, int most = 20);

}  // namespace tilewright::cli
