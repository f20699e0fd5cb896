// nvcc takes the kernels, and does not need more registers than the launch leaves to a thread.
#include <gtest/gtest.h>

#include "base/files/file.hpp"
#include "codegen/cuda/kernel.hpp"
#include "workload/shapes.hpp"
#include "workshop.hpp"

namespace tilewright::cuda {
namespace {

class Nvcc : public testing::Test {
   protected:
    void SetUp() override {
        if (std::string(TILEWRIGHT_NVCC).empty()) GTEST_SKIP() << "there is no nvcc on this machine";
    }
    Workshop workshop_;
};

int occurrences(const std::string& text, const std::string& word) {
    int count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
}

TEST_F(Nvcc, CompilesAConvolutionAndAProductWithoutSpills) {
    const Architecture h200 = gpu("h200");
    const Einsum strided = conv2d(64, 128, 28, 3, 2);
    const Einsum imperfect = gemm(1000, 500, 300);
    const Mapping convolution = mapping_of({.tile = {{"C", 8}},
                                            .block = {{"K", 4}, {"Q", 7}},
                                            .step = {{"C", 8}, {"S", 3}, {"R", 3}},
                                            .thread = {{"K", 16}, {"Q", 2}, {"P", 14}},
                                            .point = {{"K", 2}, {"P", 2}, {"Q", 2}}},
                                           strided, h200);
    const Mapping product = mapping_of({.tile = {{"C", 25}},
                                        .block = {{"N", 16}, {"K", 5}},
                                        .step = {{"C", 20}},
                                        .thread = {{"N", 16}, {"K", 16}},
                                        .point = {{"N", 4}, {"K", 4}}},
                                       imperfect, h200);
    const std::string source = make_kernel(strided, h200, convolution, "strided").source +
                               make_kernel(imperfect, h200, product, "imperfect").source;
    write_file(workshop_.folder() / "kernels.cu", source);
    std::string output;
    const std::string command = std::string(TILEWRIGHT_NVCC) + " -c -Werror all-warnings -Xptxas -v -arch=sm_90 -o '" +
                                (workshop_.folder() / "kernels.o").string() + "' '" +
                                (workshop_.folder() / "kernels.cu").string() + "'";
    EXPECT_EQ(run_command(command, output), 0) << output;
    EXPECT_NE(output.find("strided_kernel"), std::string::npos) << output;
    EXPECT_NE(output.find("imperfect_kernel"), std::string::npos) << output;
    EXPECT_EQ(occurrences(output, "bytes spill stores"), 2) << output;
    EXPECT_EQ(occurrences(output, " 0 bytes spill stores"), 2) << output;
}

}  // namespace
}  // namespace tilewright::cuda
