// Nest: a mapping as one of its tensors sees it, flattened for counting. Loops that run once are dropped; every loop
// knows how far one step moves. All tensors of an even mapping see the same nest.
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
    std::int64_t step = 1;  ///< iterations of the dimension that one advance skips: the product of the extents inside
    LoopKind kind = LoopKind::temporal;

    bool is_spatial() const { return kind != LoopKind::temporal; }
};

/// Loops of a memory are those between its store and the next one inwards: temporal ones, then the fan-out below it.
/// (Uneven mappings may have a temporal loop inside the fan-out and outside the next store. Without remainders time and
/// space may change places, as long as every loop keeps its step.)
struct NestLevel {
    int first = 0;    ///< index of its first loop; the loops before it lie outside the memory
    int spatial = 0;  ///< index of its first spatial loop
    int end = 0;
    /// The tile that the memory holds, by dimension: iterations in a full tile and in the very last one.
    std::vector<std::int64_t> full;
    std::vector<std::int64_t> last;
    std::int64_t addressed = 1;  ///< instances that the spatial loops outside address: the product of their extents
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
    const StopSource* stop = nullptr;  ///< counts that take long ask it, and throw Stopped once it is requested

    int level_count() const { return static_cast<int>(levels.size()); }
    /// How far one advance of `loop` moves rank `rank` of `tensor`.
    std::int64_t shift(int loop, const Rank& rank) const;
    bool moves(int loop, const Tensor& tensor) const { return is_relevant(tensor, loops[loop].dimension); }
};

/// Requires an even mapping whose factors cover the einsum. The nest refers to `einsum` and `stop`.
Nest flatten(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
             const StopSource* stop = nullptr);

/// The same by tensor, for uneven mappings too (mapping/uneven.hpp); those need factors that divide.
std::vector<Nest> flatten_by_tensor(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                    const StopSource* stop = nullptr);

/// Multiply-accumulate steps when all units of the array work in lock-step: the product over the dimensions of their
/// trip counts, where a fan-out takes as long as its longest branch.
std::int64_t time_steps(const Nest& nest);

/// Number of tiles that memory `level` cuts dimension `dimension` into, over all instances and times.
std::int64_t tile_count(const Nest& nest, int level, int dimension);

}  // namespace tilewright
