#include "same_layer.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "arch/blocks.hpp"
#include "same_machine.hpp"
#include "same_parts.hpp"

namespace tilewright::property {
namespace {

constexpr Relation kEqual;

void for_each_loop(LayerCase& layer, const auto& change) {
    if (!layer.mapping) return;
    for (Node& node : layer.mapping->nodes)
        if (Loop* loop = std::get_if<Loop>(&node)) change(*loop);
}

std::optional<Relation> permute_dimensions(Random& random, LayerCase& layer) {
    const std::vector<int> order = random_order(random, layer.einsum.dimensions.size());
    reorder(layer.einsum.dimensions, order);
    for (Tensor& tensor : layer.einsum.tensors)
        for (Rank& rank : tensor.ranks)
            for (Term& term : rank.terms) term.dimension = order[term.dimension];
    for (LevelConstraint& level : layer.constraints.levels)
        for (LoopConstraint* loops : {&level.temporal, &level.spatial}) {
            reorder(loops->factors, order);
            for (std::vector<int>* fixed : {&loops->inner, &loops->outer})
                for (int& dimension : *fixed) dimension = order[dimension];
        }
    for_each_loop(layer, [&](Loop& loop) { loop.dimension = order[loop.dimension]; });
    return kEqual;
}

std::optional<Relation> permute_terms(Random& random, LayerCase& layer) {
    bool several = false;
    for (Tensor& tensor : layer.einsum.tensors)
        for (Rank& rank : tensor.ranks) {
            several = several || rank.terms.size() > 1;
            reorder(rank.terms, random_order(random, rank.terms.size()));
        }
    return several ? std::optional(kEqual) : std::nullopt;
}

/// Places of marked elements, flattened with the last rank fastest, where rank i of `extents` goes to order[i].
void reorder_places(sparse::Measured& measured, const std::vector<int>& order) {
    sparse::Tile moved = measured.extents;
    reorder(moved, order);
    auto places = std::make_shared<std::vector<std::int64_t>>();
    for (std::int64_t place : *measured.places) {
        sparse::Tile at(moved.size());
        for (std::size_t r = order.size(); r-- > 0;) {
            at[order[r]] = place % measured.extents[r];
            place /= measured.extents[r];
        }
        std::int64_t flat = 0;
        for (std::size_t r = 0; r < at.size(); ++r) flat = flat * moved[r] + at[r];
        places->push_back(flat);
    }
    std::ranges::sort(*places);
    measured.extents = std::move(moved);
    measured.places = std::move(places);
}

bool has_blocks(const LayerCase& layer, std::size_t tensor) {
    return tensor < layer.blocks.size() && layer.blocks[tensor].is_given();
}

// Blocks lie along the innermost axis.
std::optional<Relation> permute_ranks(Random& random, LayerCase& layer) {
    bool several = false;
    for (std::size_t t = 0; t < layer.einsum.tensors.size(); ++t) {
        std::vector<Rank>& ranks = layer.einsum.tensors[t].ranks;
        if (ranks.size() < 2 || has_blocks(layer, t)) continue;
        several = true;
        const std::vector<int> order = random_order(random, ranks.size());
        reorder(ranks, order);
        if (!layer.design) continue;
        sparse::Density& density = layer.design->densities[t];
        if (auto* pattern = std::get_if<sparse::Pattern>(&density)) pattern->rank = order[pattern->rank];
        if (auto* measured = std::get_if<sparse::Measured>(&density)) reorder_places(*measured, order);
    }
    return several ? std::optional(kEqual) : std::nullopt;
}

void permute_operands_of(sparse::Design& design, const std::vector<int>& order) {
    reorder(design.densities, order);
    for (sparse::MemoryDesign& memory : design.memories) {
        reorder(memory.formats, order);
        for (auto* groups : {&memory.gating, &memory.skipping, &memory.spatial_skipping})
            for (sparse::OptionGroup& group : *groups)
                for (sparse::Option& option : group) {
                    option.target = order[option.target];
                    for (int& condition : option.conditions) condition = order[condition];
                }
    }
}

std::optional<Relation> permute_operands(Random& random, LayerCase& layer) {
    const std::vector<int> order = random_order(random, layer.einsum.tensors.size());
    reorder(layer.einsum.tensors, order);
    for (LevelConstraint& level : layer.constraints.levels) {
        level.must_keep = reordered(level.must_keep, order);
        level.must_bypass = reordered(level.must_bypass, order);
    }
    reorder(layer.blocks, order);
    if (layer.design) permute_operands_of(*layer.design, order);
    if (!layer.mapping) return kEqual;
    for (Node& node : layer.mapping->nodes)
        if (Store* store = std::get_if<Store>(&node)) store->tensors = reordered(store->tensors, order);
    return kEqual;
}

std::optional<Relation> rename(Random& random, LayerCase& layer) {
    const auto fresh = [&](std::string& name) { name = std::string(1, "zyxabc"[random.below(6)]) + "_" + name; };
    for (Dimension& dimension : layer.einsum.dimensions) fresh(dimension.name);
    for (Tensor& tensor : layer.einsum.tensors) {
        const std::string before = tensor.name;
        fresh(tensor.name);
        for (Memory& memory : layer.architecture.memories) {
            auto node = memory.bandwidth_scale.extract(before);
            if (node.empty()) continue;
            node.key() = tensor.name;
            memory.bandwidth_scale.insert(std::move(node));
        }
    }
    for (Memory& memory : layer.architecture.memories) fresh(memory.name);
    return kEqual;
}

// In a sum, or as an axis of its own.
std::optional<Relation> add_one_value(Random& random, LayerCase& layer) {
    Einsum& einsum = layer.einsum;
    const int added = einsum.dimension_count();
    const std::size_t t = random.below(einsum.tensors.size());
    Tensor& tensor = einsum.tensors[t];
    if (added >= kMaxDimensions) return std::nullopt;
    const Term term{added, random.between(1, 3)};
    if (!tensor.ranks.empty() && random.chance(0.7)) {
        std::vector<Term>& terms = tensor.ranks[random.below(tensor.ranks.size())].terms;
        terms.insert(terms.begin() + static_cast<std::ptrdiff_t>(random.below(terms.size() + 1)), term);
    } else {
        // A band is of a matrix; the axes of the others are counted.
        if (layer.design && !std::holds_alternative<sparse::UniformRandom>(layer.design->densities[t]))
            return std::nullopt;
        if (tensor.ranks.size() >= kMaxRanks) return std::nullopt;
        const auto at = static_cast<std::ptrdiff_t>(random.below(tensor.ranks.size() + 1));
        tensor.ranks.insert(tensor.ranks.begin() + at, Rank{{term}});
    }
    einsum.dimensions.push_back({"one", 1});
    for (LevelConstraint& level : layer.constraints.levels)
        for (LoopConstraint* loops : {&level.temporal, &level.spatial})
            if (!loops->factors.empty()) loops->factors.emplace_back();
    return kEqual;
}

std::optional<Relation> turn_around(Random& random, LayerCase& layer) {
    if (layer.design) return std::nullopt;  // which of its words are zero may depend on where they lie
    Tensor& tensor = layer.einsum.tensors[random.below(layer.einsum.tensors.size())];
    if (tensor.ranks.empty()) return std::nullopt;
    for (Term& term : tensor.ranks[random.below(tensor.ranks.size())].terms) term.coefficient *= -1;
    return kEqual;
}

bool is_constrained(const LayerCase& layer, int dimension) {
    for (const LevelConstraint& level : layer.constraints.levels)
        for (const LoopConstraint* loops : {&level.temporal, &level.spatial}) {
            if (!loops->factors.empty() && loops->factors[dimension] != FactorConstraint{}) return true;
            if (loops->split || std::ranges::count(loops->inner, dimension) > 0 ||
                std::ranges::count(loops->outer, dimension) > 0)
                return true;
        }
    return false;
}

// Loops of `dimension` whose extents come to `inner` stay its own, those outside become loops of `added`. False: a loop
// is astride of both in a way that no two loops are.
bool split_loops(Mapping& mapping, int dimension, std::int64_t inner, int added) {
    std::int64_t left = inner;
    for (std::size_t i = mapping.nodes.size(); i-- > 0;) {
        Loop* loop = std::get_if<Loop>(&mapping.nodes[i]);
        if (loop == nullptr || loop->dimension != dimension) continue;
        if (!loop->is_perfect()) return false;
        if (left % loop->extent == 0) {
            left /= loop->extent;
        } else if (left == 1) {
            loop->dimension = added;
        } else if (loop->extent % left == 0) {
            const Loop outside{added, loop->extent / left, loop->extent / left, loop->kind};
            loop->extent = loop->remainder = left;
            left = 1;
            mapping.nodes.insert(mapping.nodes.begin() + static_cast<std::ptrdiff_t>(i), Node{outside});
        } else {
            return false;
        }
    }
    return left == 1;
}

// A dimension that no window has, as two: side by side in the same axes, or with an axis for each.
std::optional<Relation> split_batch(Random& random, LayerCase& layer) {
    Einsum& einsum = layer.einsum;
    const auto d = static_cast<int>(random.below(einsum.dimensions.size()));
    const std::int64_t extent = einsum.dimensions[d].extent;
    const int added = einsum.dimension_count();
    std::vector<std::int64_t> divisors;
    for (std::int64_t inner = 2; inner < extent; ++inner)
        if (extent % inner == 0) divisors.push_back(inner);
    if (added >= kMaxDimensions || divisors.empty() || layer.design || is_constrained(layer, d)) return std::nullopt;
    const std::int64_t inner = any_of(random, divisors);
    const bool own_axes = random.chance(0.5);
    for (std::size_t t = 0; t < einsum.tensors.size(); ++t) {
        std::vector<Rank>& ranks = einsum.tensors[t].ranks;
        for (std::size_t r = 0; r < ranks.size(); ++r) {
            std::vector<Term>& terms = ranks[r].terms;
            const auto term = std::ranges::find(terms, d, &Term::dimension);
            if (term == terms.end()) continue;
            if (terms.size() > 1 || std::abs(term->coefficient) > 1 || has_blocks(layer, t)) return std::nullopt;
            if (own_axes && ranks.size() >= kMaxRanks) return std::nullopt;
            if (own_axes)
                ranks.insert(ranks.begin() + static_cast<std::ptrdiff_t>(r++), Rank{{{added, 1}}});
            else
                terms.push_back({added, terms.front().coefficient * inner});
        }
    }
    if (layer.mapping && !split_loops(*layer.mapping, d, inner, added)) return std::nullopt;
    einsum.dimensions[d].extent = inner;
    einsum.dimensions.push_back({"outer", extent / inner});
    for (LevelConstraint& level : layer.constraints.levels)
        for (LoopConstraint* loops : {&level.temporal, &level.spatial})
            if (!loops->factors.empty()) loops->factors.emplace_back();
    return kEqual;
}

std::optional<Relation> double_widths(LayerCase& layer) {
    if (layer.design) return std::nullopt;  // metadata has widths of its own
    for (Tensor& tensor : layer.einsum.tensors) {
        if (tensor.bits > kMaxWordBits / 2) return std::nullopt;
        tensor.bits *= 2;
    }
    for (BlockFormat& block : layer.blocks) block.scale_bits *= 2;
    layer.architecture.compute.word_bits *= 2;
    for (Memory& memory : layer.architecture.memories) {
        memory.word_bits *= 2;
        memory.link.word_bits *= 2;
        if (memory.update_link) memory.update_link->word_bits *= 2;
    }
    return kEqual;
}

std::optional<Relation> say_width(Random& random, LayerCase& layer) {
    const std::int64_t bits = layer.architecture.memories.front().word_bits;
    for (const Memory& memory : layer.architecture.memories)
        if (memory.word_bits != bits || memory.link.word_bits != bits || memory.update_link) return std::nullopt;
    const std::size_t t = random.below(layer.einsum.tensors.size());
    Tensor& tensor = layer.einsum.tensors[t];
    if ((tensor.bits != 0 && tensor.bits != bits) || has_blocks(layer, t)) return std::nullopt;
    tensor.bits = tensor.bits == 0 ? bits : 0;
    return kEqual;
}

std::optional<Relation> make_lone_block(LayerCase& layer) {
    for (std::size_t t = 0; t < layer.blocks.size(); ++t) {
        Tensor& tensor = layer.einsum.tensors[t];
        if (layer.blocks[t].is_given() || tensor.bits < 2) continue;
        tensor.bits -= 1;
        layer.blocks[t] = {1, 1};
        return kEqual;
    }
    return std::nullopt;
}

std::optional<Relation> apply(LayerRewriting rewriting, Random& random, LayerCase& layer) {
    switch (rewriting) {
        case LayerRewriting::dimensions: return permute_dimensions(random, layer);
        case LayerRewriting::terms: return permute_terms(random, layer);
        case LayerRewriting::ranks: return permute_ranks(random, layer);
        case LayerRewriting::operands: return permute_operands(random, layer);
        case LayerRewriting::names: return rename(random, layer);
        case LayerRewriting::one_value: return add_one_value(random, layer);
        case LayerRewriting::backwards: return turn_around(random, layer);
        case LayerRewriting::batch: return split_batch(random, layer);
        case LayerRewriting::widths: return double_widths(layer);
        case LayerRewriting::said_width: return say_width(random, layer);
        case LayerRewriting::lone_block: return make_lone_block(layer);
        default: return rewrite_machine(rewriting, random, layer);
    }
}

}  // namespace

std::string_view name_of(LayerRewriting rewriting) {
    static constexpr std::array<std::string_view, kLayerRewritings> kNames{
        "dimensions", "terms",          "axes of tensors", "operands",   "names",      "one value",
        "backwards",  "batch",          "widths",          "said width", "lone block", "axes of the array",
        "energies",   "useless memory", "free memory",     "capacity",   "bandwidth",  "cheaper",
        "freedom"};
    return kNames[static_cast<std::size_t>(rewriting)];
}

std::optional<Relation> rewrite(LayerRewriting rewriting, Random& random, LayerCase& layer) {
    LayerCase again = layer;
    const std::optional<Relation> relation = apply(rewriting, random, again);
    if (!relation || !problem_with(again.einsum).empty() || !problem_with(again.architecture).empty())
        return std::nullopt;
    layer = std::move(again);
    return relation;
}

}  // namespace tilewright::property
