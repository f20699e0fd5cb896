// PackageMachine: a package of cores with what the machines of its cores demand of mappings, ready to be planned on.
//
//     const PackageMachine machine = PackageMachine::read("quad-npu", {{"package.mesh", "[2, 1]"}});
//     const auto report = map_package({zoo_cascade("bert-base"), machine.package(), machine.constraints()}, objective);
//
// Immutable; threads may share one.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "package/package.hpp"
#include "report/report.hpp"
#include "run/map_network.hpp"

namespace tilewright {

/// What a kind's machine demands of an einsum's mappings, by memory of its architecture.
using ConstraintsOfKind = std::function<Constraints(int kind, const Einsum& einsum)>;

/// Attributes with their values as text.
using PackageSettings = std::vector<std::pair<std::string, std::string>>;

class PackageMachine {
   public:
    /// A package that comes with Tilewright, or a file (a name with '/' or that ends in .yaml), whose architectures may
    /// be files beside it. `settings` change values: "package.link.words_per_cycle", "package.dram.0.read" of the file,
    /// others ("buffer.depth") of the machines of all cores. Throws InputError at its place.
    static PackageMachine read(const std::string& name, const PackageSettings& settings = {});

    const package::Package& package() const { return package_; }
    ConstraintsOfKind constraints() const;
    /// What was read, for a report's provenance.
    const std::vector<report::Input>& inputs() const { return inputs_; }

   private:
    package::Package package_;
    std::vector<ConstraintsOf> constraints_;  // of machines, by kind; empty functions: none
    std::vector<Architecture> machines_;      // by kind
    std::vector<report::Input> inputs_;
};

}  // namespace tilewright
