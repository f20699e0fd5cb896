// ZigZag's files as a problem: the layers of a workload on an accelerator, with what the mapping file says of each.
//
//     const zigzag::Accelerator machine = zigzag::read_accelerator(zigzag::load("hardware.yaml").root);
//     const auto layers = zigzag::read_workload(zigzag::load("workload.yaml").root);
//     const auto entries = zigzag::read_mappings(zigzag::load("mapping.yaml").root, machine);
//     const ZigzagProblem problem = zigzag_problem(machine, "workload", layers, entries);
//     const report::ZigzagReport found = map_zigzag(problem);  // run/zigzag/map.hpp
//
// ZigZag's machines are no Architecture: operands of one memory keep different loops, memories are shared along
// dimensions of the array, and ports limit what they move. So they have a problem of their own, which is mapped and
// evaluated by the same options, controls and summaries as others (run/map_network.hpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zigzag/accounting/allocation.hpp"
#include "zigzag/accounting/zigzag.hpp"
#include "zigzag/files/mapping.hpp"
#include "zigzag/files/workload.hpp"

namespace tilewright {

/// How a layer is spread over the array.
struct ZigzagUnrolling {
    zigzag::ArrayUnrolling unrolling;
    zigzag::SpatialPair spatial;
};

struct ZigzagLayerProblem {
    zigzag::Layer layer;                        ///< its operands linked to those of the memories
    std::optional<zigzag::MappingEntry> entry;  ///< what the mapping file says of it; empty: nothing
    /// Those to be tried, best first, at least one: several where the file leaves dimensions of the array open.
    std::vector<ZigzagUnrolling> unrollings;
};

/// Owns all of it.
struct ZigzagProblem {
    zigzag::Accelerator accelerator;
    std::string network;
    std::vector<ZigzagLayerProblem> layers;
};

/// Of every layer the entry that is for it, and the unrollings that this entry and the array allow. Throws InputError
/// at the place in the mapping file, and InputError(overflow) for a layer that is too large to count.
ZigzagProblem zigzag_problem(const zigzag::Accelerator& accelerator, std::string network,
                             const std::vector<zigzag::WorkloadLayer>& layers,
                             const std::vector<zigzag::MappingEntry>& entries);

/// The temporal mapping that the file gives for a layer: in whole, or as the allocation of a complete ordering.
/// Nothing, with the reason, when there is none or it does not fit.
struct GivenMapping {
    std::optional<zigzag::UnevenMapping> mapping;
    std::string failure;
    bool allocated = false;  ///< the memories have room for it
    bool complete = false;   ///< the file gives a whole mapping or a whole order, whether it fits or not
};

/// For one of the layer's unrollings. Throws InputError for what is no mapping of the layer.
GivenMapping given_mapping(const zigzag::Accelerator& accelerator, const ZigzagLayerProblem& problem,
                           const ZigzagUnrolling& unrolling, zigzag::Evenness evenness);

/// Where the file gives it, as a whole or as an order; no file: it does not.
Location place_of_mapping(const ZigzagLayerProblem& problem);

/// The error for a layer of which a count does not fit in 64 bits.
[[noreturn]] void fail_too_large(const std::string& layer);

}  // namespace tilewright
