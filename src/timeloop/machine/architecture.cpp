#include "timeloop/machine/architecture.hpp"

#include "base/numbers/checked.hpp"
#include "timeloop/files/names.hpp"
#include "timeloop/machine/clock.hpp"
#include "timeloop/machine/component_attributes.hpp"
#include "timeloop/machine/machine.hpp"
#include "timeloop/machine/networks.hpp"
#include "timeloop/machine/part_costs.hpp"
#include "timeloop/machine/tables.hpp"

namespace tilewright::timeloop {
namespace {

// Beyond any built machine; keeps neighbour-by-neighbour counting below a second.
constexpr std::int64_t kMostNeighbours = 1 << 20;

// A number beyond 64 bits is an error of its component.
template <class Read>
auto located(const Component& component, const Read& read) {
    try {
        return read(component);
    } catch (const OverflowError&) {
        component.node.fail(ErrorCode::overflow, "'" + component.name + "': its numbers do not fit in 64 bits");
    }
}

void check_neighbour_count(const MachineFile& machine, const Architecture& architecture, int level,
                           const Component& inner) {
    const Mesh fanout = architecture.fanout(level);
    if (fanout.x <= kMostNeighbours && fanout.y <= kMostNeighbours / fanout.x) return;
    inner.node.fail(ErrorCode::unsupported, "'" + inner.name + "' has " + std::to_string(fanout.x) + " x " +
                                                std::to_string(fanout.y) + " instances below each of '" +
                                                machine.memories[level].name + "'; the most is " +
                                                std::to_string(kMostNeighbours));
}

// Estimator designs give the mesh of some components only. A component without one takes its inner neighbour's if both
// have equally many instances.
void align_meshes(const MachineFile& machine, Architecture& architecture) {
    for (int i = architecture.memory_count(); i-- > 0;) {
        Memory& memory = architecture.memories[i];
        const bool is_given = machine.memories[i].mesh || machine.memories[i].attributes.has({"meshX"}) ||
                              machine.memories[i].attributes.has({"meshY"});
        const Mesh& inner = architecture.mesh(i + 1);
        const bool divides = inner.x % memory.mesh.x == 0 && inner.y % memory.mesh.y == 0;
        if (!is_given && !divides && inner.size() == memory.instances) memory.mesh = inner;
    }
}

// Checks on pairs of levels, at the place of the inner one.
void check_neighbours(const MachineFile& machine, const Architecture& architecture) {
    for (int i = 0; i < architecture.memory_count(); ++i) {
        const Mesh& outer = architecture.mesh(i);
        const Mesh& inner = architecture.mesh(i + 1);
        const bool innermost = i + 1 == architecture.memory_count();
        const Component& component = innermost ? machine.compute : machine.memories[i + 1];
        if (inner.x % outer.x != 0 || inner.y % outer.y != 0)
            component.node.fail(ErrorCode::bad_value,
                                "the mesh of '" + component.name + "' (" + std::to_string(inner.x) + " x " +
                                    std::to_string(inner.y) + ") is not a multiple of the mesh of '" +
                                    machine.memories[i].name + "' around it (" + std::to_string(outer.x) + " x " +
                                    std::to_string(outer.y) + ")");
        check_neighbour_count(machine, architecture, i, component);
    }
}

// Often the row, not the user, makes a cluster.
std::string undivided(const Component& component, const Memory& memory) {
    const std::string instances =
        std::to_string(memory.instances) + (memory.instances == 1 ? " instance" : " instances");
    const std::string cluster = std::to_string(memory.cluster_size);
    if (component.attributes.has({"cluster_size"}))
        return instances + (memory.instances == 1 ? " does" : " do") + " not divide into clusters of " + cluster;
    const std::int64_t block_bits = checked_mul(memory.word_bits, memory.block_words);
    return "a row as wide as 'width' says is " + cluster + " blocks of " + std::to_string(block_bits) +
           " bits, a vector for each of " + cluster + " instances (cluster_size), and there " +
           (memory.instances == 1 ? "is " : "are ") + instances +
           ": give block_size: " + std::to_string(checked_mul(memory.block_words, memory.cluster_size)) +
           ", or a width of " + std::to_string(block_bits);
}

void check_memories(const MachineFile& machine, const Architecture& architecture) {
    const std::vector<std::string> names = names_of(architecture.memories);
    for (int i = 0; i < architecture.memory_count(); ++i) {
        const Memory& memory = architecture.memories[i];
        const Component& component = machine.memories[i];
        if (memory.instances % memory.cluster_size != 0)
            component.node.fail(ErrorCode::bad_value, "'" + memory.name + "': " + undivided(component, memory));
        if (!memory.power_gated_at || find_memory(architecture, *memory.power_gated_at) >= 0) continue;
        const yaml::Node* given = component.attributes.find({"power_gated_at"});
        (given == nullptr ? component.node : *given)
            .fail(ErrorCode::unknown_level, "'" + memory.name + "' is power-gated at '" + *memory.power_gated_at +
                                                "', which is not a memory" +
                                                did_you_mean(*memory.power_gated_at, names));
    }
}

}  // namespace

Architecture read_architecture(const yaml::Node& root) {
    const MachineFile machine = read_machine(root);
    Architecture architecture;
    architecture.name = machine.name.empty() ? "unnamed" : machine.name;
    if (static_cast<int>(machine.memories.size()) > kMaxMemories)
        machine.memories[kMaxMemories].node.fail(
            ErrorCode::unsupported, "more than " + std::to_string(kMaxMemories) + " memories are not supported");
    const Clock clock = clock_of(machine);
    for (const Component& memory : machine.memories)
        architecture.memories.push_back(
            located(memory, [&](const Component& one) { return memory_of(one, machine, clock); }));
    architecture.compute = located(machine.compute, [&](const Component& one) { return compute_of(one, machine); });
    architecture.technology = architecture.compute.geometry.technology;
    architecture.cycle_seconds = clock.cycle_seconds;
    architecture.clock_assumed = clock.assumed;
    align_meshes(machine, architecture);
    check_neighbours(machine, architecture);
    check_memories(machine, architecture);
    connect_networks(machine, architecture);
    apply_tables(machine, architecture);
    apply_parts(machine, architecture);
    if (const std::string problem = problem_with(architecture); !problem.empty())
        find_architecture(root)->fail(ErrorCode::bad_value, problem);
    return architecture;
}

}  // namespace tilewright::timeloop
