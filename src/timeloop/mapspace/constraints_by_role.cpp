// read_constraints: a file's constraints on an einsum, by common names, else by role (workload/layer_roles.hpp). A
// layer's name with another role in the einsum does not bind: N and K in Outputs[M,N] += Inputs[M,K] * Weights[K,N].
#include <algorithm>

#include "mapspace/roles/role_rules.hpp"
#include "timeloop/files/sections.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/machine/machine.hpp"
#include "timeloop/mapspace/constraint_rules.hpp"

namespace tilewright::timeloop {
namespace {

// T and Z, of three-dimensional layers, have no role.
bool is_part(const std::string& name) {
    return part_named(name) < std::ssize(kPartNames) || name == "T" || name == "Z";
}

bool is_operand(const std::string& name) { return std::ranges::find(kOperandNames, name) != kOperandNames.end(); }

VoidNames joined(const VoidNamesByFile& files) {
    VoidNames all;
    for (const auto& [file, names] : files) {
        all.dimensions.insert(names.dimensions.begin(), names.dimensions.end());
        all.tensors.insert(names.tensors.begin(), names.tensors.end());
    }
    return all;
}

void add(const VoidNamesByFile& some, VoidNamesByFile& all) {
    for (const auto& [file, names] : some) {
        all[file].dimensions.insert(names.dimensions.begin(), names.dimensions.end());
        all[file].tensors.insert(names.tensors.begin(), names.tensors.end());
        all[file].remarks.insert(names.remarks.begin(), names.remarks.end());
    }
}

// Whether the einsum has some absent name's role under another name.
bool plays(const Einsum& einsum, const LayerRoles& roles, const VoidNames& lacking) {
    for (std::size_t role = 0; role < kOperandNames.size(); ++role)
        if (lacking.tensors.contains(kOperandNames.at(role)) &&
            !roles.operands_of(TensorSet::of(static_cast<int>(role))).empty())
            return true;
    for (int d = 0; d < einsum.dimension_count(); ++d)
        if (lacking.dimensions.contains(kPartNames.at(static_cast<std::size_t>(roles.parts[d]))) &&
            !is_part(einsum.dimensions[d].name))
            return true;
    return false;
}

// Operands without a rule are kept where a layer keeps all operands; they bypass memories of some operands.
void place_further(const Constraints& of_layer, TensorSet further, Constraints& own) {
    const TensorSet all = TensorSet::all(static_cast<int>(kOperandNames.size()));
    for (std::size_t m = 0; m < own.levels.size(); ++m) {
        const LevelConstraint& layer = of_layer.levels[m];
        if (layer.must_keep.empty() && layer.must_bypass.empty()) continue;
        TensorSet& set = layer.must_keep == all ? own.levels[m].must_keep : own.levels[m].must_bypass;
        set = TensorSet::from_bits(set.bits() | further.bits());
    }
}

std::vector<std::int64_t> extents_of(const Einsum& einsum) {
    std::vector<std::int64_t> extents;
    for (const Dimension& dimension : einsum.dimensions) extents.push_back(dimension.extent);
    return extents;
}

class ByRole {
   public:
    ByRole(const yaml::Node& root, const Architecture& architecture, const Einsum& einsum)
        : root_(root), architecture_(architecture), einsum_(einsum), roles_(layer_roles(einsum)) {}

    // Whether the file speaks of layers, and the einsum fills the roles of absent names.
    bool applies(const VoidNamesByFile& lacking) const {
        return plays(einsum_, roles_, joined(lacking)) && speaks_of_layers(names_in_constraints(root_, architecture_));
    }

    // Names with a layer's role in the file and another in the einsum. None for files with a problem of their own.
    std::vector<std::string> misleading() const {
        std::vector<std::string> names = misleading_names(einsum_, roles_);
        if (names.empty() || (root_.has("problem") && !is_zoo_file(machine().where().file))) return {};
        const Einsum named = names_in_constraints(root_, architecture_);
        if (!speaks_of_layers(named)) return {};
        std::erase_if(names, [&](const std::string& name) {
            return find_dimension(named, name) < 0 && find_tensor(named, name) < 0;
        });
        return names;
    }

    // `because`: the end of the note.
    Constraints read(const std::string& file, const std::string& because, VoidNamesByFile& told) const {
        VoidNamesByFile void_names;  // T and Z
        const Einsum layer = layer_like(einsum_, roles_);
        const Constraints of_layer =
            constraints_by_name(root_, architecture_, ConstraintNames(layer, Unnamed::ignore, void_names));
        std::string problem;
        Constraints own = rules_by_role(of_layer, layer, einsum_, roles_, architecture_, problem);
        if (!problem.empty())
            machine().fail(ErrorCode::unsupported, "its demands of mappings do not fit '" + einsum_.name +
                                                       "': " + problem +
                                                       "; --unnamed ignore voids constraints on absent names");
        place_further(of_layer, roles_.further(), own);
        void_names[file].remarks.insert(remark_on_roles(file, roles_, einsum_, because));
        for (const auto& [place, names] : void_names)
            told[place].remarks.insert(names.remarks.begin(), names.remarks.end());
        return rules_on(own, extents_of(einsum_));
    }

    // A memory's bandwidth by tensor is known by name, or by role of the written tensor (arch/widths.hpp).
    void check_scales(VoidNamesByFile& told) const {
        for (const Memory& memory : architecture_.memories)
            for (const auto& [name, scale] : memory.bandwidth_scale) {
                const auto role = std::ranges::find(kOperandNames, name) - kOperandNames.begin();
                if (find_tensor(einsum_, name) >= 0 || role == static_cast<int>(OperandRole::outputs)) continue;
                if (role == std::ssize(kOperandNames)) {
                    told[machine().where().file].tensors.insert(name);
                } else if (!roles_.operands_of(TensorSet::of(static_cast<int>(role))).empty()) {
                    machine().fail(ErrorCode::unknown_tensor, "'" + memory.name + "' scales the bandwidth of '" + name +
                                                                  "', and '" + einsum_.name +
                                                                  "' has another name for it: give it this one "
                                                                  "(--rename OLD=" +
                                                                  name + ")");
                }
            }
    }

    // Buffers are known by name, or by role; tiles by the dimension's name.
    void check_tiles(VoidNamesByFile& told) const {
        for (const Memory& memory : architecture_.memories) {
            for (const auto& [name, count] : memory.buffers)
                if (find_tensor(einsum_, name) < 0 && std::ranges::find(kOperandNames, name) == kOperandNames.end())
                    told[machine().where().file].tensors.insert(name);
            for (const auto& [name, rule] : memory.tile)
                if (find_dimension(einsum_, name) < 0) told[machine().where().file].dimensions.insert(name);
        }
    }

    // Despite the einsum having these names.
    Constraints read_against(const std::vector<std::string>& names, VoidNamesByFile& told) const {
        const std::string because = list_words(names) + (names.size() == 1 ? " is" : " are") +
                                    " something else in layers; --unnamed ignore holds to names";
        return read(machine().where().file, because, told);
    }

   private:
    static bool speaks_of_layers(const Einsum& named) {
        return std::ranges::all_of(named.dimensions, [](const Dimension& one) { return is_part(one.name); }) &&
               std::ranges::all_of(named.tensors, [](const Tensor& one) { return is_operand(one.name); });
    }

    const yaml::Node& machine() const {
        const yaml::Node* architecture = find_architecture(root_);
        return architecture == nullptr ? root_ : *architecture;
    }

    const yaml::Node& root_;
    const Architecture& architecture_;
    const Einsum& einsum_;
    LayerRoles roles_;
};

// As far as the file is readable with void names.
void find_lacking(const yaml::Node& root, const Architecture& architecture, const Einsum& einsum,
                  VoidNamesByFile& lacking) {
    try {
        static_cast<void>(constraints_by_name(root, architecture, ConstraintNames(einsum, Unnamed::ignore, lacking)));
    } catch (const InputError&) {
        return;  // reported by its reader
    }
}

}  // namespace

Constraints read_constraints(const yaml::Node& root, const Architecture& architecture, const Einsum& einsum,
                             Unnamed unnamed, VoidNamesByFile* found) {
    VoidNamesByFile nobody_asks;
    VoidNamesByFile& told = found == nullptr ? nobody_asks : *found;
    const ByRole by_role(root, architecture, einsum);
    by_role.check_scales(told);
    by_role.check_tiles(told);
    if (unnamed == Unnamed::ignore_in_zoo)
        if (const std::vector<std::string> names = by_role.misleading(); !names.empty())
            return by_role.read_against(names, told);
    VoidNamesByFile lacking;
    try {
        Constraints named = constraints_by_name(root, architecture, ConstraintNames(einsum, unnamed, lacking));
        if (unnamed != Unnamed::ignore_in_zoo || !by_role.applies(lacking)) {
            add(lacking, told);
            return named;
        }
    } catch (const InputError&) {  // a name, or a branch keeping an unnamed tensor
        if (unnamed != Unnamed::ignore_in_zoo) throw;
        find_lacking(root, architecture, einsum, lacking);
        if (!by_role.applies(lacking)) throw;
    }
    return by_role.read(lacking.begin()->first, kRenameDecides, told);
}

}  // namespace tilewright::timeloop
