// Reads and writes ZigZag mapping files, and Tilewright's uneven mappings in them.
//
// An entry is named after a layer, an operator type or "default". Beside ZigZag's keys (spatial_mapping,
// spatial_mapping_hint, temporal_ordering, memory_operand_links) it may give the whole mapping, unreadable to ZigZag
// itself: temporal_mapping, by operand the loops of each memory level, innermost first, as lists ([[[C, 3]], []]) or as
// text ("rf_w [C3] dram []").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "yaml/node.hpp"
#include "zigzag/accounting/spatial.hpp"
#include "zigzag/search/given_order.hpp"
#include "zigzag/values/accelerator.hpp"
#include "zigzag/values/layer.hpp"
#include "zigzag/values/uneven_mapping.hpp"

namespace tilewright::zigzag {

/// A named dimension with a factor or an extent: entries serve different layers.
struct NamedFactor {
    std::string dimension;
    std::int64_t factor = 1;

    bool operator==(const NamedFactor&) const = default;
};

/// One loop of a temporal ordering; no size ("*"): any factor of the dimension. The dimension "*" (kBetween) stands for
/// all unordered loops; the loops after it are outermost.
struct OrderedLoop {
    std::string dimension;
    std::optional<std::int64_t> size;
    yaml::Node where;
};

inline constexpr const char* kBetween = "*";

struct MappingEntry {
    std::string name;
    /// By array dimension; empty optional: ZigZag chooses.
    std::vector<std::optional<std::vector<NamedFactor>>> spatial;
    std::vector<std::vector<std::string>> hints;  ///< by array dimension
    std::vector<OrderedLoop> ordering;            ///< innermost first
    std::optional<yaml::Node> temporal;
    std::vector<std::pair<std::string, MemoryOperand>> links;
    yaml::Node where;
};

/// True for a file resembling a ZigZag mapping, sound or not.
bool is_mapping(const yaml::Node& root);

/// `root`: a parsed sequence of entries. Throws InputError.
std::vector<MappingEntry> read_mappings(const yaml::Node& root, const Accelerator& accelerator);

/// The entry of the layer's name, else of its operator type, else "default"; or null.
const MappingEntry* entry_for(const std::vector<MappingEntry>& entries, const Layer& layer);

/// Links operands to memory operands by the entry. Throws InputError for an operand without link.
void link_operands(const MappingEntry& entry, Layer& layer);

/// The entry's request; absent dimensions are dropped, as in ZigZag.
UnrollingRequest requested_unrolling(const MappingEntry& entry, const Layer& layer);

/// The entry's whole temporal mapping, if any. Throws InputError if it does not map the layer.
std::optional<UnevenMapping> temporal_mapping(const MappingEntry& entry, const Accelerator& accelerator,
                                              const Layer& layer);

/// The entry's ordering if complete: every dimension's loops multiply to its temporal loop. "*" takes all remaining
/// iterations. Throws InputError for a loop size not dividing the remainder.
std::optional<LevelLoops> complete_ordering(const MappingEntry& entry, const Layer& layer,
                                            const SpatialMapping& fractional);

/// True for an entry with ordered loops of open size ("*"), chosen by a search as in ZigZag.
bool leaves_sizes_open(const MappingEntry& entry);

/// The entry's ordering as a constraint on a search; loops of exhausted dimensions are dropped. Throws InputError for a
/// loop size not dividing the remainder.
GivenOrder given_order(const MappingEntry& entry, const Layer& layer, const SpatialMapping& fractional);

/// An entry for read_mappings().
std::string write_mapping(const Accelerator& accelerator, const Layer& layer, const ArrayUnrolling& unrolling,
                          const UnevenMapping& mapping);

}  // namespace tilewright::zigzag
