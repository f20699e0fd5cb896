// Sets of steps of a nest, and what of a tensor they touch. A set of loops stands for all their iterations while the
// other loops stay where they are.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/exact/nest.hpp"

namespace tilewright::sparse {

/// Loops of a nest, by index. A nest has no more than 62: those that run once are dropped.
using LoopSet = std::uint64_t;

constexpr LoopSet loop_bit(int loop) { return LoopSet{1} << loop; }

/// What the exact account of zeros does not count, in words.
class Uncounted : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

/// By tensor: the mapping's loops, the same for all, in levels of the tensor's own stores.
std::vector<Nest> nests_of(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping);

/// All loops from `first` on inwards.
LoopSet loops_from(const Nest& nest, int first);
/// Those that move a tensor.
LoopSet loops_moving(const Nest& nest, int tensor);
LoopSet temporal_loops(const Nest& nest);

/// Where the steps of `set` lie along one rank, seen from its first step: ascending, each once.
std::vector<std::int64_t> offsets_along(const Nest& nest, const Rank& rank, LoopSet set);

/// Elements of a tensor that the steps of `set` touch. Throws Uncounted where a dimension moves two of its ranks.
std::int64_t touched(const Nest& nest, int tensor, LoopSet set);

/// Two dimensions of more than one value move the rank.
bool is_window(const Einsum& einsum, const Rank& rank);

/// No rank is a window: tiles lie side by side and never overlap.
bool is_plain(const Einsum& einsum, int tensor);

/// Accesses of a tensor at a memory that serve the next memory inwards which keeps it, or the compute units.
struct Access {
    int tensor = 0;
    int source = 0;          ///< a memory that keeps the tensor
    int child = 0;           ///< the memory that asks; the number of memories: the compute units
    LoopSet covered = 0;     ///< steps that one access serves: until the next one, of all neighbours that get the same
    LoopSet decided_by = 0;  ///< of dimensions whose remainders let it serve more steps at some places than at others
};

/// By tensor and memory; only of those that keep the tensor.
using AccessTable = std::vector<std::vector<Access>>;

/// `keeps`: of the tensor, by memory. Requires that `source` keeps it. `once`: loops outside the tile that run once.
Access access_of(const Nest& nest, const std::vector<bool>& keeps, int tensor, int source, LoopSet once = 0);

/// Of perfect factors. `nests`: nests_of(); `keeps`: by tensor and memory.
AccessTable accesses_of(const std::vector<Nest>& nests, const std::vector<std::vector<bool>>& keeps);

bool serves_computes(const Nest& nest, const Access& access);
/// First loop inside what an access moves.
int begin_of(const Nest& nest, const Access& access);

}  // namespace tilewright::sparse
