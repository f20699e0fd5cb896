#include "run/what_if/what_if.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/machine.hpp"
#include "workload/shapes.hpp"

namespace tilewright::other_factors_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Searched {
    NetworkProblem problem;
    NetworkAnswer answer;
    std::optional<IdleAxes> idle;
};

Searched search(const Einsum& layer, const MapOptions& options = {}) {
    const Machine machine = Machine::named("simple-weight-stationary");
    Network network{"net", {}, {}};
    network.layers.push_back({"product", "MatMul", layer, 1, {}});
    Searched run{network_problem(network, machine), {}, {}};
    run.answer = map_network(run.problem, options);
    run.idle = idle_axes(run.problem, run.answer, options,
                         [](const NetworkProblem& some, const MapOptions& other) { return map_network(some, other); });
    return run;
}

// 197 is prime: of 16 columns one works.
TEST(OtherFactors, APrimeExtentIsToldWithWhatPaddingAndRemaindersBring) {
    const Searched prime = search(gemm(64, 64, 197));
    ASSERT_TRUE(prime.idle);
    EXPECT_EQ(prime.idle->layers, std::vector<std::string>{"product"});
    ASSERT_EQ(prime.idle->others.size(), 2U);
    for (const OtherFactors& other : prime.idle->others) {
        MapOptions options;
        options.factors = other.factors;
        const NetworkAnswer asked = map_network(prime.problem, options);
        EXPECT_EQ(asked.layers.front().evaluation->cycles, other.totals.cycles) << "what the option itself finds";
        EXPECT_LT(other.totals.cycles * 5, prime.idle->perfect.cycles);
    }
    EXPECT_THAT(
        note_about(*prime.idle, 1),
        StartsWith("perfect factors leave units idle in 1 of 1 shapes (product): there --factors padded brings the "
                   "network to "));
    EXPECT_THAT(note_about(*prime.idle, 1), HasSubstr(", --factors ruby-s to "));
}

TEST(OtherFactors, NothingIsSaidWhereAxesFillOrTheUserLimitsTheSearch) {
    EXPECT_FALSE(search(gemm(64, 64, 192)).idle);
    MapOptions limited;
    limited.evaluations = 100;
    EXPECT_FALSE(search(gemm(64, 64, 197), limited).idle);
    MapOptions padded;
    padded.factors = FactorRule::padded;
    EXPECT_FALSE(search(gemm(64, 64, 197), padded).idle);
}

}  // namespace
}  // namespace tilewright::other_factors_test
