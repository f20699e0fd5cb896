#include "timeloop/machine/part_costs.hpp"

#include "arch/estimation/technology.hpp"
#include "cim/component.hpp"
#include "timeloop/components/component_classes.hpp"
#include "timeloop/machine/component_attributes.hpp"
#include "timeloop/machine/passing.hpp"
#include "timeloop/machine/tables.hpp"

namespace tilewright::timeloop {
namespace {

void note(const Component& component, const Uncounted& uncounted, bool strict, Notes& notes) {
    const std::string what = "'" + component.name + "': " + uncounted.what;
    if (strict)
        uncounted.place.fail(ErrorCode::unsupported,
                             what + ": no table here knows it, and without --strict it is not counted");
    const Location where = uncounted.place.where();
    notes.add("energy and area lack the parts without a table", what, where.file + ":" + std::to_string(where.line));
}

bool has_energy(const Component& component, const MachineFile& machine) {
    return find_table(machine.root, "ERT", component.name) != nullptr ||
           component.attributes.has({"vector_access_energy"}) || component.attributes.has({"energy"});
}

// An unknown class counts as an SRAM or an integer unit.
void note_class(const Component& component, const MachineFile& machine, bool strict, Notes& notes) {
    const std::string& name = component.subclass;
    const bool generic = role_of(name) == Role::memory || role_of(name) == Role::compute;
    if (name.empty() || generic || block_of(name) != PartKind::unknown || find_compound(machine.root, name) ||
        cim::is_array_component(name))
        return;
    note(component, {component.node, "class '" + name + "', which no file defines"}, strict, notes);
}

const std::string kAllParts = std::string(kPartsSource) + "all of them";

constexpr double kUsualTechnologyNm = 45.0;  // as of components without parts

std::vector<EstimatedPart> estimated(const std::vector<Part>& parts, const std::string& technology,
                                     const SramShape& own_shape) {
    std::vector<EstimatedPart> found;
    for (const Part& part : parts) {
        const std::string& own = part.geometry.technology.empty() ? technology : part.geometry.technology;
        found.push_back({&part, estimate_part(part, own_shape, technology_nm(own).value_or(kUsualTechnologyNm))});
    }
    return found;
}

SramShape shape_of(const Memory& memory) {
    const Geometry& geometry = memory.geometry;
    return {kUsualTechnologyNm, static_cast<double>(geometry.depth), static_cast<double>(geometry.width_bits),
            static_cast<double>(geometry.banks), static_cast<double>(geometry.ports)};
}

void set_estimate(Sourced& number, double value, const std::string& source) {
    if (number.source.empty()) number = {value, source};
}

void note_component(const Component& component, const MachineFile& machine, bool strict, Notes& notes) {
    if (component.spreads_only || has_energy(component, machine)) return;
    note_class(component, machine, strict, notes);
    const CompoundParts found = parts_of(component, machine);
    for (const Uncounted& uncounted : found.uncounted) note(component, uncounted, strict, notes);
    for (const yaml::Node& action : found.unused_actions)
        notes.add("actions of compound components that nothing here uses", "'" + action.text() + "'",
                  action.where().file + ":" + std::to_string(action.where().line));
    for (const EstimatedPart& one : estimated(found.parts, technology_of(component.attributes, machine), {}))
        for (const std::string& about : one.estimate.notes)
            notes.add("'" + component.name + "', " + one.part->name + ": " + about);
}

void apply_parts(const Component& component, const MachineFile& machine, double cycle_ns, Compute& compute) {
    if (has_energy(component, machine)) return;
    const std::vector<Part> parts = parts_of(component, machine).parts;
    if (parts.empty()) return;
    const Geometry& geometry = compute.geometry;
    SramShape word;
    word.width_bits = static_cast<double>(compute.word_bits);
    const std::vector<EstimatedPart> all = estimated(parts, geometry.technology, word);
    const Sourced energy = energy_of_parts(all, &Part::read, geometry.energy_scale);
    set_estimate(compute.energy_pj, energy.value, kPartsSource + energy.source);
    set_estimate(compute.leak_pj_per_cycle, leak_mw_of_parts(all) * geometry.energy_scale * cycle_ns, kAllParts);
    set_estimate(compute.area_um2, area_of_parts(all) * geometry.area_scale, kAllParts);
}

}  // namespace

void apply_parts(const Component& component, const MachineFile& machine, double cycle_ns, Memory& memory) {
    if (has_energy(component, machine)) return;
    const std::vector<Part> parts = parts_of(component, machine).parts;
    if (parts.empty()) return;
    const Geometry& geometry = memory.geometry;
    const std::vector<EstimatedPart> all = estimated(parts, geometry.technology, shape_of(memory));
    const auto set = [&](Sourced& number, PartUse Part::* action) {
        const Sourced sum = energy_of_parts(all, action, geometry.energy_scale);
        set_estimate(number, sum.value, kPartsSource + sum.source);
    };
    set(memory.energy.read_pj, &Part::read);
    set(memory.energy.fill_pj, &Part::fill);
    set(memory.energy.update_pj, &Part::update);
    const auto sharers = static_cast<double>(memory.cluster_size);
    set_estimate(memory.energy.leak_pj_per_cycle, leak_mw_of_parts(all) * geometry.energy_scale * cycle_ns / sharers,
                 kAllParts);
    set_estimate(memory.area_um2, area_of_parts(all) * geometry.area_scale / sharers, kAllParts);
}

void apply_parts(const MachineFile& machine, Architecture& architecture) {
    const double cycle_ns = architecture.cycle_seconds * 1e9;
    for (int i = 0; i < architecture.memory_count(); ++i)
        if (!architecture.memories[i].spreads_only && !machine.memories[i].latch)
            apply_parts(machine.memories[i], machine, cycle_ns, architecture.memories[i]);
    apply_parts(machine.compute, machine, cycle_ns, architecture.compute);
}

void note_uncounted(const yaml::Node& root, bool strict, Notes& notes) {
    if (find_architecture(root) == nullptr) return;
    std::optional<MachineFile> machine;
    try {
        machine = read_machine(root, Sparsity::read);
    } catch (const InputError&) {
        return;
    }
    for (const Component& memory : machine->memories) note_component(memory, *machine, strict, notes);
    note_component(machine->compute, *machine, strict, notes);
    if (!machine->memories.empty() && machine->memories.front().name == kOutside)
        notes.add("tensors that no memory keeps are held outside for free");
    for (const PassingComponent& one : machine->passing) {
        note_component(one.component, *machine, strict, notes);
        if (one.component.attributes.has({"read_bandwidth"}))
            notes.add("components that hold nothing have no bandwidth here", "'" + one.component.name + "'", "");
    }
    for (const Component& network : machine->networks)
        if (find_compound(machine->root, class_name(network)) && !find_table(machine->root, "ERT", network.name))
            note(network, {network.node, "its class '" + class_name(network) + "', a network of parts"}, strict, notes);
}

}  // namespace tilewright::timeloop
