#include "timeloop/write/write_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "timeloop/files/load.hpp"
#include "timeloop/problem/problem.hpp"
#include "workload/einsum_text.hpp"
#include "workload/zoo/zoo.hpp"

namespace tilewright::timeloop::write_problem_test {
namespace {

Einsum read_back(const Einsum& einsum) { return read_problem(load_text(write_problem(einsum), "written.yaml")); }

void expect_equal(const Einsum& read, const Einsum& written) {
    EXPECT_EQ(read.dimensions, written.dimensions) << write_problem(written);
    EXPECT_EQ(read.tensors, written.tensors) << write_problem(written);
}

TEST(WriteProblem, ReadsBackWithCoefficients) {
    const Einsum einsum = parse_einsum("O[n,k,p,q] += W[k,c,r,s] * I[n,c,2p+3r,2q-1*s]",
                                       {{"n", 1}, {"k", 4}, {"p", 5}, {"q", 6}, {"c", 2}, {"r", 3}, {"s", 3}});
    EXPECT_THAT(write_problem(einsum), ::testing::HasSubstr("- { name: by_minus_1, default: -1 }"));
    expect_equal(read_back(einsum), einsum);
}

TEST(WriteProblem, EveryLayerOfTheZooReadsBack) {
    for (const ZooEntry& entry : zoo_networks())
        for (const DistinctLayer& layer : distinct_layers(zoo_network(entry.name)))
            expect_equal(read_back(layer.einsum), layer.einsum);
}

}  // namespace
}  // namespace tilewright::timeloop::write_problem_test
