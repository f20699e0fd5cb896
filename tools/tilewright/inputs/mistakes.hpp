// All mistakes that a reader can go on after, not only the first.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "yaml/node.hpp"

namespace tilewright::cli {

/// What `read` finds wrong with `root`. It is read again without each value or key that was refused, as long as it is
/// such a place that is refused next: what is wrong only between several values, or because one is gone, is said once
/// the rest is mended. At most `most` mistakes.
std::vector<InputError> mistakes_in(yaml::Node root, const std::function<void(const yaml::Node&)>& read, int most = 20);

// What was meant by the name of a machine or a network that the zoo does not have: a file, or another option or verb.

/// The option or the verb that was meant, in a sentence, for a name that the zoo of machines does not have: `mine`
/// where a file mine.yaml is, `resnet18`, `arch5`. "" where nothing suggests itself.
std::string meant_for_arch(const std::string& name);

/// The same for a machine of several cores.
std::string meant_for_arch_of_cores(const std::string& name);

/// The same for a word among the files, which is no file.
std::string meant_for_file(const std::string& name);

/// The same for networks.
std::string meant_for_net(const std::string& name);

}  // namespace tilewright::cli
