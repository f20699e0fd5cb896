// What follows from a time follows from the time as built.
#include "run/physical/physical_latency.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/machine.hpp"
#include "run/map_network.hpp"
#include "run/physical/map_physically.hpp"
#include "run/report_of.hpp"
#include "timeloop/files/zoo.hpp"
#include "workload/shapes.hpp"

namespace tilewright::time_as_built_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Found {
    silicon::Silicon silicon;
    report::Report plain;
};

Network network_of(std::vector<Layer> layers) {
    Network network;
    network.name = "net";
    network.layers = std::move(layers);
    return network;
}

// The layers of `network` mapped to take the least time as built, with the plain model's costs.
Found found(const std::string& name, const Network& network) {
    const Machine machine = Machine::named(name);
    const silicon::Silicon silicon =
        silicon::read_silicon(timeloop::zoo_architecture(name), machine.architecture()).value();
    const NetworkProblem problem = network_problem(network, machine);
    MapOptions options;
    options.objective.kind = ObjectiveKind::latency;
    const NetworkAnswer answer = map_network(problem, options, {.map_shape = physical_mapper(problem, silicon)});
    return {silicon, report_of(network, machine.architecture(), problem, answer)};
}

// Of memories that leak all the time and of the units: leakage is a rate times the time.
void expect_follows(const report::LayerResult& plain, const report::LayerResult& built, const Architecture& machine) {
    const Evaluation& one = *plain.evaluation;
    const Evaluation& two = *built.evaluation;
    EXPECT_NEAR(static_cast<double>(two.cycles), built.as_built->cycles, 0.5);
    EXPECT_NEAR(built.as_built->seconds, built.as_built->cycles * machine.cycle_seconds, 1e-12);
    EXPECT_EQ(built.as_built->plain_cycles, one.cycles);
    EXPECT_DOUBLE_EQ(two.utilization * static_cast<double>(two.cycles * machine.compute.instances),
                     static_cast<double>(one.computes));
    EXPECT_LE(two.utilization, 1.0);
    const auto longer = static_cast<double>(two.cycles - one.cycles) / static_cast<double>(one.cycles);
    double leaked = one.compute_leakage_pj;
    for (const MemoryEvaluation& memory : one.memories) leaked += memory.leakage_pj;
    EXPECT_GT(leaked, 0.0);
    EXPECT_NEAR(two.energy_pj - one.energy_pj, leaked * longer, 1e-9 * one.energy_pj);
    double parts = two.compute_energy_pj + two.compute_leakage_pj;
    for (std::size_t m = 0; m < two.memories.size(); ++m) {
        parts += two.memories[m].energy_pj + two.memories[m].link_energy_pj;
        for (std::size_t t = 0; t < two.memories[m].tensors.size(); ++t)
            EXPECT_EQ(two.memories[m].tensors[t].reads, one.memories[m].tensors[t].reads);
    }
    EXPECT_DOUBLE_EQ(parts, two.energy_pj);
}

TEST(TimeAsBuilt, UtilizationAndLeakageFollowIt) {
    for (const char* name : {"gemmini", "h100"}) {
        const Found found = time_as_built_test::found(name, network_of({{"fc", "Gemm", gemm(64, 96, 128), 1, {}}}));
        report::Report built = found.plain;
        take_time_as_built(found.silicon, built);
        ASSERT_TRUE(built.layers.front().as_built) << name;
        expect_follows(found.plain.layers.front(), built.layers.front(), built.architecture);
        EXPECT_EQ(report::totals(built).plain_cycles, report::totals(found.plain).cycles);
    }
}

// A convolution in groups is none that Gemmini's model knows: it is mapped by the plain model, and said to be.
TEST(TimeAsBuilt, ALayerThatTheMachinesModelDoesNotKnowStaysPlain) {
    const Found found = time_as_built_test::found(
        "gemmini", network_of({{"fc", "Gemm", gemm(64, 96, 128), 1, {}}, {"dw", "Conv", depthwise(16, 7, 3), 1, {}}}));
    report::Report built = found.plain;
    take_time_as_built(found.silicon, built);
    EXPECT_TRUE(built.layers[0].as_built);
    EXPECT_FALSE(built.layers[1].as_built);
    EXPECT_NE(built.layers[1].not_as_built, "");
    EXPECT_EQ(built.layers[1].evaluation->cycles, found.plain.layers[1].evaluation->cycles);
    EXPECT_THAT(built.notes, ::testing::Contains(HasSubstr("no time as built of dw: ")));
    EXPECT_EQ(report::latency_rule(built), "time as built of 1 of 2 layers, of the others the plain model's");
    EXPECT_TRUE(built.layers[0].search->proven);
    EXPECT_THAT(built.layers[0].search->claim, HasSubstr("as built"));
    EXPECT_THAT(built.layers[1].search->claim, ::testing::Not(HasSubstr("as built")));
}

// 24 output channels are a block and a half of 16 columns.
TEST(TimeAsBuilt, ChannelsThatAreNoWholeBlocksHaveANest) {
    for (const std::int64_t channels : {17, 20, 24, 40, 50}) {
        Found found =
            time_as_built_test::found("gemmini", network_of({{"conv", "Conv", conv2d(96, channels, 56, 1), 1, {}}}));
        const report::LayerResult& layer = found.plain.layers.front();
        ASSERT_TRUE(layer.mapping) << channels << ": " << layer.failures.front();
        take_time_as_built(found.silicon, found.plain);
        EXPECT_TRUE(layer.as_built) << channels;
    }
}

TEST(TimeAsBuilt, AReasonThatIsKnownAlreadyStands) {
    const Found found = time_as_built_test::found("gemmini", network_of({{"fc", "Gemm", gemm(64, 96, 128), 1, {}}}));
    report::Report report = found.plain;
    report.layers.front().not_as_built = "partial sums";
    take_time_as_built(found.silicon, report);
    EXPECT_FALSE(report.layers.front().as_built);
    EXPECT_THAT(report.notes, ElementsAre("no time as built of fc: partial sums"));
}

}  // namespace
}  // namespace tilewright::time_as_built_test
