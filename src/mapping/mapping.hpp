// Mapping: an ordered nest of loops and stores, outermost first.
//
// It reads as a program: a Store holds tiles of some tensors in a memory from here inwards; a Loop steps through tiles
// (temporal) or hands them to neighbours (spatial). A loop of extent e and remainder r runs e times, but r times if all
// enclosing loops of its dimension are at their last iteration: factors need not divide. A loop with e == r is perfect.
//
//     Store DRAM {W, I, O}
//       Loop K 4
//         Store Buffer {I, O}          <- holds the words touched by the loops below
//           Loop P 7
//           Loop K 8 spatial X         <- the fan-out below Buffer
//             Store Registers {O}
//               Loop R 3
//
// Even mappings have one Store per memory, in the architecture's order (its set may be empty: a bypassed memory);
// spatial loops below a memory's temporal loops belong to its fan-out. Uneven mappings place the tensors of a memory
// separately.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "arch/architecture.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

enum class LoopKind { temporal, spatial_x, spatial_y };

struct Loop {
    int dimension = 0;
    std::int64_t extent = 1;
    std::int64_t remainder = 1;  ///< 1 <= remainder <= extent
    LoopKind kind = LoopKind::temporal;

    bool is_spatial() const { return kind != LoopKind::temporal; }
    bool is_perfect() const { return extent == remainder; }
    bool operator==(const Loop&) const = default;
};

struct Store {
    int memory = 0;  ///< index into Architecture::memories
    TensorSet tensors;

    bool operator==(const Store&) const = default;
};

using Node = std::variant<Store, Loop>;

/// Accounting switches of Timeloop's mapping directives, per memory. Only `--account timeloop` honours them; the exact
/// model refuses a mapping with any.
struct LevelOptions {
    TensorSet no_link_transfer;
    TensorSet no_multicast;
    TensorSet no_temporal_reuse;
    TensorSet rmw_first_update;
    TensorSet no_coalesce;

    bool operator==(const LevelOptions&) const = default;
};

struct Mapping {
    std::vector<Node> nodes;
    std::vector<LevelOptions> options;  ///< empty, or one per memory, outermost first

    bool operator==(const Mapping&) const = default;
};

/// One memory of an even mapping and the loops between it and the next one, each list outermost first.
struct MappingLevel {
    TensorSet keep;
    std::vector<Loop> temporal;
    std::vector<Loop> spatial;

    bool operator==(const MappingLevel&) const = default;
};

/// The mapping has exactly one Store per memory, in order, with spatial loops only below the temporal ones.
bool is_even(const Mapping& mapping, int memory_count);

/// The levels of an even mapping, outermost memory first. Requires is_even().
std::vector<MappingLevel> levels_of(const Mapping& mapping, int memory_count);

/// The even mapping made of these levels (one per memory, outermost first).
Mapping mapping_of(const std::vector<MappingLevel>& levels);

bool is_perfect(const Mapping& mapping);

/// Sets the remainder of every loop from the extents of its dimension: the mixed-radix digits of extent - 1, plus one
/// (Timeloop, mapping/parser.cpp). Timeloop's own writer drops remainders; this restores them. Returns false, without
/// change, if some dimension's extents cannot cover its bound exactly once.
bool restore_remainders(Mapping& mapping, const Einsum& einsum);

}  // namespace tilewright
