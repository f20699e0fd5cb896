// Machine: an architecture with what its files say about mappings, ready to be mapped on.
//
//     const Machine machine = Machine::named("eyeriss");                     // or Machine::read({"arch.yaml"})
//     const NetworkAnswer answer = map_network(network_problem(zoo_network("resnet18"), machine));
//
// Immutable and cheap to copy; threads may share one.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "mapspace/constraints.hpp"
#include "report/report.hpp"
#include "run/map_network.hpp"
#include "run/mapping/layer_mapping.hpp"
#include "run/search_settings.hpp"
#include "workload/einsum.hpp"
#include "workload/network.hpp"

namespace tilewright {

class SparseFiles;
struct Device;
struct VectorUnit;
namespace silicon {
struct Silicon;
}

class Machine {
   public:
    /// A machine that comes with Tilewright: "eyeriss", "simba", ... Throws InputError(unknown_name), with the nearest.
    static Machine named(const std::string& name);
    /// Timeloop's YAML files (v0.2 to v0.4), or SCALE-Sim's *.cfg, merged: an architecture, and whatever else they
    /// hold. Energies and areas that they do not give are estimated. Throws InputError at the offending place; a
    /// section that is not known is one.
    static Machine read(const std::vector<std::filesystem::path>& files);
    /// The same of one text; `name` stands for the file in messages and in inputs(), and its folder is where includes
    /// start.
    static Machine parse(const std::string& text, const std::string& name = "<text>");

    /// The same machine with attributes changed, as if its files had been written so: {{"buffer.depth", "4096"}}
    /// (docs/explore.md). Throws InputError(unknown_name or unknown_key) with the nearest name.
    Machine with(const std::vector<std::pair<std::string, std::string>>& settings) const;
    /// The same machine, whose demands on dimensions and tensors that a layer lacks are void (`ignored`) or mistakes,
    /// whoever it is from. Else they are void of the machines that come with Tilewright.
    Machine with_unnamed(bool ignored) const;
    /// Throws what with() throws for names that the machine does not have; values are not looked at.
    void check_names(const std::vector<std::pair<std::string, std::string>>& settings) const;

    /// With all its energies (pJ) and areas (um2).
    const Architecture& architecture() const;
    /// What the files demand of mappings of a layer; throws InputError. Of the machines that come with Tilewright,
    /// demands on dimensions that a layer does not have are void.
    ConstraintsOf constraints() const;

    /// What the files say about zeros (run/zeros/sparse_files.hpp). Machines that do something about them are mapped
    /// and evaluated with it; all else here counts their layers as dense.
    const SparseFiles& zeros() const;
    /// For what counts dense layers only. Throws InputError where the machine does something about zeros, at the place
    /// where its files say so.
    void refuse_zeros() const;

    /// How the machine was built (docs/silicon.md); null: its files do not say. As long as the machine.
    const silicon::Silicon* silicon() const;

    /// What runs all but products; nothing where the files name none.
    std::optional<VectorUnit> vector_unit() const;
    /// What the files say of it as one of several.
    Device device() const;

    /// The layer that the files hold as `problem`. Throws InputError where there is none.
    Einsum problem() const;
    /// The mapping of a layer that the files hold as `mapping`, which need not be legal. Throws InputError.
    Mapping mapping(const Einsum& einsum) const;
    /// The mappings that the files hold as `mapping` (of a single layer) or `layers` (of a network), by index of the
    /// layer; none where they hold neither. Throws InputError.
    bool has_mappings() const;
    std::vector<LayerMapping> mappings(const Network& network) const;

    /// How to search, by what is asked for and else by what the files' `mapper` section says. Throws InputError.
    SearchSettings settled(const SearchWishes& wishes) const;

    /// What a user should know: what was estimated, and from where; what was read over.
    const std::vector<std::string>& notes() const;
    /// So many of them, the first ones, are about the files.
    std::size_t file_notes() const;
    /// Likewise of these layers: a vector unit that does nothing for them, and demands on dimensions or tensors that
    /// one of them does not have and that are void. Throws what constraints() does.
    std::vector<std::string> notes_about(const Network& network, bool uses_vector_unit = false) const;
    /// What was read, for a report's provenance: files with those that they include, a name, settings.
    const std::vector<report::Input>& inputs() const;

   private:
    struct Contents;
    explicit Machine(std::shared_ptr<const Contents> contents);

    std::shared_ptr<const Contents> contents_;
};

/// What is asked for when a layer, or a network, is to be mapped on a machine. Throws what Machine::constraints() and
/// Machine::refuse_zeros() do.
LayerProblem layer_problem(const Einsum& einsum, const Machine& machine);
NetworkProblem network_problem(const Network& network, const Machine& machine);

/// A mapping as YAML that Machine::read() and Timeloop read. Throws std::invalid_argument for an even mapping with two
/// loops of one dimension and kind at one memory.
std::string mapping_yaml(const Mapping& mapping, const Einsum& einsum, const Architecture& architecture);

}  // namespace tilewright
