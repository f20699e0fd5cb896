// A graph put into an order in which every value is made before it is read.
#pragma once

#include <string>
#include <vector>

#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {

/// Every value that a node reads: its inputs and what its subgraphs (If, Loop, Scan) take from outside. No empty names.
std::vector<std::string> values_read(const pb::NodeProto& node);

/// Sorts the nodes, keeping the file's order where it is sound. Throws InputError for a value that nothing makes or
/// that two nodes make, and for cycles, naming the nodes.
void sort_graph(pb::GraphProto& graph, const std::string& file);

}  // namespace tilewright::onnx
