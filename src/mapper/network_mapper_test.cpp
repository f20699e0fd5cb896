#include "mapper/network_mapper.hpp"

#include <gtest/gtest.h>

#include "workload/shapes.hpp"

namespace tilewright {
namespace {

Architecture one_buffer() {
    Architecture a;
    a.memories.resize(2);
    a.memories[0].name = "DRAM";
    a.memories[0].energy.read_pj.value = 100.0;
    a.memories[1].name = "Buffer";
    a.memories[1].capacity_words = 128;
    return a;
}

Network three_layers() {
    Network network;
    network.layers = {{"first", "Conv", conv2d(4, 4, 4, 3), 1, {}},
                      {"second", "Conv", conv2d(4, 8, 4, 1), 3, {0}},
                      {"third", "Conv", conv2d(4, 4, 4, 3), 1, {1}}};
    return network;
}

Constraints free(const Einsum&) { return {}; }

Budget quick() {
    Budget budget;
    budget.evaluations = 3000;
    return budget;
}

TEST(NetworkMapper, MapsEveryDistinctLayerOnceAndAddsThemUp) {
    std::vector<std::size_t> finished;
    const NetworkMapping mapping = map_network(three_layers(), one_buffer(), free, *make_mapper("hybrid"), {}, quick(),
                                               [&](const NetworkProgress& progress) {
                                                   EXPECT_EQ(progress.count, 2U);
                                                   if (progress.result != nullptr) finished.push_back(progress.index);
                                               });
    EXPECT_EQ(finished, (std::vector<std::size_t>{0, 1}));
    ASSERT_EQ(mapping.layers.size(), 2U);
    ASSERT_TRUE(mapping.complete);
    EXPECT_DOUBLE_EQ(mapping.energy_pj,
                     2 * mapping.layers[0].result.cost.energy_pj + 3 * mapping.layers[1].result.cost.energy_pj);
    EXPECT_DOUBLE_EQ(mapping.cycles, 2.0 * static_cast<double>(mapping.layers[0].result.cost.cycles) +
                                         3.0 * static_cast<double>(mapping.layers[1].result.cost.cycles));
}

TEST(NetworkMapper, ALayerIsMappedAsIfItWereAlone) {
    const NetworkMapping all = map_network(three_layers(), one_buffer(), free, *make_mapper("random"), {}, quick());
    Network alone;
    alone.layers = {three_layers().layers[1]};
    const NetworkMapping one = map_network(alone, one_buffer(), free, *make_mapper("random"), {}, quick());
    EXPECT_EQ(*one.layers[0].result.best, *all.layers[1].result.best);
}

TEST(NetworkMapper, AnInterruptionLeavesTheRestUnmapped) {
    StopSource stop;
    Budget budget = quick();
    budget.stop = &stop;
    const NetworkMapping mapping = map_network(three_layers(), one_buffer(), free, *make_mapper("hybrid"), {}, budget,
                                               [&](const NetworkProgress&) { stop.request(); });
    EXPECT_TRUE(mapping.layers[0].result.best) << "the best so far is kept";
    EXPECT_FALSE(mapping.layers[1].result.best);
    EXPECT_EQ(mapping.layers[1].result.stopped, StopReason::interrupted);
    EXPECT_FALSE(mapping.complete);
}

TEST(NetworkMapper, SaysWhichLayerTheConstraintsForbid) {
    const auto constraints = [](const Einsum& einsum) {
        Constraints c;
        c.levels.resize(2);
        c.levels[1].temporal.factors.resize(einsum.dimensions.size());
        c.levels[1].temporal.factors[0].exactly = 3;  // the kernel's width
        return c;
    };
    const NetworkMapping mapping =
        map_network(three_layers(), one_buffer(), constraints, *make_mapper("hybrid"), {}, quick());
    EXPECT_EQ(mapping.layers[0].mapspace_problem, "");
    EXPECT_NE(mapping.layers[1].mapspace_problem, "");
    EXPECT_EQ(mapping.layers[1].result.stopped, StopReason::empty_mapspace);
}

}  // namespace
}  // namespace tilewright
