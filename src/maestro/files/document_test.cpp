#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <filesystem>
#include <map>

#include "base/files/file.hpp"
#include "maestro/cost/cost.hpp"
#include "maestro/files/document.hpp"

namespace tilewright::maestro::document_test {
namespace {

using dataflow::Axis;
using dataflow::ClusterKind;
using dataflow::Directive;
using dataflow::DirectiveKind;
using dataflow::LayerType;
using dataflow::Size;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const char* const kEyeriss = R"(// row stationary (MAESTRO, Fig. 8)
Network VGG16 {
  Layer CONV1 {
    Type: CONV;
    Stride { X: 2, Y: 2 }
    Dimensions {N:1, K: 64, C:3, Y:224, X:224, R:3, S:3}
    Dataflow {
      TemporalMap(1, 1) N; TemporalMap(2, 2) K; TemporalMap(3, 3) C;
      SpatialMap(Sz(R), 1) Y; TemporalMap(3, 1) X; Cluster (3, P); SpatialMap (1,1) Y;
      SpatialMap (1,1) R; TemporalMap(3,3) S}
  }
}
Accelerator {
  PE { NumPEs: 256; VectorWidth: 4; MultiPrecision: INT8; AddPrecision: INT16 }
  Buffer { GlobalL2: 2048; LocalL1: 64 } // bytes
  NoC { Bandwidth: 64; AvgLatency: 2 } // bytes per cycle
}
)";

std::string error_of(const std::string& text) {
    try {
        read(text, "t.m");
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

std::string layer_with(const std::string& directives) {
    return "Network n {\nLayer l {\nType: CONV\nDimensions { K: 4, C: 6, R: 3, S: 3, Y: 8, X: 8 }\nDataflow {\n" +
           directives + "\n} } }";
}

TEST(MaestroDocument, ReadsThePapersExample) {
    const Document document = read(kEyeriss, "t.m");
    EXPECT_EQ(document.network, "VGG16");
    ASSERT_EQ(document.layers.size(), 1U);
    const dataflow::Layer& layer = document.layers[0];
    EXPECT_EQ(layer.name, "CONV1");
    EXPECT_EQ(layer.extents[Axis::K], 64);
    EXPECT_EQ(layer.stride[Axis::X], 2);
    ASSERT_TRUE(layer.dataflow);
    EXPECT_EQ(layer.dataflow->directives.size(), 9U);
    EXPECT_EQ(to_text(layer.dataflow->directives[3]), "SpatialMap(Sz(R),1) Y");
    EXPECT_EQ(layer.dataflow->directives[5].cluster, ClusterKind::physical);
    ASSERT_TRUE(document.hardware);
    EXPECT_EQ(document.hardware->units, 256);
    EXPECT_EQ(document.hardware->vector_width, 4);
    EXPECT_EQ(document.hardware->sum_bytes, 2);
    EXPECT_EQ(document.hardware->l1_bytes, 64);
    EXPECT_EQ(document.hardware->noc_latency_cycles, 2);
}

TEST(MaestroDocument, ReadsHardwareFiles) {
    const Document document = read("num_pes: 256\nnoc_bw_cstr 1000\n\nNoC_NumHops: 2\n", "hw.m");
    ASSERT_TRUE(document.hardware);
    EXPECT_EQ(document.hardware->units, 256);
    EXPECT_EQ(document.hardware->noc_bytes_per_cycle, 1000);
    EXPECT_EQ(document.hardware->noc_latency_cycles, 2);
    EXPECT_FALSE(document.hardware->l1_bytes);
}

TEST(MaestroDocument, ReadsHardwareInTheOlderSpelling) {
    const Document older =
        read("NumPEs: 168\nL1Size: 512\nL2Size: 108000\nNoC_BW: 64\nNoC_NumHops: 1\nMulticast: True\n", "hw.m");
    const Document newer =
        read("num_pes: 168\nl1_size_cstr: 512\nl2_size_cstr: 108000\nnoc_bw_cstr: 64\nNoC_NumHops: 1", "hw.m");
    ASSERT_TRUE(older.hardware);
    EXPECT_EQ(older, newer);
    EXPECT_TRUE(older.tool_refusals.empty());
    EXPECT_FALSE(read("NumPEs: 1 Multicast: False", "hw.m").hardware->multicast);
    EXPECT_THAT(error_of("num_pes: 4 NumPEs: 4"), HasSubstr("t.m:1:12: error: 'NumPEs' is given twice"));
}

// --num_simd_lanes of the public tool, so no key of ours is refused there.
TEST(MaestroDocument, TheVectorWidthIsAnOptionOfThePublicTool) {
    EXPECT_TRUE(read("num_pes: 4 vector_width: 9", "hw.m").tool_refusals.empty());
    EXPECT_FALSE(read("num_pes: 4 operand_bytes: 2", "hw.m").tool_refusals.empty());
}

TEST(MaestroDocument, ReadsNamedAccelerators) {
    const std::string keys =
        "num_pes: 4096\noffchip_bw: 128\ntop_noc_bw: 256\ntop_noc_latency: 1\ntop_noc_multicast: True\n"
        "global_shared_memory: 4194304 // 4 MiB\nPE_local_memory: 8192\n";
    const Document document =
        read("Accelerator Acc0 {\n" + keys + "col_noc_bw: 256\ncol_noc_latency: 1\ncol_noc_multicast: True\n}", "t.m");
    EXPECT_EQ(document.accelerator, "Acc0");
    ASSERT_TRUE(document.hardware);
    EXPECT_EQ(document.hardware->units, 4096);
    EXPECT_EQ(document.hardware->l2_bytes, 4194304);
    EXPECT_EQ(document.hardware->l1_bytes, 8192);
    EXPECT_EQ(document.hardware->noc_bytes_per_cycle, 256);
    EXPECT_EQ(document.hardware->offchip_bytes_per_cycle, 128);
    EXPECT_THAT(to_text(document), StartsWith("// Accelerator Acc0\n"));
    const std::string differs = "Accelerator A {\n" + keys;
    EXPECT_THAT(error_of(differs + "col_noc_bw: 128 }"),
                StartsWith("t.m:9:1: error: 'col_noc_bw' differs from 'top_noc_bw'"));
    EXPECT_THAT(error_of(differs + "col_noc_latency: 2 }"), HasSubstr("differs from 'top_noc_latency'"));
    EXPECT_THAT(error_of(differs + "col_noc_multicast: False }"), HasSubstr("differs from 'top_noc_multicast'"));
    EXPECT_THAT(error_of("Accelerator A { col_noc_bw: 4 }"), HasSubstr("'top_noc_bw' has to stand before"));
    EXPECT_THAT(error_of("Accelerator A { num_pes: 4 }\nAccelerator B { num_pes: 4 }"),
                StartsWith("t.m:2:13: error: a second Accelerator, 'B'"));
    EXPECT_THAT(error_of("Accelerator A { num_pe: 4 }"), HasSubstr("did you mean 'num_pes'?"));
}

// XRBench: run rate and predecessors of a network.
TEST(MaestroDocument, WhenNetworksRunIsNamed) {
    const std::string layer = "Layer l { Type: CONV Dimensions: { K: 1, C: 1, R: 1, S: 1, Y: 3, X: 9 } }";
    const Document document =
        read("Network n {\nDependency: { a b }\nProbability: 0.5\nFPS: 60\n" + layer + " }", "t.m");
    EXPECT_EQ(document.layers.size(), 1U);
    EXPECT_THAT(notes_about(document, false), ElementsAre("no run looks at when networks run, every layer counts once: "
                                                          "Dependency (t.m:2), Probability (t.m:3), FPS (t.m:4)"));
    EXPECT_THROW((void)notes_about(document, true), InputError);
    EXPECT_FALSE(document.tool_refusals.empty());
    EXPECT_THAT(error_of("Network n { FPS: 0 }"), HasSubstr("t.m:1:18: error: FPS is above 0"));
    EXPECT_THAT(error_of("Network n { Probability: 2 }"), HasSubstr("Probability is from 0 to 1"));
    EXPECT_THAT(error_of("Network n { Dependency: a }"), HasSubstr("expected '{' after Dependency"));
}

TEST(MaestroDocument, PunctuationIsForTheEyeOnly) {
    const Document plain = read(layer_with("SpatialMap(1,2) K; Cluster(2,P); TemporalMap(Sz(R),1) Y;"), "t.m");
    const Document bare = read(layer_with("SpatialMap 1 2 K -> Cluster 2 P -> TemporalMap Sz R 1 Y"), "t.m");
    EXPECT_EQ(plain, bare);
    EXPECT_TRUE(plain.tool_refusals.empty());
}

TEST(MaestroDocument, BracesCarriageReturnsAndCommentsMayStandAnywhere) {
    std::string text = "Network n{Layer a-1{Type:CONV//c\r\nDimensions{K 4,C 6,R 3,S 3,Y' 6,X' 6}}}";
    const Document document = read(text, "t.m");
    EXPECT_EQ(document.layers.at(0).name, "a-1");
    EXPECT_EQ(complete_extents(document.layers[0])[Axis::Y], 8);
    std::vector<std::string> reasons;
    for (const ToolRefusal& refusal : document.tool_refusals) reasons.push_back(refusal.reason);
    EXPECT_THAT(reasons, testing::Contains("a brace that touches a word"));
    EXPECT_THAT(reasons, testing::Contains("line ends with a carriage return"));
    EXPECT_THAT(reasons, testing::Contains("a comment that touches a word"));
}

TEST(MaestroDocument, SizesAreArithmetic) {
    const Document document = read("Constant T 5;\n" + layer_with("TemporalMap(T+Sz(S)-1,2*(T-1)/3) X"), "t.m");
    const Directive& map = document.layers[0].dataflow->directives[0];
    EXPECT_EQ(to_text(map), "TemporalMap(5+Sz(S)-1,2*(5-1)/3) X");
    const dataflow::Extents extents = complete_extents(document.layers[0]);
    EXPECT_EQ(value_of(map.size, extents, {}).value, 7);
    EXPECT_EQ(value_of(map.offset, extents, {}).value, 2);
}

TEST(MaestroDocument, NamesWithoutValueAreLeftOpen) {
    const Document document = read("Dataflow nvdla { Cluster(P_cluster_size, L); SpatialMap(1,1) K }", "t.m");
    ASSERT_EQ(document.dataflows.size(), 1U);
    EXPECT_EQ(document.dataflows[0].name, "nvdla");
    EXPECT_THAT(parameters_of(document.dataflows[0]), ElementsAre("P_cluster_size"));
    const Size& size = document.dataflows[0].directives[0].size;
    EXPECT_EQ(value_of(size, {}, {}).problem, "'P_cluster_size' is left open");
    EXPECT_EQ(value_of(size, {}, {{"P_cluster_size", 64}}).value, 64);
}

TEST(MaestroDocument, OutputSizesFollowStrideAndDilation) {
    const Document document = read(
        "Network n { Layer l { Type: CONV Stride { Y: 2 } Dilation { S: 2 } Density { Input: 50 } Dimensions { K: 1, "
        "C: "
        "1, R: 3, S: 3, Y: 9, X: 9 } } }",
        "t.m");
    const dataflow::Extents extents = complete_extents(document.layers[0]);
    EXPECT_EQ(extents[Axis::out_y], 4);
    EXPECT_EQ(extents[Axis::out_x], 5);
    EXPECT_EQ(document.layers[0].density.input, sparse::FixedStructured{0.5});
}

// Percents become shares of sparse machines; the text restores the percents.
TEST(MaestroDocument, DensitiesAreSharesAndAreWrittenAsPercents) {
    for (const char* percents : {"Input: 7, Filter: 30, Output: 100", "Input: 0.01, Filter: 33.3, Output: 56"}) {
        SCOPED_TRACE(percents);
        const std::string line = std::string("Density { ") + percents + " }";
        const Document document =
            read("Network n { Layer l { Type: CONV " + line + " Dimensions { K: 4, C: 4, R: 3, S: 3, Y: 8, X: 8 } } }",
                 "t.m");
        const std::string again = to_text(document);
        EXPECT_NE(again.find(line), std::string::npos) << again;
    }
    const Document document = read(
        "Network n { Layer l { Type: CONV Density { Input: 7 } Dimensions { K: 4, C: 4, R: 3, S: 3, Y: 8, X: 8 } } }",
        "t.m");
    const sparse::FixedStructured seven = document.layers[0].density.input;
    EXPECT_EQ(seven, sparse::FixedStructured{0.07});
    EXPECT_EQ(sparse::marked_of(seven.density, 100), 7) << "what a double adds is no element";
}

TEST(MaestroDocument, TakesADilationOfZeroWhereItMultipliesNothing) {
    const auto layer = [](const std::string& filter) {
        return "Network n { Layer l { Type: CONV Dilation { R: 0, S: 0 } Dimensions { K: 1, C: 1, " + filter +
               ", Y: 9, X: 9 } } }";
    };
    EXPECT_EQ(complete_extents(read(layer("R: 1, S: 1"), "t.m").layers[0])[Axis::out_x], 9);
    try {
        read(layer("R: 1, S: 3"), "t.m");
        FAIL() << "it was read";
    } catch (const InputError& error) {
        EXPECT_EQ(error.where().column, static_cast<int>(layer("R: 1").find("S: 0")) + 4);
        EXPECT_EQ(error.message(), "a dilation is at least 1 where the filter has more than one element, and S is 3");
    }
}

TEST(MaestroDocument, WritesWhatItReads) {
    for (const std::string& text : {std::string(kEyeriss), layer_with("TemporalMap(8+Sz(S)-1,(2+3)*4) X"),
                                    std::string("Dataflow d { Cluster(Q) } num_pes: 3 multicast: false")}) {
        const Document document = read(text, "t.m");
        EXPECT_EQ(read(to_text(document), "again.m"), document) << to_text(document);
    }
}

TEST(MaestroDocument, MistakesAreLocated) {
    EXPECT_THAT(error_of("Netwrk n { }"), StartsWith("t.m:1:1: error: expected Network"));
    EXPECT_THAT(error_of("Netwrk n { }"), HasSubstr("did you mean 'Network'?"));
    EXPECT_THAT(error_of(layer_with("TEMPORALMAP(1,1) K")), HasSubstr("t.m:6:1: error: expected TemporalMap"));
    EXPECT_THAT(error_of(layer_with("TemporalMap(1,1) Q")), HasSubstr("t.m:6:18: error: unknown dimension 'Q'"));
    EXPECT_THAT(error_of(layer_with("TemporalMap(0,1) K")), HasSubstr("t.m:6:1: error: TemporalMap(0,1) K: sizes"));
    EXPECT_THAT(error_of(layer_with("TemporalMap(Sz(G),1) K")), HasSubstr("the layer has no dimension G"));
    EXPECT_THAT(error_of(layer_with("TemporalMap(1,1) G")), HasSubstr("a layer of type CONV has no dimension G"));
    EXPECT_THAT(error_of(layer_with("Cluster(2,Q)")), HasSubstr("t.m:6:11: error: a Cluster is of kind P"));
    EXPECT_THAT(error_of(layer_with("TemporalMap(99999999999,1) K")), HasSubstr("[overflow]"));
    EXPECT_THAT(error_of("Network n { Layer l { Type: CONV"), HasSubstr("found the end of the file"));
    EXPECT_THAT(error_of("Network n { Layer l { Type: CON } }"), HasSubstr("unknown type of layer 'CON'"));
    EXPECT_THAT(error_of("Network n { Layer l { Type: FC Dimensions { K: 4 } } }"), HasSubstr("needs the dimension C"));
    EXPECT_THAT(error_of("num_pes: 4 num_pes: 5"), HasSubstr("t.m:1:12: error: 'num_pes' is given twice"));
    EXPECT_THAT(error_of("num_pes: many"), HasSubstr("num_pes is a whole number or a Constant, found 'many'"));
    EXPECT_THAT(error_of("Accelerator { PE { Lanes: 4 } }"), HasSubstr("PE holds NumPEs"));
    EXPECT_THAT(error_of(std::string("Network \x01", 9)), HasSubstr("control character"));
    EXPECT_THAT(
        error_of("Network n { Layer l { Type: CONV Dimensions { K: 1, C: 1, R: 5, S: 5, Y: 3, X: 9 } Dataflow { "
                 "TemporalMap(1,1) K } } }"),
        HasSubstr("layer 'l' has no output"));
    EXPECT_THAT(error_of("Network n { Layer l { Type: CONV Dimensions { Y: 3, Y': 9 } } }"),
                HasSubstr("Y is given already"));
}

TEST(MaestroDocument, PublicFilesLoad) {
    std::filesystem::path folder;
    for (const char* place : {"shared", "../shared"})
        if (std::filesystem::is_directory(std::filesystem::path(place) / "examples/maestro"))
            folder = std::filesystem::path(place) / "examples/maestro";
    if (folder.empty()) GTEST_SKIP() << "MAESTRO's files (shared/examples/maestro) are not here";
    int files = 0;
    std::size_t layers = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".m") continue;
        const std::string name = entry.path().filename().string();
        const Document document = read(read_file(entry.path()), name);
        ++files;
        layers += document.layers.size();
        Document again = read(to_text(document), name);
        EXPECT_EQ(again, document) << name;
    }
    EXPECT_EQ(files, 55);
    EXPECT_GT(layers, 2000U);
}

}  // namespace

}  // namespace tilewright::maestro::document_test

namespace tilewright::maestro::named_test {
namespace {

dataflow::Layer conv3() {
    dataflow::Layer layer;
    layer.name = "conv3";
    layer.extents[dataflow::Axis::K] = 16;
    layer.extents[dataflow::Axis::C] = 8;
    layer.extents[dataflow::Axis::R] = layer.extents[dataflow::Axis::S] = 3;
    layer.extents[dataflow::Axis::Y] = layer.extents[dataflow::Axis::X] = 15;
    return layer;
}

TEST(NamedDataflows, TheFiveOfTable2AreFive) {
    std::map<std::string, std::string> name_of;
    for (const NamedDataflow& one : named_dataflows()) {
        if (one.name == "xp_ws") continue;  // the public files' name of the paper's OS
        EXPECT_TRUE(name_of.emplace(one.text, one.name).second) << one.name << " is " << name_of[one.text];
    }
}

TEST(NamedDataflows, WeightStationaryKeepsItsWeights) {
    const dataflow::Layer layer = conv3();
    dataflow::Hardware hardware;
    hardware.units = 13;
    const dataflow::LayerCost cost = cost_of(layer, fitted(named_dataflow("ws"), layer, {}), {}, hardware);
    ASSERT_TRUE(cost.counts);
    EXPECT_TRUE(cost.findings.empty());
    EXPECT_EQ(cost.counts->operations, 16 * 8 * 9 * 13 * 13);
    // Each filter goes out once, to all units; a unit has a window of 5 x 3, a filter and three sums, twice.
    EXPECT_EQ(cost.counts->levels[0].filter.multicast, 16 * 8 * 9);
    EXPECT_EQ(cost.counts->levels[0].filter.unicast, 16 * 8 * 9 * 13);
    EXPECT_EQ(cost.l1_bytes, 2 * (5 * 3 + 9 + 3));
    // Three rows of the output a step: ceil(13 / 3) for each filter.
    EXPECT_EQ(cost.counts->levels[0].steps, 16 * 8 * 5);
    const dataflow::LayerCost rows = cost_of(layer, fitted(named_dataflow("shidiannao"), layer, {}), {}, hardware);
    EXPECT_EQ(rows.counts->levels[0].steps, 16 * 8 * 13);
    EXPECT_EQ(rows.l1_bytes, 2 * (3 * 3 + 9 + 1));
}

}  // namespace

}  // namespace tilewright::maestro::named_test
