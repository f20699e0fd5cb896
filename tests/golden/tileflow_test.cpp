// TileFlow's fused and unfused attention and its two matrix products, against the counts that it recorded.
//
// The attention was recorded by an early release (docs/fusion.md): among others it counted V and J along the axes of
// other tensors. Its energies come from tables that are in none of its files, and are not compared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "base/files/file.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/tileflow/account.hpp"

namespace tilewright::tileflow::tileflow_test {
namespace {

const std::filesystem::path kFolder = "../shared/golden/fusion/tileflow";

struct Case {
    Architecture machine;
    Problem problem;
    TreeNode tree;
};

Case read_case(const std::vector<std::filesystem::path>& files, const std::filesystem::path& found = {}) {
    std::vector<std::filesystem::path> paths;
    for (const std::filesystem::path& file : files) paths.push_back(kFolder / file);
    const yaml::Node root = timeloop::load(paths);
    Case made{timeloop::read_architecture(root), read_problem(root), {}};
    std::vector<std::int64_t> factors;
    if (!found.empty()) factors = read_found_factors(read_file(kFolder / found), found.string());
    made.tree = read_tree(root, made.problem, made.machine, factors);
    return made;
}

Case attention(const std::string& name) {
    const std::filesystem::path folder = "07-test-fusion-attention";
    return read_case({folder / "edge.yaml", folder / ("attention-" + name + ".yaml")},
                     folder / "result" / ("attention-" + name + ".mapping.txt"));
}

Case products() {
    const std::filesystem::path folder = "08-test-2mm";
    return read_case({folder / "arch/arch-spatial.yaml", folder / "prob/prob-2mm.yaml", folder / "map/map.yaml"});
}

// Lines "metric, value" with one comma.
std::map<std::string, std::string> recorded_in(const std::filesystem::path& file) {
    std::map<std::string, std::string> recorded;
    std::istringstream lines(read_file(kFolder / file));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t comma = line.find(',');
        if (comma == std::string::npos || line.find(',', comma + 1) != std::string::npos) continue;
        const std::size_t value = line.find_first_not_of(' ', comma + 1);
        if (value != std::string::npos) recorded[line.substr(0, comma)] = line.substr(value);
    }
    return recorded;
}

// As TileFlow prints: six digits.
std::string printed(double value) {
    std::ostringstream text;
    text << value;
    return text.str();
}

std::map<std::string, std::string> printed(const Counts& counts, const Problem& problem) {
    std::map<std::string, std::string> all{{"Cycle", std::to_string(counts.cycles)},
                                           {"mac::Flops", printed(counts.operations)}};
    for (const MemoryCounts& memory : counts.memories) {
        TensorCounts sum;
        for (std::size_t t = 0; t < memory.tensors.size(); ++t) {
            const TensorCounts& one = memory.tensors[t];
            const std::string of = "::" + problem.tensors[t].name;
            all[memory.memory + "::Read" + of] = printed(one.reads);
            all[memory.memory + "::Fill" + of] = printed(one.fills);
            all[memory.memory + "::Update" + of] = printed(one.updates);
            all[memory.memory + "::Write" + of] = printed(one.fills + one.updates);
            sum.reads += one.reads;
            sum.fills += one.fills;
            sum.updates += one.updates;
        }
        all[memory.memory + "::Read"] = printed(sum.reads);
        all[memory.memory + "::Fill"] = printed(sum.fills);
        all[memory.memory + "::Update"] = printed(sum.updates);
        all[memory.memory + "::Write"] = printed(sum.fills + sum.updates);
        all[memory.memory + "::Accesses"] = printed(memory.accesses);
        all[memory.memory + "::SlowDown"] = printed(memory.slow_down);
        all[memory.memory + "::CapUtil"] = printed(memory.capacity_share);
        all[memory.memory + "::SpatialUtil"] = printed(memory.instances_share);
    }
    return all;
}

int compare(const Case& one, const Rules& rules, const std::filesystem::path& file) {
    const auto ours = printed(count(one.problem, one.tree, one.machine, rules), one.problem);
    int compared = 0;
    for (const auto& [name, value] : recorded_in(file)) {
        const auto found = ours.find(name);
        if (found == ours.end()) continue;
        EXPECT_EQ(found->second, value) << name;
        ++compared;
    }
    return compared;
}

TEST(TileFlow, EveryCountOfTheFusedAttentionIsTheRecordedOne) {
    if (!exists(kFolder)) GTEST_SKIP() << "skipped: there is no folder " << kFolder;
    EXPECT_EQ(compare(attention("fused"), kRulesOfTheAttention, "07-test-fusion-attention/result/attention-fused.csv"),
              113);
}

TEST(TileFlow, EveryCountOfTheUnfusedAttentionIsTheRecordedOne) {
    if (!exists(kFolder)) GTEST_SKIP() << "skipped: there is no folder " << kFolder;
    EXPECT_EQ(
        compare(attention("nofuse"), kRulesOfTheAttention, "07-test-fusion-attention/result/attention-nofuse.csv"),
        113);
}

TEST(TileFlow, EveryCountOfTheTwoProductsIsTheRecordedOne) {
    if (!exists(kFolder)) GTEST_SKIP() << "skipped: there is no folder " << kFolder;
    EXPECT_EQ(compare(products(), {}, "08-test-2mm/reference_output.txt"), 66);
}

double dram_reads(const Case& one, const Rules& rules, const char* tensor) {
    const Counts counts = count(one.problem, one.tree, one.machine, rules);
    return counts.memories.front().tensors[one.problem.tensor_of(tensor)].reads;
}

// V has 12 heads of 512 x 64 words, and half of the rows of the scores are made at a time: it is read twice. The
// recorded 3,145,728 are those of a tensor of 12 x 512 x 512 words, which V is not.
TEST(TileFlow, ItsLastReleaseReadsTheAttentionsValuesTwice) {
    if (!exists(kFolder)) GTEST_SKIP() << "skipped: there is no folder " << kFolder;
    const Case one = attention("fused");
    for (const Rules& rules : {Rules{}, kRulesOfTheAttention}) {
        EXPECT_EQ(dram_reads(one, rules, "Q"), 393216.0);
        EXPECT_EQ(dram_reads(one, rules, "K"), 786432.0);
        EXPECT_EQ(dram_reads(one, rules, "C"), 0.0);
    }
    EXPECT_EQ(dram_reads(one, kRulesOfTheAttention, "V"), 3145728.0);
    EXPECT_EQ(dram_reads(one, {}, "V"), 2.0 * 12 * 512 * 64);
}

// ---------------------------------------------------------------- facts, of a problem and a tree that are written here

/// One operation of the attention, and the tiles that TileFlow found for it. Permutations name the innermost first.
struct Operation {
    const char* result;
    const char* operands;
    const char* dimensions;  ///< beside B, H, M
    const char* over_buffers;
    const char* in_buffer;
    const char* over_units;
};

constexpr Operation kOperations[] = {
    {"C", "KQ", "LA", "M=4 H=1", "A=32 L=4 M=64 H=4", "A=2 L=128"},
    {"D", "C", "L", "M=1 H=2", "L=128 M=256 H=2", "L=4"},
    {"E", "DC", "L", "M=1 H=1", "L=16 M=256 H=4", "L=32"},
    {"F", "E", "L", "M=2 H=2", "L=2 M=128 H=2", "L=256"},
    {"G", "F", "L", "M=1 H=2", "L=8 M=256 H=2", "L=64"},
    {"I", "GF", "L", "M=1 H=4", "L=64 M=256 H=1", "L=8"},
    {"J", "VI", "NL", "M=1 H=4", "L=64 N=4 M=256 H=1", "L=8 N=16"},
};

std::string axes_of(char tensor) {
    static const std::map<char, std::string> axes{{'C', "BHML"}, {'D', "BHM"},  {'E', "BHML"}, {'F', "BHML"},
                                                  {'G', "BHM"},  {'I', "BHML"}, {'J', "BHMN"}, {'K', "BHAL"},
                                                  {'Q', "BHMA"}, {'V', "BHLN"}};
    return axes.at(tensor);
}

std::string space_text(char tensor, bool written) {
    std::string text = std::string("    - name: ") + tensor + "\n      projection: [";
    for (const char axis : axes_of(tensor)) text += std::string(text.back() == '[' ? "" : ", ") + "[[" + axis + "]]";
    return text + "]\n" + (written ? "      read-write: True\n" : "");
}

std::string operation_text(const Operation& one) {
    std::string dimensions = "B, H, M", operands;
    for (const char* d = one.dimensions; *d != 0; ++d) dimensions += std::string(", ") + *d;
    std::string text = std::string("  - name: Make") + one.result + "\n    dimensions: [" + dimensions +
                       "]\n    data-spaces:\n" + space_text(*one.result, true);
    for (const char* operand = one.operands; *operand != 0; ++operand) {
        text += space_text(*operand, false);
        operands += std::string(operands.empty() ? "" : ", ") + *operand;
    }
    return text + "    ins: " + operands + "\n    out: " + one.result + "\n";
}

std::string permutation_of(std::string factors) {
    std::string letters;
    for (std::size_t i = 1; i < factors.size(); ++i)
        if (factors[i] == '=') letters += factors[i - 1];
    return {letters.rbegin(), letters.rend()};  // the file has the innermost first
}

std::string tile_text(const std::string& indent, const char* type, const std::string& factors, const char* target) {
    return indent + "- node-type: Tile\n" + indent + "  type: " + type + "\n" + indent + "  factors: " + factors +
           "\n" + indent + "  permutation: " + permutation_of(factors) + "\n" + indent + "  target: " + target + "\n" +
           indent + "  subtree:\n";
}

std::string branch_text(const Operation& one) {
    const std::string last = *one.dimensions == 'N' ? "N=1 L=1" : one.dimensions[1] == 'A' ? "A=1 L=1" : "L=1";
    std::string binding;
    for (const char* d = "BHM"; *d != 0; ++d) binding += std::string(1, *d) + ":" + *d + " ";
    for (const char* d = one.dimensions; *d != 0; ++d) binding += std::string(1, *d) + ":" + *d + " ";
    return tile_text("      ", "Spatial", std::string(one.over_buffers) + " B=1", "L2") +
           tile_text("        ", "Temporal", std::string(one.in_buffer) + " B=1", "L1") +
           tile_text("          ", "Spatial", one.over_units, "L1") +
           tile_text("            ", "Temporal", last, "L0") +
           "              - node-type: Op\n                name: Make" + one.result +
           "\n                binding: " + binding + "\n";
}

Case written_attention() {
    std::string text =
        "architecture:\n  version: 0.2\n  subtree:\n  - name: System\n    local:\n"
        "    - {name: L2, class: DRAM, attributes: {word-bits: 16, block-size: 32, read_bandwidth: 3, sizeKB: "
        "1600000000}}\n"
        "    subtree:\n    - name: Buffer[0..3]\n      attributes: {meshX: 4}\n      local:\n"
        "      - {name: L1, class: SRAM, attributes: {width: 16, word-bits: 16, read_bandwidth: 60, sizeKB: 4000}}\n"
        "      subtree:\n      - name: PE\n        local:\n"
        "        - {name: 'L0[0..1023]', class: regfile, attributes: {depth: 1, meshX: 1024, word-bits: 16, "
        "block-size: 3, read_bandwidth: 3}}\n"
        "        - {name: 'mac[0..1023]', class: intmac, attributes: {meshX: 1024}}\n"
        "problem:\n  io: {ins: Q K V, outs: J}\n  dimensions: [B, H, M, N, A, L]\n"
        "  instance: {B: 1, H: 12, M: 512, N: 64, A: 64, L: 512}\n  ops:\n";
    for (const Operation& one : kOperations) text += operation_text(one);
    text +=
        "mapping:\n  node-type: Tile\n  type: Temporal\n  factors: M=2 H=3 B=1\n  permutation: BHM\n  target: L2\n"
        "  subtree:\n  - node-type: Scope\n    type: Sequential\n    subtree:\n";
    for (const Operation& one : kOperations) text += branch_text(one);
    const yaml::Node root = timeloop::load_text(text);
    Case made{timeloop::read_architecture(root), read_problem(root), {}};
    made.tree = read_tree(root, made.problem, made.machine, {});
    return made;
}

TEST(TileFlowFacts, TheFusedAttention) {
    const Case one = written_attention();
    const Counts counts = count(one.problem, one.tree, one.machine, kRulesOfTheAttention);
    EXPECT_EQ(counts.cycles, 2490368);
    EXPECT_EQ(dram_reads(one, kRulesOfTheAttention, "Q"), 393216.0);
    EXPECT_EQ(dram_reads(one, kRulesOfTheAttention, "K"), 786432.0);
    EXPECT_EQ(dram_reads(one, kRulesOfTheAttention, "V"), 3145728.0);
    EXPECT_EQ(dram_reads(one, kRulesOfTheAttention, "C"), 0.0);
    EXPECT_EQ(dram_reads(one, {}, "V"), 786432.0);
    std::map<std::string, std::string> ours = printed(counts, one.problem);
    EXPECT_EQ(ours["L1::Read::K"], "5.03316e+07");
    EXPECT_EQ(ours["L1::Read::C"], "3.14573e+07");
    EXPECT_EQ(ours["L1::Read::D"], "494592");
    EXPECT_EQ(ours["L1::Read"], "1.00101e+08");
}

TEST(TileFlow, ItsProblemsAreCascades) {
    if (!exists(kFolder)) GTEST_SKIP() << "skipped: there is no folder " << kFolder;
    const Cascade cascade = cascade_of(attention("fused").problem, "attention");
    EXPECT_EQ(problem_with(cascade), "");
    ASSERT_EQ(cascade.einsum_count(), 7);
    EXPECT_EQ(cascade.einsums[0].kind, EinsumKind::contraction);
    EXPECT_EQ(cascade.einsums[1].kind, EinsumKind::statistics);
    EXPECT_EQ(cascade.einsums[2].kind, EinsumKind::elementwise);
    EXPECT_EQ(cascade.tensors[find_tensor(cascade, "J")].role, TensorRole::output);
}

const char* const kProducts =
    "problem:\n"
    "  io: {ins: 'A, B, W', outs: Z}\n"
    "  dimensions: [M, K, L, N]\n"
    "  instance: {M: 4, K: 2, L: 3, N: 2}\n"
    "  ops:\n"
    "  - name: First\n"
    "    dimensions: [M, K, L]\n"
    "    data-spaces:\n"
    "    - {name: T, projection: [[[M]], [[L]]], read-write: True}\n"
    "    - {name: A, projection: [[[M]], [[K]]]}\n"
    "    - {name: B, projection: [[[K]], [[L]]]}\n"
    "    ins: A, B\n"
    "    out: T\n"
    "  - name: Second\n"
    "    dimensions: [M, L, N]\n"
    "    data-spaces:\n"
    "    - {name: Z, projection: [[[M]], [[N]]], read-write: True}\n"
    "    - {name: T, projection: [[[M]], [[L]]]}\n"
    "    - {name: W, projection: [[[L]], [[N]]]}\n"
    "    ins: T, W\n"
    "    out: Z\n"
    "mapping:\n"
    "  node-type: Tile\n"
    "  factors: M=4\n"
    "  permutation: M\n"
    "  target: Main\n"
    "  subtree:\n"
    "  - node-type: Scope\n"
    "    type: Sequential\n"
    "    subtree:\n"
    "    - node-type: Tile\n"
    "      factors: K=2 L=3\n"
    "      permutation: KL\n"
    "      target: Buffer\n"
    "      subtree: [{node-type: Op, name: First, binding: 'K:K, L:L'}]\n"
    "    - node-type: Tile\n"
    "      factors: L=3 N=2\n"
    "      permutation: LN\n"
    "      target: Buffer\n"
    "      subtree: [{node-type: Op, name: Second}]\n";

Architecture two_memories() {
    Architecture made;
    made.memories.resize(2);
    made.memories[0].name = "Main";
    made.memories[1].name = "Buffer";
    return made;
}

// T stays in the buffer. What the other branch needs makes every branch begin anew: B and W, of 6 words each, come in
// for each of the four rows, where 6 words would do.
TEST(TileFlow, TwoSmallProductsCostWhatFollowsByHand) {
    const yaml::Node root = yaml::parse_text(kProducts);
    const Problem problem = read_problem(root);
    const Architecture machine = two_memories();
    const Counts counts = count(problem, read_tree(root, problem, machine), machine);
    const auto of = [&](int memory, const char* tensor) {
        return counts.memories[memory].tensors[problem.tensor_of(tensor)];
    };
    EXPECT_EQ(of(0, "A").reads, 8.0);
    EXPECT_EQ(of(0, "B").reads, 24.0);
    EXPECT_EQ(of(0, "W").reads, 24.0);
    EXPECT_EQ(of(0, "T").reads, 0.0);
    EXPECT_EQ(of(0, "T").updates, 0.0);
    EXPECT_EQ(of(0, "Z").updates, 8.0);
    EXPECT_EQ(of(1, "B").fills, 24.0);
    EXPECT_EQ(of(1, "T").updates, 24.0);
    EXPECT_EQ(of(1, "T").reads, 24.0 + 24.0);  // sums go on, and the second product reads them
    EXPECT_EQ(counts.cycles, 48);
    EXPECT_EQ(counts.operations, 48.0);
}

TEST(TileFlow, MistakesAreToldAtTheirPlace) {
    const auto mistake = [](const std::string& from, const std::string& to) -> std::string {
        std::string text = kProducts;
        text.replace(text.find(from), from.size(), to);
        try {
            const yaml::Node root = yaml::parse_text(text, "t.yaml");
            const Problem problem = read_problem(root);
            static_cast<void>(count(problem, read_tree(root, problem, two_memories()), two_memories()));
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    using testing::HasSubstr;
    EXPECT_EQ(mistake("permutation: KL", "permutation: LK"), "");
    EXPECT_THAT(mistake("[[L]]], read", "[[Q]]], read"), HasSubstr("t.yaml:9:39: error: there is no dimension 'Q'"));
    EXPECT_THAT(mistake("{M: 4, K: 2, L: 3, N: 2}", "{M: 4, K: 2, L: 3}"), HasSubstr("'N'"));
    EXPECT_THAT(mistake("ins: A, B", "ins: A, X"), HasSubstr("no operation has a data space 'X'"));
    EXPECT_THAT(mistake("ins: 'A, B, W'", "ins: 'A, W'"), HasSubstr("operation 'First' reads 'B', which is no input"));
    EXPECT_THAT(mistake("- {name: T, projection: [[[M]], [[L]]]}", "- {name: T, projection: [[[L]], [[M]]]}"),
                HasSubstr("'T' has other axes where it is listed first"));
    EXPECT_THAT(mistake("K=2 L=3", "K=2 L=X"), HasSubstr("the factor 'X' of 'L' is left to TileFlow's search"));
    EXPECT_THAT(mistake("K=2 L=3", "K=1 L=3"), HasSubstr("the factors of 'K' around operation 'First' make 1, not 2"));
    EXPECT_THAT(mistake("permutation: KL", "permutation: K"), HasSubstr("'L' has no place in it"));
    EXPECT_THAT(mistake("target: Buffer", "target: Bufer"),
                HasSubstr("there is no memory 'Bufer'; did you mean 'Buffer'?"));
    EXPECT_THAT(mistake("target: Buffer", "target: Main"), HasSubstr("temporal tiles down to 'Buffer'"));
    EXPECT_THAT(mistake("name: Second}]", "name: First}]"), HasSubstr("operation 'First' stands in the tree twice"));
    EXPECT_THAT(mistake("binding: 'K:K, L:L'", "binding: 'K:L, L:K'"), HasSubstr("of another name ('K:L')"));
    EXPECT_THAT(mistake("type: Sequential", "type: Sequentiel"), HasSubstr("expected sequential, sharing"));
    EXPECT_THAT(mistake("permutation: M", "permutation: M\n  bypas: [A]"), HasSubstr("unknown key 'bypas'"));
    EXPECT_THAT(mistake("factors: M=4\n", "type: Spatial\n  factors: M=4\n"), HasSubstr("cannot stand here"));
}

TEST(TileFlow, FoundFactorsStandInTheOrderOfTheirNumbers) {
    EXPECT_EQ(read_found_factors("for M in [0:X0(4)), L2\n  for H in [0:X(3)), L2\n for Q in [0:5), L2", "f"),
              (std::vector<std::int64_t>{3, 4}));
    EXPECT_THROW(static_cast<void>(read_found_factors("for M in [0:X1(4)), L2", "f")), InputError);
    EXPECT_THROW(static_cast<void>(read_found_factors("for M in [0:X(", "f")), InputError);
}

}  // namespace
}  // namespace tilewright::tileflow::tileflow_test
