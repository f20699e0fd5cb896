#include "onnx/graph/graph.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
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

namespace {

/// Walks the outermost fields of a protobuf message up to the first fault.
class WireReader {
   public:
    explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

    /// The first fault in words, or "" if the outermost fields are sound.
    std::string first_fault() {
        while (at_ < bytes_.size()) {
            const std::size_t start = at_;
            const std::optional<std::uint64_t> tag = varint();
            const std::string fault =
                tag && *tag >> 3 != 0 ? skip_field(static_cast<int>(*tag & 7)) : "not a protobuf field";
            if (!fault.empty()) return "at byte " + std::to_string(start) + ": " + fault;
        }
        return "";
    }

   private:
    std::optional<std::uint64_t> varint() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
            const auto byte = static_cast<unsigned char>(bytes_[at_++]);
            value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
            if ((byte & 0x80) == 0) return value;
        }
        return std::nullopt;
    }

    std::string skip_field(int wire_type) {
        constexpr int kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5;
        if (wire_type == kVarint) return varint() ? "" : "a number that does not end";
        if (wire_type == kFixed64) return skip(8);
        if (wire_type == kFixed32) return skip(4);
        if (wire_type != kLengthDelimited) return "not a protobuf field";
        const std::optional<std::uint64_t> size = varint();
        return size ? skip(*size) : "a length that does not end";
    }

    std::string skip(std::uint64_t size) {
        const std::uint64_t left = bytes_.size() - at_;
        if (size > left)
            return "a field of " + std::to_string(size) + " bytes, but only " + std::to_string(left) +
                   " are left; is the file truncated?";
        at_ += size;
        return "";
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
};

void check_model(const pb::ModelProto& model, const std::string& file) {
    if (!model.has_graph())
        fail(file, ErrorCode::syntax, "not an ONNX model: it has no graph (expected a protobuf ModelProto)");
    if (model.ir_version() < 1) fail(file, ErrorCode::syntax, "not an ONNX model: it has no ir_version");
    constexpr std::int64_t kMostVersion = 100;  // of ONNX itself: 26 after ten years
    for (const pb::OperatorSetIdProto& opset : model.opset_import()) {
        const std::int64_t most = is_standard_domain(opset.domain()) ? kMostVersion : std::numeric_limits<int>::max();
        if (opset.version() < 1 || opset.version() > most)
            fail(file, ErrorCode::bad_value,
                 "operator set " + in_quotes(opset.domain()) + " has version " + std::to_string(opset.version()) +
                     "; expected one from 1 to " + std::to_string(most));
    }
    constexpr int kFirstWithOperatorSets = 3;
    if (model.ir_version() >= kFirstWithOperatorSets && model.opset_import_size() == 0)
        fail(file, ErrorCode::syntax, "the model imports no operator set; is the file truncated?");
    if (model.graph().node_size() == 0) fail(file, ErrorCode::bad_value, "the graph has no nodes");
}

}  // namespace

bool is_standard_domain(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

int opset_version(const pb::ModelProto& model) {
    int version = 1;
    for (const pb::OperatorSetIdProto& opset : model.opset_import())
        if (is_standard_domain(opset.domain())) version = static_cast<int>(opset.version());
    return version;
}

void refuse_oversize(std::uintmax_t bytes, const std::string& file) {
    if (bytes > static_cast<std::uintmax_t>(std::numeric_limits<int>::max()))
        fail(file, ErrorCode::unsupported,
             "the file is larger than 2 GiB, the most protobuf can hold; store the weights as external data");
}

pb::ModelProto parse_model(std::string_view bytes, const std::string& file) {
    if (bytes.empty()) fail(file, ErrorCode::syntax, "the file is empty; expected an ONNX model");
    refuse_oversize(bytes.size(), file);
    const google::protobuf::LogSilencer silence;
    pb::ModelProto model;
    google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                              static_cast<int>(bytes.size()));
    if (!model.ParseFromCodedStream(&in) || !in.ConsumedEntireMessage()) {
        const std::string fault = WireReader(bytes).first_fault();
        fail(file, ErrorCode::syntax,
             "not an ONNX model: " +
                 (fault.empty() ? "a message inside its " + std::to_string(bytes.size()) + " bytes is malformed"
                                : fault));
    }
    check_model(model, file);
    return model;
}

}  // namespace tilewright::onnx
