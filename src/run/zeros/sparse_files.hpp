// SparseFiles: what Timeloop's files say about zeros, and the densities that were given in place of theirs.
//
//     SparseFiles zeros(timeloop::load({"arch.yaml", "problem.yaml"}));
//     zeros.give(read_given_densities(request, network, {}, {}, {}, notes));
//     const std::optional<sparse::Design> design = zeros.design(layer, architecture);
//
// Cheap to copy; threads may share one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "report/report.hpp"
#include "run/zeros/given_densities.hpp"
#include "sparse/design.hpp"
#include "timeloop/machine/constraint_names.hpp"
#include "workload/network.hpp"
#include "yaml/node.hpp"

namespace tilewright {

class SparseFiles {
   public:
    /// Nothing was said.
    SparseFiles() = default;
    /// `whole`: all files, merged, before anything about zeros is read over.
    explicit SparseFiles(yaml::Node whole) : whole_(std::move(whole)) {}

    /// Whether the machine does anything about zeros.
    bool acts() const;
    const yaml::Node& root() const { return whole_; }

    /// In place of what was read; the densities that were given stay.
    void replace(yaml::Node whole) { whole_ = std::move(whole); }
    /// A file with a `problem` of its own. False, without a change, where there is one already.
    bool add_problem(const yaml::Node& tree);
    void give(GivenDensities given) { given_ = std::move(given); }

    /// What the machine does about zeros in a layer; nothing where it does nothing. Throws InputError. `found`: where
    /// to add remarks on names.
    std::optional<sparse::Design> design(const Layer& layer, const Architecture& architecture,
                                         timeloop::VoidNamesByFile* found = nullptr) const;
    /// What the tensors of a layer are like, by tensor. Throws InputError.
    std::vector<sparse::Density> densities(const Layer& layer) const;
    /// Who says what the tensors of a layer are like, by tensor; "" where nothing does.
    std::vector<std::string> sources(const Layer& layer) const;

   private:
    yaml::Node whole_;
    GivenDensities given_;
};

/// What a reader of the costs of this design has to know: formats whose metadata costs nothing. Or "".
std::string note_about(const sparse::Design& design);

/// Says in a layer's result who said what its tensors are like.
void name_density_sources(const SparseFiles& files, const Network& network, report::LayerResult& result);

}  // namespace tilewright
