// Components as Timeloop's attributes and tables. Internal to write_machine.cpp.
// Sparse sections of a machine's files, in the parts placed by the machine writer. Internal to write_machine.cpp.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "arch/architecture.hpp"
#include "timeloop/write/write_machine.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// Keys and values as written.
using Fields = std::vector<std::pair<std::string, std::string>>;

/// "{depth: 16384, width: 64}"
std::string fields_text(const Fields& fields);

/// One component: its attributes, and its entries in the energy tables.
struct ComponentText {
    std::string name;
    std::string component_class;
    Fields beside;  ///< subclass, energy_scale, ...
    Fields attributes;
    std::string energies;  ///< an entry of the ERT, or ""
    std::string areas;     ///< an entry of the ART, or ""
};

/// Without its mesh. `priced`: further ERT entries beside those of dense accesses. Throws InputError(unsupported) for
/// properties without an attribute.
ComponentText component_text(const Memory& memory, MachineForm form, const std::vector<std::string>& priced = {});
ComponentText component_text(const Compute& compute, MachineForm form, const std::vector<std::string>& priced = {});
/// A network of its own; `name` is the link's.
ComponentText network_text(const Link& link);

/// Subclass of components with a class without parts, hence free; the file must define it.
inline constexpr const char* kClassWithoutParts = "without_parts";

[[noreturn]] void refuse_to_write(const std::string& component, const std::string& what);

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
