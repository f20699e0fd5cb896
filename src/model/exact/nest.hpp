// Nest: a mapping for one of its tensors, flattened for counting. Loops that run once are dropped; every loop has its
// step. All tensors of an even mapping have the same nest.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "base/stop.hpp"
#include "mapping/mapping.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

struct NestLoop {
    int dimension = 0;
    std::int64_t extent = 1;
    std::int64_t remainder = 1;
    std::int64_t step = 1;  ///< iterations of the dimension skipped by one advance: the product of the inner extents
    LoopKind kind = LoopKind::temporal;

    bool is_spatial() const { return kind != LoopKind::temporal; }
};

/// A memory's loops lie between its store and the next inner one: temporal ones, then the fan-out below it. (Uneven
/// mappings may have a temporal loop inside the fan-out and outside the next store. Without remainders time and space
/// may be exchanged, as long as every loop keeps its step.)
struct NestLevel {
    int first = 0;    ///< index of its first loop; earlier loops lie outside the memory
    int spatial = 0;  ///< index of its first spatial loop
    int end = 0;
    /// The memory's tile, by dimension: iterations in a full tile and in the very last one.
    std::vector<std::int64_t> full;
    std::vector<std::int64_t> last;
    std::int64_t addressed = 1;  ///< instances addressed by outer spatial loops: the product of their extents
    std::int64_t instances = 1;  ///< instances that ever work: fewer than addressed in some imperfect nests
    Mesh mapped;                 ///< mapped fan-out below it
    Mesh hardware;               ///< available fan-out below it
};

struct Nest {
    const Einsum* einsum = nullptr;
    std::vector<NestLoop> loops;    ///< outermost first
    std::vector<NestLevel> levels;  ///< by memory, outermost first
    std::int64_t units = 1;         ///< compute units that ever work
    bool perfect = true;
    const StopSource* stop = nullptr;  ///< polled by slow counts, which then throw Stopped

    int level_count() const { return static_cast<int>(levels.size()); }
    /// Shift of rank `rank` of `tensor` by one advance of `loop`.
    std::int64_t shift(int loop, const Rank& rank) const;
    bool moves(int loop, const Tensor& tensor) const { return is_relevant(tensor, loops[loop].dimension); }
};

/// Requires an even mapping whose factors cover the einsum. Keeps references to `einsum` and `stop`.
Nest flatten(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
             const StopSource* stop = nullptr);

/// The same by tensor, for uneven mappings too (mapping/uneven.hpp); those need perfect factors.
std::vector<Nest> flatten_by_tensor(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                    const StopSource* stop = nullptr);

/// Multiply-accumulate steps of the array in lock-step: the product over dimensions of their trip counts, a fan-out
/// taking as long as its longest branch.
std::int64_t time_steps(const Nest& nest);

/// Tiles of dimension `dimension` at memory `level`, over all instances and times.
std::int64_t tile_count(const Nest& nest, int level, int dimension);

}  // namespace tilewright
