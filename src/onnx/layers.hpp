// A graph with known shapes to a network: one layer per contraction, one entry per other node, and who feeds whom.
#pragma once

#include "onnx/operators/infer.hpp"
#include "workload/network.hpp"

namespace tilewright::onnx {

/// Requires a sorted graph.
Network make_network(const pb::GraphProto& graph, const Shapes& shapes, const std::string& file);

}  // namespace tilewright::onnx
