// Machines by name: "eyeriss", "simba", ... The files of data/arch, embedded in the library, in Timeloop's hierarchical
// format: read_architecture and read_constraints apply.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.hpp"

namespace tilewright::timeloop {

struct ZooMachine {
    std::string name;
    std::string description;  ///< the first paragraph of its file
};

/// In alphabetical order.
std::vector<ZooMachine> zoo_machines();

/// Their names only.
std::vector<std::string> zoo_architectures();

/// The parsed file with places "data/arch/<name>.yaml:line". Throws InputError(unknown_name) with the nearest name.
yaml::Node zoo_architecture(std::string_view name);

/// The file's text, a template for one's own. Throws as zoo_architecture().
std::string zoo_file(std::string_view name);

/// True for the file name of places in the zoo (Location::file).
bool is_zoo_file(std::string_view file);

}  // namespace tilewright::timeloop
