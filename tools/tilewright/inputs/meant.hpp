// What was meant by the name of a machine or a network that the zoo does not have: a file, or another option or verb.
#pragma once

#include <string>

namespace tilewright::cli {

/// Throws InputError(usage) with the option or the verb that was meant, for a name that the zoo of machines does not
/// have: `mine` where a file mine.yaml is, `resnet18`, `arch5`. Returns where nothing suggests itself.
void suggest_for_arch(const std::string& verb, const std::string& name);

/// The same for a machine of several cores.
void suggest_for_arch_of_cores(const std::string& verb, const std::string& name);

/// The same for a word among the files: a file with an ending, or a machine of several cores.
void suggest_for_file(const std::string& verb, const std::string& name);

/// The same for networks.
void suggest_for_net(const std::string& verb, const std::string& name);

}  // namespace tilewright::cli
