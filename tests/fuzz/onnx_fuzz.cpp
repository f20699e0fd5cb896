// The ONNX importer on arbitrary bytes: it answers with a network, or a cascade, or an InputError.
//
// Random bytes seldom get past protobuf, so the mutator mostly changes a model that parses: operators, attributes,
// shapes and edges.
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "onnx/onnx.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

class Mutator {
   public:
    explicit Mutator(unsigned seed) : state_(seed) {}

    void mutate(onnx::ModelProto& model) {
        onnx::GraphProto& graph = *model.mutable_graph();
        const std::size_t times = 1 + below(3);
        for (std::size_t i = 0; i < times; ++i) mutate_once(graph);
        if (below(8) == 0 && model.opset_import_size() > 0)
            model.mutable_opset_import(0)->set_version(static_cast<std::int64_t>(1 + below(22)));
    }

   private:
    std::size_t below(std::size_t count) {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<std::size_t>(state_ >> 33U) % count;
    }

    std::int64_t number() {
        static constexpr std::int64_t kNumbers[] = {0,  1,  2,  3,  4,         5,         7,         8,
                                                    16, 64, -1, -2, INT32_MAX, INT64_MAX, INT64_MIN, 1LL << 40};
        return kNumbers[below(std::size(kNumbers))];
    }

    void mutate_once(onnx::GraphProto& graph) {
        if (graph.node_size() == 0) return;
        onnx::NodeProto& node = *graph.mutable_node(static_cast<int>(below(graph.node_size())));
        switch (below(8)) {
            case 0: node.set_op_type(any_operator()); break;
            case 1: rewire(graph, node); break;
            case 2: change_attribute(node); break;
            case 3: add_attribute(node); break;
            case 4: change_shape(graph); break;
            case 5: change_tensor(graph); break;
            case 6: node.add_input(any_value(graph)); break;
            case 7: append_node(graph); break;
        }
    }

    std::string any_operator() {
        static const std::vector<onnx::OpSchema> kSchemas = onnx::OpSchemaRegistry::get_all_schemas();
        return kSchemas[below(kSchemas.size())].Name();
    }

    std::string any_value(const onnx::GraphProto& graph) {
        const std::size_t pick = below(graph.input_size() + graph.initializer_size() + graph.node_size() + 1);
        if (pick < static_cast<std::size_t>(graph.input_size())) return graph.input(static_cast<int>(pick)).name();
        const auto node = static_cast<int>(below(graph.node_size()));
        if (below(3) == 0 && graph.initializer_size() > 0)
            return graph.initializer(static_cast<int>(below(graph.initializer_size()))).name();
        return graph.node(node).output_size() > 0 ? graph.node(node).output(0) : "";
    }

    void rewire(const onnx::GraphProto& graph, onnx::NodeProto& node) {
        if (node.input_size() > 0) node.set_input(static_cast<int>(below(node.input_size())), any_value(graph));
    }

    void change_attribute(onnx::NodeProto& node) {
        if (node.attribute_size() == 0) return;
        onnx::AttributeProto& attribute = *node.mutable_attribute(static_cast<int>(below(node.attribute_size())));
        if (attribute.has_g() && attribute.g().node_size() > 0) return mutate_once(*attribute.mutable_g());
        if (attribute.has_i()) attribute.set_i(number());
        if (attribute.ints_size() > 0 && below(2) == 0)
            attribute.set_ints(static_cast<int>(below(attribute.ints_size())), number());
        else if (below(2) == 0)
            attribute.add_ints(number());
        else if (attribute.ints_size() > 0)
            attribute.mutable_ints()->RemoveLast();
    }

    /// One that the operator's schema names, with a value of the right kind.
    void add_attribute(onnx::NodeProto& node) {
        const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(node.op_type(), 17, "");
        if (schema == nullptr || schema->attributes().empty()) return;
        auto chosen = schema->attributes().begin();
        std::advance(chosen, below(schema->attributes().size()));
        onnx::AttributeProto& attribute = *node.add_attribute();
        attribute.set_name(chosen->first);
        attribute.set_type(chosen->second.type);
        attribute.set_i(number());
        for (std::size_t i = below(5); i > 0; --i) attribute.add_ints(number());
        if (chosen->second.type != onnx::AttributeProto_AttributeType_INT) attribute.clear_i();
        static constexpr const char* kTexts[] = {"SAME_UPPER", "VALID", "ij,jk->ik", "...,...", "bilinear", ""};
        if (chosen->second.type == onnx::AttributeProto_AttributeType_STRING)
            attribute.set_s(kTexts[below(std::size(kTexts))]);
    }

    void change_shape(onnx::GraphProto& graph) {
        if (graph.input_size() == 0) return;
        onnx::ValueInfoProto& input = *graph.mutable_input(static_cast<int>(below(graph.input_size())));
        onnx::TensorShapeProto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
        if (below(4) == 0)
            shape.add_dim()->set_dim_value(number());
        else if (shape.dim_size() > 0 && below(4) == 0)
            shape.mutable_dim()->RemoveLast();
        else if (shape.dim_size() > 0)
            shape.mutable_dim(static_cast<int>(below(shape.dim_size())))->set_dim_value(number());
    }

    void change_tensor(onnx::GraphProto& graph) {
        if (graph.initializer_size() == 0 || below(3) == 0) {
            onnx::TensorProto& tensor = *graph.add_initializer();
            tensor.set_name("t" + std::to_string(graph.initializer_size()));
            tensor.set_data_type(below(4) == 0 ? onnx::TensorProto_DataType_FLOAT : onnx::TensorProto_DataType_INT64);
            tensor.add_dims(static_cast<std::int64_t>(below(5)));
            for (std::int64_t i = 0; i < tensor.dims(0); ++i) {
                if (tensor.data_type() == onnx::TensorProto_DataType_FLOAT)
                    tensor.add_float_data(static_cast<float>(number()));
                else
                    tensor.add_int64_data(number());
            }
            return;
        }
        onnx::TensorProto& tensor = *graph.mutable_initializer(static_cast<int>(below(graph.initializer_size())));
        if (tensor.int64_data_size() > 0)
            tensor.set_int64_data(static_cast<int>(below(tensor.int64_data_size())), number());
        else if (tensor.dims_size() > 0)
            tensor.set_dims(static_cast<int>(below(tensor.dims_size())), number());
    }

    void append_node(onnx::GraphProto& graph) {
        const std::string first = any_value(graph);
        const std::string second = any_value(graph);
        onnx::NodeProto& node = *graph.add_node();
        node.set_op_type(any_operator());
        node.add_input(first);
        for (std::size_t i = below(4); i > 0; --i) node.add_input(second);
        for (std::size_t i = 0; i < 1 + below(2); ++i)
            node.add_output("n" + std::to_string(graph.node_size()) + "_" + std::to_string(i));
        if (below(2) == 0) add_attribute(node);
    }

    std::uint64_t state_;
};

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
    onnx::ModelProto model;
    if (seed % 8 == 0 || !model.ParseFromArray(data, static_cast<int>(size)) || !model.has_graph())
        return LLVMFuzzerMutate(data, size, max_size);
    Mutator(seed).mutate(model);
    const std::string bytes = model.SerializeAsString();
    if (bytes.size() > max_size) return size;
    std::memcpy(data, bytes.data(), bytes.size());
    return bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        std::vector<tilewright::onnx::CountedWeights> weights;
        tilewright::onnx::ReadOptions options;
        options.weights = &weights;
        tilewright::onnx::read_onnx_bytes({reinterpret_cast<const char*>(data), size}, "fuzz.onnx", options);
    } catch (const tilewright::InputError&) {
    }
    try {
        tilewright::onnx::read_onnx_cascade_bytes({reinterpret_cast<const char*>(data), size}, "fuzz.onnx", {});
    } catch (const tilewright::InputError&) {
    }
    return 0;
}
