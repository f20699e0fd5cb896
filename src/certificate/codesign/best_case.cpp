#include "certificate/codesign/check_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "arch/architecture.hpp"

namespace tilewright::certificate {
namespace {

void less_of(double& best, double other) { best = std::min(best, other); }

void less_of(std::optional<double>& best, const std::optional<double>& other) {
    if (best && other) best = std::min(*best, *other);
}

// Absent: unlimited.
template <class Number>
void more_of(std::optional<Number>& best, const std::optional<Number>& other) {
    best = best && other ? std::max(best, other) : std::nullopt;
}

// An absent energy is not 0: it may be derived from other numbers.
void forget(std::optional<double>& number) { number = number ? std::optional<double>(0.0) : std::nullopt; }

void forget_numbers(Link& link) {
    forget(link.energy_per_hop_pj);
    forget(link.wire_energy_pj_per_bit_mm);
    forget(link.router_energy_pj);
    forget(link.tile_width_um);
    link.adder_energy_pj = 0.0;
    link.fill_latency_cycles = 0;
    link.drain_latency_cycles = 0;
}

void forget_numbers(Memory& memory) {
    const bool is_empty = memory.usable_words() == 0;  // keeps nothing: no memory rather than a smaller one
    memory.capacity_words = is_empty ? std::optional<std::int64_t>(0) : std::nullopt;
    memory.read_words_per_cycle = memory.write_words_per_cycle = memory.shared_words_per_cycle = std::nullopt;
    memory.write_stall_cycles = 0.0;
    memory.min_utilization = 0.0;
    memory.reserved_words = 0;
    memory.alignment_words = 1;
    memory.energy = {};
    memory.area_um2 = {};
    forget(memory.address_energy_pj);
    forget_numbers(memory.link);
    if (memory.update_link) forget_numbers(*memory.update_link);
    memory.mesh = {};
    memory.instances = 1;
}

void forget_numbers(Compute& compute) {
    compute.energy_pj = compute.leak_pj_per_cycle = compute.area_um2 = {};
    compute.mesh = {};
    compute.instances = 1;
}

template <class Part>
bool are_alike(Part one, Part other) {
    forget_numbers(one);
    forget_numbers(other);
    return one == other;
}

void take_better(Link& best, const Link& other) {
    less_of(best.energy_per_hop_pj, other.energy_per_hop_pj);
    less_of(best.wire_energy_pj_per_bit_mm, other.wire_energy_pj_per_bit_mm);
    less_of(best.router_energy_pj, other.router_energy_pj);
    less_of(best.tile_width_um, other.tile_width_um);
    less_of(best.adder_energy_pj, other.adder_energy_pj);
    best.fill_latency_cycles = std::min(best.fill_latency_cycles, other.fill_latency_cycles);
    best.drain_latency_cycles = std::min(best.drain_latency_cycles, other.drain_latency_cycles);
}

// Takes every better number of `other`. False: they differ in something else.
bool take_better(Memory& best, const Memory& other) {
    if (!are_alike(best, other)) return false;
    // Least utilization: shares of different capacities do not compare.
    const bool same_fill = best.usable_words() == other.usable_words() && best.min_utilization == other.min_utilization;
    if (!same_fill) best.min_utilization = 0.0;
    more_of(best.capacity_words, other.capacity_words);
    best.reserved_words = std::min(best.reserved_words, other.reserved_words);
    best.alignment_words = std::gcd(best.alignment_words, other.alignment_words);  // rounds to no more than both
    more_of(best.read_words_per_cycle, other.read_words_per_cycle);
    more_of(best.write_words_per_cycle, other.write_words_per_cycle);
    more_of(best.shared_words_per_cycle, other.shared_words_per_cycle);
    best.write_stall_cycles = std::min(best.write_stall_cycles, other.write_stall_cycles);
    less_of(best.energy.read_pj.value, other.energy.read_pj.value);
    less_of(best.energy.fill_pj.value, other.energy.fill_pj.value);
    less_of(best.energy.update_pj.value, other.energy.update_pj.value);
    less_of(best.energy.leak_pj_per_cycle.value, other.energy.leak_pj_per_cycle.value);
    less_of(best.address_energy_pj, other.address_energy_pj);
    less_of(best.area_um2.value, other.area_um2.value);
    take_better(best.link, other.link);
    if (best.update_link) take_better(*best.update_link, *other.update_link);
    return true;
}

bool take_better(Compute& best, const Compute& other) {
    if (!are_alike(best, other)) return false;
    less_of(best.energy_pj.value, other.energy_pj.value);
    less_of(best.leak_pj_per_cycle.value, other.leak_pj_per_cycle.value);
    less_of(best.area_um2.value, other.area_um2.value);
    return true;
}

constexpr double kMm2PerUm2 = 1e-6;
constexpr double kSlack = 1.0 - 1e-9;  // sums in another order differ in the last bits

double limit_of_area_um2(const MachineSpace& space) {
    double most = std::numeric_limits<double>::infinity();
    for (const MachineLimit& limit : space.limits)
        if (limit.metric == "area_mm2") most = std::min(most, limit.bound);
    return most / kMm2PerUm2;
}

std::int64_t inner_neighbours(const LevelMeshes& meshes, std::size_t level) {
    return meshes[level + 1].size() / meshes[level].size();
}

class CaseOfBox {
   public:
    CaseOfBox(const MachineSpace& space, const MachineForm& form, const MachineBox& box)
        : space_(space), form_(form), box_(box), most_um2_(limit_of_area_um2(space)) {}

    BestCase run() {
        list_meshes();
        find_areas();
        keep_within_area();
        result_.within_area = !meshes_.empty();
        if (!result_.within_area) return std::move(result_);
        if (has_counted_costs()) {
            result_.unknown = "how many there are of a memory decides what an access or its leakage costs";
            return std::move(result_);
        }
        result_.machine = form_.base;
        for (std::size_t i = 0; i < form_.memories.size(); ++i)
            take_part(form_.memories[i], i, result_.machine.memories[i]);
        take_part(form_.compute, form_.memories.size(), result_.machine.compute);
        spread();
        for (const NetworkLayer& layer : form_.layers) result_.constraints.push_back(constraints_of(layer));
        if (result_.unknown.empty()) result_.unknown = problem_with(result_.machine);
        return std::move(result_);
    }

   private:
    void list_meshes() {
        for_each_index(space_.knobs, form_.meshes.knobs, box_,
                       [&](std::size_t index) { meshes_.push_back(form_.meshes.values[index]); });
    }

    template <class Value>
    double least_area(const PartTable<Value>& table) const {
        double least = std::numeric_limits<double>::infinity();
        for_each_index(space_.knobs, table.knobs, box_,
                       [&](std::size_t index) { least = std::min(least, table.values[index].area_um2.value); });
        return least;
    }

    void find_areas() {
        for (const PartTable<Memory>& memory : form_.memories) areas_um2_.push_back(least_area(memory));
        areas_um2_.push_back(least_area(form_.compute));
    }

    double area_um2(const LevelMeshes& meshes) const {
        double sum = 0.0;
        for (std::size_t level = 0; level < meshes.size(); ++level)
            sum += areas_um2_[level] * static_cast<double>(meshes[level].size());
        return sum;
    }

    void keep_within_area() {
        double least = std::numeric_limits<double>::infinity();
        for (const LevelMeshes& meshes : meshes_) least = std::min(least, area_um2(meshes));
        result_.least_area_mm2 = least * kMm2PerUm2;
        std::erase_if(meshes_, [&](const LevelMeshes& meshes) { return area_um2(meshes) * kSlack > most_um2_; });
    }

    bool vary() const {
        return std::ranges::any_of(meshes_, [&](const LevelMeshes& meshes) { return meshes != meshes_.front(); });
    }

    bool has_counted_costs() const {
        return vary() && std::ranges::any_of(form_.memories, [](const PartTable<Memory>& table) {
                   return std::ranges::any_of(table.values, [](const Memory& memory) {
                       return memory.cluster_size > 1 || memory.power_gated_at.has_value();
                   });
               });
    }

    // With minimal other parts some mesh has room for it.
    bool has_room(std::size_t part, double own_um2) const {
        return std::ranges::any_of(meshes_, [&](const LevelMeshes& meshes) {
            const double more = (own_um2 - areas_um2_[part]) * static_cast<double>(meshes[part].size());
            return (area_um2(meshes) + more) * kSlack <= most_um2_;
        });
    }

    template <class Value>
    void take_part(const PartTable<Value>& table, std::size_t part, Value& best) {
        bool any = false;
        for_each_index(space_.knobs, table.knobs, box_, [&](std::size_t index) {
            const Value& one = table.values[index];
            if (!has_room(part, one.area_um2.value)) return;
            if (!any)
                best = one;
            else if (!take_better(best, one))
                result_.unknown = "machines differ in more of '" + one.name + "' than what has a better and a worse";
            any = true;
        });
        if (!any) result_.within_area = false;
    }

    void spread() {
        LevelMeshes wide{meshes_.front().front()};
        double inside_um2 = result_.machine.compute.area_um2.value;
        for (std::size_t level = 0; level + 1 < meshes_.front().size(); ++level)
            wide.push_back(below(level, wide[level]));
        for (std::size_t level = result_.machine.memories.size(); level-- > 0;) {
            Memory& memory = result_.machine.memories[level];
            set_wires(memory.link, level, inside_um2);
            if (memory.update_link) set_wires(*memory.update_link, level, inside_um2);
            inside_um2 = memory.area_um2.value + inside_um2 * static_cast<double>(fewest_neighbours(level));
        }
        for (const LevelMeshes& meshes : meshes_)
            if (meshes.front() != meshes_.front().front()) result_.unknown = "the outermost memory's mesh varies";
        set_meshes(result_.machine, wide);
    }

    Mesh below(std::size_t level, const Mesh& above) const {
        Mesh widest;
        for (const LevelMeshes& meshes : meshes_)
            widest = {std::max(widest.x, meshes[level + 1].x / meshes[level].x),
                      std::max(widest.y, meshes[level + 1].y / meshes[level].y)};
        return {above.x * widest.x, above.y * widest.y};
    }

    std::int64_t fewest_neighbours(std::size_t level) const {
        std::int64_t fewest = inner_neighbours(meshes_.front(), level);
        for (const LevelMeshes& meshes : meshes_) fewest = std::min(fewest, inner_neighbours(meshes, level));
        return fewest;
    }

    bool has_one_fan_out(std::size_t level) const {
        const auto shape = [&](const LevelMeshes& meshes) {
            return Mesh{meshes[level + 1].x / meshes[level].x, meshes[level + 1].y / meshes[level].y};
        };
        return std::ranges::all_of(meshes_,
                                   [&](const LevelMeshes& other) { return shape(other) == shape(meshes_.front()); });
    }

    // A single machine's wire lengths follow from its own parts: the model computes them.
    void set_wires(Link& link, std::size_t level, double inside_um2) const {
        if (is_one_machine(box_)) return;
        if (has_one_fan_out(level)) {
            if (!link.energy_per_hop_pj && !link.tile_width_um) link.tile_width_um = std::sqrt(inside_um2);
            return;
        }
        link.energy_per_hop_pj = 0.0;
        link.wire_energy_pj_per_bit_mm.reset();
        link.router_energy_pj.reset();
        link.adder_energy_pj = 0.0;
        link.multicast_energy_pj.clear();
        link.tensor_multicast_energy_pj.clear();
        link.passages.clear();
    }

    Constraints constraints_of(const NetworkLayer& layer) const {
        Constraints constraints = layer.constraints;
        std::int64_t fewest = meshes_.front().back().size();
        for (const LevelMeshes& meshes : meshes_) fewest = std::min(fewest, meshes.back().size());
        if (!is_one_machine(box_))
            constraints.min_parallelism *=
                kSlack * static_cast<double>(fewest) / static_cast<double>(result_.machine.compute.instances);
        for (std::size_t level = 0; level < constraints.levels.size(); ++level)
            if (fewest_neighbours(level) == 1)
                for (FactorConstraint& factor : constraints.levels[level].spatial.factors) ask_for_nothing(factor);
        return constraints;
    }

    static void ask_for_nothing(FactorConstraint& factor) {
        if (factor.exactly) factor.at_most = factor.exactly;
        factor.exactly.reset();
        factor.at_least = 1;
    }

    const MachineSpace& space_;
    const MachineForm& form_;
    const MachineBox& box_;
    double most_um2_;
    std::vector<LevelMeshes> meshes_;  ///< of machines within the area limit
    std::vector<double> areas_um2_;    ///< lower bound of one instance; the compute units last
    BestCase result_;
};

}  // namespace

BestCase best_case(const MachineSpace& space, const MachineForm& form, const MachineBox& box) {
    return CaseOfBox(space, form, box).run();
}

}  // namespace tilewright::certificate
