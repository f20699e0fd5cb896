#include "timeloop/account/nest.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::account {
namespace {

class Flattener {
   public:
    Flattener(const Einsum& einsum, const Architecture& architecture) : einsum_(einsum), architecture_(architecture) {}

    Nest run(const std::vector<MappingLevel>& levels) {
        const int count = static_cast<int>(levels.size());
        for (int storage = 0; storage < count; ++storage) add_storage(levels[count - 1 - storage], storage);
        set_tables();
        set_utilization();
        for (int storage = 0; storage < count; ++storage) set_grid(storage);
        set_expansions();
        return std::move(nest_);
    }

   private:
    void add_loops(const std::vector<Loop>& outermost_first, int storage) {
        for (auto loop = outermost_first.rbegin(); loop != outermost_first.rend(); ++loop)
            if (loop->extent > 1) nest_.loops.push_back({.loop = *loop, .storage = storage});
    }

    void add_storage(const MappingLevel& level, int storage) {
        StorageSpan span;
        const int before = nest_.size();
        add_loops(level.spatial, storage);
        span.first = nest_.size();
        if (span.first > before) {
            span.block.emplace();
            span.block->first = before;
            span.block->master = span.first - 1;
            nest_.loops.back().is_master = true;
        }
        add_loops(level.temporal, storage);
        if (nest_.size() == span.first)
            nest_.loops.push_back(
                {.loop = {einsum_.dimension_count() - 1, 1, 1, LoopKind::temporal}, .storage = storage});
        span.boundary = nest_.size() - 1;
        nest_.loops.back().closes_storage = true;
        nest_.storages.push_back(span);
    }

    void set_tables() {
        Iteration full;
        Iteration last;
        full.fill(1);
        last.fill(1);
        nest_.innermost_imperfect.fill(nest_.size());
        for (int i = 0; i < nest_.size(); ++i) {
            NestLoop& entry = nest_.loops[i];
            const Loop& loop = entry.loop;
            const int d = loop.dimension;
            entry.stride = full[d];
            last[d] = checked_add(last[d], checked_mul(full[d], loop.remainder - 1));
            full[d] = checked_mul(full[d], loop.extent);
            for (int k = 0; k < kMaxDimensions; ++k) {
                entry.full_reach[k] = full[k] - 1;
                entry.last_reach[k] = last[k] - 1;
            }
            if (!loop.is_spatial()) nest_.temporal_iterations = checked_mul(nest_.temporal_iterations, loop.extent);
            if (loop.is_perfect()) continue;
            nest_.imperfect = true;
            nest_.innermost_imperfect[d] = std::min(nest_.innermost_imperfect[d], i);
        }
    }

    /// Product of the trip counts of the loops of the same dimension outside loop `index`.
    double outer_trips(int index) const {
        double outer = 1.0;
        for (int i = nest_.size() - 1; i > index; --i) {
            const Loop& other = nest_.loops[i].loop;
            if (other.dimension == nest_.loops[index].loop.dimension) outer = trips(other, outer);
        }
        return outer;
    }

    static double trips(const Loop& loop, double outer) {
        return static_cast<double>(loop.remainder) + static_cast<double>(loop.extent) * (outer - 1);
    }

    void set_utilization() {
        double utilization = 1.0;
        for (int i = nest_.size() - 1; i >= 0; --i) {
            NestLoop& entry = nest_.loops[i];
            entry.utilization = utilization;
            if (!entry.loop.is_spatial()) continue;
            if (entry.loop.is_perfect()) {
                utilization *= static_cast<double>(entry.loop.extent);
                continue;
            }
            const double outer = outer_trips(i);  // the order of operations matters: the result is truncated later
            utilization = utilization * trips(entry.loop, outer) / outer;
        }
    }

    void set_grid(int storage) {
        std::optional<SpatialBlock>& block = nest_.storages[storage].block;
        if (!block) return;
        Mesh mapped;
        for (int i = block->first; i <= block->master; ++i) widen(mapped, nest_.loops[i].loop);
        block->fanout = mapped.size();
        const Mesh hardware = architecture_.fanout(architecture_.memory_count() - 1 - storage);
        block->grid = {std::max(hardware.x, mapped.x), std::max(hardware.y, mapped.y)};
    }

    void set_expansions() {
        Mesh expansion;
        for (int storage = static_cast<int>(nest_.storages.size()) - 1; storage >= 0; --storage) {
            StorageSpan& span = nest_.storages[storage];
            span.expansion = expansion;
            if (!span.block) continue;
            for (int i = span.block->first; i <= span.block->master; ++i) widen(expansion, nest_.loops[i].loop);
        }
        nest_.compute_expansion = expansion;
    }

    static void widen(Mesh& mesh, const Loop& loop) {
        std::int64_t& axis = loop.kind == LoopKind::spatial_x ? mesh.x : mesh.y;
        axis = checked_mul(axis, loop.extent);
        checked_mul(mesh.x, mesh.y);
    }

    const Einsum& einsum_;
    const Architecture& architecture_;
    Nest nest_;
};

/// Iterations of `dimension` over all loops, folded outside in as in Timeloop.
std::int64_t covered(const Nest& nest, int dimension) {
    std::int64_t covered = 0;
    for (int i = nest.size() - 1; i >= 0; --i) {
        const Loop& loop = nest.loops[i].loop;
        if (loop.dimension == dimension) covered = checked_add(checked_mul(covered, loop.extent), loop.remainder - 1);
    }
    return checked_add(covered, 1);
}

std::optional<Violation> bypassed_everywhere(const Einsum& einsum, const Architecture& architecture,
                                             const Mapping& mapping) {
    std::uint32_t kept = 0;
    for (const Node& node : mapping.nodes)
        if (const Store* store = std::get_if<Store>(&node)) kept |= store->tensors.bits();
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (!TensorSet::from_bits(kept).has(t))
            return Violation{ViolationKind::bypass, architecture.compute.name,
                             "tensor '" + einsum.tensors[t].name + "' is bypassed in every memory"};
    return std::nullopt;
}

/// Timeloop exits at an imperfect spatial loop without an outer loop of its dimension: it cannot average the trips.
std::optional<Violation> unaveragable_spatial_loop(const Einsum& einsum, const Architecture& architecture,
                                                   const Nest& nest) {
    for (int i = 0; i < nest.size(); ++i) {
        const NestLoop& entry = nest.loops[i];
        if (!entry.loop.is_spatial() || entry.loop.is_perfect()) continue;
        const auto same = [&](const NestLoop& other) { return other.loop.dimension == entry.loop.dimension; };
        if (std::any_of(nest.loops.begin() + i + 1, nest.loops.end(), same)) continue;
        return Violation{ViolationKind::nest,
                         architecture.memories[architecture.memory_count() - 1 - entry.storage].name,
                         "the outermost loop of dimension '" + einsum.dimensions[entry.loop.dimension].name +
                             "' is spatial and imperfect; Timeloop exits on it"};
    }
    return std::nullopt;
}

/// Blocks are laid out element by element; the bound protects the memory.
constexpr std::int64_t kMostElements = std::int64_t{1} << 20;

}  // namespace

Nest flatten(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping) {
    return Flattener(einsum, architecture).run(levels_of(mapping, architecture.memory_count()));
}

std::optional<Violation> structural_refusal(const Einsum& einsum, const Architecture& architecture,
                                            const Mapping& mapping, const Nest& nest) {
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        const std::int64_t loops = covered(nest, d);
        if (loops == einsum.dimensions[d].extent) continue;
        return Violation{ViolationKind::factor_product, "",
                         "the loops of dimension '" + einsum.dimensions[d].name + "' run " + std::to_string(loops) +
                             " times; its extent is " + std::to_string(einsum.dimensions[d].extent)};
    }
    if (auto refusal = bypassed_everywhere(einsum, architecture, mapping)) return refusal;
    return unaveragable_spatial_loop(einsum, architecture, nest);
}

std::optional<Violation> oversized_block(const Architecture& architecture, const Nest& nest) {
    for (std::size_t storage = 0; storage < nest.storages.size(); ++storage) {
        const std::optional<SpatialBlock>& block = nest.storages[storage].block;
        if (!block || block->fanout <= kMostElements) continue;
        const std::string& name = architecture.memories[nest.storages.size() - 1 - storage].name;
        return Violation{ViolationKind::nest, name,
                         "the spatial loops below " + name + " spread over " + std::to_string(block->fanout) +
                             " instances; Timeloop's counting visits each, and more than " +
                             std::to_string(kMostElements) + " are refused"};
    }
    return std::nullopt;
}

}  // namespace tilewright::account
