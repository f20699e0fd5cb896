// LoopTree's two mappings of two fully connected layers, against the energies that its tutorial recorded.
//
// What it counts otherwise than docs/fusion.md: words that come from outside cost nothing where they arrive, and the
// first arrival of a partial sum is read like any other (so are results that go out for the first time). A word is an
// access of a whole row. Energies of an access are those of its tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files/file.hpp"
#include "mapping/fused/text.hpp"
#include "model/fused/model.hpp"
#include "timeloop/looptree/looptree.hpp"
#include "workload/cascade/text.hpp"

namespace tilewright::looptree_test {
namespace {

const std::filesystem::path kFolder = "../shared/golden/fusion/looptree";

constexpr double kDramAccess = 8.0 * 256.0;                        // pJ per bit, bits of a row
constexpr double kBufferRead = 382769037.312 / (3.0 * 1048576.0);  // of the SRAM in its tables
constexpr double kBufferWrite = 120693194.752 / 1048576.0;
constexpr double kOperation = 0.845;

Architecture machine() {
    Architecture architecture;
    for (const char* name : {"MainMemory", "GlobalBuffer"}) {
        Memory memory;
        memory.name = name;
        memory.word_bits = 8;
        architecture.memories.push_back(memory);
    }
    architecture.memories[1].capacity_words = 8192 * 32;
    return architecture;
}

/// Energies of all accesses, in pJ.
struct Energies {
    double dram_read = 0.0;
    double dram_write = 0.0;
    double buffer_read = 0.0;
    double buffer_write = 0.0;
    double operations = 0.0;
};

// As it counts, and 1,048,576 cycles: it overlaps loads with the work of leaves.
void expect_energies(const Cascade& cascade, const fused::Evaluation& evaluation, const Energies& recorded) {
    fused::TensorCost dram;
    for (const fused::TensorCost& tensor : evaluation.memories[0].tensors) {
        dram.reads += tensor.reads;
        dram.updates += tensor.updates;
    }
    fused::TensorCost buffer;
    for (const fused::TensorCost& tensor : evaluation.memories[1].tensors) {
        buffer.reads += tensor.reads;
        buffer.updates += tensor.updates;
    }
    double made = 0.0;  // words of results: their first arrivals at the buffer
    for (const CascadeTensor& tensor : cascade.tensors)
        if (!tensor.writers.empty()) made += static_cast<double>(words_of(tensor));
    EXPECT_NEAR((dram.reads + dram.updates) * kDramAccess, recorded.dram_read, 1e-3);
    EXPECT_NEAR(dram.updates * kDramAccess, recorded.dram_write, 1e-3);
    EXPECT_NEAR((buffer.reads + made) * kBufferRead, recorded.buffer_read, 1e-3);
    EXPECT_NEAR(buffer.updates * kBufferWrite, recorded.buffer_write, 1e-3);
    EXPECT_NEAR(static_cast<double>(evaluation.operations) * kOperation, recorded.operations, 1e-3);
    std::int64_t cycles = 0;
    for (const fused::LeafCost& leaf : evaluation.leaves) cycles += leaf.cycles;
    EXPECT_EQ(cycles, 1048576);
}

class LoopTree : public testing::TestWithParam<const char*> {};

TEST_P(LoopTree, EveryEnergyIsTheRecordedOne) {
    if (!exists(kFolder)) GTEST_SKIP() << "skipped: there is no folder " << kFolder;
    const Cascade cascade =
        timeloop::read_looptree_problem(yaml::parse_file(kFolder / "two_fc.workload.yaml").at("problem"));
    const Architecture architecture = machine();
    const yaml::Node mapping = yaml::parse_file(kFolder / (std::string(GetParam()) + ".mapping.yaml"));
    const PlacedFusedMapping placed = timeloop::read_looptree_mapping(mapping.at("mapping"), cascade, architecture);
    const fused::Answer answer = fused::evaluate(cascade, architecture, placed.mapping);
    ASSERT_TRUE(answer.evaluation) << placed_text(answer.violations.front(), placed);
    const auto recorded = nlohmann::json::parse(read_file(kFolder / "expected.json"))[GetParam()]["energy"];
    expect_energies(cascade, *answer.evaluation,
                    {recorded["MainMemory read"], recorded["MainMemory write"], recorded["GlobalBuffer read"],
                     recorded["GlobalBuffer write"], recorded["MACC compute"]});
}

// The same layers and trees in our own notation.
TEST(LoopTreeFacts, EnergiesOfBothTrees) {
    const Cascade cascade = parse_cascade("first: T[m,p] += A[c,p] * V[c,m]; second: Z[n,p] += T[m,p] * W[m,n];",
                                          {{"p", 128}, {"m", 64}, {"c", 64}, {"n", 64}});
    const std::string first = "leaf first\n                for c by 1\n                for m by 1\n";
    const std::string second = "leaf second\n                for m by 1\n                for n by 1\n";
    const std::string apart =
        "store MainMemory: V, W, A, T, Z\n"
        "  split\n"
        "    store GlobalBuffer: V\n"
        "      for p by 1\n"
        "        store GlobalBuffer: A, T\n"
        "          " +
        first +
        "    store GlobalBuffer: W\n"
        "      for p by 1\n"
        "        store GlobalBuffer: T, Z\n"
        "          " +
        second;
    const std::string together =
        "store MainMemory: V, W, A, Z\n"
        "  store GlobalBuffer: V, W\n"
        "    for p by 1\n"
        "      store GlobalBuffer: A, T, Z\n"
        "        split\n"
        "          " +
        first + "          " + second;
    const auto energies = [&](const std::string& text, const Energies& recorded) {
        const Architecture architecture = machine();
        const fused::Answer answer =
            fused::evaluate(cascade, architecture, parse_fused_mapping(text, cascade, architecture).mapping);
        ASSERT_TRUE(answer.evaluation) << answer.violations.front().message;
        expect_energies(cascade, *answer.evaluation, recorded);
    };
    energies(apart, {83886080.0, 33554432.0, 382769037.312, 120693194.752, 886046.72});
    energies(together, {50331648.0, 16777216.0, 382769037.312, 120693194.752, 886046.72});
}

INSTANTIATE_TEST_SUITE_P(Both, LoopTree, testing::Values("layer-by-layer", "fused"));

TEST(LoopTreeFiles, MistakesAreToldAtTheirPlace) {
    const std::string problem =
        "problem:\n"
        "- shape:\n"
        "    name: Fc1\n"
        "    dimensions: [P, C]\n"
        "    data_spaces:\n"
        "    - {name: A, projection: '[ C, P ]'}\n"
        "    - {name: B, projection: '[ P ]', read_write: True}\n"
        "  instance: 0 <= P < 4 and 0 <= C < 2\n";
    const auto mistake_in = [&](std::string text, const std::string& from, const std::string& to) -> std::string {
        text.replace(text.find(from), from.size(), to);
        try {
            timeloop::read_looptree_problem(yaml::parse_text(text, "p.yaml").at("problem"));
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    using testing::HasSubstr;
    EXPECT_EQ(mistake_in(problem, "Fc1", "Fc2"), "");
    EXPECT_THAT(mistake_in(problem, "0 <= C < 2", "0 <= C <= 2"),
                HasSubstr("p.yaml:8:13: error: expected '0 <= NAME < NUMBER and ...'"));
    EXPECT_THAT(mistake_in(problem, " and 0 <= C < 2", ""),
                HasSubstr("p.yaml:4:21: error: 'instance' does not bound 'C'"));
    EXPECT_THAT(mistake_in(problem, "[ C, P ]", "[ C, Q ]"), HasSubstr("'Q' is no dimension of 'Fc1'"));

    const Cascade cascade = timeloop::read_looptree_problem(yaml::parse_text(problem).at("problem"));
    const std::string mapping =
        "type: fused\n"
        "nodes:\n"
        "- {type: storage, target: 0, dspace: [A, B]}\n"
        "- {type: temporal, rank: P, tile_shape: 2}\n"
        "- {type: storage, target: 1, dspace: [A]}\n"
        "- {type: compute, einsum: Fc1, target: 2}\n";
    const auto mapping_mistake = [&](std::string text, const std::string& from, const std::string& to) -> std::string {
        text.replace(text.find(from), from.size(), to);
        try {
            timeloop::read_looptree_mapping(yaml::parse_text(text, "m.yaml"), cascade, machine());
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(mapping_mistake(mapping, "tile_shape: 2", "tile_shape: 1"), "");
    EXPECT_THAT(mapping_mistake(mapping, "type: temporal", "type: spatial"), HasSubstr("found 'spatial'"));
    EXPECT_THAT(mapping_mistake(mapping, "rank: P", "rank: Q"),
                HasSubstr("m.yaml:4:26: error: 'Q' is no dimension of 'Fc1'"));
    EXPECT_THAT(mapping_mistake(mapping, "target: 1", "target: 7"), HasSubstr("expected a level from 0 to 1"));
    EXPECT_THAT(mapping_mistake(mapping, "dspace: [A]", "dspace: [X]"), HasSubstr("there is no tensor 'X'"));
    EXPECT_THAT(mapping_mistake(mapping, "einsum: Fc1", "einsum: Fc9"), HasSubstr("there is no einsum 'Fc9'"));
    EXPECT_THAT(mapping_mistake(mapping, "type: fused", "type: flat"), HasSubstr("expected 'fused', found 'flat'"));
}

}  // namespace
}  // namespace tilewright::looptree_test
