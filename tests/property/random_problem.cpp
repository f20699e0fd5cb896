#include "random_problem.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "base/numbers/random.hpp"
#include "model/objective.hpp"
#include "random_einsum.hpp"

namespace tilewright::property {
namespace {

std::size_t pick(Random& random, std::size_t count) { return static_cast<std::size_t>(random.below(count)); }

Sourced energy(Random& random) { return {static_cast<double>(random.between(0, 400)) / 8.0, "random"}; }

/// Which costs a machine has at all: few machines have all of them.
struct Traits {
    bool blocks;
    bool leaks;
    bool wires;
    bool bandwidths;
    bool clusters;
};

Mesh random_mesh(Random& random) {
    constexpr std::array<Mesh, 7> meshes{{{2, 1}, {1, 2}, {2, 2}, {3, 1}, {4, 1}, {4, 2}, {1, 3}}};
    return meshes[pick(random, meshes.size())];
}

void set_meshes(const std::vector<Mesh>& fanouts, Architecture& architecture) {
    Mesh mesh;
    for (std::size_t m = 0; m < fanouts.size(); ++m) {
        architecture.memories[m].mesh = mesh;
        architecture.memories[m].instances = mesh.size();
        mesh = {mesh.x * fanouts[m].x, mesh.y * fanouts[m].y};
    }
    architecture.compute.mesh = mesh;
    architecture.compute.instances = mesh.size();
}

void choose_meshes(Random& random, Architecture& architecture) {
    std::vector<Mesh> fanouts(architecture.memories.size());
    for (std::int64_t left = random.between(0, 2); left > 0; --left)
        fanouts[pick(random, fanouts.size())] = random_mesh(random);
    set_meshes(fanouts, architecture);
}

void choose_costs(Random& random, const Traits& traits, const Einsum& einsum, Memory& memory) {
    memory.energy = {energy(random), energy(random), energy(random), traits.leaks ? energy(random) : Sourced{}};
    if (traits.blocks) memory.block_words = random.chance(0.3) ? 3 : std::int64_t{1} << random.below(4);
    if (traits.clusters && memory.instances % 2 == 0 && random.chance(0.5)) memory.cluster_size = 2;
    if (random.chance(0.1)) memory.address_energy_pj = energy(random).value;
    if (traits.wires) memory.link.energy_per_hop_pj = energy(random).value;
    memory.reduces = random.chance(0.7);
    if (!traits.bandwidths) return;
    const auto bandwidth = [&]() -> std::optional<double> {
        if (random.chance(0.5)) return std::nullopt;
        return static_cast<double>(random.between(1, 24)) / 4.0;
    };
    memory.read_words_per_cycle = bandwidth();
    memory.write_words_per_cycle = bandwidth();
    memory.shared_words_per_cycle = bandwidth();
    if (random.chance(0.2)) memory.bandwidth_scale[einsum.tensors[pick(random, einsum.tensors.size())].name] = 0.5;
}

Architecture random_machine(Random& random, const Einsum& einsum) {
    Architecture architecture;
    architecture.name = "random";
    const std::int64_t memories = random.between(2, random.chance(0.3) ? 5 : 3);
    for (std::int64_t m = 0; m < memories; ++m) {
        Memory memory;
        memory.name = "M" + std::to_string(m);
        if (m > 0) memory.spreads_only = random.chance(0.1);
        if (m > 0 && !memory.spreads_only && random.chance(0.8)) memory.capacity_words = random.between(2, 60);
        if (memory.capacity_words && random.chance(0.1)) memory.multiple_buffering = 2.0;
        if (memory.capacity_words && random.chance(0.05)) memory.min_utilization = 0.25;
        architecture.memories.push_back(std::move(memory));
    }
    choose_meshes(random, architecture);
    const Traits traits{random.chance(0.5), random.chance(0.3), random.chance(0.3), random.chance(0.5),
                        random.chance(0.3)};
    for (Memory& memory : architecture.memories) choose_costs(random, traits, einsum, memory);
    architecture.compute.energy_pj = energy(random);
    if (traits.leaks) architecture.compute.leak_pj_per_cycle = energy(random);
    return architecture;
}

void constrain_loops(Random& random, const Einsum& einsum, bool spatial, LoopConstraint& loops) {
    if (random.chance(0.4)) {
        loops.factors.resize(einsum.dimensions.size());
        FactorConstraint& factor = loops.factors[pick(random, loops.factors.size())];
        switch (random.below(3)) {
            case 0: factor.exactly = random.between(1, 2); break;
            case 1: factor.at_most = random.between(1, 3); break;
            default: factor.at_least = 2;
        }
    }
    if (random.chance(0.4)) {
        const int first = static_cast<int>(pick(random, einsum.dimensions.size()));
        const int last = static_cast<int>(pick(random, einsum.dimensions.size()));
        loops.inner.push_back(first);
        if (!spatial && last != first) loops.outer.push_back(last);
    }
}

Constraints random_constraints(Random& random, const Einsum& einsum, const Architecture& architecture) {
    Constraints constraints;
    constraints.levels.resize(architecture.memories.size());
    for (std::size_t l = 0; l < constraints.levels.size(); ++l) {
        LevelConstraint& level = constraints.levels[l];
        for (int t = 0; t < einsum.tensor_count(); ++t) {
            if (architecture.memories[l].spreads_only || random.chance(0.3)) continue;
            (random.chance(0.7) ? level.must_keep : level.must_bypass).add(t);
        }
        if (random.chance(0.3)) constrain_loops(random, einsum, false, level.temporal);
        if (random.chance(0.2)) constrain_loops(random, einsum, true, level.spatial);
    }
    if (random.chance(0.1)) constraints.min_parallelism = 0.5;
    return constraints;
}

// Narrower and wider than a word of the memories, than a row of them, and neither a divisor nor a multiple.
void choose_widths(Random& random, Einsum& einsum) {
    constexpr std::array<std::int64_t, 8> widths{0, 3, 4, 8, 12, 24, 32, 80};
    for (Tensor& tensor : einsum.tensors) tensor.bits = widths[pick(random, widths.size())];
}

Objective random_objective(Random& random) {
    switch (random.below(5)) {
        case 0: return {ObjectiveKind::energy};
        case 1: return {ObjectiveKind::latency};
        case 2: return {ObjectiveKind::weighted, 1.0, 2.0};
        default: return {ObjectiveKind::edp};
    }
}

}  // namespace

Problem random_problem(std::uint64_t seed, std::int64_t operations) {
    Random random(seed);
    Problem problem;
    problem.einsum = random_einsum(random, operations);
    do problem.architecture = random_machine(random, problem.einsum);
    while (!problem_with(problem.architecture).empty());
    problem.constraints = random_constraints(random, problem.einsum, problem.architecture);
    problem.objective = random_objective(random);
    if (random.chance(0.3)) choose_widths(random, problem.einsum);
    if (random.chance(0.1))
        for (LevelConstraint& level : problem.constraints.levels) level.spatial.one_axis = true;
    return problem;
}

void make_wires_cost(std::uint64_t seed, Architecture& architecture) {
    Random random(seed);
    for (Memory& memory : architecture.memories)
        memory.link.energy_per_hop_pj = static_cast<double>(random.between(1, 400)) / 8.0;
}

void add_passages(std::uint64_t seed, const Einsum& einsum, Architecture& architecture) {
    Random random(seed);
    for (Memory& memory : architecture.memories)
        for (const Tensor& tensor : einsum.tensors)
            for (int more = random.chance(0.5) ? 1 : 0; more > 0; more = random.chance(0.2) ? 1 : 0)
                memory.link.passages.push_back({"passage",
                                                tensor.name,
                                                {static_cast<double>(random.between(0, 80)) / 8.0, ""},
                                                static_cast<double>(random.between(1, 8))});
}

void add_rooms(std::uint64_t seed, const Einsum& einsum, Architecture& architecture) {
    Random random(seed);
    for (Memory& memory : architecture.memories) {
        for (const Dimension& dimension : einsum.dimensions) {
            if (!random.chance(0.07)) continue;
            TileRule& rule = memory.tile[dimension.name];
            rule.multiple_of = random.between(1, 3);
            if (random.chance(0.3)) rule.at_least = random.between(1, 4);
            if (random.chance(0.5)) rule.at_most = std::max(rule.at_least, rule.multiple_of) * random.between(1, 3);
        }
        if (!memory.capacity_words) continue;
        if (random.chance(0.4)) memory.alignment_words = random.between(2, 8);
        for (const Tensor& tensor : einsum.tensors)
            if (random.chance(0.3)) memory.buffers[tensor.name] = random.between(2, 3);
        if (random.chance(0.4)) memory.reserved_words = random.between(1, 6);
        memory.multiple_buffering = 1.0;
        memory.min_utilization = 0.0;
        *memory.capacity_words = *memory.capacity_words * 2 + memory.reserved_words;
    }
}

void add_stalls(std::uint64_t seed, Architecture& architecture) {
    Random random(seed);
    if (random.chance(0.5)) return;
    Memory& memory = architecture.memories[pick(random, architecture.memories.size())];
    memory.write_stall_cycles = static_cast<double>(random.between(1, 24)) / 8.0;
}

void make_free(std::uint64_t seed, Problem& problem) {
    Random random(seed);
    std::vector<Memory>& memories = problem.architecture.memories;
    const std::size_t between = 1 + pick(random, memories.size());
    Memory spreader;
    spreader.name = "S";
    spreader.spreads_only = true;
    memories.insert(memories.begin() + static_cast<std::ptrdiff_t>(between), std::move(spreader));
    std::vector<Mesh> fanouts(memories.size());
    if (random.chance(0.3)) fanouts[pick(random, fanouts.size())] = random_mesh(random);
    fanouts[between - 1] = random_mesh(random);
    fanouts[between] = random_mesh(random);
    set_meshes(fanouts, problem.architecture);
    problem.constraints = {};
    problem.constraints.levels.resize(memories.size());
    if (random.chance(0.5))
        problem.constraints.levels.front().must_keep = TensorSet::all(problem.einsum.tensor_count());
    for (std::size_t l = 0; l < memories.size(); ++l) {
        if (!memories[l].spreads_only || random.chance(0.2)) continue;
        problem.constraints.levels[l].temporal.factors.resize(problem.einsum.dimensions.size());
        for (FactorConstraint& factor : problem.constraints.levels[l].temporal.factors) factor.exactly = 1;
    }
}

std::string to_text(const Problem& problem) {
    std::ostringstream out;
    out << to_text(problem.einsum) << "\n ";
    for (const Dimension& d : problem.einsum.dimensions) out << ' ' << d.name << '=' << d.extent;
    for (const Tensor& tensor : problem.einsum.tensors)
        if (tensor.bits > 0) out << ' ' << tensor.name << " of " << tensor.bits << " bits";
    out << "\n  objective " << objective_name(problem.objective.kind) << '\n';
    for (std::size_t m = 0; m < problem.architecture.memories.size(); ++m) {
        const Memory& memory = problem.architecture.memories[m];
        out << "  " << memory.name << ' ' << memory.mesh.x << 'x' << memory.mesh.y
            << (memory.spreads_only ? " spreads only" : "");
        if (memory.capacity_words) out << " holds " << *memory.capacity_words;
        out << " block " << memory.block_words << " cluster " << memory.cluster_size << " read "
            << memory.energy.read_pj.value << " fill " << memory.energy.fill_pj.value << " update "
            << memory.energy.update_pj.value << " leak " << memory.energy.leak_pj_per_cycle.value << " hop "
            << memory.link.energy_per_hop_pj.value_or(0.0) << " bandwidths " << memory.read_words_per_cycle.value_or(-1)
            << ' ' << memory.write_words_per_cycle.value_or(-1) << ' ' << memory.shared_words_per_cycle.value_or(-1);
        const LevelConstraint& level = problem.constraints.levels[m];
        out << " keep " << level.must_keep.bits() << " bypass " << level.must_bypass.bits() << '\n';
    }
    out << "  compute " << problem.architecture.compute.mesh.x << 'x' << problem.architecture.compute.mesh.y << '\n';
    return out.str();
}

}  // namespace tilewright::property
