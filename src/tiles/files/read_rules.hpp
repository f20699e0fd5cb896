// Rule files: YAML or JSON, one kernel a document (docs/tiles.md). Throw InputError at the place of what is wrong.
#pragma once

#include <map>
#include <string>
#include <vector>

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

// The values of a choice, and expressions of a rule file at their places. Internal to files/.

/// The names of a rule file and their slots.
struct Names {
    std::map<std::string, int> slots;
    std::vector<std::string> known;

    IntegerProgram compiled(const yaml::Node& node) const { return compiled(placed(node)); }
    IntegerProgram compiled(PlacedText text) const;
    RealProgram compiled_time(const yaml::Node& node) const;
    /// The text of a scalar, and where its first character stands.
    static PlacedText placed(const yaml::Node& node);
};

/// `node`: a list, `a..b [step s]`, `divisors of E`, `powers of two a..b` or `kernels of the machine`; rows of `width`.
Values read_values(const yaml::Node& node, std::size_t width, const Names& names);

}  // namespace tilewright::tiles
