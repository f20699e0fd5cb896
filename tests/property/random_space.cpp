#include "random_space.hpp"

#include <array>
#include <memory>
#include <string>

#include "mapper/optimal/optimal.hpp"
#include "random_chain.hpp"
#include "random_problem.hpp"
#include "random_sparse.hpp"
#include "random_words.hpp"

namespace tilewright::property {
namespace {

Sourced random_area(Random& random) { return {static_cast<double>(random.between(0, 50)) * 1e4, "random"}; }

ShapeProblem shape_of(const std::string& name, const Problem& layer, const Constraints& constraints,
                      std::int64_t repeats) {
    ShapeProblem shape;
    shape.names = {name};
    shape.op = "Contraction";
    shape.repeats = repeats;
    shape.layer = {layer.einsum, layer.architecture, constraints};
    return shape;
}

void set_meshes(const std::vector<Mesh>& fanouts, Architecture& machine) {
    Mesh mesh = machine.memories.front().mesh;
    for (std::size_t level = 0; level < fanouts.size(); ++level) {
        machine.memories[level].mesh = mesh;
        machine.memories[level].instances = mesh.size();
        mesh = {mesh.x * fanouts[level].x, mesh.y * fanouts[level].y};
    }
    machine.compute.mesh = mesh;
    machine.compute.instances = mesh.size();
}

/// What a problem has at most. There are more mappings with remainders, and the more levels, the more of either.
struct Size {
    std::int64_t operations = 0;
    std::size_t memories = 0;
};

Problem problem_of(std::uint64_t seed, const Size& most) {
    for (std::uint64_t number = 0;; ++number) {
        Problem problem = random_problem(Random::split(seed, number), most.operations);
        if (problem.architecture.memories.size() <= most.memories) return problem;
    }
}

// Most of what a search takes on layers as small as these goes into a good mapping to begin with, above all where few
// mappings are legal; the proof needs none.
std::unique_ptr<Mapper> prover(const Einsum&) {
    return std::make_unique<OptimalMapper>(OptimalMapper::Options{.warm_up = 0});
}

}  // namespace

RandomSpace::RandomSpace(std::uint64_t seed, std::int64_t operations, Mapped mapped) {
    Random random(seed);
    problem_.name = "random";
    if (mapped == Mapped::fused)
        draw_cascade(random, seed);
    else if (mapped == Mapped::zeros)
        draw_zeros(random, seed, operations);
    else
        draw_layers(random, seed, operations);
    if (mapped == Mapped::words) draw_words(random);
    options_.objective = random.chance(0.6)   ? Objective{ObjectiveKind::edp}
                         : random.chance(0.5) ? Objective{ObjectiveKind::energy}
                                              : Objective{ObjectiveKind::latency};
    options_.mapper = MapperKind::optimal;
    options_.made_by = prover;
    options_.threads = 1;
    const bool is_large = !fused_ && random.chance(0.02);  // up to 4,096 machines
    for (std::int64_t left = is_large ? 4 : random.between(2, fused_ ? 2 : 4); left > 0; --left)
        add_change(random, is_large ? 8 : fused_ ? 3 : 4);
    std::vector<explore::Knob> knobs;
    for (const Change& change : changes_) {
        std::vector<std::string> values;
        for (std::size_t i = 0; i < change.areas.size(); ++i) values.push_back(std::to_string(i));
        knobs.push_back({"knob" + std::to_string(knobs.size()), values, {}});
    }
    space_ = explore::Space(knobs);
    if (fused_) fused_->demands = fusing_of(fused_->cascade, base_, options_.objective).demands;
}

void RandomSpace::draw_layers(Random& random, std::uint64_t seed, std::int64_t operations) {
    if (random.chance(0.2)) options_.factors = FactorRule::ruby_s;
    const Size size = options_.factors == FactorRule::ruby_s ? Size{operations / 3, 3} : Size{operations, 4};
    const Problem first = problem_of(Random::split(seed, 1), size);
    const Problem second = problem_of(Random::split(seed, 2), size);
    base_ = first.architecture;
    draw_areas(random);
    for (int level = 0; level < base_.memory_count(); ++level) fanouts_.push_back(base_.fanout(level));
    const bool alike = second.architecture.memories.size() == base_.memories.size();
    problem_.shapes = {
        shape_of("a", first, random.chance(0.5) ? first.constraints : Constraints{}, random.between(1, 3)),
        shape_of("b", second, alike && random.chance(0.5) ? second.constraints : Constraints{}, random.between(1, 3))};
}

void RandomSpace::draw_areas(Random& random) {
    for (Memory& memory : base_.memories) memory.area_um2 = random_area(random);
    base_.compute.area_um2 = random_area(random);
}

void RandomSpace::draw_words(Random& random) {
    options_.factors = FactorRule::perfect;
    for (Memory& memory : base_.memories) memory.word_bits = random.between(4, 16);
    for (ShapeProblem& shape : problem_.shapes) {
        if (random.chance(0.5)) shape.layer.words.blocks = random_formats(random, shape.layer.einsum);
        if (random.chance(0.7)) shape.layer.words.partial_bits = random_partial_bits(random, shape.layer.einsum);
    }
}

void RandomSpace::draw_zeros(Random& random, std::uint64_t seed, std::int64_t operations) {
    const SparseCase drawn = random_sparse(Random::split(seed, 3), operations);
    base_ = drawn.architecture;
    draw_areas(random);
    for (Memory& memory : base_.memories) {
        fanouts_.push_back(random.chance(0.5) ? Mesh{2, 1} : Mesh{1, 1});
        if (&memory != &base_.memories.front() && random.chance(0.7)) memory.capacity_words = random.between(2, 40);
    }
    ShapeProblem shape;
    shape.names = {"sparse"};
    shape.op = "Contraction";
    shape.repeats = random.between(1, 3);
    shape.layer = {drawn.einsum, base_, {}, {}, drawn.design};
    problem_.shapes = {std::move(shape)};
}

void RandomSpace::draw_cascade(Random& random, std::uint64_t seed) {
    ChainProblem drawn = random_chain(Random::split(seed, 4), 2);
    base_ = drawn.architecture;
    draw_areas(random);
    for (int level = 0; level < base_.memory_count(); ++level) fanouts_.push_back(base_.fanout(level));
    fused_ = FusedProblem{std::move(drawn.cascade), base_};
}

void RandomSpace::add_change(Random& random, std::int64_t most_values) {
    constexpr std::array<Mesh, 8> kMeshes{{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 1}, {4, 1}, {4, 2}, {1, 3}}};
    constexpr std::array<Kind, 9> kKinds{Kind::capacity,  Kind::capacity, Kind::bandwidth,
                                         Kind::bandwidth, Kind::compute,  Kind::fanout,
                                         Kind::fanout,    Kind::block,    Kind::reduces};
    Change change;
    change.kind = kKinds[random.below(kKinds.size())];
    change.level = random.below(base_.memories.size());
    const std::int64_t values = change.kind == Kind::reduces ? 2 : random.between(2, most_values);
    for (std::int64_t i = 0; i < values; ++i) {
        change.numbers.push_back(change.kind == Kind::reduces ? i : random.between(2, 60));
        change.energies.push_back(static_cast<double>(random.between(0, 400)) / 8.0);
        change.areas.push_back(random_area(random).value);
        change.fanouts.push_back(kMeshes[random.below(kMeshes.size())]);
    }
    const bool form = change.kind == Kind::block || change.kind == Kind::reduces;
    const bool counts = change.kind == Kind::fanout;
    codesign::Role role{form, counts, 0};
    if (!form && !counts) role.parts = 1U << (change.kind == Kind::compute ? base_.memories.size() : change.level);
    roles_.push_back(role);
    changes_.push_back(std::move(change));
}

void RandomSpace::apply(const Change& change, std::size_t position, Architecture& machine,
                        std::vector<Mesh>& fanouts) const {
    Memory& memory = machine.memories[change.level];
    const Sourced energy{change.energies[position], "random"};
    const Sourced area{change.areas[position], "random"};
    switch (change.kind) {
        case Kind::capacity:
            if (memory.capacity_words) memory.capacity_words = change.numbers[position];
            memory.energy.read_pj = energy;
            memory.energy.fill_pj = memory.energy.update_pj = energy;
            memory.area_um2 = area;
            break;
        case Kind::bandwidth:
            memory.shared_words_per_cycle = static_cast<double>(change.numbers[position]) / 8.0;
            if (memory.energy.leak_pj_per_cycle.value > 0.0) memory.energy.leak_pj_per_cycle = energy;
            if (memory.link.energy_per_hop_pj) memory.link.energy_per_hop_pj = energy.value;
            break;
        case Kind::compute:
            machine.compute.energy_pj = energy;
            machine.compute.area_um2 = area;
            break;
        case Kind::fanout: fanouts[change.level] = change.fanouts[position]; break;
        case Kind::block: memory.block_words = std::int64_t{1} << (change.numbers[position] % 4); break;
        case Kind::reduces: memory.reduces = change.numbers[position] == 1; break;
    }
}

Architecture RandomSpace::machine(explore::Point point) const {
    Architecture machine = base_;
    std::vector<Mesh> fanouts = fanouts_;
    for (std::size_t knob = 0; knob < changes_.size(); ++knob)
        apply(changes_[knob], space_.position(point, knob), machine, fanouts);
    set_meshes(fanouts, machine);
    return machine;
}

bool RandomSpace::is_fusible(const Architecture& machine) const {
    return !fused_ || fusion::problem_with(fused_->cascade, machine, options_.objective).empty();
}

bool RandomSpace::is_sound() {
    for (explore::Point point = 0; point < space_.size(); ++point)
        if (!problem_with(machine(point)).empty() || !is_fusible(machine(point))) return false;
    return true;
}

Design RandomSpace::design(explore::Point point) {
    Design design;
    design.point = point;
    design.architecture = machine(point);
    design.problem = problem_;
    for (ShapeProblem& shape : design.problem.shapes) shape.layer.architecture = design.architecture;
    design.options = options_;
    design.fused = fused_;
    if (design.fused) design.fused->architecture = design.architecture;
    return design;
}

}  // namespace tilewright::property
