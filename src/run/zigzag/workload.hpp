// Conversion between networks and ZigZag's layers: ZigZag's machines run ONNX and the zoo, and ZigZag's workloads run
// on Timeloop's machines.
//
//     const ZigzagWorkload workload = zigzag_workload(zoo_network("resnet18"));
//     const Network network = network_of(zigzag::read_workload(zigzag::load("workload.yaml").root), "workload");
#pragma once

#include <string>
#include <vector>

#include "workload/network.hpp"
#include "zigzag/files/workload.hpp"

namespace tilewright {

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
