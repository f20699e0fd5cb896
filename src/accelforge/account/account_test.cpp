// Counts by hand from AccelForge's documented rules.
#include <gtest/gtest.h>

#include "accelforge/account/evaluate.hpp"
#include "accelforge/files/load.hpp"
#include "accelforge/files/machine.hpp"
#include "base/error.hpp"

namespace tilewright::accelforge::account_test {
namespace {

constexpr const char* kMachine = R"(
arch:
  nodes:
  - !Memory {name: M, component_class: Dummy, size: inf, actions: [{name: read, energy: 1}, {name: write, energy: 1}]}
  - !Memory {name: B, component_class: Dummy, size: 1e6, spatial: [{name: X, fanout: 4{{EXTRA | default("")}}}]}
  - !Compute {name: C, component_class: Dummy, actions: [{name: compute, throughput: 1}]}
)";

constexpr const char* kWindow = R"(
workload:
  rank_sizes: {O: 4, R: 3, I: 6}
  bits_per_value: {All: 1}
  einsums: ["Y[O: p] = X[I: p + r] * F[R: r]"]
mapping:
  nodes:
)";

constexpr const char* kVector = R"(
workload:
  rank_sizes: {N: 7, K: 2}
  bits_per_value: {All: 1}
  einsums: ["Y[n] = X[k] * F[k, n]"]
mapping:
  nodes:
)";

std::string store(const std::string& memory, const std::string& tensors) {
    return "  - !Storage {component: " + memory + ", tensors: [" + tensors + "]}\n";
}
std::string loop(const std::string& variable, int tile) {
    return "  - !Temporal {rank_variable: " + variable + ", tile_shape: " + std::to_string(tile) + "}\n";
}
std::string across(const std::string& variable, int tile) {
    return "  - !Spatial {component: B, name: X, rank_variable: " + variable + ", tile_shape: " + std::to_string(tile) +
           "}\n";
}
const std::string kCompute = "  - !Compute {einsum: Y, component: C}\n";

Costs costs_of(const std::string& text, const std::string& extra = "") {
    jinja::Settings settings;
    settings.variables["EXTRA"] = extra;
    const yaml::Node root = load_text(text, "test.yaml", settings);
    const Workload workload = read_workload(root);
    return evaluate(workload, [&](const EinsumSpec& einsum) { return read_machine(root, einsum); }, read_mapping(root));
}

double count_of(const Costs& costs, const std::string& component, const std::string& tensor,
                const std::string& action) {
    for (const ActionCount& one : costs.einsums.front().actions)
        if (one.component == component && one.tensor == tensor && one.action == action) return one.count;
    return -1.0;
}

// A window's overlap is fetched once if only inner loops move it and one small tile fits.
TEST(AccelForgeAccount, AWindowIsFetchedOnceWhereLoopsInsideMoveIt) {
    const Costs costs = costs_of(kMachine + std::string(kWindow) + store("M", "X, F, Y") + store("B", "X") +
                                 loop("p", 1) + loop("r", 1) + kCompute);
    EXPECT_EQ(count_of(costs, "M", "X", "read"), 6.0);
    EXPECT_EQ(count_of(costs, "B", "X", "read"), 12.0);
    EXPECT_EQ(count_of(costs, "M", "Y", "read"), 12.0 - 4.0);  // all but the first of each result
    EXPECT_EQ(costs.memories[1].bits, 3.0);
}

TEST(AccelForgeAccount, AWindowIsFetchedAgainWhereALoopOutsideMovesIt) {
    const Costs costs = costs_of(kMachine + std::string(kWindow) + store("M", "X, F, Y") + loop("p", 1) +
                                 store("B", "X") + loop("r", 1) + kCompute);
    EXPECT_EQ(count_of(costs, "M", "X", "read"), 12.0);
}

// 7 over 4 instances: two whole steps for irrelevant loops, 7/4 of a step for relevant ones, and for time.
TEST(AccelForgeAccount, RemaindersAreMeansForWhatMovesAndWholeForWhatDoesNot) {
    const std::string mapping =
        store("M", "X, F, Y") + loop("n", 4) + across("n", 1) + store("B", "X, F, Y") + loop("k", 1) + kCompute;
    const Costs multicast = costs_of(kMachine + std::string(kVector) + mapping);
    EXPECT_EQ(count_of(multicast, "M", "X", "read"), 2.0 * 2.0);
    EXPECT_EQ(count_of(multicast, "M", "F", "read"), 14.0);
    EXPECT_EQ(count_of(multicast, "C", "", "compute"), 14.0);
    EXPECT_EQ(multicast.latency_s, 3.5);
    const Costs unicast = costs_of(kMachine + std::string(kVector) + mapping, ", may_reuse: Nothing");
    EXPECT_EQ(count_of(unicast, "M", "X", "read"), 2.0 * 2.0 * 4.0);
}

TEST(AccelForgeAccount, ATollChargesWhatPasses) {
    const std::string text = R"(
arch:
  nodes:
  - !Memory {name: M, component_class: Dummy, size: 1e9}
  - !Toll {name: T, direction: up_and_down, leak_power: 0, area: 0, actions: [{name: read, energy: 100, latency: 0}]}
  - !Memory {name: B, component_class: Dummy, size: 1e9}
  - !Compute {name: C, component_class: Dummy}
workload:
  rank_sizes: {M: 128, K: 64, N: 128}
  bits_per_value: {All: 8}
  einsums: ["Y[m, n] = X[m, k] * W[k, n]"]
mapping:
  nodes:
  - !Storage {component: M, tensors: [X, W, Y]}
  - !Toll {component: T, tensors: [X, W, Y]}
)" + store("B", "X, W, Y") + loop("m", 1) +
                             loop("k", 1) + loop("n", 1) + kCompute;
    EXPECT_EQ(costs_of(text).energy_j, 100.0 * (128 * 64 * 2 + 128 * 128) * 8);
}

// A copy inside one memory costs nothing; from one to another it is read once and written once.
TEST(AccelForgeAccount, ACopyMovesBetweenOutermostMemoriesOnly) {
    const std::string workload = R"(
workload:
  rank_sizes: {N: 7}
  bits_per_value: {All: 2}
  einsums: [{einsum: "Y[n] = X[n]", is_copy_operation: True}]
mapping:
  nodes:
)";
    const Costs inside = costs_of(kMachine + workload + store("M", "X, Y") + loop("n", 1) + kCompute);
    EXPECT_EQ(count_of(inside, "M", "X", "read") + count_of(inside, "M", "X", "write"), 0.0);
    const Costs between = costs_of(kMachine + workload + store("M", "X") + store("B", "Y") + loop("n", 1) + kCompute);
    EXPECT_EQ(count_of(between, "M", "X", "read"), 14.0);
    EXPECT_EQ(count_of(between, "B", "X", "write"), 14.0);
    EXPECT_EQ(count_of(between, "C", "", "compute"), 0.0);
}

TEST(AccelForgeAccount, LeakageLeavesTheOwnFanoutOut) {
    const std::string text = R"(
arch:
  nodes:
  - !Memory {name: M, component_class: Dummy, size: 1e9, leak_power: 1}
  - !Memory {name: B, component_class: Dummy, size: 1e9, leak_power: 10, spatial: [{name: X, fanout: 4}]}
  - !Compute {name: C, component_class: Dummy, leak_power: 100, actions: [{name: compute, throughput: 2}]}
)" + std::string(kVector) + store("M", "X, F, Y") +
                             loop("n", 1) + loop("k", 1) + kCompute;
    const Costs costs = costs_of(text);
    EXPECT_EQ(costs.latency_s, 7.0);
    EXPECT_EQ(costs.energy_j, 7.0 * (1.0 + 10.0 + 4 * 100.0));
}

std::string refusal(const std::string& mapping) {
    try {
        static_cast<void>(costs_of(kMachine + std::string(kVector) + mapping));
    } catch (const InputError& error) {
        return std::to_string(error.where().line) + ": " + error.message();
    }
    return "";
}

TEST(AccelForgeAccount, RefusesWhatIsNoMappingAtItsPlace) {
    const std::string all = store("M", "X, F, Y");
    EXPECT_EQ(refusal(all + loop("n", 1) + kCompute), "16: 'k' of 'Y' needs a loop of tile shape 1");
    EXPECT_EQ(refusal(store("M", "X, F") + loop("n", 1) + loop("k", 1) + kCompute), "17: no memory holds 'Y' of 'Y'");
    EXPECT_EQ(refusal(store("M", "X, F, Z") + loop("n", 1) + loop("k", 1) + kCompute), "14: no einsum uses 'Z'");
    EXPECT_EQ(refusal(store("MM", "X") + kCompute), "14: the machine has no 'MM'");
    EXPECT_EQ(refusal(all + loop("q", 1) + kCompute), "15: einsum 'Y' has no rank variable 'q'");
    EXPECT_EQ(refusal(all + loop("n", 8) + kCompute), "15: a tile that is larger than what is left of 'n' there");
    EXPECT_EQ(refusal(all + across("n", 1) + loop("k", 1) + kCompute), "15: more instances than 'X' has");
    EXPECT_EQ(refusal(all + loop("n", 1)), "14: a branch has to end in a compute or a split");
}

}  // namespace
}  // namespace tilewright::accelforge::account_test
