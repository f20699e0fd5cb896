#include "onnx/graph/graph.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace tilewright::onnx {
namespace {

void add_outside_values(const pb::GraphProto& graph, std::vector<std::string>& values);

void add_values_read(const pb::NodeProto& node, std::vector<std::string>& values) {
    for (const std::string& input : node.input())
        if (!input.empty()) values.push_back(input);
    for (const pb::AttributeProto& attribute : node.attribute()) {
        if (attribute.has_g()) add_outside_values(attribute.g(), values);
        for (const pb::GraphProto& graph : attribute.graphs()) add_outside_values(graph, values);
    }
}

/// A subgraph's free values.
void add_outside_values(const pb::GraphProto& graph, std::vector<std::string>& values) {
    std::unordered_set<std::string> inside;
    for (const pb::ValueInfoProto& input : graph.input()) inside.insert(input.name());
    for (const pb::TensorProto& tensor : graph.initializer()) inside.insert(tensor.name());
    for (const pb::SparseTensorProto& tensor : graph.sparse_initializer()) inside.insert(tensor.values().name());
    for (const pb::NodeProto& node : graph.node()) inside.insert(node.output().begin(), node.output().end());
    std::vector<std::string> read;
    for (const pb::NodeProto& node : graph.node()) add_values_read(node, read);
    for (const pb::ValueInfoProto& output : graph.output())
        if (!output.name().empty()) read.push_back(output.name());
    for (std::string& value : read)
        if (!inside.contains(value)) values.push_back(std::move(value));
}

class Sorter {
   public:
    Sorter(pb::GraphProto& graph, const std::string& file) : graph_(graph), file_(file) {}

    void run() {
        find_makers();
        find_edges();
        const std::vector<int> order = topological_order();
        if (std::is_sorted(order.begin(), order.end())) return;
        google::protobuf::RepeatedPtrField<pb::NodeProto> sorted;
        for (const int node : order) sorted.Add()->Swap(graph_.mutable_node(node));
        graph_.mutable_node()->Swap(&sorted);
    }

   private:
    void find_makers() {
        constexpr int kGiven = -1;
        for (const pb::ValueInfoProto& input : graph_.input()) makers_.emplace(input.name(), kGiven);
        for (const pb::TensorProto& tensor : graph_.initializer()) makers_.emplace(tensor.name(), kGiven);
        for (const pb::SparseTensorProto& tensor : graph_.sparse_initializer())
            makers_.emplace(tensor.values().name(), kGiven);
        for (int i = 0; i < graph_.node_size(); ++i)
            for (const std::string& output : graph_.node(i).output())
                if (!output.empty() && !makers_.emplace(output, i).second)
                    fail(file_, graph_.node(i), ErrorCode::duplicate_key,
                         "makes " + in_quotes(output) + ", which the graph already has from elsewhere");
    }

    void find_edges() {
        readers_.resize(graph_.node_size());
        waiting_for_.resize(graph_.node_size());
        for (int i = 0; i < graph_.node_size(); ++i) {
            for (const std::string& value : values_read(graph_.node(i))) {
                const auto maker = makers_.find(value);
                if (maker == makers_.end())
                    fail(file_, graph_.node(i), ErrorCode::unknown_name,
                         "reads " + in_quotes(value) + ", which nothing in the graph makes");
                if (maker->second < 0) continue;
                readers_[maker->second].push_back(i);
                ++waiting_for_[i];
            }
        }
    }

    /// Of the ready nodes, the first in the file.
    std::vector<int> topological_order() {
        std::priority_queue<int, std::vector<int>, std::greater<>> ready;
        for (int i = 0; i < graph_.node_size(); ++i)
            if (waiting_for_[i] == 0) ready.push(i);
        std::vector<int> order;
        while (!ready.empty()) {
            const int node = ready.top();
            ready.pop();
            order.push_back(node);
            for (const int reader : readers_[node])
                if (--waiting_for_[reader] == 0) ready.push(reader);
        }
        if (order.size() != readers_.size()) fail_with_cycle();
        return order;
    }

    /// Every waiting node has a waiting maker: following makers runs into a cycle.
    [[noreturn]] void fail_with_cycle() const {
        int node = 0;
        while (waiting_for_[node] == 0) ++node;
        std::unordered_map<int, std::size_t> position;
        std::vector<int> path;
        while (position.emplace(node, path.size()).second) {
            path.push_back(node);
            node = waiting_maker_of(node);
        }
        std::string names;
        const std::size_t first = position.at(node);
        constexpr std::size_t kMostNamed = 5;
        for (std::size_t i = first; i < path.size() && i < first + kMostNamed; ++i)
            names += (i == first ? "" : ", which reads ") + describe(graph_.node(path[i]));
        if (path.size() > first + kMostNamed) names += ", ...";
        fail(file_, ErrorCode::bad_value,
             "the graph has a cycle of " + std::to_string(path.size() - first) + ": " + names);
    }

    int waiting_maker_of(int node) const {
        for (const std::string& value : values_read(graph_.node(node)))
            if (const int maker = makers_.at(value); maker >= 0 && waiting_for_[maker] > 0) return maker;
        return node;
    }

    pb::GraphProto& graph_;
    const std::string& file_;
    std::unordered_map<std::string, int> makers_;
    std::vector<std::vector<int>> readers_;
    std::vector<int> waiting_for_;
};

}  // namespace

std::vector<std::string> values_read(const pb::NodeProto& node) {
    std::vector<std::string> values;
    add_values_read(node, values);
    return values;
}

void sort_graph(pb::GraphProto& graph, const std::string& file) { Sorter(graph, file).run(); }

}  // namespace tilewright::onnx
