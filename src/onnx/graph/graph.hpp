// Topological order of a graph.
#pragma once

#include <string>
#include <vector>

#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {

/// Every value read by a node: its inputs and its subgraphs' (If, Loop, Scan) free values. No empty names.
std::vector<std::string> values_read(const pb::NodeProto& node);

/// Sorts the nodes, keeping a sound file order. Throws InputError for a value without a maker or with two, and for
/// cycles, naming the nodes.
void sort_graph(pb::GraphProto& graph, const std::string& file);

}  // namespace tilewright::onnx
