#include "timeloop/problem/problem.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fixtures/mistake.hpp"

namespace tilewright::timeloop::problem_test {
namespace {

Einsum problem_in(const std::string& text, const std::vector<std::filesystem::path>& folders = {}) {
    return read_problem(yaml::parse_text(text, "problem.yaml"), folders);
}

fixtures::Mistake mistake_in(const std::string& text) {
    return fixtures::mistake_of([&] { return problem_in(text); });
}

const std::string kMatmul = R"(
problem:
  shape:
    name: matmul
    dimensions: [M, N, K]
    data_spaces:
    - {name: A, projection: [[[M]], [[K]]]}
    - {name: B, projection: [[[K]], [[N]]]}
    - {name: Z, projection: [[[M]], [[N]]], read_write: true}
  instance: {M: 4, N: 5, K: 6}
)";

std::string with(std::string text, const std::string& from, const std::string& to) {
    const std::size_t place = text.find(from);
    if (place == std::string::npos) throw std::logic_error("'" + from + "' is not in the text");
    return text.replace(place, from.size(), to);
}

TEST(TimeloopProblem, ReadsAShapeInPlace) {
    const Einsum einsum = problem_in(kMatmul);
    EXPECT_EQ(einsum.name, "matmul");
    EXPECT_EQ(einsum.dimensions, (std::vector<Dimension>{{"M", 4}, {"N", 5}, {"K", 6}}));
    EXPECT_EQ(to_text(einsum), "Z[M, N] += A[M, K] * B[K, N]");
}

TEST(TimeloopProblem, ReadsCoefficientsWithDefaultsAndWithout) {
    const Einsum einsum = problem_in(R"(
problem:
  shape:
    dimensions: [P, R, Q]
    coefficients:
    - {name: Stride, default: 2}
    - {name: Dilation, default: 3}
    - {name: Shift}
    data_spaces:
    - {name: I, projection: [[[P, Stride], [R, Dilation]], [[Q, Shift]], [[Q, 4]], []]}
    - {name: O, projection: [[[P]]], read_write: true}
  instance: {P: 7, R: 3, Q: 1, Dilation: -5}
)");
    EXPECT_EQ(einsum.tensors[0].ranks[0], (Rank{{Term{0, 2}, Term{1, -5}}}));
    EXPECT_EQ(einsum.tensors[0].ranks[1], (Rank{{Term{2, 1}}}));
    EXPECT_EQ(einsum.tensors[0].ranks[2], (Rank{{Term{2, 4}}}));
    EXPECT_EQ(einsum.tensors[0].ranks[3], Rank{});
}

TEST(TimeloopProblem, TakesACoefficientOfZeroWhereItMultipliesNothing) {
    const std::string text =
        "problem:\n  shape: cnn-layer\n  R: 1\n  S: 1\n  P: 16\n  Q: 8\n  C: 4\n  K: 2\n  N: 1\n  Wdilation: 0\n"
        "  Hdilation: 0\n";
    EXPECT_EQ(problem_in(text),
              problem_in(with(with(text, "Wdilation: 0", "Wdilation: 1"), "Hdilation: 0", "Hdilation: 1")));
    const fixtures::Mistake mistake = mistake_in(with(text, "S: 1", "S: 3"));
    EXPECT_EQ(mistake.code, ErrorCode::bad_value);
    EXPECT_EQ(mistake.where.line, 11) << "where it is set";
    EXPECT_EQ(mistake.message, "coefficient 'Hdilation' is 0, but its dimension S has 3 steps");
}

TEST(TimeloopProblem, ReadsTheOldPlainForm) {
    const Einsum einsum = problem_in(
        "problem:\n  shape: cnn-layer\n  R: 3\n  S: 3\n  P: 16\n  Q: 8\n  C: 4\n  K: 2\n  N: 1\n  Wstride: 2\n");
    EXPECT_EQ(operation_count(einsum), 3 * 3 * 16 * 8 * 4 * 2);
    EXPECT_EQ(tensor_words(einsum, find_tensor(einsum, "Inputs")), 4 * (2 * 15 + 3) * (7 + 3));
    EXPECT_EQ(problem_in("problem: {R: 3, S: 3, P: 16, Q: 8, C: 4, K: 2, N: 1, Wstride: 2}"), einsum)
        << "a convolution is what Timeloop takes when no shape is named";
}

TEST(TimeloopProblem, KnowsTheShapesThatTimeloopBringsAlong) {
    EXPECT_EQ(to_text(problem_in("problem: {shape: gemm_ABZ, M: 2, N: 3, K: 4}")), "Z[M, N] += A[M, K] * B[N, K]");
    EXPECT_EQ(
        problem_in("problem: {shape: grouped-cnn-layer, instance: {C: 1, M: 2, R: 3, S: 3, N: 1, P: 4, Q: 4, G: 8}}")
            .dimension_count(),
        8);
    EXPECT_EQ(mistake_in("problem: {shape: cnn_lair, R: 3}").code, ErrorCode::unknown_name);
}

TEST(TimeloopProblem, LooksForNamedShapesInFoldersFirst) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "tilewright_shapes";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "dot-product.yaml") << "shape:\n"
                                                  "  dimensions: [K]\n"
                                                  "  data-spaces:\n"
                                                  "  - {name: A, projection: [[[K]]]}\n"
                                                  "  - {name: Z, projection: [], read-write: true}\n";
    const Einsum einsum = problem_in("problem: {shape: dot_product, instance: {K: 9}}", {"/nowhere", folder});
    std::filesystem::remove_all(folder);
    EXPECT_EQ(to_text(einsum), "Z[] += A[K]");
    EXPECT_EQ(mistake_in("problem: {shape: ../dot_product, instance: {K: 9}}").code, ErrorCode::unknown_name);
}

TEST(TimeloopProblem, ReadsAFormula) {
    const Einsum einsum = problem_in(
        "problem:\n"
        "  name: conv\n"
        "  einsum: \"O[n,k,p,q] += W[k,c,r,s] * I[n,c,2p+r,2q+s]\"\n"
        "  extents: {n: 1, k: 8, c: 4, p: 7, q: 7, r: 3, s: 3}\n");
    EXPECT_EQ(einsum.name, "conv");
    EXPECT_EQ(operation_count(einsum), 8 * 4 * 7 * 7 * 9);
    const fixtures::Mistake mistake = mistake_in("problem:\n  einsum: \"O[i] += A[j]\"\n  extents: {i: 2}\n");
    EXPECT_EQ(mistake.code, ErrorCode::unknown_name);
    EXPECT_EQ(mistake.message, "no extent is given for dimension 'j' (column 11 of the formula)");
    EXPECT_EQ(mistake.where.line, 2);
}

TEST(TimeloopProblem, AcceptsTheExtrasOfRealFilesWhereTheyDoNoHarm) {
    const Einsum plain = problem_in(kMatmul);
    EXPECT_EQ(problem_in(with(kMatmul, "K: 6", "K: 6, H: 224, W: 224, Hpad: 1, Wpad: 0, G: 1, densities: {}")), plain);
    EXPECT_EQ(mistake_in(with(kMatmul, "K: 6", "K: 6, G: 2")).code, ErrorCode::bad_value);
    EXPECT_EQ(mistake_in(with(kMatmul, "K: 6", "K: 6, densities: {A: {density: 0.5}}")).code, ErrorCode::unsupported);
}

TEST(TimeloopProblem, RefusesAMisspeltKeyThatWouldChangeTheLayer) {
    const std::string layer = "problem: {shape: cnn_layer, R: 3, S: 3, P: 16, Q: 8, C: 4, K: 2, N: 1";
    const fixtures::Mistake mistake = mistake_in(layer + ", WStride: 2}");
    EXPECT_EQ(mistake.code, ErrorCode::unknown_key);
    EXPECT_EQ(mistake.message, "the shape has no dimension or coefficient 'WStride'; did you mean 'Wstride'?");
    EXPECT_EQ(mistake_in(layer + ", WStride: 1}").message, "no mistake") << "the stride is 1 anyway";
    EXPECT_EQ(mistake_in(layer + ", Wstride: 2, WStride: 2}").message, "no mistake") << "it says the same twice";
}

TEST(TimeloopProblem, SaysWhatIsMissingOrWrong) {
    EXPECT_EQ(mistake_in("problems: {}").code, ErrorCode::missing_key);
    EXPECT_EQ(mistake_in("problem: 3").code, ErrorCode::wrong_type);
    EXPECT_EQ(mistake_in(with(kMatmul, ", K: 6", "")).message, "the instance gives no extent for 'K'");
    EXPECT_EQ(mistake_in(with(kMatmul, "K: 6", "K: 0")).code, ErrorCode::bad_value);
    EXPECT_EQ(mistake_in(with(kMatmul, "K: 6", "K: -6")).where, (Location{"problem.yaml", 10, 29}));
    EXPECT_EQ(mistake_in(with(kMatmul, "K: 6", "K: six")).code, ErrorCode::unknown_name);
    EXPECT_EQ(mistake_in(with(kMatmul, "[[K]]", "[[L]]")).code, ErrorCode::unknown_name);
    EXPECT_EQ(mistake_in(with(kMatmul, "[[K]]", "[[K, Wstride]]")).code, ErrorCode::unknown_name);
    EXPECT_EQ(mistake_in(with(kMatmul, "[[K]]", "[[K, 0]]")).code, ErrorCode::bad_value);
    EXPECT_EQ(mistake_in(with(kMatmul, "[[K]]", "[[K], [K]]")).code, ErrorCode::bad_value);
    EXPECT_EQ(mistake_in(with(kMatmul, "[[K]]", "[K]")).code, ErrorCode::wrong_type);
    EXPECT_EQ(mistake_in(with(kMatmul, "[[K]]", "[[]]")).code, ErrorCode::bad_value);
    EXPECT_EQ(mistake_in(with(kMatmul, "[M, N, K]", "[M, N, M]")).code, ErrorCode::duplicate_key);
    EXPECT_EQ(mistake_in(with(kMatmul, "[M, N, K]", "[M, N, 3]")).code, ErrorCode::bad_value);
    EXPECT_EQ(mistake_in(with(kMatmul, "name: B", "name: A")).code, ErrorCode::duplicate_key);
    EXPECT_EQ(mistake_in(with(kMatmul, ", read_write: true", "")).message, "no tensor is written");
    EXPECT_EQ(mistake_in(with(kMatmul, "dimensions:", "dimension:")).code, ErrorCode::unknown_key);
    EXPECT_EQ(mistake_in(with(kMatmul, "instance:", "version: 0.9\n  instance:")).code, ErrorCode::unsupported);
    EXPECT_EQ(mistake_in(with(kMatmul, "instance:", "instances: {}\n  instance:")).code, ErrorCode::unknown_key);
}

TEST(TimeloopProblem, RefusesLayersThatCannotBeCounted) {
    const std::string huge = with(with(kMatmul, "M: 4", "M: 4611686018427387904"), "N: 5", "N: 4611686018427387904");
    EXPECT_EQ(mistake_in(huge).code, ErrorCode::overflow);
}

TEST(TimeloopProblem, ReadsTheGoldenProblems) {
    const std::filesystem::path folder = "../shared/golden/timeloop";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "needs " << folder;
    int read = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().filename() != "problem.yaml") continue;
        const Einsum einsum = read_problem(yaml::parse_file(entry.path()));
        EXPECT_EQ(problem_with(einsum), "") << entry.path();
        ++read;
    }
    EXPECT_GE(read, 640);
}

TEST(TimeloopProblem, ReadsThePublicV03Files) {
    const std::filesystem::path folder = "../shared/examples/timeloop/v0.3";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "needs " << folder;
    for (const char* name :
         {"chen-asplos2014", "eyeriss-256", "eyeriss-256-split-problem", "sample", "sample-accelergy"}) {
        const yaml::Node root = yaml::parse_file(folder / (std::string(name) + ".yaml"));
        EXPECT_EQ(read_problem(root), read_problem(root, {folder})) << name << ": built-in and public shape agree";
    }
}

}  // namespace
}  // namespace tilewright::timeloop::problem_test
