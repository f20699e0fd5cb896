#include "timeloop/mapping/mapping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "base/numbers/random.hpp"
#include "fixtures/mistake.hpp"
#include "mapping/validity.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::timeloop::mapping_test {
namespace {

Einsum convolution() {
    return {"conv1d",
            {{"K", 8}, {"C", 7}, {"P", 12}, {"R", 3}},
            {{"W", {Rank{{{0, 1}}}, Rank{{{1, 1}}}, Rank{{{3, 1}}}}, false},
             {"I", {Rank{{{1, 1}}}, Rank{{{2, 1}, {3, 1}}}}, false},
             {"O", {Rank{{{0, 1}}}, Rank{{{2, 1}}}}, true}}};
}

// DRAM -> Buffer -> 4 x 2 Registers -> one unit each
Architecture machine() {
    Architecture architecture;
    architecture.memories.resize(3);
    architecture.memories[0].name = "DRAM";
    architecture.memories[1].name = "Buffer";
    architecture.memories[2].name = "Registers";
    architecture.memories[2].instances = 8;
    architecture.memories[2].mesh = {4, 2};
    architecture.compute.instances = 8;
    architecture.compute.mesh = {4, 2};
    return architecture;
}

Mapping mapping_in(const std::string& text, const Einsum& einsum = convolution()) {
    return read_mapping(yaml::parse_text(text, "mapping.yaml"), einsum, machine());
}

fixtures::Mistake mistake_in(const std::string& text) {
    return fixtures::mistake_of([&] { return mapping_in(text); });
}

Loop loop(int dimension, std::int64_t extent, LoopKind kind = LoopKind::temporal, std::int64_t remainder = 0) {
    return {dimension, extent, remainder == 0 ? extent : remainder, kind};
}

const std::string kMapping = R"(mapping:
- {target: DRAM, type: temporal, factors: K=2 C=7 P=3, permutation: PKC}
- {target: Buffer, type: spatial, factors: K=4 P=2, permutation: KP, split: 1}
- {target: Buffer, type: datatype, keep: [I, O], bypass: [W]}
- {target: Registers, type: temporal, factors: R=3 P=2}
)";

TEST(TimeloopMapping, TurnsInnermostFirstIntoOutermostFirst) {
    const Mapping mapping = mapping_in(kMapping);
    const std::vector<MappingLevel> levels = levels_of(mapping, 3);
    EXPECT_EQ(levels[0].temporal, (std::vector<Loop>{loop(1, 7), loop(0, 2), loop(2, 3)}));
    EXPECT_EQ(levels[1].spatial, (std::vector<Loop>{loop(2, 2, LoopKind::spatial_y), loop(0, 4, LoopKind::spatial_x)}));
    EXPECT_EQ(levels[2].temporal, (std::vector<Loop>{loop(3, 3), loop(2, 2)})) << "P before R, by dimension";
    EXPECT_TRUE(mapping.options.empty());
}

TEST(TimeloopMapping, KeepsEverythingUnlessToldOtherwise) {
    const std::vector<MappingLevel> levels = levels_of(mapping_in(kMapping), 3);
    EXPECT_EQ(levels[0].keep, TensorSet::all(3));
    EXPECT_EQ(levels[1].keep.bits(), 0b110U);
    EXPECT_EQ(levels[2].keep, TensorSet::all(3));
}

TEST(TimeloopMapping, SpreadsAlongXUnlessSplit) {
    const std::string text = kMapping;
    const std::vector<MappingLevel> levels =
        levels_of(mapping_in(std::string(text).erase(text.find(", split: 1"), 10)), 3);
    for (const Loop& spatial : levels[1].spatial) EXPECT_EQ(spatial.kind, LoopKind::spatial_x);
}

TEST(TimeloopMapping, ReadsEverySpellingOfAFactor) {
    const Mapping expected = mapping_in(kMapping);
    for (const char* factors : {"K2 C7 P3", "K2C7P3", "K = 2, C =7,P= 3", "K 2 C 7 P 3 R 1", "K=2,2 C7 P0003"})
        EXPECT_EQ(mapping_in("mapping:\n- {target: DRAM, type: temporal, factors: '" + std::string(factors) +
                             "', permutation: 'P KC'}\n" + kMapping.substr(kMapping.find("- {target: Buffer"))),
                  expected)
            << factors;
    EXPECT_EQ(mapping_in("mapping:\n- {target: DRAM, type: temporal, factors: [K=2, C7, P 3], permutation: [P, K]}\n" +
                         kMapping.substr(kMapping.find("- {target: Buffer"))),
              expected);
}

TEST(TimeloopMapping, TakesZeroAsTheWholeExtent) {
    EXPECT_EQ(
        levels_of(mapping_in("mapping: [{target: Registers, type: temporal, factors: K0 C=0 P0 R0}]"), 3)[2].temporal,
        (std::vector<Loop>{loop(3, 3), loop(2, 12), loop(1, 7), loop(0, 8)}));
}

TEST(TimeloopMapping, ReadsImperfectFactors) {
    const Mapping mapping = mapping_in(
        "mapping:\n"
        "- {target: DRAM, type: temporal, factors: \"K8 P12 R3 C=4\"}\n"
        "- {target: Registers, type: temporal, factors: \"C=2,1\"}\n");
    EXPECT_EQ(levels_of(mapping, 3)[2].temporal, (std::vector<Loop>{loop(1, 2, LoopKind::temporal, 1)}));
}

TEST(TimeloopMapping, ASplitOfTemporalLoopsMeansNothing) {
    const std::string plain = "- {target: DRAM, type: temporal, factors: K8 P12 R3 C7";
    EXPECT_EQ(mapping_in("mapping:\n" + plain + ", split: 2}\n"), mapping_in("mapping:\n" + plain + "}\n"));
    EXPECT_EQ(mistake_in("mapping:\n" + plain + ", split: -2}\n").message, "a split counts dimensions; it starts at 0");
}

TEST(TimeloopMapping, RestoresTheRemaindersThatTimeloopDropsWhenAsked) {
    const std::string text =
        "mapping:\n"
        "- {target: DRAM, type: temporal, factors: K8 P12 R3 C4}\n"
        "- {target: Registers, type: temporal, factors: C2}\n";
    const fixtures::Mistake mistake = mistake_in(text);
    EXPECT_EQ(mistake.code, ErrorCode::factor_product);
    EXPECT_EQ(mistake.message,
              "the factors of dimension C cover 8, but its extent is 7 (4 at DRAM and 2 at Registers); with remainders "
              "(C=4,3) they would fit");

    const auto restored = [](const std::string& mapping) {
        return read_mapping(yaml::parse_text(mapping), convolution(), machine(), Remainders::restore);
    };
    EXPECT_EQ(levels_of(restored(text), 3)[2].temporal, (std::vector<Loop>{loop(1, 2, LoopKind::temporal, 1)}));
    EXPECT_EQ(restored(kMapping), mapping_in(kMapping)) << "a mapping that fits stays as it is";
    EXPECT_THROW((void)restored("mapping: [{target: DRAM, type: temporal, factors: K8 P12 R3 C8}]"), InputError);
    EXPECT_THROW((void)restored("mapping:\n- {target: DRAM, type: temporal, factors: 'K8 P12 R3 C=4'}\n"
                                "- {target: Registers, type: temporal, factors: 'C=2,2'}\n"),
                 InputError)
        << "who writes remainders has to write the right ones";
}

TEST(TimeloopMapping, ReadsLongNamesAndSeveralOfThemThatLookAlike) {
    Einsum einsum = convolution();
    einsum.dimensions = {{"M", 4}, {"M1", 3}, {"out_row", 12}, {"Mx", 3}};
    const Mapping mapping = mapping_in(
        "mapping: [{target: DRAM, type: temporal, factors: M4 M13 out_row=12 Mx 3, permutation: [Mx, out_row, M1, M]}]",
        einsum);
    EXPECT_EQ(levels_of(mapping, 3)[0].temporal, (std::vector<Loop>{loop(0, 4), loop(1, 3), loop(2, 12), loop(3, 3)}));
    EXPECT_EQ(mapping_in("mapping: [{target: DRAM, type: temporal, factors: M4 M13 out_row=12 Mx 3, "
                         "permutation: Mxout_row M1M}]",
                         einsum),
              mapping);
}

TEST(TimeloopMapping, ReadsOptions) {
    const Mapping mapping = mapping_in(R"(mapping:
- {target: DRAM, type: temporal, factors: K2 C7 P3, permutation: PKC, no_temporal_reuse: [I]}
- {target: Buffer, type: spatial, factors: K=4 P=2, split: 1, no_reuse: [W], no_link_transfer: [I, O]}
- {target: Buffer, type: bypass, no_coalesce: [O], stream: []}
- {target: Registers, type: temporal, factors: R=3 P=2, rmw_first_update: [O], no_reuse: [W]}
)");
    ASSERT_EQ(mapping.options.size(), 3U);
    EXPECT_EQ(mapping.options[0].no_temporal_reuse, TensorSet::of(1));
    EXPECT_EQ(mapping.options[1].no_multicast, TensorSet::of(0));
    EXPECT_EQ(mapping.options[1].no_link_transfer.bits(), 0b110U);
    EXPECT_EQ(mapping.options[1].no_coalesce, TensorSet::of(2));
    EXPECT_EQ(mapping.options[2].rmw_first_update, TensorSet::of(2));
    EXPECT_EQ(mapping.options[2].no_temporal_reuse, TensorSet::of(0));
}

TEST(TimeloopMapping, MayBeTheWholeFileOrNestTwice) {
    const std::string list = kMapping.substr(kMapping.find('\n') + 1);
    EXPECT_EQ(mapping_in(list), mapping_in(kMapping));
    EXPECT_EQ(mapping_in("mapping: {version: 0.4, mapping: [{target: DRAM, type: temporal, factors: K0 C0 P0 R0}]}"),
              mapping_in("[{target: DRAM, type: temporal, factors: K8 C7 P12 R3}]"));
}

TEST(TimeloopMapping, LeavesLevelsThatOnlySpreadEmpty) {
    Architecture architecture = machine();
    architecture.memories[1].spreads_only = true;
    architecture.memories[1].name = "inter_PE_spatial";
    const Einsum einsum = convolution();
    const Mapping mapping = read_mapping(yaml::parse_text("mapping:\n"
                                                          "- {target: DRAM, type: temporal, factors: C7 P12 R3}\n"
                                                          "- {target: PE, type: spatial, factors: K8, split: 0}\n"),
                                         einsum, architecture);
    EXPECT_TRUE(levels_of(mapping, 3)[1].keep.empty());
    EXPECT_EQ(levels_of(mapping, 3)[1].spatial, (std::vector<Loop>{loop(0, 8, LoopKind::spatial_y)}));
}

TEST(TimeloopMapping, RefusesWhatTimeloopRefuses) {
    const fixtures::Mistake level = mistake_in("mapping:\n- {target: Buffr, type: temporal}\n");
    EXPECT_EQ(level.code, ErrorCode::unknown_level);
    EXPECT_EQ(level.message, "the architecture has no memory 'Buffr'; did you mean 'Buffer'?");
    EXPECT_EQ(level.where, (Location{"mapping.yaml", 2, 12}));

    EXPECT_EQ(mistake_in("mapping: [{target: DRAM, type: spatial, factors: K1}]").code, ErrorCode::no_fanout);

    const fixtures::Mistake product = mistake_in(
        "mapping:\n"
        "- {target: DRAM, type: temporal, factors: K1}\n"
        "- {target: Buffer, type: temporal, factors: K4 R3 C7 P12}\n"
        "- {target: Registers, type: temporal, factors: K4}\n");
    EXPECT_EQ(product.code, ErrorCode::factor_product);
    EXPECT_EQ(product.message,
              "the factors of dimension K cover 16, but its extent is 8 (4 at Buffer and 4 at Registers)");
    EXPECT_EQ(product.where.line, 3);
    EXPECT_EQ(mistake_in("mapping: []").message,
              "the factors of dimension K cover 1, but its extent is 8 (no loop runs over it)");
}

TEST(TimeloopMapping, RefusesWhatItWouldHaveToIgnore) {
    const auto code_of = [](const std::string& directive) { return mistake_in("mapping: [{" + directive + "}]").code; };
    EXPECT_EQ(code_of("type: temporal"), ErrorCode::missing_key);
    EXPECT_EQ(code_of("target: DRAM"), ErrorCode::missing_key);
    EXPECT_EQ(code_of("target: DRAM, type: temporary"), ErrorCode::bad_value);
    EXPECT_EQ(code_of("target: DRAM, type: temporal, factor: K8"), ErrorCode::unknown_key);
    EXPECT_EQ(code_of("target: DRAM, type: temporal, factors: X8"), ErrorCode::unknown_name);
    EXPECT_EQ(code_of("target: DRAM, type: temporal, factors: X=8"), ErrorCode::unknown_name);
    EXPECT_EQ(code_of("target: DRAM, type: temporal, factors: K8 K1"), ErrorCode::duplicate_key);
    EXPECT_EQ(code_of("target: DRAM, type: temporal, factors: [K=4, 3]"), ErrorCode::bad_value);
    EXPECT_EQ(code_of("target: DRAM, type: temporal, factors: K"), ErrorCode::bad_value);
    EXPECT_EQ(code_of("target: DRAM, type: temporal, factors: K="), ErrorCode::bad_value);
    EXPECT_EQ(code_of("target: DRAM, type: temporal, factors: K=-4"), ErrorCode::bad_value);
    EXPECT_EQ(code_of("target: DRAM, type: temporal, factors: K<=4"), ErrorCode::bad_value);
    EXPECT_EQ(code_of("target: DRAM, type: temporal, factors: 'K=4,5'"), ErrorCode::bad_value);
    EXPECT_EQ(code_of("target: DRAM, type: temporal, factors: 'K=4,0'"), ErrorCode::bad_value);
    EXPECT_EQ(code_of("target: DRAM, type: temporal, factors: K99999999999999999999"), ErrorCode::overflow);
    EXPECT_EQ(code_of("target: DRAM, type: temporal, factors: {K: 8}"), ErrorCode::wrong_type);
    EXPECT_EQ(code_of("target: DRAM, type: temporal, permutation: KX"), ErrorCode::unknown_name);
    EXPECT_EQ(code_of("target: DRAM, type: temporal, permutation: KCK"), ErrorCode::duplicate_key);
    EXPECT_EQ(code_of("target: DRAM, type: temporal, permutation: K-C"), ErrorCode::bad_value);
    EXPECT_EQ(code_of("target: Buffer, type: spatial, split: -1"), ErrorCode::bad_value);
    EXPECT_EQ(code_of("target: DRAM, type: bypass, keep: [V]"), ErrorCode::unknown_tensor);
    EXPECT_EQ(code_of("target: DRAM, type: bypass, keep: W"), ErrorCode::wrong_type);
    EXPECT_EQ(code_of("target: DRAM, type: bypass, keep: [W], bypass: [W]"), ErrorCode::bad_value);
    EXPECT_EQ(code_of("target: DRAM, type: bypass, keep: [W]}, {target: DRAM, type: bypass, bypass: [W]"),
              ErrorCode::bad_value);
    EXPECT_EQ(code_of("target: DRAM, type: temporal}, {target: DRAM, type: temporal"), ErrorCode::duplicate_key);
    EXPECT_EQ(mistake_in("mapping: {target: DRAM}").code, ErrorCode::unknown_key);
    EXPECT_EQ(mistake_in("mapping: DRAM").code, ErrorCode::wrong_type);
}

TEST(TimeloopMapping, SurvivesHugeFactors) {
    EXPECT_EQ(mistake_in("mapping:\n"
                         "- {target: DRAM, type: temporal, factors: K9223372036854775807}\n"
                         "- {target: Buffer, type: temporal, factors: K9223372036854775807}\n"
                         "- {target: Registers, type: temporal, factors: 'K=9223372036854775807,2'}\n")
                  .code,
              ErrorCode::factor_product);
}

// A random mapping of the convolution, perfect or not, expressible in Timeloop's form.
Mapping random_mapping(Random& random, const Einsum& einsum, const Architecture& architecture) {
    std::vector<MappingLevel> levels(architecture.memories.size());
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        std::int64_t left = einsum.dimensions[d].extent - 1;  // innermost loop first
        for (int m = architecture.memory_count() - 1; m >= 0; --m)
            for (const bool spatial : {true, false}) {
                if (spatial && architecture.fanout(m).size() == 1) continue;
                std::int64_t extent = random.between(1, 4);
                if (m == 0 && !spatial) extent = left + 1;
                if (extent > left + 1) extent = left + 1;  // the outermost non-trivial loop is perfect
                if (extent == 1) continue;
                const LoopKind kind = !spatial             ? LoopKind::temporal
                                      : random.chance(0.5) ? LoopKind::spatial_x
                                                           : LoopKind::spatial_y;
                (spatial ? levels[m].spatial : levels[m].temporal).push_back({d, extent, left % extent + 1, kind});
                left /= extent;
            }
    }
    for (MappingLevel& level : levels) {
        level.keep = TensorSet::from_bits(static_cast<std::uint32_t>(random.below(1U << einsum.tensors.size())));
        for (std::size_t i = level.temporal.size(); i > 1; --i)
            std::swap(level.temporal[i - 1], level.temporal[random.below(i)]);
        for (std::size_t i = level.spatial.size(); i > 1; --i)
            std::swap(level.spatial[i - 1], level.spatial[random.below(i)]);
        const auto along_y = [](const Loop& spatial) { return spatial.kind == LoopKind::spatial_y; };
        std::partition(level.spatial.begin(), level.spatial.end(), along_y);
    }
    Mapping mapping = mapping_of(levels);
    if (random.chance(0.5)) return mapping;
    mapping.options.resize(architecture.memories.size());
    const auto some = [&] { return TensorSet::from_bits(static_cast<std::uint32_t>(random.below(8))); };
    for (int m = 0; m < architecture.memory_count(); ++m) {
        LevelOptions& options = mapping.options[m];
        options = {{}, {}, some(), some(), some()};
        if (architecture.fanout(m).size() > 1) options.no_link_transfer = options.no_multicast = some();
    }
    mapping.options[0].no_coalesce = TensorSet::of(1);
    return mapping;
}

TEST(TimeloopMapping, ReadsBackWhatItWrites) {
    Random random(5);
    Einsum einsum = convolution();
    const Architecture architecture = machine();
    int imperfect = 0;
    for (int i = 0; i < 1000; ++i) {
        for (Dimension& dimension : einsum.dimensions) dimension.extent = random.between(1, 40);
        const Mapping mapping = random_mapping(random, einsum, architecture);
        imperfect += is_perfect(mapping) ? 0 : 1;
        const std::string text = write_mapping(mapping, einsum, architecture);
        ASSERT_EQ(read_mapping(yaml::parse_text(text), einsum, architecture), mapping) << text;
        einsum.dimensions[2].name = i % 2 == 0 ? "out_row" : "P";
    }
    EXPECT_GT(imperfect, 300);
}

TEST(TimeloopMapping, IsWrittenForTimeloop) {
    EXPECT_EQ(write_mapping(mapping_in(kMapping), convolution(), machine()),
              "mapping:\n"
              "  - target: DRAM\n"
              "    type: datatype\n"
              "    keep: [W, I, O]\n"
              "    bypass: []\n"
              "  - target: DRAM\n"
              "    type: temporal\n"
              "    factors: P=3 K=2 C=7 R=1\n"
              "    permutation: PKCR\n"
              "  - target: Buffer\n"
              "    type: datatype\n"
              "    keep: [I, O]\n"
              "    bypass: [W]\n"
              "  - target: Buffer\n"
              "    type: temporal\n"
              "    factors: K=1 C=1 P=1 R=1\n"
              "    permutation: KCPR\n"
              "  - target: Buffer\n"
              "    type: spatial\n"
              "    factors: K=4 P=2 C=1 R=1\n"
              "    permutation: KPCR\n"
              "    split: 1\n"
              "  - target: Registers\n"
              "    type: datatype\n"
              "    keep: [W, I, O]\n"
              "    bypass: []\n"
              "  - target: Registers\n"
              "    type: temporal\n"
              "    factors: P=2 R=3 K=1 C=1\n"
              "    permutation: PRKC\n");
}

TEST(TimeloopMapping, DirectivesHaveNoWordsForSomeSpatialLoops) {
    const auto can_say = [](const std::vector<Loop>& spatial) {
        return directives_can_say(mapping_of({{TensorSet::all(3), {}, spatial}, {}, {}}), machine());
    };
    const Loop y{1, 2, 2, LoopKind::spatial_y};
    const Loop x{1, 2, 2, LoopKind::spatial_x};
    const Loop other{0, 2, 2, LoopKind::spatial_y};
    EXPECT_FALSE(can_say({y, x})) << "one dimension along both axes";
    EXPECT_FALSE(can_say({x, other})) << "a loop along Y inside one along X";
    EXPECT_TRUE(can_say({other, x}));
}

// K = 12 on 4 x 4 units: without the constraint some mappings have K along X and along Y, with it none.
TEST(TimeloopMapping, AMapspaceKeepsToDirectives) {
    Architecture square = machine();
    square.compute.instances = 16;
    square.compute.mesh = {4, 4};
    Einsum einsum = convolution();
    for (Dimension& dimension : einsum.dimensions) dimension.extent = dimension.name == "K" ? 12 : 1;
    Constraints constraints;
    for (const bool keeps : {false, true}) {
        if (keeps) keep_to_directives(constraints, square.memory_count());
        int seen = 0;
        int unsaid = 0;
        Mapspace(einsum, square, constraints).enumerate([&](const TilingPoint& point) {
            unsaid += directives_can_say(mapping_of(point), square) ? 0 : 1;
            return ++seen < 200'000;
        });
        EXPECT_GT(seen, 100);
        EXPECT_LT(seen, 200'000);
        EXPECT_EQ(unsaid == 0, keeps) << unsaid;
    }
}

TEST(TimeloopMapping, WritesOnlyWhatTimeloopCanSay) {
    Mapping twice = mapping_of({{TensorSet::all(3), {loop(0, 2), loop(1, 7), loop(0, 4)}, {}}, {}, {}});
    EXPECT_THROW((void)write_mapping(twice, convolution(), machine()), std::invalid_argument);
    EXPECT_THROW((void)write_mapping(Mapping{}, convolution(), machine()), std::invalid_argument);
}

TEST(TimeloopMapping, QuotesStrangeNames) {
    Architecture architecture = machine();
    architecture.memories[0].name = "off \"chip\": [0]\n";
    architecture.memories[1].name = "No";
    Einsum einsum = convolution();
    einsum.dimensions = {{"N", 8}};
    einsum.tensors = {{"on", {Rank{{{0, 1}}}}, false}, {"O", {}, true}};
    const Mapping mapping = mapping_of({{TensorSet::all(2), {loop(0, 8)}, {}}, {TensorSet::of(0), {}, {}}, {}});
    EXPECT_EQ(read_mapping(yaml::parse_text(write_mapping(mapping, einsum, architecture)), einsum, architecture),
              mapping);
}

TEST(TimeloopMapping, KnowsWhereStoresAndLoopsAreWritten) {
    const PlacedMapping read =
        read_placed_mapping(yaml::parse_text(kMapping, "mapping.yaml"), convolution(), machine());
    ASSERT_EQ(read.places.nodes.size(), read.mapping.nodes.size());
    std::vector<int> lines;
    for (const Location& place : read.places.nodes) lines.push_back(place.line);
    // DRAM with three loops, Buffer by its datatype directive with two, Registers with two.
    EXPECT_EQ(lines, (std::vector<int>{2, 2, 2, 2, 4, 3, 3, 5, 5, 5}));
    EXPECT_EQ(read.places.nodes[0].column, 4) << "the directive, inside its brace";
    EXPECT_EQ(read.places.nodes[1].column, 43) << "its factors";
    EXPECT_EQ(read.places.whole.line, 2);
}

TEST(TimeloopMapping, KnowsTheItemsOfListsOfFactors) {
    const std::string text =
        "mapping:\n"
        "- target: DRAM\n"
        "  type: temporal\n"
        "  factors:\n"
        "  - K=8 C=7\n"
        "  - P=12\n"
        "  - R=3\n";
    const PlacedMapping read = read_placed_mapping(yaml::parse_text(text, "mapping.yaml"), convolution(), machine());
    for (std::size_t i = 0; i < read.mapping.nodes.size(); ++i) {
        const Loop* loop = std::get_if<Loop>(&read.mapping.nodes[i]);
        if (loop == nullptr) continue;
        EXPECT_EQ(read.places.nodes[i].line, loop->dimension == 2 ? 6 : loop->dimension == 3 ? 7 : 5);
    }
}

TEST(TimeloopMapping, NeverCrashesOnMutatedText) {
    Random random(17);
    const std::string letters = "KCPR0123456789=,<[]{} \n-:";
    int read = 0;
    for (int i = 0; i < 3000; ++i) {
        std::string text = kMapping;
        for (std::int64_t k = random.between(1, 3); k > 0; --k)
            text[random.below(text.size())] = letters[random.below(letters.size())];
        try {
            const auto [mapping, places] =
                read_placed_mapping(yaml::parse_text(text, "mapping.yaml"), convolution(), machine());
            EXPECT_EQ(places.nodes.size(), mapping.nodes.size()) << text;
            for (const Violation& violation : check(convolution(), machine(), mapping)) {
                EXPECT_NE(violation.kind, ViolationKind::factor_product) << text;
                EXPECT_GE(violation.node, 0) << text;
            }
            ++read;
        } catch (const InputError& error) {
            EXPECT_FALSE(error.message().empty());
        }
    }
    EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace tilewright::timeloop::mapping_test
