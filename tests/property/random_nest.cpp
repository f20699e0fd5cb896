#include "random_nest.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/numbers/random.hpp"
#include "mapping/uneven.hpp"
#include "random_einsum.hpp"
#include "repair.hpp"

namespace tilewright::property {
namespace {

constexpr std::int64_t kMostUnits = 256;

std::size_t pick(Random& random, std::size_t count) { return static_cast<std::size_t>(random.below(count)); }

template <typename T>
void shuffle(Random& random, std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[pick(random, i)]);
}

std::int64_t random_divisor(Random& random, std::int64_t number) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t d = 1; d <= number; ++d)
        if (number % d == 0) divisors.push_back(d);
    return divisors[pick(random, divisors.size())];
}

/// Decides once per nest what its mapping is like, then draws loops.
class LoopMaker {
   public:
    LoopMaker(Random& random, std::size_t memories) : random_(random), levels_(memories) {
        perfect_ = random.chance(0.3);
        repeats_ = random.chance(0.1);
        spatial_share_ = random.chance(0.2) ? 0.0 : random.unit() * 0.6;
        for (std::int64_t fanouts = random.between(0, 3); fanouts > 0; --fanouts)
            fanouts_.push_back(pick(random, memories));
    }

    std::vector<MappingLevel> make(const Einsum& einsum) {
        for (int d = 0; d < einsum.dimension_count(); ++d) add_loops(d, einsum.dimensions[d].extent);
        for (MappingLevel& level : levels_) {
            shuffle(random_, level.temporal);
            shuffle(random_, level.spatial);
        }
        return std::move(levels_);
    }

   private:
    /// repair() completes or cuts what these loops do not cover exactly.
    void add_loops(int dimension, std::int64_t extent) {
        std::int64_t left = extent;
        for (std::int64_t count = random_.between(0, 4); count > 0; --count) {
            std::int64_t factor = random_.between(1, std::min<std::int64_t>(extent, random_.chance(0.7) ? 4 : 16));
            if (perfect_) {
                factor = count == 1 ? left : random_divisor(random_, left);
                left /= factor;
            }
            add_loop(Loop{dimension, factor, factor, LoopKind::temporal});
        }
    }

    void add_loop(Loop loop) {
        std::size_t memory = pick(random_, levels_.size());
        if (!fanouts_.empty() && random_.chance(spatial_share_)) {
            memory = fanouts_[pick(random_, fanouts_.size())];
            loop.kind = random_.chance(0.5) ? LoopKind::spatial_x : LoopKind::spatial_y;
        }
        std::vector<Loop>& list = loop.is_spatial() ? levels_[memory].spatial : levels_[memory].temporal;
        const auto same = [&](const Loop& other) { return other.dimension == loop.dimension; };
        if (repeats_ || std::ranges::none_of(list, same)) list.push_back(loop);
    }

    Random& random_;
    std::vector<MappingLevel> levels_;
    bool perfect_ = false;  ///< all factors divide
    bool repeats_ = false;  ///< a dimension may have two loops in one list
    double spatial_share_ = 0.0;
    std::vector<std::size_t> fanouts_;  ///< memories with spatial loops below
};

std::int64_t units(const std::vector<MappingLevel>& levels) {
    std::int64_t product = 1;
    for (const MappingLevel& level : levels)
        for (const Loop& loop : level.spatial) product *= loop.extent;
    return product;
}

void choose_keeps(Random& random, const Architecture& architecture, int tensors, std::vector<MappingLevel>& levels) {
    const double share = random.chance(0.3) ? 1.0 : static_cast<double>(random.between(3, 9)) / 10.0;
    std::vector<std::size_t> real;
    for (std::size_t m = 0; m < levels.size(); ++m)
        if (!architecture.memories[m].spreads_only) real.push_back(m);
    for (int t = 0; t < tensors; ++t) {
        levels[real[pick(random, real.size())]].keep.add(t);  // somewhere it has to be
        for (const std::size_t m : real)
            if (random.chance(share)) levels[m].keep.add(t);
    }
}

Architecture random_memories(Random& random) {
    Architecture architecture;
    architecture.name = "random";
    const std::int64_t memories = random.chance(0.1) ? 1 : random.between(2, 5);
    for (std::int64_t m = 0; m < memories; ++m) {
        Memory memory;
        memory.name = "M" + std::to_string(m);
        memory.spreads_only = memories > 1 && random.chance(0.1);
        architecture.memories.push_back(std::move(memory));
    }
    const auto spreads = [](const Memory& memory) { return memory.spreads_only; };
    if (std::ranges::all_of(architecture.memories, spreads)) architecture.memories.front().spreads_only = false;
    return architecture;
}

/// Instances that the mapping leaves idle.
void add_spare_instances(Random& random, Architecture& architecture) {
    const std::int64_t spare_x = random.chance(0.2) ? 2 : 1;
    const std::int64_t spare_y = random.chance(0.2) ? 3 : 1;
    for (std::size_t m = pick(random, architecture.memories.size() + 1); m <= architecture.memories.size(); ++m) {
        const bool compute = m == architecture.memories.size();
        Mesh& mesh = compute ? architecture.compute.mesh : architecture.memories[m].mesh;
        mesh = {mesh.x * spare_x, mesh.y * spare_y};
        (compute ? architecture.compute.instances : architecture.memories[m].instances) = mesh.size();
    }
}

std::optional<double> random_bandwidth(Random& random) {
    if (random.chance(0.6)) return std::nullopt;
    return static_cast<double>(random.between(1, 32)) / 4.0;
}

void choose_costs(Random& random, Architecture& architecture) {
    const auto energy = [&] { return Sourced{static_cast<double>(random.between(0, 400)) / 8.0, "random"}; };
    for (Memory& memory : architecture.memories) {
        memory.energy = {energy(), energy(), energy(), energy()};
        memory.area_um2 = energy();
        memory.block_words = std::int64_t{1} << random.below(4);
        memory.cluster_size = random_divisor(random, memory.instances);
        memory.read_words_per_cycle = random_bandwidth(random);
        memory.write_words_per_cycle = random_bandwidth(random);
        memory.shared_words_per_cycle = random_bandwidth(random);
        memory.reduces = random.chance(0.7);
        memory.link.energy_per_hop_pj = energy().value;
    }
    architecture.compute.energy_pj = energy();
    architecture.compute.leak_pj_per_cycle = energy();
    architecture.compute.area_um2 = energy();
}

// A store per tensor, except in the outermost memory.
std::vector<Node> split_stores(const Mapping& mapping) {
    std::vector<Node> nodes;
    for (const Node& node : mapping.nodes) {
        const Store* store = std::get_if<Store>(&node);
        if (store == nullptr || store->memory == 0 || store->tensors.empty()) {
            nodes.push_back(node);
            continue;
        }
        for (std::uint32_t left = store->tensors.bits(); left != 0; left &= left - 1)
            nodes.emplace_back(Store{store->memory, TensorSet::from_bits(left & (~left + 1))});
    }
    return nodes;
}

bool is_spatial(const Node& node) {
    const Loop* loop = std::get_if<Loop>(&node);
    return loop != nullptr && loop->is_spatial();
}

}  // namespace

Nest random_uneven_nest(std::uint64_t seed, std::int64_t operations) {
    Nest nest;
    for (std::uint64_t attempt = 0; attempt == 0 || !is_perfect(nest.mapping); ++attempt)
        nest = random_nest(Random::split(seed, attempt), operations);
    nest.mapping.nodes = split_stores(nest.mapping);
    Random random(seed);
    for (std::size_t moves = 8 * nest.mapping.nodes.size(); moves > 0; --moves) {
        Mapping moved = nest.mapping;
        const std::size_t at = pick(random, moved.nodes.size());
        if (at == 0 || is_spatial(moved.nodes[at]) || is_spatial(moved.nodes[at - 1])) continue;
        std::swap(moved.nodes[at - 1], moved.nodes[at]);
        if (uneven_problem(moved, nest.architecture).empty()) nest.mapping = std::move(moved);
    }
    return nest;
}

namespace {

Nest random_nest_of(Random& random, Einsum einsum) {
    Nest nest;
    nest.einsum = std::move(einsum);
    nest.architecture = random_memories(random);
    std::vector<MappingLevel> levels;
    do {
        repair(nest, LoopMaker(random, nest.architecture.memories.size()).make(nest.einsum));
        levels = levels_of(nest.mapping, nest.architecture.memory_count());
    } while (units(levels) > kMostUnits);
    choose_keeps(random, nest.architecture, nest.einsum.tensor_count(), levels);
    nest.mapping = mapping_of(levels);
    add_spare_instances(random, nest.architecture);
    choose_costs(random, nest.architecture);
    return nest;
}

/// O[n] += W[k,n] * I[k]; or of several heads, as in attention; with a batch of one.
Einsum random_decode(Random& random, std::int64_t operations) {
    Einsum einsum{"decode", {{"M", 1}, {"N", 1}, {"K", 1}}, {}};
    Tensor weights{"W", {{{{2}}}, {{{1}}}}, false};
    Tensor input{"I", {{{{0}}}, {{{2}}}}, false};
    Tensor result{"O", {{{{0}}}, {{{1}}}}, true};
    if (random.chance(0.3)) {
        einsum.dimensions.push_back({"H", random.between(2, 3)});
        for (Tensor* tensor : {&weights, &input, &result}) tensor->ranks.push_back({{{3}}});
    }
    einsum.tensors = {std::move(weights), std::move(input), std::move(result)};
    const std::int64_t most = std::max<std::int64_t>(4, operations / 4);
    einsum.dimensions[1].extent = random.between(1, std::min<std::int64_t>(most, 16));
    einsum.dimensions[2].extent = random.between(2, std::max<std::int64_t>(2, most / einsum.dimensions[1].extent));
    return einsum;
}

bool passes_over_a_fanout(const Nest& nest) {
    const std::vector<MappingLevel> levels = levels_of(nest.mapping, nest.architecture.memory_count());
    for (int t = 0; t < nest.einsum.tensor_count(); ++t) {
        bool kept = false;
        bool spread = false;  // since the last memory that keeps it
        for (const MappingLevel& level : levels) {
            if (kept && spread && !level.keep.has(t)) return true;
            if (level.keep.has(t)) spread = false;
            kept = kept || level.keep.has(t);
            spread = spread || !level.spatial.empty();
        }
    }
    return false;
}

}  // namespace

Nest random_nest(std::uint64_t seed, std::int64_t operations) {
    Random random(seed);
    Einsum einsum = random_einsum(random, operations);
    return random_nest_of(random, std::move(einsum));
}

Nest random_passing_nest(std::uint64_t seed, std::int64_t operations) {
    for (std::uint64_t attempt = 0;; ++attempt) {
        Random random(Random::split(seed, attempt));
        Einsum einsum = seed % 2 == 0 ? random_einsum(random, operations) : random_decode(random, operations);
        Nest nest = random_nest_of(random, std::move(einsum));
        if (!is_perfect(nest.mapping) && passes_over_a_fanout(nest)) return nest;
    }
}

}  // namespace tilewright::property
