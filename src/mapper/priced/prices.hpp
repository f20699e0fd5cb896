// What a layer is searched with whose words have several widths or whose zeros save something: prices of words that are
// never more than the exact account, relative to a layer and a machine with words of one width each. Internal to
// mapper/priced.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mapspace/factors/factor_rule.hpp"
#include "mapspace/layer_problem.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/prices.hpp"

namespace tilewright::priced {

// Parts of a mapspace that searches with prices take apart, as constraints. Internal to mapper/priced.

/// Whether each memory keeps a tensor, by tensor and memory.
using Kept = std::vector<std::vector<bool>>;

/// All ways to keep tensors, each somewhere; nothing where they are more than `most`.
std::optional<std::vector<Kept>> ways_to_keep(const Mapspace& mapspace, int tensors, std::size_t most);

/// The mappings that keep tensors so.
Constraints that_keep(const LayerProblem& problem, const Kept& kept);

/// Fixes a factor at 1. False: the constraints ask for another.
bool set_to_one(LoopConstraint& loops, int dimensions, int dimension);

/// Of some mappings those in which a memory's tile of a tensor is a single word; nothing where they say that it is
/// not.
std::optional<Constraints> with_single_word(const Einsum& einsum, Constraints constraints, int tensor, int memory);

/// A search. Prices may say less than the exact account, and tiles have room that have none: what it finds is counted
/// exactly, and what it proves is a lower bound.
struct PricedSearch {
    Constraints constraints;
    std::shared_ptr<const lean::Prices> prices;  ///< null: the machine's own
    bool bounds_only = false;                    ///< nothing is found here that the other searches miss
};

/// Mappings that keep tensors in the same way.
struct PricedSpace {
    Constraints constraints;
    std::shared_ptr<const lean::Prices> least;  ///< for all of them; null: the machine's own
    std::vector<PricedSearch> searches;         ///< each mapping is priced by one of them for no more than it costs
};

struct PricedSpaces {
    Einsum einsum;              ///< with words in parts of a bit where scales take fractions
    Architecture architecture;  ///< in the same parts, with room for every mapping that has room
    std::vector<PricedSpace> spaces;
    std::string left_out;  ///< why some mappings are not counted
    std::string refused;   ///< why none is searched
};

/// Prices of a fused leaf with even factors. `homes`: by tensor, the memory of the shared store holding it, or 0. The
/// mapspace has such a tensor in the outermost memory, which stands for its home: words cost as they do there, without
/// its bandwidth, and pass no link outside it.
PricedSpace space_of_leaf(const LayerProblem& problem, const std::vector<int>& homes, const Mapspace& mapspace);

/// `uneven`: of uneven mappings, too. Throws OverflowError.
PricedSpaces priced_spaces(const LayerProblem& problem, FactorRule factors, bool uneven);

}  // namespace tilewright::priced
