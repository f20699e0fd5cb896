#include "run/what_if/what_if.hpp"

#include <gtest/gtest.h>

#include "fixtures/small_machine.hpp"
#include "workload/shapes.hpp"

namespace tilewright::what_if_test {
namespace {

NetworkProblem problem_on(const Architecture& machine) {
    Network network{"net", {}, {}};
    network.layers.push_back({"a", "Conv", conv2d(8, 8, 4, 3), 2, {}});
    network.layers.push_back({"b", "Conv", conv2d(4, 8, 4, 1), 1, {}});
    return network_problem(network, machine);
}

NetworkAnswer mapped(const NetworkProblem& problem) { return map_network(problem); }

// A DRAM so slow that it decides, or one that never does.
Architecture with_dram(std::optional<double> words_per_cycle) {
    Architecture machine = fixtures::small_machine();
    machine.memories[0].read_words_per_cycle = machine.memories[0].write_words_per_cycle = words_per_cycle;
    machine.memories[0].shared_words_per_cycle.reset();
    return machine;
}

const report::WhatIf* named(const std::vector<report::WhatIf>& all, const std::string& change) {
    for (const report::WhatIf& one : all)
        if (one.change == change) return &one;
    return nullptr;
}

TEST(WhatIf, TwiceTheBandwidthHalvesWhatWaitsForIt) {
    const Architecture machine = with_dram(0.001);
    const std::string name = machine.memories[0].name;
    const NetworkProblem problem = problem_on(machine);
    const NetworkAnswer answer = mapped(problem);
    const std::vector<report::WhatIf> all = what_if(problem, answer, mapped);
    const NetworkTotals now = totals(problem, answer).value();
    EXPECT_EQ(all.front().cycles, now.cycles);
    EXPECT_DOUBLE_EQ(all.front().energy_pj.value(), now.energy_pj);
    const report::WhatIf* const faster = named(all, "twice the bandwidth of " + name);
    ASSERT_NE(faster, nullptr);
    EXPECT_FALSE(faster->mapped_again);
    EXPECT_NEAR(static_cast<double>(*faster->cycles) * 2.0, static_cast<double>(now.cycles), 6.0);  // rounded up
}

TEST(WhatIf, NothingIsGainedWhereDramDoesNotDecide) {
    const NetworkProblem problem = problem_on(with_dram(1e9));
    const std::vector<report::WhatIf> all = what_if(problem, mapped(problem), mapped);
    EXPECT_EQ(all[1].cycles, all[0].cycles);
    EXPECT_EQ(all[1].energy_pj, all[0].energy_pj);
}

TEST(WhatIf, ADramThatNeverThrottlesHasNoRow) {
    const Architecture machine = with_dram({});
    const NetworkProblem problem = problem_on(machine);
    const std::vector<report::WhatIf> all = what_if(problem, mapped(problem), mapped);
    EXPECT_EQ(named(all, "twice the bandwidth of " + machine.memories[0].name), nullptr);
}

TEST(WhatIf, TwiceTheCapacityIsMappedAgainAndNoWorse) {
    const NetworkProblem problem = problem_on(with_dram({}));
    int asked = 0;
    const auto least_energy = [&](const NetworkProblem& changed) {
        ++asked;
        MapOptions options;
        options.objective = {.kind = ObjectiveKind::energy};
        return map_network(changed, options);
    };
    const std::vector<report::WhatIf> all = what_if(problem, least_energy(problem), least_energy);
    EXPECT_GT(asked, 1);
    for (std::size_t i = 1; i < all.size(); ++i) {
        EXPECT_TRUE(all[i].mapped_again);
        EXPECT_LE(*all[i].energy_pj, *all[0].energy_pj * (1.0 + 1e-9));
    }
}

TEST(WhatIf, AnInterruptedSearchAndALayerWithoutAMappingSaySo) {
    const NetworkProblem problem = problem_on(with_dram({}));
    const NetworkAnswer answer = mapped(problem);
    const auto interrupted = [&](const NetworkProblem&) {
        NetworkAnswer cut = answer;
        cut.interrupted = true;
        return cut;
    };
    EXPECT_EQ(what_if(problem, answer, interrupted)[1].failure, "interrupted");
    const auto failing = [&](const NetworkProblem&) {
        NetworkAnswer none = answer;
        none.layers[1].evaluation.reset();
        return none;
    };
    const report::WhatIf failed = what_if(problem, answer, failing)[1];
    EXPECT_EQ(failed.failure, "no mapping of b");
    EXPECT_FALSE(failed.cycles);
    NetworkAnswer nothing = answer;
    for (LayerAnswer& layer : nothing.layers) layer.mapping.reset(), layer.evaluation.reset();
    EXPECT_TRUE(what_if(problem, nothing, failing).empty());
}

}  // namespace
}  // namespace tilewright::what_if_test
