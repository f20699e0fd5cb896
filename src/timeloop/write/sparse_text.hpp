// Sparse sections of a machine's files, in the parts placed by the machine writer. Internal to write_machine.cpp.
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
    std::map<std::string, std::vector<std::string>> energies;  ///< further ERT entries, beside those of dense accesses
    std::string section;                                       ///< `sparse_optimizations`, or ""
};

/// `architecture` as read from `root`. Formats and optimisations are those of `root`, in one section.
SparseText sparse_text(const yaml::Node& root, const Architecture& architecture);

/// First difference between two files' sparse sections, in words, or "".
std::string sparse_difference(const yaml::Node& a, const yaml::Node& b, const Architecture& architecture);

}  // namespace tilewright::timeloop
