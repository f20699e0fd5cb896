#include "report/fused/search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "report/documents/documents.hpp"

namespace tilewright::report::search_test {
namespace {

using testing::HasSubstr;

FusionLine line(FusionLineKind kind, const std::string& name, std::int64_t first, std::int64_t last) {
    FusionLine line{kind, name};
    line.first = first;
    line.last = last;
    return line;
}

FusionReport sample() {
    FusionReport report;
    report.cascade = "two";
    report.architecture = "m";
    report.objective = "energy";
    report.buffer = "buffer";
    report.buffer_words = 100;
    report.proven = true;
    report.value = report.bound = 900.0;
    FusionMemory dram{"DRAM", 800.0, std::nullopt, {{"A", "input", 3.0, 0.0, 1.0, 800.0}}};
    report.ways = {{kFused, 900.0, 50.0, 100.0, {dram, {"buffer", 0.0, 70, {}}}}};
    FusionLine loop = line(FusionLineKind::loop, "m", 0, 1);
    loop.step = 2;
    loop.extent = 8;
    FusionLine store = line(FusionLineKind::store, "B", 0, 1);
    store.memory = "buffer";
    store.role = "intermediate";
    store.words = 60;
    FusionLine leaf = line(FusionLineKind::leaf, "second", 1, 1);
    leaf.words = 10;
    report.groups = {{0, {"first", "second"}, 900.0, 50.0, {loop, store, leaf}}};
    report.buffers = {{50, 4.0, false, 6.0, std::nullopt}, {100, 4.0, true, 4.0, 8.0}};
    report.mapping = "store DRAM: A\n";
    return report;
}

TEST(FusionReports, SayGroupsCostsAndWorth) {
    const std::string text = fusion_text(sample());
    EXPECT_THAT(text, HasSubstr("two on m: 2 einsums in 1 group\n"));
    EXPECT_THAT(text, HasSubstr("m by 2"));
    EXPECT_THAT(text, HasSubstr("proven: no fused mapping of the space has a lower energy"));
    EXPECT_THAT(text, HasSubstr("in between"));
    FusionReport open = sample();
    open.proven = false;
    open.bound = 800.0;
    EXPECT_THAT(fusion_text(open), HasSubstr("energy in [800.0 pJ, 900.0 pJ]"));
}

TEST(FusionReports, AreReadBackAsTheyWere) {
    const views::Document document = documents::read_document(fusion_json(sample()), "report.json");
    const std::vector<views::Figure> figures = fusion_figures(sample());
    ASSERT_EQ(document.figures.size(), figures.size());
    ASSERT_EQ(figures.size(), 5U);
    for (std::size_t i = 0; i < figures.size(); ++i) EXPECT_EQ(document.figures[i].chart, figures[i].chart) << i;
}

// A cycle of 2 pJ makes both points cost 1,000: up to there the first is the cheapest, from there on the second.
TEST(FusionReports, AFrontSaysWhereEachPointIsTheCheapest) {
    FusionReport front = sample();
    front.front = {{900.0, 50.0, 1, true, 0.0, 2.0, "store DRAM: A\n"}, {960.0, 20.0, 2, true, 2.0, std::nullopt, "b"}};
    front.lines = {{0.0, 900.0}, {2.0, 1000.0}, {std::nullopt, 20.0}};
    const std::string text = fusion_text(front);
    EXPECT_THAT(text, testing::ContainsRegex("1 +900.0 pJ +50 +4.500e.04 +1 +up to 2.* pJ +above"));
    EXPECT_THAT(text, testing::ContainsRegex("2 +960.0 pJ +20 +1.920e.04 +2 +2.* pJ and more"));
    EXPECT_THAT(text, HasSubstr("proven: whatever a cycle costs, no fused mapping is cheaper than the front"));
    const auto plane = std::get<plot::Plane>(fusion_figures(front)[2].chart);
    ASSERT_EQ(plane.series.size(), 2U);
    ASSERT_EQ(plane.series[1].marks.size(), 2U);
    EXPECT_DOUBLE_EQ(plane.series[1].marks[0].x, 50.0);
    EXPECT_DOUBLE_EQ(plane.series[1].marks[0].y, 900e-12);
    EXPECT_DOUBLE_EQ(plane.series[1].marks[1].x, 20.0);
    EXPECT_DOUBLE_EQ(plane.series[1].marks[1].y, 960e-12);
    const views::Document document = documents::read_document(fusion_json(front), "report.json");
    EXPECT_EQ(document.figures[2].chart, fusion_figures(front)[2].chart);
    front.proven = false;
    front.gap = 0.004;
    EXPECT_THAT(fusion_text(front), HasSubstr("cheaper than the front by more than 0.4000 %"));
}

const views::Card& card_named(const views::Headline& headline, const std::string& name) {
    return *std::ranges::find(headline.cards, name, &views::Card::name);
}

TEST(FusionReports, APageBeginsWithWhatIsQuoted) {
    FusionReport both = sample();
    both.ways.push_back({kUnfused, 1200.0, 50.0, 100.0, {}});
    const views::Headline headline = fusion_headline(both);
    EXPECT_EQ(headline.title, "two on m: 2 einsums in 1 group");
    EXPECT_EQ(card_named(headline, "Energy").about, "-25.0 % against no fusion");
    EXPECT_EQ(card_named(headline, "Peak of buffer").about, "70.0 % of 100");
    EXPECT_EQ(card_named(headline, "Proof").value, "optimal");
    EXPECT_EQ(headline.tables.size(), 3U);
    both.proven = false;
    both.bound = 810.0;
    EXPECT_EQ(card_named(fusion_headline(both), "Proof").value, "within 10.0 %");
    const views::Document read = documents::read_document(fusion_json(sample()), "report.json");
    EXPECT_EQ(read.headlines.front().title, headline.title);
}

// A kind of row has one colour in the pictures of all groups.
TEST(FusionReports, GroupsShareTheirColours) {
    FusionReport two = sample();
    two.groups.push_back({2, {"third", "fourth"}, 1.0, 1.0, {line(FusionLineKind::leaf, "third", 2, 2)}});
    const std::vector<views::Figure> figures = fusion_figures(two);
    const auto first = std::get<plot::Blocks>(figures[figures.size() - 2].chart);
    const auto second = std::get<plot::Blocks>(figures.back().chart);
    EXPECT_EQ(first.kinds, second.kinds);
    EXPECT_EQ(first.blocks.back().kind, second.blocks.back().kind);
}

TEST(FusionReports, SpansOutsideTheirGroupAreRefused) {
    FusionReport wrong = sample();
    wrong.groups[0].lines[1].last = 2;
    EXPECT_THROW(documents::read_document(fusion_json(wrong), "report.json"), InputError);
}

// Buffer contents during an einsum are stacked.
TEST(FusionReports, TheBufferIsDrawnEinsumByEinsum) {
    const auto blocks = std::get<plot::Blocks>(fusion_figures(sample())[3].chart);
    ASSERT_EQ(blocks.blocks.size(), 3U);
    EXPECT_EQ(blocks.blocks[2].low, 60.0);
    EXPECT_EQ(blocks.blocks[2].high, 70.0);
}

TEST(FusionReports, ARowIsOneActionOfATensor) {
    EXPECT_EQ(fusion_csv(sample()),
              "network,architecture,objective,mapping,memory,tensor,role,action,words\n"
              "two,m,energy,fused,DRAM,A,input,read,3\ntwo,m,energy,fused,DRAM,A,input,update,1\n");
    EXPECT_THAT(buffers_csv(sample()), HasSubstr("two,m,50,4,false,6,\ntwo,m,100,4,true,4,8\n"));
}

TEST(FusionReports, EinsumsThatNothingIsFusedWithShareARow) {
    FusionReport report = sample();
    for (std::int64_t i = 2; i < 500; ++i) report.groups.push_back({i, {"e" + std::to_string(i)}, 1e6, 10.0, {}});
    report.groups.push_back({500, {"x", "y"}, 1e6, 10.0, {}});
    const std::string text = fusion_summary(report);
    EXPECT_THAT(text, testing::ContainsRegex("e2 .. e499 +498 +498.0 uJ +4,980 +each by itself"));
    EXPECT_LT(std::ranges::count(text, '\n'), 20);
    for (std::int64_t i = 501; i < 1000; i += 2) report.groups.push_back({i, {"a", "b"}, 1e6, 10.0, {}});
    EXPECT_THAT(fusion_summary(report), HasSubstr("and 214 more"));
    EXPECT_LT(std::ranges::count(fusion_summary(report), '\n'), 60);
}

}  // namespace
}  // namespace tilewright::report::search_test
