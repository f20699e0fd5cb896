#include "fusion/hierarchy/leaf_mapper.hpp"

#include <algorithm>
#include <memory>

#include "arch/widths.hpp"
#include "base/numbers/checked.hpp"
#include "fusion/hierarchy/alike.hpp"
#include "fusion/hierarchy/merged_box.hpp"
#include "fusion/hierarchy/roles.hpp"
#include "fusion/hierarchy/shared_buffer.hpp"
#include "mapping/fused/leaf_mapping.hpp"
#include "mapping/tile.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/prices.hpp"

namespace tilewright::fusion {
namespace {

std::shared_ptr<const lean::Prices> prices_with(const Einsum& box, const Architecture& architecture,
                                                const std::vector<int>& held_in) {
    auto prices = std::make_shared<lean::Prices>();
    prices->compute_pj = architecture.compute.energy_pj.value;
    for (int m = 0; m < architecture.memory_count(); ++m) {
        auto& at = prices->memories.emplace_back();
        for (int t = 0; t < box.tensor_count(); ++t) {
            const bool home = m == 0 && held_in[t] > 0;
            at[t] = lean::prices_of_words(architecture.memories[home ? held_in[t] : m], box.tensors[t]);
            if (home) at[t].read_moved = at[t].fill_moved = at[t].update_moved = 0.0;
            if (m < held_in[t]) at[t].on_link = 0.0;
        }
    }
    return prices;
}

// In whole words: of one that is left in part, all or nothing.
Architecture with_room(const Architecture& architecture, const LeafPlace& place, bool all) {
    Architecture machine = architecture;
    for (std::size_t m = 0; m < place.bits.size(); ++m) {
        if (!place.bits[m]) continue;
        Memory& memory = machine.memories[m];
        memory.capacity_words = all ? ceil_div(*place.bits[m], memory.word_bits) : *place.bits[m] / memory.word_bits;
        memory.multiple_buffering = 1.0;
    }
    return machine;
}

Constraints with_held(Constraints demands, const Architecture& architecture, const std::vector<int>& held_in) {
    demands.levels.resize(architecture.memories.size());
    for (int t = 0; t < static_cast<int>(held_in.size()); ++t) {
        if (held_in[t] == 0) continue;
        for (int m = 0; m <= held_in[t]; ++m) {
            LevelConstraint& level = demands.levels[m];
            level.must_keep.remove(t);
            if (m == 0)
                level.must_bypass.remove(t);
            else
                level.must_bypass.add(t);
        }
    }
    return demands;
}

bool has_wires(const Architecture& architecture) {
    return std::ranges::any_of(architecture.memories, [](const Memory& memory) {
        const Link& link = memory.link;
        return link.energy_per_hop_pj || link.wire_energy_pj_per_bit_mm || link.router_energy_pj ||
               !link.multicast_energy_pj.empty() || !link.tensor_multicast_energy_pj.empty();
    });
}

// Where no order is demanded, loops across a fan-out stand in that of the dimensions: other layouts differ in wires
// alone, and there are thousands of them.
Constraints with_one_layout(Constraints demands, const Architecture& architecture, int dimensions) {
    if (!has_wires(architecture)) return demands;
    demands.levels.resize(architecture.memories.size());
    for (int m = 0; m < architecture.memory_count(); ++m) {
        LoopConstraint& loops = demands.levels[m].spatial;
        if (architecture.fanout(m).size() == 1 || loops.split || !loops.inner.empty() || !loops.outer.empty()) continue;
        for (int d = 0; d < dimensions; ++d) loops.inner.push_back(d);
    }
    return demands;
}

// Bits that the mapping's stores take, by memory.
std::vector<std::int64_t> own_bits(const Mapping& mapping, const Einsum& box, const Architecture& machine) {
    std::vector<std::int64_t> inside(box.dimensions.size(), 1);
    std::vector<std::int64_t> bits(machine.memories.size(), 0);
    for (auto node = mapping.nodes.rbegin(); node != mapping.nodes.rend(); ++node) {
        if (const Loop* loop = std::get_if<Loop>(&*node)) {
            inside[loop->dimension] *= loop->extent;
            continue;
        }
        const Store& store = std::get<Store>(*node);
        for (int t = 0; t < box.tensor_count(); ++t)
            if (store.tensors.has(t))
                bits[store.memory] += tensor_words(on_box(box, inside), t) *
                                      tilewright::bits_of(box.tensors[t], machine.memories[store.memory]);
    }
    return bits;
}

// Stores of the outermost memory are the cascade's.
LeafNest nest_from(const Mapping& mapping, const std::vector<int>& held_in, std::vector<std::int64_t> extents) {
    LeafNest nest = leaf_nest(mapping, held_in);
    std::erase_if(nest.nodes, [](const LeafNode& node) {
        const Store* store = std::get_if<Store>(&node);
        return store != nullptr && store->memory == 0;
    });
    nest.box = std::move(extents);
    return nest;
}

}  // namespace

bool has_room(const LeafMapping& leaf, const LeafPlace& place) {
    bool has = true;
    for (std::size_t m = 0; m < place.bits.size(); ++m)
        has = has && (!place.bits[m] || leaf.own_bits[m] <= *place.bits[m]);
    return has;
}

LeafMapper::LeafMapper(const Cascade& cascade, const Architecture& architecture,
                       const std::vector<Constraints>& demands, const StopSource* stop,
                       const OptimalMapper::Options& effort)
    : cascade_(cascade),
      architecture_(architecture),
      demands_(demands),
      stop_(stop),
      effort_(effort),
      buffer_(shared_buffer(architecture)),
      alike_(first_alike(cascade, demands)) {}

const LeafMapping* LeafMapper::best(int einsum, const std::vector<std::int64_t>& extents, TensorSet held,
                                    std::int64_t bits, ObjectiveKind objective) {
    LeafPlace place;
    for (int t = 0; t < cascade_.einsums[einsum].einsum.tensor_count(); ++t)
        place.held_in.push_back(held.has(t) ? buffer_ : 0);
    place.bits.resize(architecture_.memories.size());
    const Machine machine = in_units(machine_around(architecture_), cascade_);
    place.bits[buffer_] = machine.capacity * machine.unit_bits;
    const LeafMapping* found = best(einsum, extents, place, objective);
    if (found == nullptr || found->own_bits[buffer_] <= bits) return found;
    place.bits[buffer_] = bits;
    return best(einsum, extents, place, objective);
}

const LeafMapping* LeafMapper::best(int einsum, const std::vector<std::int64_t>& extents, const LeafPlace& place,
                                    ObjectiveKind objective) {
    Key key{alike_[einsum], extents, place, objective};
    auto found = known_.find(key);
    if (found == known_.end()) {
        std::optional<LeafMapping> one = search(key);
        found = known_.emplace(std::move(key), std::move(one)).first;
    }
    return found->second ? &*found->second : nullptr;
}

// The best with a word that is left in part is the best with that part where it fits; else it says what none is below.
std::optional<LeafMapping> LeafMapper::search(const Key& key) const {
    const LeafPlace& place = std::get<LeafPlace>(key);
    std::optional<LeafMapping> least = search(key, with_room(architecture_, place, true));
    if (!least || has_room(*least, place)) return least;
    std::optional<LeafMapping> best = search(key, with_room(architecture_, place, false));
    if (!best) {
        least->fits = false;
        return least;
    }
    best->bound = least->bound;
    return best;
}

std::optional<LeafMapping> LeafMapper::search(const Key& key, const Architecture& machine) const {
    throw_if_stopped(stop_);
    const auto& [e, extents, place, kind] = key;
    const std::vector<int>& held_in = place.held_in;
    const bool is_any_held = std::ranges::any_of(held_in, [](int memory) { return memory > 0; });
    const Einsum box = on_box(cascade_.einsums[e].einsum, extents);
    const MergedBox merged = merged_box(box, rules_on(demands_[e], extents));
    const Constraints demands = with_one_layout(merged.demands, machine, merged.einsum.dimension_count());
    const Mapspace mapspace(merged.einsum, machine, with_held(demands, machine, held_in));
    if (!mapspace.problem().empty()) return std::nullopt;
    const LeanEvaluator evaluator(merged.einsum, machine,
                                  is_any_held ? prices_with(merged.einsum, machine, held_in) : nullptr);
    Budget budget;
    budget.stop = stop_;
    const SearchResult found = OptimalMapper(effort_).search(mapspace, evaluator, {.kind = kind}, budget, {});
    throw_if_stopped(stop_);
    if (!found.best) return std::nullopt;
    const Mapping mapping = unmerged(*mapping_of(*found.best, merged.einsum), merged, box);
    return LeafMapping{
        nest_from(mapping, held_in, extents),   own_bits(mapping, box, machine), true, found.cost.energy_pj,
        static_cast<double>(found.cost.cycles), found.lower_bound.value_or(0.0)};
}

}  // namespace tilewright::fusion
