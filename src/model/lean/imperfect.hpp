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

/// Loops run at least twice; all but the outermost one of a dimension halve what is left of it.
inline constexpr int kMaxImperfectLoops = 53 + 2 * kMaxDimensions;

struct ImperfectLoop {
    int dimension;
    int level;  ///< memory it belongs to
    int next;   ///< the next loop outwards of the same dimension; past the end when there is none
    bool spatial;
    double extent;
    double remainder;
    double step;  ///< iterations of the dimension that one advance skips
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
    std::array<ByDimension, kMaxMemories + 1> tiles;  ///< how many tiles a dimension is cut into
    std::array<std::array<std::uint8_t, kMaxDimensions>, kMaxMemories + 1> from;  ///< first loop of a dimension outside
    std::array<std::uint32_t, kMaxMemories + 1> looped;                           ///< bit d: some loop over d outside
    std::array<double, kMaxMemories + 1> used_x;  ///< instances that the spatial loops address
    std::array<double, kMaxMemories + 1> used_y;
    std::array<ByDimension, kMaxMemories + 1> ways;  ///< indices of the spatial loops of a dimension that ever work
    std::array<double, kMaxMemories + 1> in_use;     ///< instances that ever work
    std::array<std::array<double, kMaxTensors>, kMaxMemories> words;  ///< of the largest tiles that are kept
    double steps;                                                     ///< when all units work in lock-step
    std::array<Repack, kMaxMemories> repack;                          ///< of the block below a memory
    /// Of some dimension along both axes of a fan-out the two loops lie apart, and it matters: here they are one.
    bool divided;

    double addressed(int level) const { return used_x[level] * used_y[level]; }
};

/// As check(), except that factors must cover extents without a remainder outermost. Lays the nest out on the way.
std::optional<ViolationKind> imperfect_violation(const Setup& setup, const TilingPoint& point, ImperfectNest& nest);
std::optional<ViolationKind> imperfect_violation(const Setup& setup, const TilingPoint& point);

/// Fills in what only costs depend on: instances in use and time steps.
void count_use(const Setup& setup, const TilingPoint& point, ImperfectNest& nest);

/// What memory `asking` is sent by memory `level` over the whole run, through all memories between them (rule 6 of
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

/// The same by how many neighbours are sent a word at once, and how far it goes to all of them.
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

/// Below the memory two dimensions of one rank are spread, so that neighbours may share words in other ways than by
/// index.
bool spreads_a_rank_twice(const TensorForm& form, const ImperfectNest& nest, int level);

/// What the compute units ask of memory `level`, past all inside it. Nothing when a rank is spread in two ways.
std::optional<double> operand_words(const Setup& setup, const ImperfectNest& nest, int level, int tensor);

/// For a tensor whose tiles never overlap (TensorForm::plain). Nothing where repacking matters.
std::optional<Flow> plain_flow(const Setup& setup, const ImperfectNest& nest, int level, int asking, int tensor);

/// Distinct words in the tiles that memory `inner` ever holds inside each instance of memory `level`, summed over the
/// instances of `level`; `level` itself: those that they hold. For and like plain_flow().
std::optional<double> plain_distinct_words(const Setup& setup, const ImperfectNest& nest, int level, int inner,
                                           int tensor);

/// The same of the tiles that memory `level` holds, whatever repacks.
std::optional<double> joint_distinct_words(const Setup& setup, const ImperfectNest& nest, int level, int tensor);

/// For a tensor with windows. Nothing when a case is too complex for fixed sizes or not certain.
std::optional<Flow> window_flow(const Setup& setup, const ImperfectNest& nest, int level, int asking, int tensor);

/// For any tensor, slower, to the memory next inside. Nothing when there is no room for a case.
std::optional<Flow> joint_flow(const Setup& setup, const ImperfectNest& nest, int level, int tensor);

/// Whether all neighbours below the memory work in every step, on tiles of one size as far as they are spread: then
/// each is sent the same share of all words.
bool neighbours_are_alike(const ImperfectNest& nest, int level);
/// Where they are: `words` in all. Nothing when there is no room for a case. `cache` may be null.
std::optional<Multicasts> alike_multicasts(const Setup& setup, const ImperfectNest& nest, int level, int tensor,
                                           double words, LinkCache* cache);

/// For any tensor, of memories with something inside them. Nothing when there is no room for a case.
std::optional<Multicasts> joint_multicasts(const Setup& setup, const ImperfectNest& nest, int level, int tensor);

/// What the compute units ask of the innermost memory, which has several below it. Nothing when there is no room for a
/// case.
std::optional<Multicasts> operand_multicasts(const Setup& setup, const ImperfectNest& nest, int tensor);

/// Energy of one tensor on the links below memory `level`. `arriving`: for a result, its distinct words that ever
/// arrive from inside.
double imperfect_link_energy_pj(const Setup& setup, const ImperfectNest& nest, int level, int tensor,
                                const Multicasts& multicasts, double arriving);

/// Violation, energy and cycles of a mapping whose factors multiply to more than the extents.
/// `cache` and `stop` may be null; once `stop` is requested, what takes long throws Stopped. Of what is above the limit
/// less than it costs, but still above.
LeanCost imperfect_cost(const Setup& setup, const TilingPoint& point, LinkCache* cache, const StopSource* stop,
                        const CostLimit& limit = {});
/// The same as if wires cost nothing. Nothing where that takes as long.
std::optional<LeanCost> imperfect_cost_without_wires(const Setup& setup, const TilingPoint& point,
                                                     const StopSource* stop);

}  // namespace tilewright::lean
