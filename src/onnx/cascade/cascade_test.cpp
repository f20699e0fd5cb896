// Cascades of models: contractions equal the network's layers, accesses are affine where they can be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "onnx/graph/messages.hpp"
#include "onnx/onnx.hpp"
#include "workload/cascade/canonical.hpp"
#include "workload/cascade/layers.hpp"
#include "workload/cascade/text.hpp"

namespace tilewright::onnx::cascade_test {
namespace {

using testing::ElementsAre;

class Model {
   public:
    Model() {
        model_.set_ir_version(8);
        auto* opset = model_.add_opset_import();
        opset->set_domain("");
        opset->set_version(13);
        model_.mutable_graph()->set_name("graph");
    }
    Model& input(const std::string& name, const std::vector<std::int64_t>& shape) {
        value(model_.mutable_graph()->add_input(), name, shape);
        return *this;
    }
    Model& weights(const std::string& name, const std::vector<std::int64_t>& shape) {
        auto* tensor = model_.mutable_graph()->add_initializer();
        tensor->set_name(name);
        tensor->set_data_type(pb::TensorProto_DataType_FLOAT);
        for (const std::int64_t extent : shape) tensor->add_dims(extent);
        return *this;
    }
    Model& integers(const std::string& name, const std::vector<std::int64_t>& numbers) {
        auto* tensor = model_.mutable_graph()->add_initializer();
        tensor->set_name(name);
        tensor->set_data_type(pb::TensorProto_DataType_INT64);
        tensor->add_dims(static_cast<std::int64_t>(numbers.size()));
        for (const std::int64_t number : numbers) tensor->add_int64_data(number);
        return *this;
    }
    Model& node(const std::string& op, const std::vector<std::string>& inputs, const std::string& output,
                const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& attributes = {}) {
        auto* node = model_.mutable_graph()->add_node();
        node->set_op_type(op);
        node->set_name(output);
        for (const std::string& input : inputs) node->add_input(input);
        node->add_output(output);
        for (const auto& [name, numbers] : attributes) {
            auto* attribute = node->add_attribute();
            attribute->set_name(name);
            const bool one = name == "axis" || name == "size";
            attribute->set_type(one ? pb::AttributeProto_AttributeType_INT : pb::AttributeProto_AttributeType_INTS);
            if (one) attribute->set_i(numbers.front());
            for (const std::int64_t number : numbers)
                if (!one) attribute->add_ints(number);
        }
        return *this;
    }
    Cascade cascade(const std::string& output) {
        model_.mutable_graph()->add_output()->set_name(output);
        return read_onnx_cascade_bytes(model_.SerializeAsString(), "model.onnx");
    }

   private:
    static void value(pb::ValueInfoProto* info, const std::string& name, const std::vector<std::int64_t>& shape) {
        info->set_name(name);
        auto* type = info->mutable_type()->mutable_tensor_type();
        type->set_elem_type(pb::TensorProto_DataType_FLOAT);
        for (const std::int64_t extent : shape) type->mutable_shape()->add_dim()->set_dim_value(extent);
    }
    pb::ModelProto model_;
};

const CascadeEinsum& einsum(const Cascade& cascade, const std::string& name) {
    return cascade.einsums.at(static_cast<std::size_t>(find_einsum(cascade, name)));
}

const CascadeTensor& tensor(const Cascade& cascade, const std::string& name) {
    return cascade.tensors.at(static_cast<std::size_t>(find_tensor(cascade, name)));
}

TEST(OnnxCascade, AConvolutionReachesItsImageLessThePadding) {
    const Cascade cascade = Model()
                                .input("x", {1, 4, 8, 8})
                                .weights("w", {6, 4, 3, 3})
                                .weights("b", {6})
                                .node("Conv", {"x", "w", "b"}, "c", {{"pads", {1, 1, 1, 1}}, {"strides", {2, 2}}})
                                .node("Relu", {"c"}, "y")
                                .cascade("y");
    ASSERT_EQ(cascade.einsum_count(), 3);
    EXPECT_EQ(einsum(cascade, "c.bias").kind, EinsumKind::elementwise);
    const CascadeEinsum& conv = einsum(cascade, "c");
    std::vector<Interval> whole;
    for (const Dimension& dimension : conv.einsum.dimensions) whole.push_back({0, dimension.extent - 1});
    for (std::size_t operand = 0; operand < conv.accesses.size(); ++operand)
        if (conv.einsum.tensors[operand].name == "Inputs") {
            EXPECT_EQ(conv.accesses[operand].coordinates[2].offset, -1);
            EXPECT_EQ(reached(conv.accesses[operand], whole, tensor(cascade, "x"))[2], (Interval{0, 7}));
        }
    EXPECT_EQ(tensor(cascade, "y").role, TensorRole::output);
    EXPECT_EQ(tensor(cascade, "w").role, TensorRole::weight);
}

// Heads by reshape and transposition, and back: no einsum moves anything.
TEST(OnnxCascade, HeadsAreViews) {
    const Cascade cascade = Model()
                                .input("x", {1, 6, 8})
                                .weights("w", {8, 8})
                                .integers("split", {1, 6, 2, 4})
                                .integers("join", {1, 6, 8})
                                .node("MatMul", {"x", "w"}, "q")
                                .node("Reshape", {"q", "split"}, "h")
                                .node("Transpose", {"h"}, "t", {{"perm", {0, 2, 1, 3}}})
                                .node("Exp", {"t"}, "e")
                                .node("Transpose", {"e"}, "u", {{"perm", {0, 2, 1, 3}}})
                                .node("Reshape", {"u", "join"}, "j")
                                .node("MatMul", {"j", "w"}, "y")
                                .cascade("y");
    ASSERT_EQ(cascade.einsum_count(), 3);
    for (const CascadeEinsum& one : cascade.einsums)
        for (const Access& access : one.accesses) EXPECT_FALSE(access.anywhere) << one.name;
    // q keeps its shape and is read at 4 h + e; e has one axis for both.
    EXPECT_THAT(tensor(cascade, "q").shape, ElementsAre(1, 6, 8));
    EXPECT_THAT(einsum(cascade, "e").accesses[0].coordinates[2].terms, ElementsAre(Term{1, 4}, Term{3, 1}));
    EXPECT_EQ(words_of(tensor(cascade, "e")), 48);
    EXPECT_EQ(tensor(cascade, "e").shape.size(), 3U);
}

TEST(OnnxCascade, PartsOfAConcatenationAreWrittenInPlace) {
    const Cascade cascade = Model()
                                .input("x", {1, 4, 8, 8})
                                .node("Relu", {"x"}, "a")
                                .node("Sigmoid", {"x"}, "b")
                                .node("Concat", {"a", "b", "x"}, "c", {{"axis", {1}}})
                                .node("Tanh", {"c"}, "y")
                                .cascade("y");
    const CascadeTensor& joined = tensor(cascade, "c");
    EXPECT_EQ(joined.writers.size(), 3U);  // the input itself is copied: it lies elsewhere
    EXPECT_EQ(find_tensor(cascade, "a"), -1);
    EXPECT_EQ(einsum(cascade, "b").accesses[1].coordinates[1].offset, 4);
    EXPECT_EQ(einsum(cascade, "c.copy").kind, EinsumKind::copy);
}

TEST(OnnxCascade, SoftmaxAndLayerNormAreTheirPasses) {
    const Cascade cascade = Model()
                                .input("x", {2, 6, 8})
                                .node("Softmax", {"x"}, "s", {{"axis", {-1}}})
                                .node("ReduceMean", {"s"}, "m", {{"axes", {2}}})
                                .node("GlobalAveragePool", {"x"}, "y")
                                .node("Mul", {"m", "y"}, "z")
                                .cascade("z");
    EXPECT_TRUE(einsum(cascade, "s.statistics").online);
    EXPECT_EQ(einsum(cascade, "s.statistics").einsum.tensor_count(), 3);
    EXPECT_EQ(operation_count(einsum(cascade, "s").einsum), 96);
    EXPECT_EQ(einsum(cascade, "y").kind, EinsumKind::pooling);
    EXPECT_THAT(tensor(cascade, "y").shape, ElementsAre(2, 6, 1));
    EXPECT_TRUE(cascade.not_covered.empty());
}

TEST(OnnxCascade, AScaleOfAnotherShapeIsRefused) {
    const std::vector<std::string> inputs{"x", "scale", "shift", "mean", "variance"};
    for (const auto& [op, count] : {std::pair{"InstanceNormalization", 3}, std::pair{"BatchNormalization", 5}}) {
        Model model;
        model.input("x", {1, 4, 8, 8}).input("scale", {1, 5, 1, 1});
        for (const char* other : {"shift", "mean", "variance"}) model.input(other, {4});
        model.node(op, {inputs.begin(), inputs.begin() + count}, "y");
        EXPECT_THAT([&] { static_cast<void>(model.cascade("y")); },
                    testing::ThrowsMessage<InputError>(
                        testing::HasSubstr("input 2 has shape [1, 5, 1, 1]; expected one word for each channel, [4]")))
            << op;
    }
}

TEST(OnnxCascade, WhatIsNotCoveredHasItsBytes) {
    const Cascade cascade =
        Model().input("x", {1, 4, 8, 8}).node("Relu", {"x"}, "r").node("Unheard", {"r"}, "u").cascade("r");
    ASSERT_EQ(cascade.not_covered.size(), 1U);
    EXPECT_EQ(cascade.not_covered[0].op, "Unheard");
    EXPECT_TRUE(cascade.not_covered[0].computes);
    EXPECT_GE(cascade.not_covered[0].bytes, 4 * 256);
}

// By shape: equal einsums may have other layer names, and cascades have canonical accesses.
std::vector<std::string> shapes_of(const Network& network) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
        Einsum einsum = network.layers[i].einsum;
        for (Tensor& tensor : einsum.tensors) {
            std::vector<Rank> ranks;
            for (const Rank& rank : tensor.ranks)
                for (const Rank& own : own_ranks(einsum, {rank.terms}))
                    if (einsum.dimensions[own.terms.front().dimension].extent > 1) ranks.push_back(own);
            std::ranges::sort(ranks, {}, [](const Rank& rank) { return rank.terms.front().dimension; });
            tensor.ranks = ranks;
        }
        std::string text = to_text(einsum);
        for (const Dimension& dimension : einsum.dimensions)
            text += " " + dimension.name + "=" + std::to_string(dimension.extent);
        all.push_back(std::move(text));
    }
    std::ranges::sort(all);
    return all;
}

// Its downsampling layer reads every second row and column, with the counts of its textual form.
TEST(OnnxCascade, AFilterOfOneWordThatStepsIsWhatItsTextSays) {
    const Cascade model = Model()
                              .input("x", {1, 4, 8, 8})
                              .weights("w", {6, 4, 1, 1})
                              .node("Conv", {"x", "w"}, "y", {{"strides", {2, 2}}})
                              .cascade("y");
    const Cascade text = parse_cascade(
        "size K=6, Q=4, P=4, C=4, R=1, S=1; input x[1,4,8,8]; weight w[6,4,1,1]; output y[1,6,4,4];\n"
        "y: y[0,K,Q,P] += w[K,C,S,R] * x[0,C,S+2*Q,2*P+R]",
        {});
    ASSERT_EQ(model.einsum_count(), 1);
    for (const Cascade* one : {&model, &text}) {
        const Einsum& einsum = one->einsums[0].einsum;
        EXPECT_EQ(tensor_words(einsum, 1), 4 * 4 * 4);
        for (const char* dimension : {"P", "Q"}) {
            const int d = find_dimension(einsum, dimension);
            EXPECT_EQ(std::ranges::count(einsum.tensors[1].ranks, Rank{{{d, 1}}}), 1);
            EXPECT_EQ(std::ranges::count(one->einsums[0].accesses[1].coordinates, Coordinate{{{d, 2}}}), 1);
        }
    }
}

TEST(OnnxCascade, ModelsHaveTheLayersOfTheirNetworks) {
    const std::filesystem::path folder = "../shared/models/onnx";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "the shared models are not here";
    int models = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".onnx") continue;
        SCOPED_TRACE(entry.path().filename().string());
        const Network network = read_onnx(entry.path());
        const Cascade cascade = read_onnx_cascade(entry.path());
        EXPECT_EQ(problem_with(cascade), "");
        EXPECT_TRUE(std::ranges::none_of(cascade.not_covered, &NotCovered::computes));
        std::vector<bool> contractions;
        for (const CascadeEinsum& one : cascade.einsums) contractions.push_back(one.kind == EinsumKind::contraction);
        EXPECT_EQ(shapes_of(network_of(cascade, contractions)), shapes_of(network));
        ++models;
    }
    EXPECT_GE(models, 12);
}

}  // namespace
}  // namespace tilewright::onnx::cascade_test
