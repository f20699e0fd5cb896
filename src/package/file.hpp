// Machine files with a section `package:`, and the zoo's.
//
//     package:
//       mesh: [4, 4]                                     # routers in x and y
//       chiplet: [2, 4]                                  # routers of a chiplet; left out: one chiplet
//       cores: {architecture: simba, at: all}            # or a list of {at: [x, y], architecture: NAME}
//       link:  {words_per_cycle: 8, energy: 0.6, latency: 1}
//       d2d:   {words_per_cycle: 4, energy: 5.0, latency: 8}
//       local: {words_per_cycle: 16}
//       dram:  [{at: [0, 0], words_per_cycle: 4, read: 100, write: 100}]
//       interleave: true
//
// `kinds` names kinds for `kind: NAME` in place of `architecture`: an architecture with `runs`, `excludes`, `leak`,
// `window`, or a simple core of `lanes`, `buffer_words`, `read`, `write`, `operation`. `at: all` is a snake through the
// mesh. Energies are pJ a word, latencies cycles.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "package/package.hpp"
#include "yaml/node.hpp"

namespace tilewright::package {

/// An architecture by its name or file, as `architecture:` has it.
using ArchitectureOf = std::function<Architecture(const std::string& name)>;

/// A core of this architecture: an outermost DRAM is left out, since the package has its own. Throws
/// InputError(unsupported) where the outermost memory then is no limited one of one instance.
CoreKind kind_of(const std::string& name, const Architecture& architecture);

/// Throws InputError at its place.
Package read_package(const yaml::Node& root, const ArchitectureOf& architecture_of);

struct ZooPackage {
    std::string name;
    std::string description;
};
std::vector<ZooPackage> zoo_packages();
/// Throws InputError(unknown_name).
std::string_view zoo_package_file(std::string_view name);
bool is_zoo_package(std::string_view name);

}  // namespace tilewright::package
