// The library through its public headers alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tilewright/tilewright.hpp>

namespace tilewright::library_test {
namespace {

using testing::HasSubstr;

constexpr const char* kMachine = R"(
architecture:
  version: 0.3
  subtree:
    - name: system
      attributes: {technology: 45nm}
      local:
        - {name: DRAM, class: DRAM, attributes: {type: LPDDR4, width: 64, block-size: 4, word-bits: 16}}
      subtree:
        - name: chip
          local:
            - {name: Buffer, class: SRAM, attributes: {depth: 2048, width: 64, block-size: 4, word-bits: 16}}
            - {name: "MAC[0..15]", class: intmac, attributes: {datawidth: 16, meshX: 4}}
)";

Network two_layers() {
    Network network{"two", {}, {}};
    network.layers.push_back({"a", "Conv", conv2d(8, 8, 4, 3), 2, {}});
    network.layers.push_back({"b", "MatMul", batched_matmul(1, 16, 32, 8), 1, {}});
    return network;
}

TEST(Machines, OfTextAreThoseOfAFile) {
    const Machine machine = Machine::parse(kMachine, "of/mine.yaml");
    ASSERT_EQ(machine.architecture().memories.size(), 2U);
    EXPECT_EQ(machine.architecture().compute.instances, 16);
    ASSERT_EQ(machine.inputs().size(), 1U);
    EXPECT_EQ(machine.inputs().front().name, "of/mine.yaml");
    EXPECT_TRUE(map_layer(layer_problem(conv2d(8, 8, 4, 3), machine)).mapping);
    try {
        Machine::parse(std::string(kMachine) + "mapspace: {nothing: [}\n", "of/mine.yaml");
        FAIL() << "no such text";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("of/mine.yaml:14:"));
    }
}

TEST(Reports, OfUsersSayVersionAndInputs) {
    const Machine machine = Machine::parse(kMachine, "mine.yaml");
    const Network network = two_layers();
    const NetworkProblem problem = network_problem(network, machine);
    const report::Report report = report_of(network, machine, problem, map_network(problem));
    EXPECT_EQ(report.provenance.tool_version, TILEWRIGHT_VERSION);
    EXPECT_EQ(report.provenance.command, "map");
    ASSERT_EQ(report.provenance.inputs.size(), 2U);
    EXPECT_EQ(report.provenance.inputs[0].name, "mine.yaml");
    EXPECT_EQ(report.provenance.inputs[1].name, "two");
    EXPECT_EQ(report.provenance.inputs[1].xxh3.size(), 32U);
    EXPECT_EQ(report.provenance.seed, 1U);
    EXPECT_FALSE(report.notes.empty());  // energies are estimated
    EXPECT_THAT(report::report_json(report), HasSubstr("\"objective\": \"edp\""));
}

// Nothing else ends these searches.
TEST(Budgets, OfALayerEndItsSearchAndNoOther) {
    MapOptions endless;
    endless.mapper = MapperKind::random;
    endless.victory = 0;
    endless.layer_time_limit_seconds = 0.05;
    const NetworkProblem problem = network_problem(two_layers(), Machine::parse(kMachine));
    for (const LayerAnswer& answer : map_network(problem, endless).layers) {
        ASSERT_TRUE(answer.search);
        EXPECT_EQ(answer.search->stopped_by, "the time is up");
    }
    endless.time_limit_seconds = 1e9;
    EXPECT_EQ(map_layer(problem.shapes[0].layer, endless).search->stopped_by, "the time is up");
    endless.layer_time_limit_seconds = -1.0;
    EXPECT_THAT(problem_with(endless), HasSubstr("time limit"));
}

// A proof is worth keeping whatever its budget was, and what time cut off is not.
TEST(Caches, KeepProofsThatWereFoundInTime) {
    const NetworkProblem problem = network_problem(two_layers(), Machine::parse(kMachine));
    AnswerCache cache;
    MapOptions options;
    options.layer_time_limit_seconds = 1e6;
    const NetworkAnswer first = map_network(problem, options, {.cache = &cache});
    EXPECT_EQ(cache.found(), 0);
    const NetworkAnswer again = map_network(problem, options, {.cache = &cache});
    EXPECT_EQ(cache.found(), 2);
    EXPECT_EQ(*again.layers[0].mapping, *first.layers[0].mapping);
    options.mapper = MapperKind::random;
    options.victory = 0;
    options.layer_time_limit_seconds = 0.01;
    map_network(problem, options, {.cache = &cache});
    map_network(problem, options, {.cache = &cache});
    EXPECT_EQ(cache.found(), 2);
}

TEST(Fused, MappingsAreFoundAndStopped) {
    const Cascade cascade = parse_cascade("B[m,k] += A[m,e] * V[e,k]; C[m,n] += B[m,k] * W[k,n]",
                                          {{"m", 16}, {"e", 8}, {"k", 8}, {"n", 8}}, "two");
    const Machine machine = Machine::named("fused-npu").with({{"buffer.depth", "512"}});
    std::int64_t told = 0;
    const report::FusionReport found =
        map_fused(cascade, machine, {.objective = {.kind = ObjectiveKind::energy}, .threads = 1, .buffers = {256}},
                  {.progress = [&](const FusedProgress& now) { told += now.found ? 1 : 0; }});
    EXPECT_TRUE(found.proven);
    EXPECT_FALSE(found.mapping.empty());
    EXPECT_EQ(found.buffers.size(), 1U);
    EXPECT_EQ(found.provenance.tool_version, TILEWRIGHT_VERSION);
    EXPECT_EQ(found.provenance.inputs.front().name, "zoo:fused-npu");
    EXPECT_GT(told, 0);
    StopSource stop;
    stop.request();
    const report::FusionReport stopped = map_fused(cascade, machine, {}, {.stop = &stop});
    EXPECT_TRUE(stopped.interrupted);
    EXPECT_FALSE(stopped.proven);
    EXPECT_FALSE(map_fused(cascade, machine, {.time_limit_seconds = 0.0}).proven);
    EXPECT_THROW(map_fused(cascade, machine, {.threads = -1}), InputError);
}

TEST(Packages, PlansAreFoundEvaluatedAndRefused) {
    const Cascade cascade = parse_cascade("B[m,k] += A[m,e] * V[e,k]; C[m,n] += B[m,k] * W[k,n]",
                                          {{"m", 16}, {"e", 8}, {"k", 8}, {"n", 8}}, "two");
    const PackageMachine machine = PackageMachine::read("quad-npu", {{"package.mesh", "2x1"}, {"buffer.depth", "512"}});
    const PackageProblem problem{cascade, machine.package(), machine.constraints()};
    ASSERT_EQ(problem_with(problem), "");
    const Objective energy{.kind = ObjectiveKind::energy};
    std::int64_t told = 0;
    const auto found =
        map_package(problem, energy, nullptr, [&](const PackageProgress& now) { told += now.found ? 1 : 0; });
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->proven);
    EXPECT_GT(told, 0);
    EXPECT_EQ(found->cores.size(), 2U);
    const package::Plan plan = package::parse_plan(found->plan, cascade, machine.package().core_count());
    const report::PackageReport again = evaluate_package(problem, plan, energy);
    EXPECT_DOUBLE_EQ(again.energy.total(), found->energy.total());
    EXPECT_EQ(again.cycles, found->cycles);
    EXPECT_THROW(PackageMachine::read("quad-nup"), InputError);
    EXPECT_THROW(PackageMachine::read("quad-npu", {{"package.rate", "1"}}), InputError);
    EXPECT_NE(problem_with_planning({.kind = ObjectiveKind::pareto}), "");
}

TEST(Certificates, ThatAreNoneAreRefusedAtTheirPlace) {
    EXPECT_THROW(check_certificate("{\"schema\": \"tilewright-certificate/1\"}", "certificate.json"), InputError);
}

}  // namespace
}  // namespace tilewright::library_test
