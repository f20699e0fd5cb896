#include "maestro/mapper/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "maestro/mapper/genome.hpp"

namespace tilewright::dataflow::search_test {
namespace {

Layer conv(std::int64_t k, std::int64_t c, std::int64_t y, std::int64_t r, std::int64_t stride = 1) {
    Layer layer;
    layer.name = "conv";
    layer.extents[Axis::K] = k;
    layer.extents[Axis::C] = c;
    layer.extents[Axis::Y] = layer.extents[Axis::X] = y;
    layer.extents[Axis::R] = layer.extents[Axis::S] = r;
    layer.stride[Axis::Y] = layer.stride[Axis::X] = stride;
    return layer;
}

Layer depthwise() {
    Layer layer = conv(0, 12, 9, 3);
    layer.type = LayerType::depthwise;
    return layer;
}

Layer matrix_product() {
    Layer layer;
    layer.name = "gemm";
    layer.type = LayerType::gemm;
    layer.extents[Axis::M] = 6;
    layer.extents[Axis::N] = 10;
    layer.extents[Axis::K] = 7;
    return layer;
}

std::vector<Layer> some_layers() {
    return {conv(6, 4, 10, 3), conv(5, 3, 11, 3, 2), conv(16, 8, 7, 1), depthwise(), matrix_product()};
}

Hardware machine(std::int64_t units) {
    Hardware hardware;
    hardware.units = units;
    hardware.noc_bytes_per_cycle = 4;
    return hardware;
}

// Nearly all genomes of a search are legal and covered: the source of its speed.
TEST(Genome, IsLegalAfterAnyChange) {
    int legal = 0;
    int all = 0;
    for (const Layer& layer : some_layers()) {
        const Hardware hardware = machine(24);
        const auto judge = exact_judge(layer, hardware);
        const GenomeSpace space = genome_space(problem_of(layer), hardware.units, true);
        Random random(5);
        Genome other = random_genome(space, random);
        for (int i = 0; i < 200; ++i) {
            Genome genome = random_genome(space, random);
            mutate_tile(genome, space, random);
            mutate_spatial(genome, space, random);
            mutate_clusters(genome, space, random);
            reorder(genome, space, random);
            grow(genome, space, random);
            age(genome, space, random);
            cross(genome, other, space, random);
            const Verdict verdict = judge->judge(dataflow_of(genome, space));
            if (verdict.counted && verdict.legal) {
                EXPECT_EQ(verdict.operations, operations_of(problem_of(layer)));
                ++legal;
            }
            ++all;
            other = genome;
        }
    }
    EXPECT_EQ(all, 1000);
    EXPECT_GT(legal, 900);
}

// All tiles, orders and spatial dimensions of one level and of two with one order and tiling for both.
std::vector<Genome> enumeration(const GenomeSpace& space) {
    std::vector<Genome> all;
    GenomeLevel level;
    std::vector<Axis> order = space.axes;
    std::sort(order.begin(), order.end());
    const auto add = [&](const auto& self, std::size_t at) -> void {
        if (at < order.size()) {
            level.genes.resize(at + 1);
            for (std::int64_t tile = 1; tile <= space.extents[order[at]]; ++tile) {
                level.genes[at] = {order[at], tile};
                self(self, at + 1);
                level.genes.resize(at + 1);
            }
            return;
        }
        for (const Axis axis : space.axes) {
            level.spatial = axis;
            for (std::int64_t clusters = 1; clusters <= space.units; ++clusters) {
                Genome genome{level, level};
                genome[1].clusters = clusters;
                if (clusters == 1) genome.pop_back();
                repair(genome, space);
                all.push_back(std::move(genome));
            }
        }
    };
    do {
        level.genes.clear();
        add(add, 0);
    } while (std::next_permutation(order.begin(), order.end()));
    return all;
}

TEST(DataflowSearch, IsNotWorseThanAnEnumeration) {
    Layer layer = conv(2, 4, 1, 1);
    layer.extents[Axis::X] = 3;
    const Hardware hardware = machine(4);
    const GenomeSpace space = genome_space(problem_of(layer), hardware.units, true);
    const auto judge = exact_judge(layer, hardware);
    std::vector<Verdict> verdicts;
    for (const Genome& genome : enumeration(space)) verdicts.push_back(judge->judge(dataflow_of(genome, space)));
    EXPECT_GT(verdicts.size(), 5000U);
    for (const char* text : {"latency", "energy", "edp"}) {
        DataflowSearch search;
        search.objective = parse_objective(text).value();
        search.evaluations = 3000;
        Score best;
        for (const Verdict& one : verdicts)
            if (one.counted && one.legal) best = std::min(best, search.objective.score(one.energy, one.cycles));
        const FoundDataflow found = search_dataflow(layer, hardware, *judge, search);
        ASSERT_TRUE(found.dataflow) << text;
        EXPECT_LE(found.score.value, best.value) << text;
        EXPECT_EQ(found.evaluations, 3000);
        EXPECT_FALSE(found.cut_short);
    }
}

TEST(DataflowSearch, IsTheSameOnAnyNumberOfThreads) {
    const Layer layer = conv(8, 6, 12, 3);
    const Hardware hardware = machine(20);
    for (const DataflowStrategy strategy : {DataflowStrategy::gamma, DataflowStrategy::anneal}) {
        DataflowSearch search;
        search.strategy = strategy;
        search.evaluations = 1500;
        search.threads = 1;
        const FoundDataflow one = search_dataflow(layer, hardware, *exact_judge(layer, hardware), search);
        search.threads = 5;
        const FoundDataflow five = search_dataflow(layer, hardware, *exact_judge(layer, hardware), search);
        ASSERT_TRUE(one.dataflow);
        EXPECT_EQ(one.score, five.score);
        EXPECT_EQ(one.dataflow->directives, five.dataflow->directives);
        EXPECT_EQ(one.evaluations, five.evaluations);
    }
}

TEST(DataflowSearch, KeepsBuffersWithinTheirLimits) {
    const Layer layer = conv(8, 6, 12, 3);
    Hardware hardware = machine(20);
    DataflowSearch search;
    search.objective = {.kind = ObjectiveKind::energy};
    search.evaluations = 3000;
    const FoundDataflow free = search_dataflow(layer, hardware, *exact_judge(layer, hardware), search);
    hardware.l1_bytes = 60;
    hardware.l2_bytes = 500;
    const FoundDataflow tight = search_dataflow(layer, hardware, *exact_judge(layer, hardware), search);
    ASSERT_TRUE(free.dataflow && tight.dataflow);
    EXPECT_LE(tight.verdict.l1_bytes, 60);
    EXPECT_LE(tight.verdict.l2_bytes, 500);
    EXPECT_LT(free.score.value, tight.score.value);
    hardware.l1_bytes = 5;  // less than twice an input, a weight and a sum
    EXPECT_FALSE(search_dataflow(layer, hardware, *exact_judge(layer, hardware), search).dataflow);
}

TEST(DataflowSearch, StoppedKeepsItsBest) {
    const Layer layer = conv(8, 6, 12, 3);
    const Hardware hardware = machine(20);
    StopSource stop;
    DataflowSearch search;
    search.strategy = DataflowStrategy::gamma;
    search.evaluations = 1'000'000'000;
    const auto progress = [&](const FoundDataflow& now) {
        if (now.dataflow) stop.request();
    };
    const FoundDataflow found =
        search_dataflow(layer, hardware, *exact_judge(layer, hardware), search, {&stop, {}}, progress);
    EXPECT_TRUE(found.dataflow);
    EXPECT_TRUE(found.cut_short);
    EXPECT_LT(found.evaluations, 100000);
}

// A start better than all found by few evaluations is the answer.
TEST(DataflowSearch, IsNotWorseThanItsStarts) {
    const Layer layer = conv(8, 6, 12, 3);
    const Hardware hardware = machine(20);
    DataflowSearch search;
    search.evaluations = 4000;
    const FoundDataflow good = search_dataflow(layer, hardware, *exact_judge(layer, hardware), search);
    ASSERT_TRUE(good.dataflow);
    search.evaluations = 3;
    search.seed = 77;
    search.starts = {*good.dataflow};
    const FoundDataflow found = search_dataflow(layer, hardware, *exact_judge(layer, hardware), search);
    EXPECT_LE(found.score, good.score);
    EXPECT_EQ(found.evaluations, 3);
}

// The public tool has numbers for incomplete dataflows; legal searches have none.
TEST(DataflowSearch, LegalOnesDoAllOperations) {
    const Layer layer = conv(8, 6, 12, 3);
    const Hardware hardware = machine(20);
    DataflowSearch search;
    search.objective = {.kind = ObjectiveKind::latency};
    search.evaluations = 3000;
    search.legal = false;
    const FoundDataflow any = search_dataflow(layer, hardware, *tool_judge(layer, hardware), search);
    search.legal = true;
    const FoundDataflow legal = search_dataflow(layer, hardware, *tool_judge(layer, hardware), search);
    ASSERT_TRUE(any.dataflow && legal.dataflow);
    EXPECT_TRUE(legal.verdict.legal);
    EXPECT_LE(any.score, legal.score);
}

}  // namespace
}  // namespace tilewright::dataflow::search_test
