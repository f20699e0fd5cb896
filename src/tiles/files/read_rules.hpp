// Rule files: YAML or JSON, one kernel a document (docs/tiles.md). Throw InputError at the place of what is wrong.
#pragma once

#include <string>

#include "tiles/rules/rules.hpp"
#include "yaml/node.hpp"

namespace tilewright::tiles {

inline constexpr std::size_t kMostChosen = 64;
inline constexpr std::size_t kMostRequirements = 256;

Rules read_rules(const yaml::Node& document);
Machine read_machine(const yaml::Node& document);

/// The document that read_machine() reads as this machine.
std::string machine_text(const Machine& machine, const std::string& source);

/// Numbers of `over` replace those of `base`; kernels and qualities, where `over` has any.
Machine merged(Machine base, const Machine& over);

}  // namespace tilewright::tiles
