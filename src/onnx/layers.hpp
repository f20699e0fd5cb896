// From a graph with known shapes to a network: one layer per contraction, one entry per other node, and producer links.
#pragma once

#include "onnx/onnx.hpp"
#include "onnx/operators/infer.hpp"
#include "onnx/weights/zeros.hpp"
#include "workload/network.hpp"

namespace tilewright::onnx {

/// Destination and folder for counting zeros of weights.
struct WeightCounting {
    const Weights& weights;
    std::vector<CountedWeights>& counted;
};

/// Requires a sorted graph. Counts no zeros if `counting` is null.
Network make_network(const pb::GraphProto& graph, const Shapes& shapes, const std::string& file,
                     const WeightCounting* counting = nullptr);

}  // namespace tilewright::onnx
