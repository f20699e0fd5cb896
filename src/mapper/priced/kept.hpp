// Parts of a mapspace that searches with prices take apart, as constraints. Internal to mapper/priced.
#pragma once

#include <optional>
#include <vector>

#include "mapspace/layer_problem.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::priced {

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

}  // namespace tilewright::priced
