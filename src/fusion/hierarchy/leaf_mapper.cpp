#include "fusion/hierarchy/leaf_mapper.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "arch/widths.hpp"
#include "base/numbers/checked.hpp"
#include "fusion/hierarchy/merged_box.hpp"
#include "fusion/hierarchy/roles.hpp"
#include "fusion/hierarchy/shared_buffer.hpp"
#include "fusion/machine/machine.hpp"
#include "mapper/priced/prices.hpp"
#include "mapping/fused/fused_mapping.hpp"
#include "mapping/tile.hpp"
#include "mapspace/mapspace.hpp"
#include "model/exact/partial_sums.hpp"

namespace tilewright::fusion {
namespace {

// In whole words: of one that is left in part, all or nothing.
Architecture with_room(const Architecture& architecture, const LeafPlace& place, bool all) {
    Architecture machine = architecture;
    for (std::size_t m = 0; m < place.bits.size(); ++m) {
        if (!place.bits[m]) continue;
        Memory& memory = machine.memories[m];
        memory.set_usable_words(all ? ceil_div(*place.bits[m], memory.word_bits) : *place.bits[m] / memory.word_bits);
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

// One leaf's search, on a machine with the room that it has.
class LeafSearch {
   public:
    LeafSearch(const Einsum& box, const Constraints& demands, const Architecture& machine, const LeafPlace& place,
               const PartialBits& sums)
        : box_(box),
          merged_(merged_box(box, demands)),
          machine_(machine),
          place_(place),
          sums_(sums),
          mapspace_(merged_.einsum, machine,
                    with_held(with_one_layout(merged_.demands, machine, merged_.einsum.dimension_count()), machine,
                              place.held_in)) {}

    std::optional<LeafMapping> best(const OptimalMapper& mapper, ObjectiveKind kind, const Budget& budget) {
        if (!mapspace_.problem().empty()) return std::nullopt;
        const LayerProblem problem{merged_.einsum, machine_, mapspace_.constraints(), {sums_, {}}, {}};
        const bool has_sums = problem.words.has_partial_sums();
        const bool is_any_held = std::ranges::any_of(place_.held_in, [](int memory) { return memory > 0; });
        priced::PricedSpace space{problem.constraints, nullptr, {{problem.constraints, nullptr}}};
        if (is_any_held || has_sums) space = priced::space_of_leaf(problem, place_.held_in, mapspace_);
        std::optional<LeafMapping> best;
        double bound = std::numeric_limits<double>::infinity();
        for (const priced::PricedSearch& one : space.searches) {
            std::optional<Mapspace> part_of_it;
            if (has_sums) part_of_it.emplace(merged_.einsum, machine_, one.constraints);
            const Mapspace& part = part_of_it ? *part_of_it : mapspace_;
            if (!part.problem().empty()) continue;
            const LeanEvaluator evaluator(merged_.einsum, machine_, one.prices);
            const SearchResult found = mapper.search(part, evaluator, {.kind = kind}, budget, {});
            throw_if_stopped(budget.stop);
            if (!found.best && found.stopped == StopReason::exhausted) continue;
            bound = std::min(bound, found.lower_bound.value_or(0.0));
            if (found.best) offer(has_sums ? counted(found) : as_found(found), {.kind = kind}, best);
        }
        if (best) best->bound = bound;
        return best;
    }

   private:
    static void offer(std::optional<LeafMapping> one, const Objective& objective, std::optional<LeafMapping>& best) {
        const auto score = [&](const LeafMapping& leaf) { return objective.score(leaf.energy_pj, leaf.cycles); };
        if (one && (!best || score(*one) < score(*best))) best = std::move(one);
    }

    Mapping mapping_of_box(const SearchResult& found) const {
        return unmerged(*mapping_of(*found.best, merged_.einsum), merged_, box_);
    }

    LeafNest nest_of(const Mapping& mapping) const {
        std::vector<std::int64_t> extents;
        for (const Dimension& dimension : box_.dimensions) extents.push_back(dimension.extent);
        return nest_from(mapping, place_.held_in, std::move(extents));
    }

    LeafMapping as_found(const SearchResult& found) const {
        const Mapping mapping = mapping_of_box(found);
        return {nest_of(mapping), own_bits(mapping, box_, machine_), true, found.cost.energy_pj,
                static_cast<double>(found.cost.cycles)};
    }

    // By the exact model, whatever room the prices saw; nothing: it has none in a memory without shared stores.
    std::optional<LeafMapping> counted(const SearchResult& found) const {
        const LeafNest nest = nest_of(mapping_of_box(found));
        Architecture open = machine_;
        for (std::size_t m = 0; m < place_.bits.size(); ++m)
            if (place_.bits[m]) open.memories[m].capacity_words.reset();
        const Mapping mapping = mapping_on(nest, nest.box, place_.held_in, open.memory_count());
        if (!check(box_, open, mapping, sums_).empty()) return std::nullopt;
        const PartEvaluation exact = evaluate_part(box_, open, mapping, sums_, {});
        LeafMapping leaf{nest, std::vector<std::int64_t>(open.memories.size(), 0), true, exact.evaluation.energy_pj,
                         static_cast<double>(exact.evaluation.cycles)};
        for (std::size_t m = 0; m < open.memories.size(); ++m)
            for (int t = 0; t < box_.tensor_count(); ++t) {
                const TensorTraffic& traffic = exact.evaluation.memories[m].tensors[t];
                const bool is_partial = exact.partial[m].has(t);
                if (place_.held_in[t] == static_cast<int>(m)) {
                    if (is_partial) leaf.sums.add(t);
                } else if (traffic.kept) {
                    const std::int64_t bits = is_partial ? sums_[t] : bits_of(box_.tensors[t], open.memories[m]);
                    leaf.own_bits[m] += traffic.tile_words * bits;
                }
            }
        return leaf;
    }

    const Einsum& box_;
    const MergedBox merged_;
    const Architecture& machine_;
    const LeafPlace& place_;
    const PartialBits& sums_;
    const Mapspace mapspace_;
};

}  // namespace

bool has_room(const LeafMapping& leaf, const LeafPlace& place) {
    bool has = true;
    for (std::size_t m = 0; m < place.bits.size(); ++m)
        has = has && (!place.bits[m] || leaf.own_bits[m] <= *place.bits[m]);
    return has;
}

LeafMapper::LeafMapper(const Cascade& cascade, const Architecture& architecture,
                       const std::vector<Constraints>& demands, const StopSource* stop,
                       const OptimalMapper::Options& effort, PartialBits partial)
    : cascade_(cascade),
      architecture_(architecture),
      demands_(demands),
      stop_(stop),
      effort_(effort),
      partial_(std::move(partial)),
      buffer_(shared_buffer(architecture)),
      alike_(first_alike(cascade, demands, partial_)) {}

const LeafMapping* LeafMapper::best(int einsum, const std::vector<std::int64_t>& extents, TensorSet held,
                                    std::int64_t bits, ObjectiveKind objective, bool unfinished) {
    LeafPlace place;
    place.unfinished = unfinished;
    for (int t = 0; t < cascade_.einsums[einsum].einsum.tensor_count(); ++t)
        place.held_in.push_back(held.has(t) ? buffer_ : 0);
    place.bits.resize(architecture_.memories.size());
    const Machine machine = in_units(machine_around(architecture_), cascade_, partial_);
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
    Einsum box = on_box(cascade_.einsums[e].einsum, extents);
    PartialBits sums = sums_of(cascade_, e, partial_);
    for (std::size_t t = 0; place.unfinished && t < sums.size(); ++t)
        if (sums[t] > 0) box.tensors[t].bits = std::exchange(sums[t], 0);
    Budget budget;
    budget.stop = stop_;
    return LeafSearch(box, rules_on(demands_[e], extents), machine, place, sums)
        .best(OptimalMapper(effort_), kind, budget);
}

}  // namespace tilewright::fusion
