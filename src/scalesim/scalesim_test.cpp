#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scalesim/config.hpp"
#include "scalesim/topology.hpp"
#include "workload/shapes.hpp"

namespace tilewright::scalesim::scalesim_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string kConfig = R"([general]
run_name = small

[architecture_presets]
ArrayHeight:    12
ArrayWidth:     14
IfmapSramSzkB:  36
FilterSramSzkB: 37
OfmapSramSzkB:  38
IfmapOffset:    0
Dataflow : ws
Bandwidth : 10

[sparsity]
SparsitySupport : false

[run_presets]
InterfaceBandwidth: CALC
)";

std::string changed(const std::string& from, const std::string& to) {
    std::string text = kConfig;
    text.replace(text.find(from), from.size(), to);
    return text;
}

template <typename Read>
std::string mistake(Read read) {
    try {
        read();
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

std::string config_mistake(const std::string& text) {
    return mistake([&] { (void)read_config(text, "a.cfg"); });
}
Network topology(const std::string& text, const std::string& file = "net.csv") {
    Notes unheard;
    return read_topology(text, file, unheard);
}
std::string topology_mistake(const std::string& text) {
    return mistake([&] { (void)topology(text, "a.csv"); });
}

TEST(ScaleSimConfig, ReadsTheArrayAndItsMemories) {
    ASSERT_TRUE(is_config(kConfig));
    const Config config = read_config(kConfig, "a.cfg");
    EXPECT_EQ(config.run_name, "small");
    EXPECT_EQ(config.array, (SystolicArray{12, 14}));
    EXPECT_EQ(config.stationary, Stationary::weight);
    EXPECT_EQ(config.ifmap_kib, 36);
    EXPECT_EQ(config.filter_kib, 37);
    EXPECT_EQ(config.ofmap_kib, 38);
    EXPECT_FALSE(config.words_per_cycle);
    EXPECT_THAT(notes_about(config, false),
                ElementsAre("keys of SCALE-Sim that change nothing here: IfmapOffset (a.cfg:10), Bandwidth "
                            "(a.cfg:12)"));
    EXPECT_THROW((void)notes_about(config, true), InputError);
}

TEST(ScaleSimConfig, TheUsersBandwidthIsTheDrams) {
    const Config config = read_config(changed("CALC", "USER"), "a.cfg");
    EXPECT_EQ(config.words_per_cycle, 10);
    EXPECT_THAT(machine_text(config), HasSubstr("shared_bandwidth: 10"));
    EXPECT_THAT(machine_text(read_config(kConfig, "a.cfg")), testing::Not(HasSubstr("shared_bandwidth")));
}

TEST(ScaleSimConfig, FirstVersionsNamesAndOtherCases) {
    std::string text = changed("IfmapSramSzkB:  36", "ifmapsramsz = 64");
    EXPECT_EQ(read_config(text, "a.cfg").ifmap_kib, 64);
    EXPECT_THAT(config_mistake(changed("IfmapSramSzkB:  36", "IfmapSramSz: 1\nIfmapSramSzkB: 1")),
                HasSubstr("two names of one size"));
}

TEST(ScaleSimConfig, MistakesAreLocated) {
    EXPECT_THAT(config_mistake(changed("ArrayHeight:    12", "ArrayHeight: 0")),
                StartsWith("a.cfg:5:14: error: 'ArrayHeight' is at least 1, found 0"));
    EXPECT_THAT(config_mistake(changed("ArrayHeight:    12", "ArrayHeigth: 12")),
                HasSubstr("did you mean 'ArrayHeight'?"));
    EXPECT_THAT(config_mistake(changed("Dataflow : ws", "Dataflow : rs")),
                StartsWith("a.cfg:11:12: error: Dataflow is os, ws or is, found 'rs'"));
    EXPECT_THAT(config_mistake(changed("SparsitySupport : false", "SparsitySupport : true")),
                HasSubstr("'SparsitySupport' is read as false only"));
    EXPECT_THAT(config_mistake(changed("CALC", "calc")), HasSubstr("InterfaceBandwidth is CALC or USER"));
    EXPECT_THAT(config_mistake(changed("Bandwidth : 10\n", "")), HasSubstr("none"));
    EXPECT_THAT(config_mistake(changed("[sparsity]", "[spartity]")), HasSubstr("found [spartity]"));
    EXPECT_THAT(config_mistake(changed("IfmapOffset:    0", "ArrayWidth: 3")),
                HasSubstr("'ArrayWidth' is given twice"));
    EXPECT_THAT(config_mistake(changed("FilterSramSzkB: 37\n", "")), HasSubstr("has no 'FilterSramSzkB'"));
    EXPECT_THAT(config_mistake(changed("FilterSramSzkB: 37", "FilterSramSzkB:")), HasSubstr("has no value"));
    EXPECT_THAT(config_mistake("a: 1\n" + kConfig), StartsWith("a.cfg:1:1: error: expected a section"));
    EXPECT_THAT(config_mistake(changed("Dataflow", " Dataflow")), HasSubstr("an indented line"));
}

TEST(ScaleSimTopology, KnowsColumnsByTheirPlaces) {
    const std::string rows = "a, 32,48,3,3,1,16,1,\n";
    const std::string usual =
        "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n";
    const Einsum expected = topology(usual + rows).layers[0].einsum;
    for (const std::string header :
         {"Layer, IFMAP Width, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n",
          "layer name;ifmap h;ifmap w;filter h;filter w;channels;num filter;strides\n",
          "name,height,width,r,s,channel, num filters,stride\n"}) {
        Notes notes;
        EXPECT_EQ(read_topology(header + rows, "net.csv", notes).layers[0].einsum, expected) << header;
        EXPECT_THAT(notes.texts(), ElementsAre(HasSubstr("they are read by place: name, height, width")));
    }
    EXPECT_EQ(topology("Layer name,\u00a0 IFMAP Height,\u00a0 IFMAP Width, Filter Height, Filter Width, Channels, Num "
                       "Filter, Strides,\n" +
                       rows)
                  .layers[0]
                  .einsum,
              expected);
    EXPECT_EQ(topology(usual + "a;32;48;3;3;1;16;1\n").layers[0].einsum, expected);
    EXPECT_EQ(topology(usual + "a\t32\t48\t3\t3\t1\t16\t1\t\n").layers[0].einsum, expected);
    EXPECT_EQ(topology(usual + "a,32,48,3,3,1,16,1,#dw\n").layers[0].einsum, expected);
    EXPECT_EQ(topology("L,M,N,K,\nL0,256,768,512,\n").layers[0].einsum, gemm(256, 512, 768));
    const std::string batch = usual.substr(0, usual.size() - 1) + " batch size\n";
    EXPECT_EQ(topology(batch + "a,32,48,3,3,1,16,1,1\n").layers[0].einsum, expected) << "the stride along the width";
    EXPECT_THAT(topology_mistake(batch + "a,32,48,3,3,1,16,1,2:4\n"), HasSubstr("SCALE-Sim's topologies are read"));
}

TEST(ScaleSimTopology, ReadsConvolutions) {
    const Network network = topology(
        "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\r\n"
        "Conv1, 227, 224, 11, 7, 3, 96, 4,\r\n\r\nDP2, 10, 10, 3, 3, 8, 1, 1,\r\n",
        "folder/net.csv");
    EXPECT_EQ(network.name, "net");
    ASSERT_EQ(network.layers.size(), 2U);
    // (224 - 7) / 4 + 1 = 55.25 places along the width are 56, as in SCALE-Sim.
    EXPECT_EQ(network.layers[0].einsum, convolution({1, 1, 3, 96, {56, 7, 4, 1}, {55, 11, 4, 1}}));
    EXPECT_EQ(network.layers[1].einsum, convolution({1, 8, 1, 1, {8, 3, 1, 1}, {8, 3, 1, 1}}));
}

TEST(ScaleSimTopology, ReadsProductsAndSecondStrides) {
    const Network products = topology("Layer, M, N, K,\nqkv, 5, 7, 6,\n", "net.csv");
    EXPECT_EQ(products.layers[0].einsum, gemm(5, 6, 7));
    const Network strides = topology(
        "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Stride height, "
        "Stride "
        "width, Sparsity\nc, 9, 9, 3, 3, 1, 1, 2, 3, 4:4\n",
        "net.csv");
    EXPECT_EQ(strides.layers[0].einsum, convolution({1, 1, 1, 1, {3, 3, 3, 1}, {4, 3, 2, 1}}));
}

TEST(ScaleSimTopology, MistakesAreLocated) {
    const std::string header =
        "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n";
    EXPECT_THAT(topology_mistake(header + "c, 5, 9, 7, 3, 1, 1, 1,\n"),
                StartsWith("a.csv:2:10: error: the filter is larger than the image: 7 of 5"));
    EXPECT_THAT(topology_mistake(header + "c, 5, x, 3, 3, 1, 1, 1,\n"),
                StartsWith("a.csv:2:7: error: a size is a whole"));
    EXPECT_THAT(topology_mistake(header + "c, 5, 5,\n"), HasSubstr("expected 8 columns as in the header, found 3"));
    EXPECT_THAT(topology_mistake(header), HasSubstr("has no layers"));
    EXPECT_THAT(topology_mistake("Layer, M, N, K\nq, 1, 2, 99999999999\n"), HasSubstr("[overflow]"));
    EXPECT_THAT(topology_mistake("K,C,Y,X,R,S,T\n64,3,224,224,7,7,1\n"),
                StartsWith("a.csv:1:1: error: a CSV file of GAMMA's"));
    EXPECT_THAT(topology_mistake("a,b\n"), StartsWith("a.csv:1:1: error: of tables (*.csv) SCALE-Sim's topologies"));
    EXPECT_THAT(topology_mistake("a,b\n1,2\n"), StartsWith("a.csv:1:1: error: of tables (*.csv) SCALE-Sim's"));
    EXPECT_THAT(topology_mistake("LayerID, Total Cycles, Stall Cycles,\n0, 12, 0,\n"),
                HasSubstr("a report that SCALE-Sim wrote"));
    EXPECT_THAT(topology_mistake(header.substr(0, header.size() - 1) + " Sparsity,\nc, 5, 5, 3, 3, 1, 1, 1, 2:4,\n"),
                HasSubstr("sparse weights are not modelled"));
}

TEST(ScaleSimConfig, OthersAreNone) {
    EXPECT_FALSE(is_config("arch:\n{\n  name = \"[architecture_presets]\";\n};\n"));
    EXPECT_THAT(read_config(kConfig, "a.cfg").unused, testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace tilewright::scalesim::scalesim_test
