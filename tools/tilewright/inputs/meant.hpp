// What was meant by the name of a machine or a network that the zoo does not have: a file, or another option or verb.
#pragma once

#include <string>

namespace tilewright::cli {

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
