// The order evaluator's copy of a layer, an accelerator and a spatial mapping: fixed-size arrays, indices instead of
// names. Internal to account/zigzag.
//
// Equal (dimension, factor) loops share a kind.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "zigzag/accounting/allocation.hpp"
#include "zigzag/accounting/spatial.hpp"
#include "zigzag/values/accelerator.hpp"
#include "zigzag/values/layer.hpp"
#include "zigzag/values/uneven_mapping.hpp"

namespace tilewright::zigzag::lean {

inline constexpr int kLoops = 64;  // extents multiply to less than 2^63
inline constexpr int kKinds = 64;
inline constexpr int kOperands = 3;
inline constexpr int kLevels = 8;     // memories of one operand
inline constexpr int kMemories = 24;  // of the machine
inline constexpr int kSlots = 8;      // relevant dimensions of one operand
inline constexpr int kRelations = 4;
inline constexpr int kSpreads = 24;  // spatial loops of one operand
inline constexpr int kPorts = 48;    // of the machine
inline constexpr int kUsers = 12;    // streams through one port

/// Effect of a loop on an operand's tile.
enum class Role : std::uint8_t {
    none,      ///< a single-iteration loop over an unused dimension
    reuse,     ///< irrelevant: the tile stays
    relevant,  ///< the tile grows with it
    partial,   ///< the tile grows through a relation such as ix = ox + fx
};

struct LoopEffect {
    Role role = Role::none;
    std::uint8_t slot = 0;  ///< of GrowingTile::relevant or GrowingTile::partial
};

/// A data dimension a_step * a + b_step * b, with coprime steps.
struct Relation {
    std::uint8_t a = 0, b = 0;  ///< slots of GrowingTile::partial
    std::int64_t a_step = 1, b_step = 1;
    std::int64_t most = 1;  ///< distinct indices in the whole tensor
};

struct Spread {
    LoopEffect step;
    double factor = 1.0;
};

/// One spatial mapping for one operand, with its tables.
struct Spatial {
    std::array<Spread, kSpreads> spreads{};
    std::array<std::uint8_t, kLevels + 2> begin{};  ///< spreads[begin[l]] up to begin[l + 1]: between level l and below
    std::array<double, kLevels + 1> unit_count{};   ///< by architecture level (0: the multipliers)
    std::array<double, kLevels + 1> boost{};
    /// At this entry or above an irrelevant loop runs on more than one unit ...
    std::array<bool, kLevels + 2> reuse_from{};
    /// ... and on so many that partial sums come back.
    std::array<bool, kLevels + 3> back_from{};
    /// elements[l][i]: elements of a tile of level l with the temporal loops of index i (Operand::stride).
    std::array<std::vector<double>, kLevels> elements;
};

/// One direction of one memory level: `fall` is towards the multipliers.
struct Stream {
    double granule_bits = 1.0;   ///< the smallest access
    double word_fraction = 1.0;  ///< share of a full word's cost per access
    double word_bits = 1.0;      ///< 0: no such port
    double energy_pj = 0.0;      ///< per full word
};
struct Operand {
    int levels = 0;
    int relevant_slots = 0;
    int partial_slots = 0;
    int relations = 0;
    std::array<Relation, kRelations> relation{};
    std::array<LoopEffect, kKinds> step{};  ///< by kind
    /// All tile sizes are exact in doubles in any loop order, and tabulated by the inner loops: a loop adds its kind's
    /// stride to the index. Otherwise (11.2 units from 56 over 5 rounds) tiles are multiplied as in ZigZag.
    bool tabulated = false;
    std::array<std::uint32_t, kKinds> stride{};
    Spatial fractional, whole;
    /// A spatial loop at this entry or above runs over an irrelevant dimension, even on a single unit.
    std::array<bool, kLevels + 2> names_reuse_from{};
    double bits = 0.0;        ///< per element; of outputs: as partial sums
    double final_bits = 0.0;  ///< of a final output; equal to bits for inputs
    double elements = 0.0;    ///< in the whole tensor
    std::array<double, kLevels> capacity_bits{};
    std::array<std::uint8_t, kLevels> memory{};  ///< index into Setup::shares_memory
    std::array<PerDirection<Stream>, kLevels> stream{};
};

/// One operand in one memory.
struct Resident {
    std::uint8_t operand = 0;
    std::uint8_t level = 0;
    bool top = false;
};

struct Memory {
    std::uint8_t index = 0;  ///< in the accelerator
    double capacity_bits = 0.0;
    int residents = 0;
    std::array<Resident, kOperands> resident{};
    bool roomy = false;  ///< all residents' largest tiles fit together
};

/// A stream through a port.
struct PortUser {
    std::uint8_t operand = 0, level = 0;
    Direction direction = Direction::read_down;
};

struct Port {
    double word_bits = 0.0;
    int users = 0;
    bool serves_both_inputs = false;
    std::array<PortUser, kUsers> user{};
};

/// Operand 0 is the output.
struct Setup {
    bool even = false;
    int kinds = 0;
    std::array<double, kKinds> factor{};
    std::array<std::array<std::uint8_t, kOperands>, kKinds> is_reuse{};  ///< 1: irrelevant to the operand
    int operands = 0;
    std::array<Operand, kOperands> operand{};
    int memories = 0;
    std::array<Memory, kMemories> memory{};       ///< in the order of allocation
    std::array<bool, kMemories> shares_memory{};  ///< by index in the accelerator: it holds several operands
    int ports = 0;
    std::array<Port, kPorts> port{};
    double mac_energy_pj = 0.0;  ///< of the whole layer; of arrays computing in memory without precharging
    double cycles_per_operation = 1.0;
    int weights = -1;           ///< operand in the cells, if they have to be precharged
    double precharge_pj = 0.0;  ///< of one weight
    double macs = 0.0;
    double units = 0.0;
};

/// `kinds`: the orders' distinct loops. `unrolling`: needed for arrays computing in memory. Throws InputError for a
/// machine or layer beyond the arrays above, OverflowError for counts not exact in a double.
Setup make_setup(const Accelerator& accelerator, const Layer& layer, const SpatialMapping& fractional,
                 const SpatialMapping& whole, std::span<const TemporalLoop> kinds, std::span<const TemporalLoop> loops,
                 Evenness evenness, const ArrayUnrolling& unrolling = {});

}  // namespace tilewright::zigzag::lean
