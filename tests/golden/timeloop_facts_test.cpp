// A small set of recorded facts that stands alone: machines, layers and mappings of our own and what Timeloop says to
// them (tests/golden/timeloop/facts.yaml says how to read it). The full set is run by golden where ../shared exists.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "arch/estimation/estimate.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "timeloop/account/timeloop.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/mapping/mapping.hpp"
#include "timeloop/problem/problem.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop_facts_test {
namespace {

using account::TimeloopFlow;
using account::TimeloopNetwork;
using account::TimeloopOptions;
using account::TimeloopResult;
using account::TimeloopTensor;

constexpr double kTolerance = 1e-9;

void expect_close(double ours, double theirs, const std::string& what) {
    EXPECT_LE(std::abs(ours - theirs), kTolerance * std::max({1.0, std::abs(ours), std::abs(theirs)}))
        << what << ": ours " << ours << ", theirs " << theirs;
}

struct Inputs {
    Einsum einsum;
    Architecture architecture;
    Mapping mapping;
};

Inputs inputs_of(const yaml::Node& fact) {
    Inputs inputs;
    inputs.einsum = timeloop::read_problem(fact);
    inputs.architecture = timeloop::read_architecture(fact);
    estimate(inputs.architecture, Estimator::timeloop_pat);
    inputs.mapping = timeloop::read_mapping(fact, inputs.einsum, inputs.architecture);
    return inputs;
}

TimeloopOptions options_of(const yaml::Node& switches) {
    TimeloopOptions options;
    for (const yaml::Node& name : switches.items()) {
        if (name.text() == "no_links") options.link_transfers = false;
        if (name.text() == "no_elision") options.first_read_elision = false;
        if (name.text() == "walk_all") options.temporal_extrapolation = options.spatial_extrapolation = false;
    }
    return options;
}

void expect_tensor(const TimeloopTensor& ours, const yaml::Node& theirs, const std::string& at) {
    const std::vector<yaml::Node>& counts = theirs.items();
    EXPECT_EQ(ours.tile_words, counts.at(0).integer()) << at << " tile words";
    EXPECT_EQ(static_cast<std::int64_t>(ours.instances), counts.at(1).integer()) << at << " instances";
    EXPECT_EQ(ours.reads, counts.at(2).integer()) << at << " reads";
    EXPECT_EQ(ours.fills, counts.at(3).integer()) << at << " fills";
    EXPECT_EQ(ours.updates, counts.at(4).integer()) << at << " updates";
}

void expect_link_transfers(const TimeloopResult& ours, const Inputs& inputs, const yaml::Node& run) {
    const yaml::Node* recorded = run.find("link_transfers");
    for (const TimeloopNetwork& network : ours.networks) {
        const yaml::Node* theirs = recorded == nullptr ? nullptr : recorded->find(network.name);
        for (std::size_t t = 0; t < network.tensors.size(); ++t) {
            const yaml::Node* words = theirs == nullptr ? nullptr : theirs->find(inputs.einsum.tensors[t].name);
            EXPECT_EQ(network.tensors[t].link_transfers, words == nullptr ? 0 : words->integer()) << network.name;
        }
    }
}

void expect_run(const Inputs& inputs, const yaml::Node& run) {
    const TimeloopResult ours =
        account::timeloop(inputs.einsum, inputs.architecture, inputs.mapping, options_of(run.at("switches")));
    ASSERT_FALSE(ours.refusal) << ours.refusal->message;
    EXPECT_EQ(ours.undefined, "");
    EXPECT_EQ(ours.cycles, run.at("cycles").integer());
    EXPECT_EQ(ours.computes, run.at("computes").integer());
    expect_close(ours.energy_pj, run.at("energy_pj").real(), "energy");
    expect_close(ours.area_um2, run.at("area_um2").real(), "area");
    for (const auto& [name, key, tensors] : run.at("memories").entries()) {
        const int memory = find_memory(inputs.architecture, name);
        ASSERT_GE(memory, 0) << name;
        for (const auto& [tensor, place, counts] : tensors.entries()) {
            const int t = find_tensor(inputs.einsum, tensor);
            ASSERT_GE(t, 0) << tensor;
            expect_tensor(ours.memories[memory].tensors[t], counts, std::string(name) + "." + tensor);
        }
    }
    expect_link_transfers(ours, inputs, run);
}

void expect_exact(const Inputs& inputs, const yaml::Node& exact) {
    const Evaluation ours = evaluate(inputs.einsum, inputs.architecture, inputs.mapping);
    EXPECT_EQ(ours.computes, exact.at("computes").integer());
    for (const auto& [name, key, tensors] : exact.at("memories").entries()) {
        const int memory = find_memory(inputs.architecture, name);
        ASSERT_GE(memory, 0) << name;
        for (const auto& [tensor, place, counts] : tensors.entries()) {
            const int t = find_tensor(inputs.einsum, tensor);
            ASSERT_GE(t, 0) << tensor;
            const TensorTraffic& traffic = ours.memories[memory].tensors[t];
            expect_close(traffic.reads, counts.items().at(0).real(), name + "." + tensor + " reads");
            expect_close(traffic.fills, counts.items().at(1).real(), name + "." + tensor + " fills");
            expect_close(traffic.updates, counts.items().at(2).real(), name + "." + tensor + " updates");
        }
    }
}

void expect_refused(const yaml::Node& fact, const yaml::Node& refused) {
    const std::string kind = refused.at("kind").text();
    const std::string level = refused.at("level").text();
    try {
        const Inputs inputs = inputs_of(fact);
        const auto account = account::timeloop(inputs.einsum, inputs.architecture, inputs.mapping).refusal;
        ASSERT_TRUE(account);
        EXPECT_EQ(violation_kind_name(account->kind), kind) << account->message;
        EXPECT_EQ(account->level, level) << account->message;
        const std::vector<Violation> model = check(inputs.einsum, inputs.architecture, inputs.mapping);
        ASSERT_FALSE(model.empty());
        EXPECT_EQ(violation_kind_name(model.front().kind), kind) << model.front().message;
        EXPECT_EQ(model.front().level, level) << model.front().message;
    } catch (const InputError& error) {
        std::string code(error_code_name(error.code()));
        std::replace(code.begin(), code.end(), '-', '_');
        EXPECT_EQ(code, kind) << error.what();
    }
}

class TimeloopFacts : public testing::Test {
   protected:
    /// Calls `check(fact, part)` for every fact that has `key`; there have to be at least `least` of them.
    template <typename Check>
    void each(const char* key, int least, Check check) {
        int found = 0;
        for (const yaml::Node& fact : facts_.items()) {
            const yaml::Node* part = fact.find(key);
            if (part == nullptr) continue;
            SCOPED_TRACE("case " + fact.at("case").text());
            check(fact, *part);
            ++found;
        }
        EXPECT_GE(found, least);
    }

    yaml::Node facts_ = yaml::parse_file("tests/golden/timeloop/facts.yaml");
};

TEST_F(TimeloopFacts, AccountGivesTimeloopsCountsEnergiesAndCycles) {
    each("timeloop", 15, [](const yaml::Node& fact, const yaml::Node& runs) {
        const Inputs inputs = inputs_of(fact);
        for (const yaml::Node& run : runs.items()) expect_run(inputs, run);
    });
}

TEST_F(TimeloopFacts, DefaultModelGivesTheTotalsOfAWalkOverEveryIteration) {
    each("exact", 8, [](const yaml::Node& fact, const yaml::Node& exact) { expect_exact(inputs_of(fact), exact); });
}

TEST_F(TimeloopFacts, IllegalMappingsAreRefusedForTimeloopsReasonAtItsLevel) {
    each("refused", 9, [](const yaml::Node& fact, const yaml::Node& refused) { expect_refused(fact, refused); });
}

TEST_F(TimeloopFacts, NegativeCountsAreCalledUndefined) {
    each("undefined", 1, [](const yaml::Node& fact, const yaml::Node&) {
        const Inputs inputs = inputs_of(fact);
        EXPECT_NE(account::timeloop(inputs.einsum, inputs.architecture, inputs.mapping).undefined, "");
    });
}

}  // namespace
}  // namespace tilewright::timeloop_facts_test
