// ZigZag's files as a problem: the layers of a workload on an accelerator, with their entries in the mapping file.
//
//     const zigzag::Accelerator machine = zigzag::read_accelerator(zigzag::load("hardware.yaml").root);
//     const auto layers = zigzag::read_workload(zigzag::load("workload.yaml").root);
//     const auto entries = zigzag::read_mappings(zigzag::load("mapping.yaml").root, machine);
//     const ZigzagProblem problem = zigzag_problem(machine, "workload", layers, entries);
//     const report::ZigzagReport found = map_zigzag(problem);  // run/zigzag/map.hpp
//
// ZigZag's machines are no Architecture: operands of one memory keep different loops, memories are shared along
// dimensions of the array, and ports limit their traffic. They have a problem of their own, with the same options,
// controls and summaries as others (run/map_network.hpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workload/network.hpp"
#include "zigzag/accounting/allocation.hpp"
#include "zigzag/accounting/zigzag.hpp"
#include "zigzag/files/load.hpp"
#include "zigzag/files/mapping.hpp"

namespace tilewright {

/// A layer's unrolling over the array.
struct ZigzagUnrolling {
    zigzag::ArrayUnrolling unrolling;
    zigzag::SpatialPair spatial;
};

struct ZigzagLayerProblem {
    zigzag::Layer layer;                        ///< its operands linked to those of the memories
    std::optional<zigzag::MappingEntry> entry;  ///< of the mapping file; empty: none
    /// Candidates, best first, at least one: several if the file leaves dimensions of the array open.
    std::vector<ZigzagUnrolling> unrollings;
};

/// Owns all of it.
struct ZigzagProblem {
    zigzag::Accelerator accelerator;
    std::string network;
    std::vector<ZigzagLayerProblem> layers;
};

/// Every layer's entry, and the unrollings allowed by it and the array. Throws InputError at the place in the mapping
/// file, and InputError(overflow) for a layer too large to count.
ZigzagProblem zigzag_problem(const zigzag::Accelerator& accelerator, std::string network,
                             const std::vector<zigzag::WorkloadLayer>& layers,
                             const std::vector<zigzag::MappingEntry>& entries);

/// The file's temporal mapping of a layer: in whole, or as the allocation of a complete ordering. Nothing, with the
/// reason, if there is none or it does not fit.
struct GivenMapping {
    std::optional<zigzag::UnevenMapping> mapping;
    std::string failure;
    bool allocated = false;  ///< the memories have room for it
    bool complete = false;   ///< the file has a whole mapping or order, fitting or not
};

/// For one of the layer's unrollings. Throws InputError for mappings of other layers.
GivenMapping given_mapping(const zigzag::Accelerator& accelerator, const ZigzagLayerProblem& problem,
                           const ZigzagUnrolling& unrolling, zigzag::Evenness evenness);

/// Its place in the file, as a whole or as an order; no file: none.
Location place_of_mapping(const ZigzagLayerProblem& problem);

/// The error for a layer with a count beyond 64 bits.
[[noreturn]] void fail_too_large(const std::string& layer);

// Conversion between networks and ZigZag's layers: ZigZag's machines run ONNX and the zoo, and ZigZag's workloads run
// on Timeloop's machines.
//
//     const ZigzagWorkload workload = zigzag_workload(zoo_network("resnet18"));
//     const Network network = network_of(zigzag::read_workload(zigzag::load("workload.yaml").root), "workload");

struct ZigzagWorkload {
    std::vector<zigzag::WorkloadLayer> layers;
    std::vector<UnmappedOperator> left_out;  ///< the network's own, and layers beyond ZigZag's format, with reasons
    std::vector<std::string> notes;          ///< for the user, one sentence each
};

/// Every layer once, for any number of runs. Throws OverflowError.
ZigzagWorkload zigzag_workload(const Network& network);

/// Dimensions and tensors get the names of the zoo's networks (N, P, Q, R, S; Weights, Inputs, Outputs), which the
/// constraints of the zoo's machines use.
Network network_of(const std::vector<zigzag::WorkloadLayer>& workload, std::string name);

}  // namespace tilewright
