// What a machine's files say about zeros, in the parts that a writer of machines places. Internal to write_machine.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "timeloop/write/component_text.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

struct SparseText {
    std::map<std::string, Fields> attributes;                  ///< by component
    std::map<std::string, std::vector<std::string>> energies;  ///< entries of its ERT, beside those of dense accesses
    std::string section;                                       ///< `sparse_optimizations`, or ""
};

/// `architecture` as read from `root`. Formats and optimisations are written as `root` says them, all in one section.
SparseText sparse_text(const yaml::Node& root, const Architecture& architecture);

/// What differs first between what two files of one machine do about zeros, in words, or "".
std::string sparse_difference(const yaml::Node& a, const yaml::Node& b, const Architecture& architecture);

}  // namespace tilewright::timeloop
