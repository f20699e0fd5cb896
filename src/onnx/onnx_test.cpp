#include "onnx/onnx.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "onnx/operators/fold.hpp"
#include "onnx/operators/numbers.hpp"
#include "workload/shapes.hpp"
#include "workload/widths.hpp"
#include "workload/zoo/zoo.hpp"

// The models of tests/data/onnx are made by tools/make_onnx.py, the place to read their contents.
namespace tilewright::onnx::onnx_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::filesystem::path kModels = "tests/data/onnx";

const Layer& layer(const Network& network, const std::string& name) {
    for (const Layer& l : network.layers)
        if (l.name == name) return l;
    throw std::runtime_error("no layer " + name);
}

std::string reason(const Network& network, const std::string& name) {
    for (const UnmappedOperator& op : network.unmapped)
        if (op.name == name) return op.reason;
    throw std::runtime_error("no unmapped operator " + name);
}

std::int64_t total_macs(const Network& network) {
    std::int64_t total = 0;
    for (const Layer& l : network.layers) total += l.repeats * operation_count(l.einsum);
    return total;
}

std::string message_of(const std::filesystem::path& path, const ReadOptions& options = {}) {
    try {
        read_onnx(path, options);
    } catch (const InputError& error) {
        EXPECT_EQ(error.where().file, path.string());
        return error.message() + " [" + std::string(error_code_name(error.code())) + "]";
    }
    return "no error";
}

// An addition of two tensors in a body run several times; activations are applied at the production of their input.
TEST(Onnx, KnowsWhatIsStreamed) {
    const std::vector<StreamedOperator> streamed = read_onnx(kModels / "folded.onnx").streamed;
    const auto add =
        std::find_if(streamed.begin(), streamed.end(), [](const auto& one) { return one.name == "scan/add"; });
    ASSERT_NE(add, streamed.end());
    EXPECT_EQ(*add, (StreamedOperator{"scan/add", "Add", 288, 144}));
    EXPECT_TRUE(read_onnx(kModels / "branches.onnx").streamed.empty());
}

TEST(Onnx, ConvolutionsOfEveryKind) {
    const Network network = read_onnx(kModels / "convolutions.onnx");
    EXPECT_EQ(network.name, "convolutions");
    const auto einsum = [&](const std::string& name) { return layer(network, name).einsum; };
    EXPECT_EQ(einsum("one_dimension"),
              convolution({.batch = 2, .in_channels = 8, .out_channels = 16, .width = {50, 5, 2, 1}, .height = {}}));
    EXPECT_EQ(einsum("two_dimensions"),
              convolution({.in_channels = 3, .out_channels = 8, .width = {48, 5, 1, 1}, .height = {16, 3, 2, 1}}));
    EXPECT_EQ(einsum("three_dimensions"), convolution({.in_channels = 4,
                                                       .out_channels = 6,
                                                       .width = {26, 5, 1, 1},
                                                       .height = {18, 3, 1, 1},
                                                       .depth = WindowAxis{5, 2, 2, 1}}));
    EXPECT_EQ(einsum("groups"),
              convolution({.groups = 4, .in_channels = 3, .out_channels = 6, .width = {14, 3}, .height = {14, 3}}));
    EXPECT_EQ(einsum("depthwise"),
              convolution({.groups = 32, .in_channels = 1, .out_channels = 2, .width = {16, 3}, .height = {16, 3}}));
    EXPECT_EQ(einsum("dilation"),
              convolution({.in_channels = 4, .out_channels = 4, .width = {12, 3, 1, 4}, .height = {16, 3, 1, 2}}));
    EXPECT_EQ(einsum("same"), conv2d(4, 4, 8, 4, 2));
    EXPECT_EQ(einsum("valid"), conv2d(4, 4, 6, 4, 2));
}

TEST(Onnx, TransposedConvolutionsRunOverTheirInput) {
    const Network network = read_onnx(kModels / "convolutions.onnx");
    EXPECT_EQ(layer(network, "transposed").einsum,
              transposed_convolution({.in_channels = 16, .out_channels = 6, .width = {10, 4, 2}, .height = {8, 4, 2}}));
    EXPECT_EQ(layer(network, "transposed_groups").einsum,
              transposed_convolution(
                  {.groups = 2, .in_channels = 8, .out_channels = 3, .width = {8, 4, 2, 3}, .height = {}}));
}

TEST(Onnx, WhatIsNotMappedIsListedWithItsReason) {
    const Network network = read_onnx(kModels / "convolutions.onnx");
    EXPECT_EQ(reason(network, "four_dimensions"), "a convolution over 4 spatial axes; at most 3 are mapped");
    EXPECT_EQ(network.layers.size() + network.unmapped.size(), 11U);
}

Einsum with_bits(Einsum einsum, std::int64_t weights, std::int64_t inputs, std::int64_t outputs) {
    einsum.tensors.at(0).bits = weights;
    einsum.tensors.at(1).bits = inputs;
    einsum.tensors.at(2).bits = outputs;
    return einsum;
}

TEST(Onnx, LayersOnFloatsBetweenIntegersHaveTheWidthsOfThose) {
    const Network network = read_onnx(kModels / "dequantised.onnx");
    ASSERT_EQ(network.layers.size(), 4U);
    EXPECT_EQ(layer(network, "applied").einsum, with_bits(conv2d(3, 4, 6, 3), 8, 8, 8)) << "behind a bias and a Relu";
    EXPECT_EQ(layer(network, "read_twice").einsum, with_bits(conv2d(4, 4, 4, 3), 8, 8, 0)) << "a reader wants floats";
    EXPECT_EQ(layer(network, "result").einsum, with_bits(gemm(1, 144, 10), 8, 8, 0))
        << "results of the model are floats";
    EXPECT_EQ(layer(network, "weights_only").einsum, with_bits(conv2d(3, 4, 6, 3), 8, 0, 0));
}

TEST(Onnx, FloatsSayNothingOfWidths) {
    for (const char* name : {"convolutions", "products", "einsums"})
        EXPECT_EQ(own_width_in(read_onnx(kModels / (std::string(name) + ".onnx"))), "") << name;
}

TEST(Onnx, QuantisedOperatorsReadTheirOwnOperands) {
    const Network network = read_onnx(kModels / "quantised.onnx");
    EXPECT_EQ(layer(network, "conv_integer").einsum, with_bits(conv2d(3, 4, 6, 3), 8, 8, 32));
    EXPECT_EQ(layer(network, "qlinear_conv").einsum, with_bits(conv2d(3, 4, 6, 3), 8, 8, 8));
    EXPECT_EQ(layer(network, "matmul_integer").einsum, with_bits(gemm(5, 6, 7), 8, 8, 32));
    EXPECT_EQ(layer(network, "qlinear_matmul").einsum, with_bits(gemm(5, 6, 7), 8, 8, 8));
    EXPECT_EQ(reason(network, "dequantize"), "changes the number format");
}

TEST(Onnx, MatrixProductsFoldTheirBatches) {
    const Network network = read_onnx(kModels / "products.onnx");
    const std::map<std::string, Einsum> expected{
        {"plain", gemm(4, 5, 6)},
        {"vector_left", gemm(1, 5, 6)},
        {"vector_right", gemm(4, 5, 1)},
        {"vectors", gemm(1, 5, 1)},
        {"rows_batched", gemm(2 * 3 * 4, 5, 6)},  // the matrix is read once for all of them
        {"columns_batched", gemm(4, 5, 3 * 6)},
        {"batched", batched_matmul(2 * 3, 4, 5, 6)},
        {"broadcast", gemm(2 * 4, 5, 3 * 6)},
        {"vector_batched", gemm(3 * 4, 5, 1)},
        {"gemm", gemm(4, 5, 6)},
        {"gemm_transposed", gemm(4, 5, 6)},
        {"weights_first", gemm(7, 5, 6)},  // the activations are the Inputs wherever they stand
    };
    for (const auto& [name, einsum] : expected) EXPECT_EQ(layer(network, name).einsum, einsum) << name;
    EXPECT_EQ(network.layers.size(), expected.size());
}

TEST(Onnx, EinsumsThatArePlainContractions) {
    const Network network = read_onnx(kModels / "einsums.onnx");
    EXPECT_EQ(layer(network, "matmul").einsum, gemm(4, 5, 6));
    EXPECT_EQ(layer(network, "scores").einsum, batched_matmul(6, 7, 5, 8));
    EXPECT_EQ(layer(network, "implied").einsum, gemm(4, 5, 6));
    EXPECT_EQ(layer(network, "dots").einsum, gemm(24, 5, 6));
    EXPECT_EQ(to_text(layer(network, "three").einsum),
              "Outputs[i, j, k] += Inputs[i, a] * Weights[j, a] * Weights2[k, a]");
    EXPECT_EQ(to_text(layer(network, "summed_alone").einsum), "Outputs[k] += Inputs[i, j] * Weights[j, k]");
    EXPECT_EQ(to_text(layer(network, "dots_summed_alone").einsum),
              "Outputs[E0, k] += Inputs[E0, i, j] * Weights[j, k]");
    EXPECT_EQ(layer(network, "outer").einsum, gemm(4, 1, 5));
    EXPECT_EQ(reason(network, "transpose"), "an einsum of one operand multiplies nothing");
    EXPECT_EQ(reason(network, "diagonal"), "an einsum that takes a diagonal");
}

TEST(Onnx, AttentionFallsOutOfItsMatMuls) {
    const Network network = read_onnx(kModels / "attention.onnx", {{{"sequence", 10}, {"batch_size", 2}}});
    EXPECT_EQ(layer(network, "query").einsum, gemm(20, 64, 64));
    EXPECT_EQ(layer(network, "scores").einsum, batched_matmul(2 * 4, 10, 16, 10));
    EXPECT_EQ(layer(network, "mix").einsum, batched_matmul(2 * 4, 10, 10, 16));
    EXPECT_EQ(network.layers.size(), 7U);
    // query, key, value, scores, mix, output, head: results reach their readers through unmapped operators.
    EXPECT_THAT(layer(network, "scores").feeds_from, ElementsAre(0, 1));
    EXPECT_THAT(layer(network, "mix").feeds_from, ElementsAre(2, 3));
    EXPECT_THAT(layer(network, "head").feeds_from, ElementsAre(5));
}

TEST(Onnx, ALeadingSymbolIsABatchOfOne) {
    const Network network = read_onnx(kModels / "attention.onnx", {{{"sequence", 10}}});
    EXPECT_EQ(layer(network, "scores").einsum, batched_matmul(4, 10, 16, 10));
}

TEST(Onnx, AVectorsOnlyAxisMayBeASequence) {
    const auto batch_and_lengths = kModels / "vector_input.onnx";
    EXPECT_EQ(read_onnx(batch_and_lengths, {{{"words", 6}}}).layers[0].einsum, gemm(1, 8, 4));
    EXPECT_THAT(message_of(batch_and_lengths),
                HasSubstr("graph input 'words' has a symbolic extent 'words' in axis 0"));
}

TEST(Onnx, SymbolsWithoutExtentAreNamed) {
    EXPECT_EQ(message_of(kModels / "attention.onnx"),
              "graph input 'tokens' has a symbolic extent 'sequence' in axis 1; give it with the dimension option "
              "'sequence' [missing-key]");
    EXPECT_EQ(message_of(kModels / "bad/symbolic_position.onnx"),
              "graph input 'x' has a symbolic extent in axis 1; give it with the dimension option 'x.1' [missing-key]");
    EXPECT_EQ(read_onnx(kModels / "bad/symbolic_position.onnx", {{{"x.1", 5}}}).layers[0].einsum, gemm(5, 8, 4));
    EXPECT_EQ(message_of(kModels / "attention.onnx", {{{"sequence", 10}, {"batchsize", 2}}}),
              "the model has no symbolic dimension 'batchsize'; did you mean 'batch_size'? [unknown-name]");
    EXPECT_EQ(message_of(kModels / "attention.onnx", {{{"sequence", 0}}}),
              "node 'query' (MatMul): its input 'tokens' is empty: [1, 0, 64]; extents start at 1 [bad-value]");
    EXPECT_EQ(message_of(kModels / "attention.onnx", {{{"sequence", -1}}}),
              "dimension 'sequence' is set to -1 [bad-value]");
}

TEST(Onnx, NewerOpsetsThanTheLibraryKnows) {
    const Network network = read_onnx(kModels / "newer.onnx");
    EXPECT_EQ(layer(network, "conv").einsum, conv2d(8, 32, 16, 3));
    EXPECT_EQ(layer(network, "fc").einsum, gemm(1, 32, 10));
}

TEST(Onnx, OperatorsInsideControlFlowAreListed) {
    const Network network = read_onnx(kModels / "branches.onnx");
    EXPECT_EQ(network.layers.size(), 3U);
    EXPECT_EQ(layer(network, "after").einsum, conv2d(4, 4, 6, 3));
    EXPECT_EQ(reason(network, "choice/then_branch/inner"),
              "is inside node 'choice' (If): how often it runs is not known");
    EXPECT_GT(layer(network, "loop/step").repeats, 1) << "the loop's trip count is known";
}

TEST(Onnx, TheModelsOwnFunctionsAreLookedInto) {
    const Network network = read_onnx(kModels / "functions.onnx");
    ASSERT_EQ(network.layers.size(), 3U);
    EXPECT_EQ(layer(network, "pair/first/conv").einsum, conv2d(8, 8, 16, 3, 2));
    EXPECT_EQ(layer(network, "pair/second/conv").einsum, conv2d(8, 8, 16, 3));
    EXPECT_THAT(layer(network, "last/conv").feeds_from, ElementsAre(1));
    EXPECT_EQ(reason(network, "last/relu"), "works element by element");
}

TEST(Onnx, RecurrentCellsAreListedAndPassTheirShapesOn) {
    const Network network = read_onnx(kModels / "recurrent.onnx");
    EXPECT_EQ(layer(network, "head").einsum, gemm(2 * 3, 20, 5));
    EXPECT_EQ(layer(network, "lstm/input").repeats, layer(network, "lstm/state").repeats);
}

TEST(Onnx, CellsAreProductsForEachStepAndDirection) {
    const Network lstm = read_onnx(kModels / "recurrent.onnx");  // 7 steps, both directions, 4 gates of 20
    EXPECT_EQ(layer(lstm, "lstm/input").einsum, gemm(3, 16, 4 * 20));
    EXPECT_EQ(layer(lstm, "lstm/state").einsum, gemm(3, 20, 4 * 20));
    EXPECT_EQ(layer(lstm, "lstm/input").repeats, 2 * 7);
    const Network cells = read_onnx(kModels / "cells.onnx");
    EXPECT_EQ(layer(cells, "gru/input").einsum, gemm(3, 16, 3 * 20)) << "the batch is first";
    EXPECT_EQ(layer(cells, "gru/state").repeats, 7);
    EXPECT_EQ(layer(cells, "head").einsum, gemm(3 * 7, 20, 5));
    EXPECT_EQ(layer(cells, "rnn/input").einsum, gemm(2, 6, 8));
    EXPECT_EQ(layer(cells, "rnn/state").repeats, 4);
}

TEST(Onnx, AttentionIsTwoProductsForEachBatchAndHead) {
    const Network network = read_onnx(kModels / "fused.onnx");
    EXPECT_EQ(layer(network, "cached/scores").einsum, batched_matmul(2 * 4, 5, 16, 3 + 9)) << "9 rows are past keys";
    EXPECT_EQ(layer(network, "cached/values").einsum, batched_matmul(2 * 4, 5, 12, 8));
    EXPECT_EQ(layer(network, "shared/scores").einsum, batched_matmul(4, 6, 8, 7)) << "32 features of 4 heads";
    EXPECT_EQ(layer(network, "shared/values").einsum, batched_matmul(4, 6, 7, 12));
    EXPECT_EQ(layer(network, "head").einsum, gemm(6, 4 * 12, 10));
}

TEST(Onnx, ShapesThatAreComputedAreFollowed) {
    const Network network = read_onnx(kModels / "folded.onnx");
    EXPECT_EQ(operation_count(layer(network, "flat").einsum), 2 * 3 * 4 * 8 * 6);
    EXPECT_EQ(operation_count(layer(network, "behind").einsum), 2 * 3 * 4 * 6 * 5) << "the shape behind the If";
    const auto ends_in = [&](const std::string& end) {
        return std::count_if(network.layers.begin(), network.layers.end(),
                             [&](const Layer& one) { return one.name.ends_with(end); });
    };
    EXPECT_EQ(ends_in("taken"), 1) << "the rank is 4";
    EXPECT_EQ(ends_in("left"), 0) << "this branch never runs";
    EXPECT_EQ(layer(network, "loop/step").repeats, 5);
    EXPECT_EQ(layer(network, "loop/step").einsum, gemm(4, 4, 4));
    EXPECT_EQ(layer(network, "scan/step").repeats, 9);
}

/// A node's result on inputs 'a', 'b', 'c' of given extents, with numbers counting from 1.
std::optional<Numbers> folded_from(const std::string& op, const std::vector<Extents>& inputs) {
    pb::NodeProto node;
    node.set_op_type(op);
    std::map<std::string, Numbers> numbers;
    for (const Extents& extents : inputs) {
        const std::string name(1, static_cast<char>('a' + node.input_size()));
        node.add_input(name);
        Numbers& made = numbers[name] = {extents, {}, pb::TensorProto_DataType_INT64};
        std::int64_t count = 1;
        for (const std::int64_t extent : extents) count *= extent;
        for (std::int64_t i = 1; i <= count; ++i) made.values.push_back(static_cast<double>(i));
    }
    node.add_output("made");
    return folded(node, 17,
                  {[&](const std::string& name) { return std::optional(numbers.at(name)); },
                   [&](const std::string& name) { return std::optional(numbers.at(name).extents); }});
}

TEST(Onnx, SingleNumbersSpreadOverTheOtherTensorsShape) {
    const std::optional<Numbers> sum = folded_from("Add", {{3}, {}});
    ASSERT_TRUE(sum);
    EXPECT_EQ(sum->extents, Extents{3});
    EXPECT_THAT(sum->values, ElementsAre(2, 3, 4));
    EXPECT_EQ(folded_from("Sub", {{1}, {1, 1}})->extents, (Extents{1, 1}));

    const std::optional<Numbers> nothing = folded_from("Add", {{0}, {1}});
    ASSERT_TRUE(nothing);
    EXPECT_EQ(nothing->extents, Extents{0}) << "an empty tensor beside a single number is empty";
    EXPECT_EQ(folded_from("Mul", {{}, {0}})->extents, Extents{0});

    EXPECT_EQ(folded_from("Add", {{3}, {1, 1}})->extents, (Extents{1, 3}));
    EXPECT_THAT(folded_from("Add", {{2, 1}, {3}})->values, ElementsAre(2, 3, 4, 3, 4, 5));
    EXPECT_FALSE(folded_from("Add", {{3}, {2}})) << "these do not broadcast";
    EXPECT_EQ(folded_from("Where", {{}, {3}, {3}})->values, (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(folded_from("Where", {{}, {1}, {3}})->values, (std::vector<double>{1, 1, 1}));
}

/// A tensor that counts from 1.
Numbers counting(const Extents& extents) {
    Numbers made{extents, {}, pb::TensorProto_DataType_INT64};
    for (std::int64_t i = 1; i <= count_of(extents); ++i) made.values.push_back(static_cast<double>(i));
    return made;
}

Numbers sliced(const Numbers& data, std::int64_t axis, std::int64_t start, std::int64_t end, std::int64_t step) {
    View view = whole_view(data);
    EXPECT_TRUE(cut(view, axis, start, end, step));
    return viewed(data, view);
}

TEST(Onnx, SlicesAreTakenAlongAnyAxisAndBackwards) {
    const std::int64_t first = std::numeric_limits<std::int64_t>::min();
    const std::int64_t last = std::numeric_limits<std::int64_t>::max();
    EXPECT_THAT(sliced(counting({4}), 0, -1, first, -1).values, ElementsAre(4, 3, 2, 1));
    EXPECT_THAT(sliced(counting({5}), 0, last, 0, -2).values, ElementsAre(5, 3));
    EXPECT_THAT(sliced(counting({5}), 0, 1, last, 3).values, ElementsAre(2, 5));
    EXPECT_THAT(sliced(counting({2, 3}), 0, -1, first, -1).values, ElementsAre(4, 5, 6, 1, 2, 3));
    EXPECT_THAT(sliced(counting({2, 3}), -1, 1, 3, 1).values, ElementsAre(2, 3, 5, 6));
    EXPECT_EQ(sliced(counting({3}), 0, 2, 1, 1).extents, Extents{0});
    EXPECT_EQ(sliced(counting({0}), 0, -1, first, -1).extents, Extents{0});
    EXPECT_EQ(sliced(counting({3}), 0, 0, last, last).extents, Extents{1});
    View view = whole_view(counting({3}));
    EXPECT_FALSE(cut(view, 1, 0, 1, 1));
    EXPECT_FALSE(cut(view, 0, 0, 1, 0));
}

TEST(Onnx, NumbersMoveAsTheStandardSays) {
    EXPECT_THAT(viewed(counting({2, 3}), *permuted(whole_view(counting({2, 3})), {1, 0})).values,
                ElementsAre(1, 4, 2, 5, 3, 6));
    EXPECT_FALSE(permuted(whole_view(counting({2, 3})), {1, 1}));
    EXPECT_THAT(joined({counting({2, 1}), counting({2, 2})}, -1)->values, ElementsAre(1, 1, 2, 2, 3, 4));
    EXPECT_FALSE(joined({counting({2, 1}), counting({3, 1})}, 1));
    const Numbers picks{{2}, {-1, 0}, pb::TensorProto_DataType_INT64};
    EXPECT_THAT(gathered(counting({2, 3}), picks, 1)->values, ElementsAre(3, 1, 6, 4));
    EXPECT_FALSE(gathered(counting({2}), {{}, {2}, pb::TensorProto_DataType_INT64}, 0));
    EXPECT_THAT(folded_from("NonZero", {{2, 2}})->values, ElementsAre(0, 0, 1, 1, 0, 1, 0, 1));
    EXPECT_THAT(folded_from("ReduceProd", {{2, 2}})->values, ElementsAre(24));
}

// 1 + 16 + 3 = 20 and 2 + 20 + 4 = 26 would be wrong: F.pad counts from the last axis.
TEST(Onnx, PadsOfPyTorchAreFollowed) {
    const Network network = read_onnx(kModels / "padded.onnx");
    EXPECT_EQ(layer(network, "conv").einsum,
              convolution(
                  {.in_channels = 3, .out_channels = 4, .width = {1 + 20 + 2 - 2, 3}, .height = {3 + 16 + 4 - 2, 3}}));
    EXPECT_EQ(layer(network, "behind_split").einsum, gemm(3, 16 * 20, 5));
}

TEST(Onnx, ANetworkMayHaveNoLayer) {
    const Network network = read_onnx(kModels / "no_layer.onnx");
    EXPECT_TRUE(network.layers.empty());
    EXPECT_EQ(reason(network, "add"), "works element by element");
}

TEST(Onnx, NodesMayComeInAnyOrder) {
    const Network network = read_onnx(kModels / "unsorted.onnx");
    EXPECT_EQ(network.layers[0].name, "first");
    EXPECT_THAT(layer(network, "second").feeds_from, ElementsAre(0));
}

TEST(Onnx, StatedShapesHelpWhereNoRuleIsKnown) {
    const Network network = read_onnx(kModels / "stated.onnx");
    EXPECT_EQ(layer(network, "product").einsum, gemm(1, 32, 4));
    EXPECT_EQ(reason(network, "mystery"), "belongs to domain 'vendor', which Tilewright does not know");
}

TEST(Onnx, MistakesGetOneMessageThatNamesTheNode) {
    const std::map<std::string, std::string> expected{
        {"attribute_type", "node 'conv' (Conv): attribute 'strides' should be a list of integers [wrong-type]"},
        {"channels",
         "node 'conv' (Conv): its weights [4, 5, 3, 3] read 5 channels per group; its input has 4 in 1 group(s) "
         "[bad-value]"},
        {"cycle",
         "the graph has a cycle of 3: node 'a' (Add), which reads node 'c' (Relu), which reads node 'b' (Relu) "
         "[bad-value]"},
        {"endless_past", "node 'cached' (Attention): an extent does not fit in 64 bits [overflow]"},
        {"endless_shape",
         "node 'expand' (Expand): its result would have 2147483647 axes; at most 64 are supported [unsupported]"},
        {"eye_of_unknown",
         "node 'product' (MatMul): the shape of its input 'eye_out' is not known: node 'mystery' (Mystery): an "
         "operator "
         "of domain 'vendor' has no shape rule here [missing-key]"},
        {"group", "node 'conv' (Conv): group 4 does not divide its 6 input channels [bad-value]"},
        {"growing_rank", "value 'gather4_out' has 65 axes; at most 64 are supported [unsupported]"},
        {"huge", "node 'conv' (Conv): the layer is too large to count in 64 bits [overflow]"},
        {"kernel_shape",
         "node 'conv' (Conv): kernel_shape [3, 5] does not match its weights' shape [4, 4, 3, 3] [bad-value]"},
        {"kernel_too_large",
         "node 'conv' (Conv): its kernel spans 9 but the padded input only 8 along spatial axis 0 [bad-value]"},
        {"made_twice", "node 'a' (Relu): makes 'a_out', which the graph already has from elsewhere [duplicate-key]"},
        {"missing_input", "node 'product' (MatMul): reads 'weights', which nothing in the graph makes [unknown-name]"},
        {"misspelled_attribute",
         "node 'conv' (Conv): unknown attribute 'stride'; did you mean 'strides'? [unknown-key]"},
        {"microsoft_block",
         "node 'node' (MatMulNBits): attribute 'block_size' is 20; expected a power of two of at least 16 "
         "[bad-value]"},
        {"microsoft_cache",
         "node 'node' (GroupQueryAttention): its past keys have shape [1, 4, 9, 8]; expected [1, 2, rows, features] "
         "[bad-value]"},
        {"microsoft_heads",
         "node 'node' (MultiHeadAttention): 7 heads do not divide the 64 features of its queries [bad-value]"},
        {"microsoft_keys",
         "node 'node' (GroupQueryAttention): its keys [1, 5, 32] and values [1, 5, 16] do not go with queries "
         "[1, 5, 64] of 8 heads; expected [1, rows, 2 * 8] [bad-value]"},
        {"microsoft_no_heads", "node 'node' (GroupQueryAttention): attribute 'num_heads' is missing [bad-value]"},
        {"microsoft_past",
         "node 'node' (Attention): its past has shape [1, 4, 7, 16]; expected [2, 1, 4, rows, features] [bad-value]"},
        {"microsoft_scalar",
         "node 'node' (MultiHeadAttention): its input 'in0' has shape []; expected [batch, rows, features] or [batch, "
         "rows, "
         "heads, 3, features] [bad-value]"},
        {"microsoft_thirds",
         "node 'node' (Attention): its weights have 100 columns, which are not queries, keys and values of "
         "[33, 33, 33] features [bad-value]"},
        {"microsoft_values",
         "node 'node' (MultiHeadAttention): its keys [1, 6, 64] and values [1, 7, 64] do not go with 4 heads of "
         "queries [1, 5, 64] [bad-value]"},
        {"microsoft_weights",
         "node 'node' (MatMulNBits): its weights have shape [4, 1, 8]; N, K, bits and block_size ask for "
         "[4, 1, 16] [bad-value]"},
        {"negative_extent",
         "graph input 'x' has extent -8 in axis 2; no extent is negative (set one with the dimension option 'x.2') "
         "[bad-value]"},
        {"no_nodes", "the graph has no nodes [bad-value]"},
        {"pads", "node 'conv' (Conv): attribute 'pads' has 2 entries; expected 4 [bad-value]"},
        {"product", "node 'product' (MatMul): cannot multiply [4, 5] by [4, 5]: 5 against 4 [bad-value]"},
        {"recursive_function", "node 'call/F' (F): the function calls itself [bad-value]"},
        {"stride", "node 'conv' (Conv): attribute 'strides' has an entry 0; expected at least 1 [bad-value]"},
        {"sum_with_nothing", "node 'product' (MatMul): an operand is a scalar [bad-value]"},
        {"unknown_shape",
         "node 'product' (MatMul): the shape [2, ?] of its input 'nonzero_out' is not fully known: node 'nonzero' "
         "(NonZero) has an extent "
         "that depends on data [missing-key]"},
        {"zero_extent", "node 'conv' (Conv): its input 'x' is empty: [1, 0, 8, 8]; extents start at 1 [bad-value]"},
    };
    for (const auto& [name, message] : expected) EXPECT_EQ(message_of(kModels / "bad" / (name + ".onnx")), message);
}

TEST(Onnx, SmallFilesCannotGrowWithoutBound) {
    EXPECT_THAT(message_of(kModels / "bad/exploding_functions.onnx"),
                HasSubstr("expanding the model's functions gives more than"));
    EXPECT_THAT(message_of(kModels / "bad/growing_data.onnx"), HasSubstr("cannot be worked out"));
}

TEST(Onnx, FilesThatAreNotModels) {
    EXPECT_EQ(message_of(kModels / "none.onnx"), "cannot read: No such file or directory [missing-file]");
    const auto message = [](std::string_view bytes) {
        try {
            read_onnx_bytes(bytes, "x.onnx");
        } catch (const InputError& error) {
            return error.message();
        }
        return std::string("no error");
    };
    EXPECT_EQ(message(""), "the file is empty; expected an ONNX model");
    EXPECT_EQ(message("\x08\x07"), "not an ONNX model: it has no graph (expected a protobuf ModelProto)");
    EXPECT_EQ(message("hello"), "not an ONNX model: at byte 2: not a protobuf field");
    EXPECT_EQ(message("\x3a\x65lo"),
              "not an ONNX model: at byte 0: a field of 101 bytes, but only 2 are left; is the file truncated?");
}

TEST(Onnx, FilesTooLargeForProtobufAreNotEvenRead) {
    const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "large.onnx";
    std::ofstream(path).put('\0');
    std::filesystem::resize_file(path, std::uintmax_t{3} << 30U);  // sparse: takes no space
    EXPECT_THAT(message_of(path), StartsWith("the file is larger than 2 GiB"));
    std::filesystem::remove(path);
}

TEST(Onnx, EveryTruncationIsAnError) {
    const std::string bytes = read_file(kModels / "convolutions.onnx");
    testing::internal::CaptureStderr();
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_THROW(read_onnx_bytes(std::string_view(bytes).substr(0, size), "cut.onnx"), InputError) << size;
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");  // protobuf is kept quiet
}

TEST(Onnx, OurResNet50IsTheZoos) {
    const Network network = read_onnx("data/onnx/resnet50.onnx");
    const Network zoo = zoo_network("resnet50");
    EXPECT_EQ(network.name, "resnet50");
    EXPECT_EQ(network.layers, zoo.layers);
    EXPECT_EQ(distinct_layers(network).size(), 24U);
    EXPECT_EQ(read_onnx("data/onnx/resnet50.onnx", {{{"batch_size", 4}}}).layers[0].einsum,
              conv2d(3, 64, 112, 7, 2, 4));
}

struct PublicModel {
    std::int64_t macs;
    std::size_t layers;
    const char* zoo;  ///< the zoo's network of the same shapes, if any
};

TEST(Onnx, PublicModelsHaveTheirKnownMultiplyAccumulates) {
    const std::filesystem::path folder = "../shared/models/onnx";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not here";
    const std::map<std::string, PublicModel> expected{
        {"alexnet", {654560384, 8, ""}},
        {"light_bvlc_alexnet", {654560384, 8, ""}},
        {"light_densenet121", {2834161664, 121, ""}},
        {"light_inception_v1", {1431556352, 58, ""}},
        {"light_inception_v2", {2018851840, 70, ""}},
        {"light_resnet50", {4089184256, 54, ""}},
        {"light_shufflenet", {124664528, 50, ""}},
        {"light_squeezenet", {349151936, 26, "squeezenet"}},
        {"light_vgg19", {19632062464, 19, ""}},
        {"light_zfnet512", {1481727008, 8, ""}},
        {"mobilenetv2", {300774272, 53, "mobilenetv2"}},
        {"resnet18", {1814073344, 21, "resnet18"}},
    };
    std::size_t read = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".onnx") continue;
        SCOPED_TRACE(entry.path().stem());
        const PublicModel& model = expected.at(entry.path().stem());
        const Network network = read_onnx(entry.path());
        EXPECT_EQ(total_macs(network), model.macs);
        EXPECT_EQ(network.layers.size(), model.layers);
        if (*model.zoo != '\0') {
            const Network zoo = zoo_network(model.zoo);
            for (std::size_t i = 0; i < std::min(zoo.layers.size(), network.layers.size()); ++i) {
                EXPECT_EQ(network.layers[i].einsum, zoo.layers[i].einsum);
                EXPECT_EQ(network.layers[i].feeds_from, zoo.layers[i].feeds_from);
            }
        }
        ++read;
    }
    EXPECT_EQ(read, expected.size());
}

/// newer.onnx with other bytes in one place.
std::string message_of_changed(const std::string& bytes, const std::string& by) {
    std::string model = read_file(kModels / "newer.onnx");
    const std::size_t at = model.find(bytes);
    EXPECT_NE(at, std::string::npos);
    model.replace(at, bytes.size(), by);
    const std::filesystem::path path = std::filesystem::temp_directory_path() / "tilewright_changed.onnx";
    std::ofstream(path, std::ios::binary) << model;
    const std::string message = message_of(path);
    std::filesystem::remove(path);
    return message;
}

// libonnx ignores both, with wrong shapes.
TEST(Onnx, RefusesAxesAndVersionsThatThereAreNot) {
    const std::string axes = ":\x02\x02\x03";  // the constant axes input of ReduceMean
    EXPECT_EQ(message_of_changed(axes, axes), "no error");
    EXPECT_THAT(message_of_changed(axes, ":\x02\x02\x04"),
                HasSubstr("it names axis 4; there are 4, from -4 to 3 [bad-value]"));
    const std::string version = std::string("B\x04\x0a\x00\x10", 5);
    EXPECT_EQ(message_of_changed(version + "\x15", version + "\x18"), "no error");
    EXPECT_THAT(message_of_changed(version + "\x15", version + "\x7f"),
                HasSubstr("has version 127; expected one from 1 to 100 [bad-value]"));
}

}  // namespace
}  // namespace tilewright::onnx::onnx_test
