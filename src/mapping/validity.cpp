#include "mapping/validity.hpp"

#include <cmath>
#include <optional>

#include "arch/widths.hpp"
#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "mapping/tile.hpp"
#include "mapping/uneven.hpp"

namespace tilewright {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

std::string loop_text(const Einsum& einsum, const Loop& loop) {
    const std::string remainder = loop.is_perfect() ? "" : "," + number(loop.remainder);
    return einsum.dimensions[loop.dimension].name + " " + number(loop.extent) + remainder;
}

// Reason the nodes are no even nest of this architecture over this einsum, or "".
std::string nest_problem(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping) {
    for (const Node& node : mapping.nodes) {
        if (const Loop* loop = std::get_if<Loop>(&node)) {
            if (loop->dimension < 0 || loop->dimension >= einsum.dimension_count())
                return "a loop runs over dimension number " + number(loop->dimension) + ", which does not exist";
            if (loop->extent < 1 || loop->remainder < 1 || loop->remainder > loop->extent)
                return "the loop " + loop_text(einsum, *loop) + " needs 1 <= remainder <= extent";
            continue;
        }
        const Store& store = std::get<Store>(node);
        if (store.memory < 0 || store.memory >= architecture.memory_count())
            return "a store names memory number " + number(store.memory) + ", which does not exist";
        const std::string& name = architecture.memories[store.memory].name;
        if ((store.tensors.bits() & ~TensorSet::all(einsum.tensor_count()).bits()) != 0)
            return "memory '" + name + "' keeps a tensor that does not exist";
    }
    if (!is_even(mapping, architecture.memory_count())) {
        if (std::string problem = uneven_problem(mapping, architecture); !problem.empty())
            return "the stores and loops are in no possible order: " + problem;
        if (!is_perfect(mapping)) return "an uneven mapping needs factors that divide";
        if (!mapping.options.empty()) return "an uneven mapping has no accounting options";
    }
    if (!mapping.options.empty() && mapping.options.size() != architecture.memories.size())
        return "the mapping has options for " + number(static_cast<std::int64_t>(mapping.options.size())) +
               " memories, but there are " + number(architecture.memory_count());
    return "";
}

// Checks one nest; violations come out in Timeloop's order.
class Checker {
   public:
    Checker(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping)
        : einsum_(einsum),
          architecture_(architecture),
          mapping_(mapping),
          levels_(owned_levels(mapping, architecture.memory_count())),
          inside_(extents_inside(einsum, mapping)),
          in_use_(instances_in_use()) {
        for (int t = 0; t < einsum.tensor_count(); ++t)
            stores_.push_back(store_positions(mapping, architecture.memory_count(), t));
    }

    std::vector<Violation> run() {
        for (int d = 0; d < einsum_.dimension_count(); ++d) check_factors(d);
        for (int m = 0; m < architecture_.memory_count(); ++m) check_fanout_exists(m);
        for (int t = 0; t < einsum_.tensor_count(); ++t) check_kept_somewhere(t);
        check_compute();
        find_counted_tensors();
        for (int m = architecture_.memory_count() - 1; m >= 0; --m) {
            check_capacity(m);
            check_tiles(m);
            check_instances(m);
            check_mesh(m, architecture_.memories[m].name);
        }
        for (int m = 0; m < architecture_.memory_count(); ++m) check_neighbours(m);
        return std::move(violations_);
    }

   private:
    // By memory, and last the compute units.
    std::vector<Mesh> instances_in_use() const {
        std::vector<Mesh> outside{{}};
        for (const MappingLevel& level : levels_) {
            Mesh mesh = outside.back();
            for (const Loop& loop : level.spatial) {
                std::int64_t& along = loop.kind == LoopKind::spatial_x ? mesh.x : mesh.y;
                along = saturating_mul(along, loop.extent);
            }
            outside.push_back(mesh);
        }
        return outside;
    }

    void report(ViolationKind kind, const std::string& level, const std::string& message, int node) {
        violations_.push_back({kind, level, message, node});
    }

    // Node of the loop. Levels keep the nodes' order: of equal loops the k-th of the levels is the k-th of the nodes.
    int node_of(const Loop& loop) const {
        int before = 0;
        for (const MappingLevel& level : levels_)
            for (const auto* loops : {&level.temporal, &level.spatial})
                for (const Loop& other : *loops) {
                    if (&other == &loop) return equal_node(loop, before);
                    if (other == loop) ++before;
                }
        return -1;
    }

    int equal_node(const Loop& loop, int before) const {
        for (std::size_t i = 0; i < mapping_.nodes.size(); ++i) {
            const Loop* other = std::get_if<Loop>(&mapping_.nodes[i]);
            if (other != nullptr && *other == loop && before-- == 0) return static_cast<int>(i);
        }
        return -1;
    }

    // The first loop from the outside to memory `index` that spreads too far along the axis (nothing: in all).
    int spreading_node(int index, std::optional<LoopKind> axis) const {
        for (int m = 1; m < index; ++m)
            if (spreads_too_far(m, axis)) return innermost_spreading_node(m, axis);
        return innermost_spreading_node(index, axis);
    }

    bool spreads_too_far(int index, std::optional<LoopKind> axis) const {
        const Mesh used = in_use_[index];
        const Mesh& mesh = architecture_.mesh(index);
        if (axis) return *axis == LoopKind::spatial_x ? used.x > mesh.x : used.y > mesh.y;
        const bool is_memory = index < architecture_.memory_count();
        const std::int64_t instances =
            is_memory ? architecture_.memories[index].instances : architecture_.compute.instances;
        return saturating_mul(used.x, used.y) > instances;
    }

    int innermost_spreading_node(int index, std::optional<LoopKind> axis) const {
        for (int m = index; m-- > 0;)
            for (auto loop = levels_[m].spatial.rbegin(); loop != levels_[m].spatial.rend(); ++loop)
                if (loop->extent > 1 && (!axis || loop->kind == *axis)) return node_of(*loop);
        return -1;
    }

    // The first store of the memory that keeps one of the tensors; else its first one.
    int store_node(int memory, TensorSet tensors) const {
        int first = -1;
        for (std::size_t i = 0; i < mapping_.nodes.size(); ++i) {
            const Store* store = std::get_if<Store>(&mapping_.nodes[i]);
            if (store == nullptr || store->memory != memory) continue;
            if ((store->tensors.bits() & tensors.bits()) != 0) return static_cast<int>(i);
            if (first < 0) first = static_cast<int>(i);
        }
        return first;
    }

    // Of the innermost memory that could keep a tensor.
    int innermost_store() const {
        for (int m = architecture_.memory_count(); m-- > 0;)
            if (!architecture_.memories[m].spreads_only) return store_node(m, {});
        return -1;
    }

    int outermost_loop(int dimension) const {
        for (std::size_t i = 0; i < mapping_.nodes.size(); ++i) {
            const Loop* loop = std::get_if<Loop>(&mapping_.nodes[i]);
            if (loop != nullptr && loop->dimension == dimension && loop->extent > 1) return static_cast<int>(i);
        }
        return -1;
    }

    // "DRAM 4, Buffer 3,2": the loops of one dimension, outermost first.
    std::string factors_text(int dimension) const {
        std::vector<std::string> parts;
        for (std::size_t m = 0; m < levels_.size(); ++m)
            for (const auto* loops : {&levels_[m].temporal, &levels_[m].spatial})
                for (const Loop& loop : *loops)
                    if (loop.dimension == dimension)
                        parts.push_back(architecture_.memories[m].name + " " + number(loop.extent) +
                                        (loop.is_perfect() ? "" : "," + number(loop.remainder)));
        return parts.empty() ? "it has no loop" : list_words(parts);
    }

    // The number of iterations is a mixed-radix number, one digit per loop: full trips of the outer loops times the
    // extent, plus the last, shorter trip.
    void check_factors(int dimension) {
        const Dimension& d = einsum_.dimensions[dimension];
        std::int64_t covered = 1;
        bool outermost = true;
        for (const Node& node : mapping_.nodes) {
            const Loop* loop = std::get_if<Loop>(&node);
            if (loop == nullptr || loop->dimension != dimension || loop->extent == 1) continue;
            if (outermost && loop->is_spatial() && !loop->is_perfect())
                report(ViolationKind::factor_product, "",
                       "the spatial loop " + loop_text(einsum_, *loop) +
                           " is the outermost one of its dimension, so it never "
                           "runs in full; write " +
                           number(loop->remainder),
                       outermost_loop(dimension));
            outermost = false;
            const std::int64_t full = saturating_mul(covered - 1, loop->extent);
            if (__builtin_add_overflow(full, loop->remainder, &covered)) covered = full;
        }
        if (covered != d.extent)
            report(ViolationKind::factor_product, "",
                   "the loops of " + d.name + " cover " + number(covered) + ", but its extent is " + number(d.extent) +
                       " (" + factors_text(dimension) + ")",
                   outermost_loop(dimension));
    }

    void check_fanout_exists(int memory) {
        if (architecture_.fanout(memory).size() > 1) return;
        for (const Loop& loop : levels_[memory].spatial)
            if (loop.extent > 1)
                report(ViolationKind::no_fanout, architecture_.memories[memory].name,
                       "the spatial loop " + loop_text(einsum_, loop) + " has nothing to spread over: " +
                           architecture_.memories[memory].name + " has one inner neighbour",
                       node_of(loop));
    }

    void check_kept_somewhere(int tensor) {
        for (const MappingLevel& level : levels_)
            if (level.keep.has(tensor)) return;
        report(ViolationKind::bypass, architecture_.compute.name,
               "tensor '" + einsum_.tensors[tensor].name + "' bypasses every memory", innermost_store());
    }

    void check_compute() {
        const Compute& compute = architecture_.compute;
        const Mesh used = in_use_.back();
        const std::int64_t instances = saturating_mul(used.x, used.y);
        if (instances > compute.instances)
            report(ViolationKind::instances, compute.name,
                   "the mapping spreads over " + number(used.x) + " x " + number(used.y) + " = " + number(instances) +
                       " units of " + compute.name + ", which has " + number(compute.instances),
                   spreading_node(architecture_.memory_count(), std::nullopt));
        check_mesh(architecture_.memory_count(), compute.name);
    }

    // Along one axis the loops outside may not need more instances than the mesh has.
    void check_mesh(int index, const std::string& name) {
        const Mesh& mesh = architecture_.mesh(index);
        const Mesh used = in_use_[index];
        if (used.x > mesh.x)
            report(ViolationKind::fanout_x, name, axis_text(index, name, LoopKind::spatial_x, used.x, mesh.x),
                   spreading_node(index, LoopKind::spatial_x));
        if (used.y > mesh.y)
            report(ViolationKind::fanout_y, name, axis_text(index, name, LoopKind::spatial_y, used.y, mesh.y),
                   spreading_node(index, LoopKind::spatial_y));
    }

    // Below each instance of a memory the loops may not need more neighbours than it has, even if others' neighbours
    // are idle. Timeloop does not check that (docs/timeloop.md). A shortage of the whole mesh, and a missing fan-out,
    // were reported before.
    void check_neighbours(int memory) {
        const Mesh has = architecture_.fanout(memory);
        if (has.size() == 1) return;
        const Mesh outside = in_use_[memory];
        const Mesh inside = in_use_[memory + 1];
        const Mesh& all = architecture_.mesh(memory + 1);
        const Mesh asked{inside.x / outside.x, inside.y / outside.y};
        if (asked.x > has.x && inside.x <= all.x)
            report(ViolationKind::fanout_x, architecture_.memories[memory].name,
                   neighbours_text(memory, LoopKind::spatial_x, asked.x, has.x),
                   innermost_spreading_node(memory + 1, LoopKind::spatial_x));
        if (asked.y > has.y && inside.y <= all.y)
            report(ViolationKind::fanout_y, architecture_.memories[memory].name,
                   neighbours_text(memory, LoopKind::spatial_y, asked.y, has.y),
                   innermost_spreading_node(memory + 1, LoopKind::spatial_y));
    }

    std::string neighbours_text(int memory, LoopKind axis, std::int64_t asked, std::int64_t has) const {
        std::vector<std::string> loops;
        for (const Loop& loop : levels_[memory].spatial)
            if (loop.kind == axis && loop.extent > 1) loops.push_back(loop_text(einsum_, loop));
        const bool innermost = memory + 1 == architecture_.memory_count();
        const std::string& name = innermost ? architecture_.compute.name : architecture_.memories[memory + 1].name;
        return "the mapping spreads over " + number(asked) + " instances of " + name + " along " +
               (axis == LoopKind::spatial_x ? "X" : "Y") + " below one " + architecture_.memories[memory].name +
               ", which has " + number(has) + " there (" + list_words(loops) + ")";
    }

    std::string axis_text(int index, const std::string& name, LoopKind axis, std::int64_t used,
                          std::int64_t available) const {
        std::vector<std::string> loops;
        for (int m = 0; m < index; ++m)
            for (const Loop& loop : levels_[m].spatial)
                if (loop.kind == axis && loop.extent > 1)
                    loops.push_back(loop_text(einsum_, loop) + " at " + architecture_.memories[m].name);
        return "the mapping spreads over " + number(used) + " instances of " + name + " along " +
               (axis == LoopKind::spatial_x ? "X" : "Y") + ", whose mesh has " + number(available) + " (" +
               list_words(loops) + ")";
    }

    // A tensor takes room if kept; but as in Timeloop, a tensor kept under no_coalesce passes through while no outer
    // memory really holds it.
    void find_counted_tensors() {
        TensorSet held;
        for (std::size_t m = 0; m < levels_.size(); ++m) {
            TensorSet counted;
            for (int t = 0; t < einsum_.tensor_count(); ++t) {
                const bool passes = !mapping_.options.empty() && mapping_.options[m].no_coalesce.has(t);
                if (levels_[m].keep.has(t) && !passes) held.add(t);
                if (levels_[m].keep.has(t) && held.has(t)) counted.add(t);
            }
            counted_.push_back(counted);
        }
    }

    void check_capacity(int index) {
        const Memory& memory = architecture_.memories[index];
        if (memory.spreads_only && !levels_[index].keep.empty())
            report(ViolationKind::capacity, memory.name, memory.name + " only spreads; it cannot keep a tensor",
                   store_node(index, levels_[index].keep));
        const Capacity capacity = capacity_of(memory, einsum_);
        if (!capacity.usable) return;
        std::int64_t used = 0;
        std::vector<std::string> tiles;
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            if (!counted_[index].has(t)) continue;
            const Tensor& tensor = einsum_.tensors[t];
            const std::int64_t words = box_words(tensor, inside_[stores_[t][index]]);
            used = checked_add(used, capacity.units(t, words));
            const std::string width = tensor.bits > 0 ? " of " + number(tensor.bits) + " bits" : "";
            const std::int64_t room = capacity.units(t, words);
            const bool is_rounded = memory.rules_tiles() && room != words * capacity.units_per_word;
            const std::string taken = is_rounded ? " in a room of " + number(capacity.words(room)) : "";
            tiles.push_back(tensor.name + " " + number(words) + width + taken);
        }
        const auto words = [&](std::int64_t units) { return number(capacity.words(units)); };
        const std::string holds = memory.name + " holds " + words(used) + " words, ";
        const std::string parts = tiles.empty() ? "" : ": " + list_words(tiles);
        if (used > *capacity.usable)
            report(ViolationKind::capacity, memory.name,
                   holds + words(used - *capacity.usable) + " more than its " +
                       usable_text(memory, memory.usable_words().value_or(0)) + parts,
                   store_node(index, counted_[index]));
        if (static_cast<double>(used) < capacity.least) {
            const std::int64_t needed = static_cast<std::int64_t>(std::ceil(capacity.least));
            report(ViolationKind::min_utilization, memory.name,
                   holds + words(needed - used) + " fewer than the " + words(needed) +
                       " that its least utilisation asks for" + parts,
                   store_node(index, counted_[index]));
        }
    }

    void check_tiles(int index) {
        const Memory& memory = architecture_.memories[index];
        for (const TileBound& bound : tile_bounds(memory, einsum_))
            for (int t = 0; t < einsum_.tensor_count(); ++t) {
                if (!counted_[index].has(t)) continue;
                const std::int64_t extent = inside_[stores_[t][index]][bound.dimension];
                if (bound.allows(TensorSet::of(t), extent)) continue;
                const std::string& dimension = einsum_.dimensions[bound.dimension].name;
                report(ViolationKind::tile, memory.name,
                       memory.name + " holds a tile of " + einsum_.tensors[t].name + " with " + dimension + " = " +
                           number(extent) + "; its rule asks for " + rule_text(bound.rule),
                       store_node(index, TensorSet::of(t)));
            }
    }

    static std::string usable_text(const Memory& memory, std::int64_t usable) {
        const std::int64_t capacity = memory.capacity_words.value_or(usable);
        if (usable == capacity) return number(usable);
        std::vector<std::string> less;
        if (memory.reserved_words > 0) less.push_back(number(memory.reserved_words) + " reserved");
        if (memory.multiple_buffering != 1.0)
            less.push_back("buffered " + shortened(memory.multiple_buffering) + " times");
        return number(usable) + " usable ones (of " + number(capacity) + ", " + list_words(less) + ")";
    }

    static std::string shortened(double value) {
        std::string text = std::to_string(value);
        text.erase(text.find_last_not_of('0') + 1);
        if (!text.empty() && text.back() == '.') text.pop_back();
        return text;
    }

    // Timeloop compares the mean number of instances in use, rounded down (nest-analysis.cpp there). For perfect nests
    // that is the product of the spatial extents.
    void check_instances(int index) {
        const Memory& memory = architecture_.memories[index];
        const double used = std::floor(average_instances(index));
        if (used > static_cast<double>(memory.instances))
            report(ViolationKind::instances, memory.name,
                   "the mapping spreads over " + number(in_use_[index].x) + " x " + number(in_use_[index].y) +
                       " instances of " + memory.name + ", which has " + number(memory.instances),
                   spreading_node(index, std::nullopt));
    }

    double average_instances(int index) const {
        double average = 1.0;
        std::vector<double> trips(einsum_.dimensions.size(), 1.0);  // of the loops so far, by dimension
        for (int m = 0; m < index; ++m) {
            for (const auto* loops : {&levels_[m].temporal, &levels_[m].spatial})
                for (const Loop& loop : *loops) {
                    double& outside = trips[loop.dimension];
                    const double all =
                        static_cast<double>(loop.remainder) + static_cast<double>(loop.extent) * (outside - 1.0);
                    if (loop.is_spatial())
                        average *= loop.is_perfect() ? static_cast<double>(loop.extent) : all / outside;
                    outside = all;
                }
        }
        return average;
    }

    const Einsum& einsum_;
    const Architecture& architecture_;
    const Mapping& mapping_;
    std::vector<MappingLevel> levels_;
    std::vector<Extents> inside_;           // by node
    std::vector<std::vector<int>> stores_;  // by tensor and memory: its node
    std::vector<Mesh> in_use_;
    std::vector<TensorSet> counted_;  // by memory
    std::vector<Violation> violations_;
};

}  // namespace

std::string violation_kind_name(ViolationKind kind) {
    switch (kind) {
        case ViolationKind::factor_product: return "factor_product";
        case ViolationKind::fanout_x: return "fanout_x";
        case ViolationKind::fanout_y: return "fanout_y";
        case ViolationKind::instances: return "instances";
        case ViolationKind::capacity: return "capacity";
        case ViolationKind::min_utilization: return "min_utilization";
        case ViolationKind::tile: return "tile";
        case ViolationKind::bypass: return "bypass";
        case ViolationKind::no_fanout: return "no_fanout";
        case ViolationKind::nest: return "nest";
    }
    return "nest";
}

std::vector<Violation> check(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping) {
    if (const std::string problem = nest_problem(einsum, architecture, mapping); !problem.empty())
        return {{ViolationKind::nest, "", problem, -1}};
    return Checker(einsum, architecture, mapping).run();
}

}  // namespace tilewright
