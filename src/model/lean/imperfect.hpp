// A mapping with remainders, laid out for the lean evaluator: fixed-size, no allocation. Internal to model/.
//
// The remainders follow from the extents (mixed-radix digits, see restore_remainders). Counts fold along the loops of
// one dimension from the inside out as pairs: the value of a full chunk and that of the last one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "mapping/validity.hpp"
#include "model/lean/lean.hpp"
#include "model/lean/nest.hpp"

namespace tilewright::lean {

/// Loops run at least twice; all but the outermost one of a dimension halve its rest.
inline constexpr int kMaxImperfectLoops = 53 + 2 * kMaxDimensions;

struct ImperfectLoop {
    int dimension;
    int level;  ///< its memory
    int next;   ///< the next loop outwards of the same dimension, or past the end
    bool spatial;
    double extent;
    double remainder;
    double step;  ///< iterations of the dimension skipped by one advance
};

/// In a block with a remainder in an inner loop a shorter step moves instances elsewhere (places.hpp).
struct Repack {
    std::uint32_t imperfect = 0;  ///< dimensions of these loops
    std::uint32_t outside = 0;    ///< dimensions of the loops outside the innermost of them
    bool deep = false;            ///< some dimension of the block has a shorter last tile inside
    int loops = 0;
};

struct ImperfectNest {
    using ByDimension = std::array<double, kMaxDimensions>;

    std::array<ImperfectLoop, kMaxImperfectLoops>
        loops;  ///< innermost first: spatial, then temporal ones of each memory
    int loop_count;
    std::array<int, kMaxMemories + 1> outside;        ///< first loop outside a memory; last: of all
    std::array<int, kMaxMemories> temporal;           ///< first temporal loop of a memory, after its block
    std::array<ByDimension, kMaxMemories + 1> full;   ///< iterations in a full tile of a memory
    std::array<ByDimension, kMaxMemories + 1> last;   ///< in the very last one
    std::array<ByDimension, kMaxMemories + 1> tiles;  ///< tiles per dimension
    std::array<std::array<std::uint8_t, kMaxDimensions>, kMaxMemories + 1> from;  ///< first loop of a dimension outside
    std::array<std::uint32_t, kMaxMemories + 1> looped;                           ///< bit d: some loop over d outside
    std::array<double, kMaxMemories + 1> used_x;  ///< instances addressed by the spatial loops
    std::array<double, kMaxMemories + 1> used_y;
    std::array<ByDimension, kMaxMemories + 1> ways;  ///< indices of a dimension's spatial loops that ever work
    std::array<double, kMaxMemories + 1> in_use;     ///< instances that ever work
    std::array<std::array<double, kMaxTensors>, kMaxMemories> words;  ///< of the largest tiles kept
    double steps;                                                     ///< with all units in lock-step
    std::array<Repack, kMaxMemories> repack;                          ///< of the block below a memory
    /// A dimension along both axes of a fan-out has its two loops apart, and it matters: here they are one.
    bool divided;

    double addressed(int level) const { return used_x[level] * used_y[level]; }
};

/// As check(), except that factors must cover extents without a remainder outermost. Also lays the nest out.
std::optional<ViolationKind> imperfect_violation(const Setup& setup, const TilingPoint& point, ImperfectNest& nest);
std::optional<ViolationKind> imperfect_violation(const Setup& setup, const TilingPoint& point);

/// Fills in the numbers for costs only: instances in use and time steps.
void count_use(const Setup& setup, const TilingPoint& point, ImperfectNest& nest);

/// Words sent by memory `level` to memory `asking` over the whole run, through all memories between (rule 6 of
/// docs/model.md), all instances together.
struct Flow {
    double words = 0.0;      ///< accesses of memory `level`; a multicast counts once
    double delivered = 0.0;  ///< copies that arrive at memory `asking`

    bool is_nothing() const { return delivered == 0.0; }
    bool is_overfull() const { return false; }
    void add(const Flow& other, double times = 1.0) {
        words += times * other.words;
        delivered += times * other.delivered;
    }
};

/// The same by number of simultaneous receivers, with the hops to all of them.
struct Multicasts {
    struct Part {
        std::int64_t copies = 1;
        double words = 0.0;
        double hops = 0.0;  ///< sum over the words
    };
    static constexpr int kMost = 8;
    std::array<Part, kMost> parts;  ///< ascending in copies
    int count = 0;                  ///< kMost + 1: there were more

    bool is_nothing() const { return count == 0; }
    bool is_overfull() const { return count > kMost; }
    void add(const Part& part);
    void add(const Multicasts& other, double times = 1.0);
    Flow flow() const;
};

/// Two dimensions of one rank are spread below the memory: neighbours may share words otherwise than by index.
bool spreads_a_rank_twice(const TensorForm& form, const ImperfectNest& nest, int level);

/// The compute units' requests to memory `level`, past inner ones. Nothing if two dimensions of one rank are spread.
std::optional<double> operand_words(const Setup& setup, const ImperfectNest& nest, int level, int tensor);

/// For a tensor without overlapping tiles (TensorForm::plain). Nothing if repacking matters.
std::optional<Flow> plain_flow(const Setup& setup, const ImperfectNest& nest, int level, int asking, int tensor);

/// Distinct words in the tiles of memory `inner` ever inside each instance of memory `level`, summed over the instances
/// of `level`; `level` itself: its own. Same domain as plain_flow().
std::optional<double> plain_distinct_words(const Setup& setup, const ImperfectNest& nest, int level, int inner,
                                           int tensor);

/// The same for the tiles of memory `level`, with any repacking.
std::optional<double> joint_distinct_words(const Setup& setup, const ImperfectNest& nest, int level, int tensor);

/// For a tensor with windows. Nothing if a case exceeds the fixed sizes or is uncertain.
std::optional<Flow> window_flow(const Setup& setup, const ImperfectNest& nest, int level, int asking, int tensor);

/// For any tensor, slower, to the next inner memory. Nothing if a case exceeds the fixed sizes.
std::optional<Flow> joint_flow(const Setup& setup, const ImperfectNest& nest, int level, int tensor);

/// All neighbours below the memory work in every step on spread tiles of one size: each is sent the same share.
bool neighbours_are_alike(const ImperfectNest& nest, int level);
/// For alike neighbours: `words` in all. Nothing if a case exceeds the fixed sizes. `cache` may be null.
std::optional<Multicasts> alike_multicasts(const Setup& setup, const ImperfectNest& nest, int level, int tensor,
                                           double words, LinkCache* cache);

/// For any tensor, of memories with an inner memory. Nothing if a case exceeds the fixed sizes.
std::optional<Multicasts> joint_multicasts(const Setup& setup, const ImperfectNest& nest, int level, int tensor);

/// The compute units' requests to the innermost memory, with several below it. Nothing beyond the fixed sizes.
std::optional<Multicasts> operand_multicasts(const Setup& setup, const ImperfectNest& nest, int tensor);

/// Energy of one tensor on the links below memory `level`. `arriving`: a result's distinct words from inside.
double imperfect_link_energy_pj(const Setup& setup, const ImperfectNest& nest, int level, int tensor,
                                const Multicasts& multicasts, double arriving);

/// Violation, energy and cycles of a mapping with factors beyond the extents. `cache` and `stop` may be null; once
/// `stop` is requested, slow cases throw Stopped. Above the limit it may return less, but above the limit.
LeanCost imperfect_cost(const Setup& setup, const TilingPoint& point, LinkCache* cache, const StopSource* stop,
                        const CostLimit& limit = {});
/// The same with free wires. Nothing if that is as slow.
std::optional<LeanCost> imperfect_cost_without_wires(const Setup& setup, const TilingPoint& point,
                                                     const StopSource* stop);

}  // namespace tilewright::lean
