// Reads and writes ZigZag mapping files, and Tilewright's uneven mappings in them.
//
// An entry is named after a layer, an operator type or "default". Beside ZigZag's keys (spatial_mapping,
// spatial_mapping_hint, temporal_ordering, memory_operand_links) an entry may give the whole mapping, which ZigZag
// itself cannot read: temporal_mapping, by operand the loops of each memory level, innermost first, as lists
// ([[[C, 3]], []]) or as text ("rf_w [C3] dram []").
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

/// A dimension by name with a factor or an extent: entries serve layers of different dimensions.
struct NamedFactor {
    std::string dimension;
    std::int64_t factor = 1;

    bool operator==(const NamedFactor&) const = default;
};

/// One loop of a temporal ordering; no size ("*"): any factor of the dimension. The dimension "*" (kBetween) stands
/// for all loops that the file does not order: what follows it is outermost.
struct OrderedLoop {
    std::string dimension;
    std::optional<std::int64_t> size;
    yaml::Node where;
};

inline constexpr const char* kBetween = "*";

struct MappingEntry {
    std::string name;
    /// By dimension of the array; empty optional: ZigZag chooses.
    std::vector<std::optional<std::vector<NamedFactor>>> spatial;
    std::vector<std::vector<std::string>> hints;  ///< by dimension of the array
    std::vector<OrderedLoop> ordering;            ///< innermost first
    std::optional<yaml::Node> temporal;
    std::vector<std::pair<std::string, MemoryOperand>> links;
    yaml::Node where;
};

/// True for a file that looks like a ZigZag mapping, sound or not.
bool is_mapping(const yaml::Node& root);

/// `root` is a parsed file: a sequence of entries. Throws InputError.
std::vector<MappingEntry> read_mappings(const yaml::Node& root, const Accelerator& accelerator);

/// The entry of the layer's name, else of its operator type, else "default"; null when there is none.
const MappingEntry* entry_for(const std::vector<MappingEntry>& entries, const Layer& layer);

/// Links the layer's operands to memory operands as the entry says. Throws InputError for an operand without link.
void link_operands(const MappingEntry& entry, Layer& layer);

/// What the entry asks for; dimensions that the layer does not have are dropped, as ZigZag does.
UnrollingRequest requested_unrolling(const MappingEntry& entry, const Layer& layer);

/// The entry's whole temporal mapping, if it gives one. Throws InputError for what is no mapping of the layer.
std::optional<UnevenMapping> temporal_mapping(const MappingEntry& entry, const Accelerator& accelerator,
                                              const Layer& layer);

/// The entry's ordering if it is complete: every dimension's loops make up its temporal loop. "*" takes all iterations
/// that are left. Throws InputError for a loop that does not divide what is left.
std::optional<LevelLoops> complete_ordering(const MappingEntry& entry, const Layer& layer,
                                            const SpatialMapping& fractional);

/// True when the entry orders loops whose sizes it leaves open ("*"): a search chooses them, as ZigZag's does.
bool leaves_sizes_open(const MappingEntry& entry);

/// The entry's ordering as what a search has to keep; loops of dimensions of which nothing is left are dropped. Throws
/// InputError for a loop that does not divide what is left.
GivenOrder given_order(const MappingEntry& entry, const Layer& layer, const SpatialMapping& fractional);

/// An entry that read_mappings() reads back.
std::string write_mapping(const Accelerator& accelerator, const Layer& layer, const ArrayUnrolling& unrolling,
                          const UnevenMapping& mapping);

}  // namespace tilewright::zigzag
