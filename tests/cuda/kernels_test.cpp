// CUDA kernels do what their einsum says, whatever the schedule: emitted, run thread by thread on the CPU, compared
// with the plain loop, word by word.
#include <gtest/gtest.h>

#include "codegen/cuda/kernel.hpp"
#include "mapping/validity.hpp"
#include "workload/einsum_text.hpp"
#include "workload/shapes.hpp"
#include "workshop.hpp"

namespace tilewright::cuda {
namespace {

void expect_plain_results(const std::vector<Case>& cases) {
    for (const Case& one : cases)
        for (const Violation& violation : check(one.einsum, one.architecture, one.mapping))
            FAIL() << one.name << ": " << violation.message;
    Workshop workshop;
    std::string error;
    const std::vector<std::vector<float>> results = workshop.run(cases, error);
    EXPECT_EQ(error, "");
    for (std::size_t i = 0; i < cases.size(); ++i)
        EXPECT_EQ(results[i], plain_result(cases[i].einsum, arrays_for(cases[i].einsum, i))) << cases[i].name;
}

Case nest_on_k80(const std::string& name, const Einsum& einsum, const Nest& nest) {
    const Architecture architecture = gpu("k80");
    return {name, einsum, architecture, mapping_of(nest, einsum, architecture)};
}

/// A convolution with everything: stride, dilation, batch, and extents that nothing divides.
Einsum awkward_convolution() {
    return convolution({.batch = 2,
                        .in_channels = 5,
                        .out_channels = 7,
                        .width = {.positions = 9, .kernel = 3, .stride = 2, .dilation = 3},
                        .height = {.positions = 5, .kernel = 2, .stride = 3, .dilation = 2}});
}

TEST(Kernels, FactorsThatDivide) {
    const Einsum strided = conv2d(8, 16, 6, 3, 2);
    const Einsum product = gemm(12, 20, 16);
    expect_plain_results({
        nest_on_k80("strided", strided,
                    {.tile = {{"C", 4}, {"Q", 2}},
                     .block = {{"K", 2}, {"P", 3}},
                     .step = {{"R", 3}, {"C", 2}},
                     .thread = {{"K", 4}, {"Q", 3}, {"P", 2}},
                     .point = {{"K", 2}, {"S", 3}}}),
        nest_on_k80("product", product,
                    {.tile = {{"C", 5}},
                     .block = {{"N", 3}},
                     .step = {{"C", 4}},
                     .thread = {{"K", 8}},
                     .point = {{"N", 4}, {"K", 2}}}),
        nest_on_k80("one_thread", gemm(2, 3, 2), {.tile = {{"N", 2}}, .point = {{"K", 2}, {"C", 3}}}),
        nest_on_k80("one_iteration", gemm(1, 1, 1), {}),
    });
}

TEST(Kernels, FactorsThatLeaveRemainders) {
    const Einsum awkward = awkward_convolution();
    expect_plain_results({
        nest_on_k80("everywhere", awkward,
                    {.tile = {{"C", 2}, {"P", 2}},
                     .block = {{"K", 2}, {"Q", 2}},
                     .step = {{"C", 2}, {"R", 2}, {"Q", 3}, {"S", 2}},
                     .thread = {{"N", 2}, {"K", 2}, {"P", 3}},
                     .point = {{"K", 2}, {"C", 2}, {"R", 2}, {"P", 2}}}),
        nest_on_k80("idle_threads", gemm(7, 5, 11),
                    {.tile = {{"C", 5}}, .block = {{"K", 3}, {"N", 2}}, .thread = {{"N", 4}, {"K", 4}}}),
        nest_on_k80("idle_loop_of_blocks", gemm(3, 4, 10),
                    {.tile = {{"C", 4}}, .block = {{"K", 3}, {"K", 4}}, .thread = {{"N", 3}}}),
        nest_on_k80("idle_blocks", gemm(7, 6, 11),
                    {.tile = {{"N", 2}, {"C", 2}},
                     .block = {{"K", 3}, {"N", 3}},
                     .step = {{"C", 2}},
                     .thread = {{"K", 2}, {"N", 2}},
                     .point = {{"K", 2}, {"C", 2}}}),
    });
}

/// A sum that is left and taken up again goes through device memory.
TEST(Kernels, ReductionsOutsideTheLoopsOfTheResult) {
    const Einsum product = gemm(8, 12, 6);
    expect_plain_results({
        nest_on_k80("outside_tiles", product,
                    {.tile = {{"C", 3}, {"N", 2}},
                     .step = {{"C", 2}},
                     .thread = {{"N", 4}, {"K", 3}},
                     .point = {{"C", 2}, {"K", 2}}}),
        nest_on_k80(
            "outside_steps", product,
            {.tile = {{"C", 2}}, .step = {{"C", 3}, {"K", 2}, {"C", 2}}, .thread = {{"N", 8}}, .point = {{"K", 3}}}),
        nest_on_k80("outside_imperfect_steps", gemm(8, 11, 5),
                    {.tile = {{"C", 2}},
                     .step = {{"C", 2}, {"K", 2}},
                     .thread = {{"N", 8}, {"K", 2}},
                     .point = {{"K", 2}, {"C", 3}}}),
    });
}

TEST(Kernels, OperandsThatStayInDeviceMemory) {
    const Einsum awkward = awkward_convolution();
    Nest nest{.tile = {{"C", 3}, {"N", 2}},
              .block = {{"K", 7}},
              .step = {{"R", 3}, {"S", 2}},
              .thread = {{"Q", 5}, {"P", 5}},
              .point = {{"P", 2}, {"C", 2}}};
    std::vector<Case> cases;
    for (const std::vector<std::string>& unstaged :
         std::vector<std::vector<std::string>>{{"Weights"}, {"Inputs"}, {"Weights", "Inputs"}}) {
        nest.unstaged = unstaged;
        cases.push_back(nest_on_k80("without_" + unstaged.front() + std::to_string(unstaged.size()), awkward, nest));
    }
    expect_plain_results(cases);
}

TEST(Kernels, MoreLoopsThanAxes) {
    const Einsum volume = convolution({.batch = 3,
                                       .groups = 2,
                                       .in_channels = 2,
                                       .out_channels = 3,
                                       .width = {.positions = 4, .kernel = 2},
                                       .height = {.positions = 3, .kernel = 2, .stride = 2},
                                       .depth = WindowAxis{.positions = 3, .kernel = 2, .dilation = 2}});
    expect_plain_results({nest_on_k80("volume", volume,
                                      {.tile = {{"T", 2}, {"C", 2}},
                                       .block = {{"N", 2}, {"Z", 3}, {"G", 2}, {"P", 2}},
                                       .step = {{"R", 2}, {"S", 2}},
                                       .thread = {{"N", 2}, {"K", 3}, {"Q", 3}, {"P", 2}}})});
}

/// Names that mean something in C++, names that differ by case, and more than one loop over a dimension of each kind.
TEST(Kernels, AwkwardNamesAndRepeatedLoops) {
    const Einsum named =
        parse_einsum("shared[for, K] += thread[for, k] * sum[k, K]", {{"for", 6}, {"K", 8}, {"k", 12}});
    expect_plain_results({nest_on_k80("named", named,
                                      {.tile = {{"k", 2}, {"for", 3}, {"k", 2}},
                                       .block = {{"K", 2}},
                                       .step = {{"k", 3}},
                                       .thread = {{"K", 2}, {"for", 2}},
                                       .point = {{"K", 2}}})});
}

TEST(Kernels, RandomSchedulesOfBothMachines) {
    const std::vector<Einsum> einsums{conv2d(12, 10, 7, 3),   conv2d(3, 16, 9, 5, 2), awkward_convolution(),
                                      depthwise(12, 8, 3, 2), gemm(30, 42, 18),       batched_matmul(4, 9, 15, 10)};
    std::vector<Case> cases;
    for (const std::string machine : {"k80", "h200"})
        for (const std::string rule : {"perfect", "ruby"})
            for (const Einsum& einsum : einsums) {
                const std::string name = "random" + std::to_string(cases.size());
                cases.push_back({name, einsum, gpu(machine), random_mapping(machine, einsum, rule, cases.size())});
                EXPECT_EQ(launch_problems(make_kernel(einsum, gpu(machine), cases.back().mapping, name).launch,
                                          launch_limits(gpu(machine))),
                          std::vector<std::string>())
                    << name;
            }
    expect_plain_results(cases);
}

}  // namespace
}  // namespace tilewright::cuda
