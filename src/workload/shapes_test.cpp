#include "workload/shapes.hpp"

#include <gtest/gtest.h>

namespace tilewright::shapes_test {
namespace {

TEST(Shapes, ConvolutionReadsASlidingWindow) {
    const Einsum layer = conv2d(3, 64, 112, 7, 2);
    EXPECT_EQ(to_text(layer), "Outputs[N, K, Q, P] += Weights[C, K, R, S] * Inputs[N, C, R+2*P, S+2*Q]");
    EXPECT_EQ(layer.name, "conv_7x7_112x112_c3_k64_n1_s2x2");
    EXPECT_EQ(operation_count(layer), 118'013'952);
    EXPECT_EQ(problem_with(layer), "");
}

TEST(Shapes, DimensionsComeInTheOrderOfTimeloopsConvolutionLayer) {
    std::string order;
    for (const Dimension& dimension :
         convolution({.groups = 2, .width = {}, .height = {}, .depth = WindowAxis{}}).dimensions)
        order += dimension.name;
    EXPECT_EQ(order, "RSTPQZCKNG");
}

TEST(Shapes, DilationSpreadsTheKernel) {
    const WindowAxis axis{.positions = 10, .kernel = 3, .stride = 1, .dilation = 4};
    const Einsum layer = convolution({.width = axis, .height = axis});
    EXPECT_EQ(to_text(layer), "Outputs[N, K, Q, P] += Weights[C, K, R, S] * Inputs[N, C, 4*R+P, 4*S+Q]");
    EXPECT_EQ(tensor_words(layer, find_tensor(layer, "Inputs")), 18 * 18);
}

TEST(Shapes, GroupsIndexEveryTensor) {
    const Einsum layer = depthwise(32, 112, 3);
    EXPECT_EQ(to_text(layer), "Outputs[N, G, K, Q, P] += Weights[G, C, K, R, S] * Inputs[N, G, C, R+P, S+Q]");
    EXPECT_EQ(operation_count(layer), 32LL * 112 * 112 * 9);
    EXPECT_EQ(tensor_words(layer, find_tensor(layer, "Weights")), 32 * 9);
}

TEST(Shapes, ThreeDimensionalConvolutionAddsDepth) {
    const WindowAxis axis{.positions = 8, .kernel = 3};
    const Einsum layer =
        convolution({.width = axis, .height = axis, .depth = WindowAxis{.positions = 4, .kernel = 2, .stride = 2}});
    EXPECT_EQ(to_text(layer), "Outputs[N, K, Q, P, Z] += Weights[C, K, R, S, T] * Inputs[N, C, R+P, S+Q, T+2*Z]");
}

TEST(Shapes, TransposedConvolutionScattersFromItsInput) {
    const WindowAxis axis{.positions = 8, .kernel = 4, .stride = 2};
    const Einsum layer = transposed_convolution({.in_channels = 16, .out_channels = 8, .width = axis, .height = axis});
    EXPECT_EQ(to_text(layer), "Outputs[N, K, S+2*Q, R+2*P] += Weights[C, K, R, S] * Inputs[N, C, P, Q]");
    EXPECT_EQ(tensor_words(layer, find_tensor(layer, "Outputs")), 8 * 18 * 18);
    EXPECT_EQ(tensor_words(layer, find_tensor(layer, "Inputs")), 16 * 8 * 8);
}

TEST(Shapes, MatrixProductsAreConvolutionsOfSinglePixels) {
    const Einsum product = gemm(128, 768, 3072);
    EXPECT_EQ(operation_count(product), 128LL * 768 * 3072);
    EXPECT_EQ(tensor_words(product, find_tensor(product, "Inputs")), 128 * 768);
    EXPECT_EQ(tensor_words(product, find_tensor(product, "Weights")), 768 * 3072);
    EXPECT_EQ(tensor_words(product, find_tensor(product, "Outputs")), 128 * 3072);
}

TEST(Shapes, ABatchOfProductsSharesG) {
    const Einsum scores = batched_matmul(12, 128, 64, 128);
    EXPECT_EQ(operation_count(scores), 12LL * 128 * 64 * 128);
    EXPECT_EQ(tensor_words(scores, find_tensor(scores, "Weights")), 12 * 64 * 128);
    EXPECT_EQ(batched_matmul(1, 128, 64, 128), gemm(128, 64, 128));
}

TEST(Shapes, DifferentShapesHaveDifferentNames) {
    EXPECT_NE(conv2d(3, 64, 112, 7, 2).name, conv2d(3, 64, 112, 7, 1).name);
    EXPECT_NE(depthwise(32, 112, 3).name, conv2d(1, 1, 112, 3).name);
    EXPECT_NE(gemm(1, 2, 3).name, gemm(1, 3, 2).name);
}

}  // namespace
}  // namespace tilewright::shapes_test
