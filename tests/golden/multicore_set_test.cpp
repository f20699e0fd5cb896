// SET's account against its recorded runs: all that lies between cores.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "multicore/set/account.hpp"
#include "multicore/set/plans.hpp"
#include "multicore/set/problem.hpp"
#include "multicore/set/read.hpp"

namespace tilewright {
namespace {

using namespace multicore;

struct Compared {
    int figures = 0;
    int wrong = 0;
};

void compare(const set::Node& node, const set::Figures& got, Compared& seen) {
    const set::Figures& want = node.recorded;
    const auto check = [&](bool same) {
        ++seen.figures;
        seen.wrong += same ? 0 : 1;
    };
    check(got.hops == want.hops);
    check(got.dram_words == want.dram_words);
    check(got.busiest_link == want.busiest_link);
    if (!node.is_leaf) {
        check(got.cycles == want.cycles);
        return;
    }
    for (std::size_t b = 0; b < 3; ++b)
        check(got.buffers[b].most == want.buffers[b].most &&
              fmt::format("{:.6g}", got.buffers[b].mean) == fmt::format("{:.6g}", want.buffers[b].mean));
}

struct SetRun {
    std::vector<set::Layer> layers;
    set::Machine machine;
    set::Tree tree;
};

SetRun read_run(const std::filesystem::path& scheme) {
    const std::filesystem::path folder = scheme.parent_path();
    const yaml::Node run = yaml::parse_file(folder / "run.json");
    const std::filesystem::path net = folder.parent_path() / ("net_" + run.at("network").text() + ".jsonl");
    SetRun read{set::read_layers(read_file(net), net.string()), set::read_machine(run), {}};
    read.tree = set::read_tree(read_file(scheme), read.layers, scheme.string());
    return read;
}

TEST(MulticoreSet, EveryRecordedFigure) {
    const std::filesystem::path folder = "../shared/golden/multicore/set";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "skipped: there is no folder " << folder;
    Compared seen;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (!entry.path().string().ends_with(".scheme.txt")) continue;
        const SetRun run = read_run(entry.path());
        const Compared before = seen;
        const auto got = set::count(run.layers, run.machine, run.tree, set::kPublished);
        for (std::size_t n = 0; n < run.tree.size(); ++n) compare(run.tree[n], got[n], seen);
        EXPECT_EQ(seen.wrong, before.wrong) << entry.path();
    }
    EXPECT_GE(seen.figures, 9848);
}

// Trees that are plans of the space as they stand: back as trees they have the same words, and exact counts have none
// that boxes do not.
TEST(MulticoreSet, TreesThatArePlans) {
    const std::filesystem::path folder = "../shared/golden/multicore/set";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "skipped: there is no folder " << folder;
    int compared = 0;
    int refused = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (!entry.path().string().ends_with(".scheme.txt")) continue;
        const SetRun run = read_run(entry.path());
        const std::int64_t rounds = set::rounds_of(run.tree);
        try {
            const package::Package package = set::package_of(run.machine);
            const Cascade cascade =
                set::cascade_of(run.layers, run.machine.batch / rounds, rounds, set::order_of(run.tree));
            const Problem problem(cascade, package);
            const package::Network network(package);
            LaneLeaves leaves(problem);
            const Evaluator evaluator(problem, network, leaves);
            const set::Expressed made = set::plan_of(run.tree, evaluator);
            const Evaluated cost = evaluator.plan(made.plan);
            ASSERT_TRUE(cost) << entry.path();
            if (rounds > 1 || !made.departures.empty()) continue;
            ++compared;
            const set::ExpressedTree back = set::tree_of(made.plan, run.layers, run.machine, evaluator);
            const set::Figures here = set::count(run.layers, run.machine, run.tree, {}).front();
            const set::Figures there = set::count(run.layers, run.machine, back.tree, {}).front();
            EXPECT_EQ(there.hops, here.hops) << entry.path();
            EXPECT_EQ(there.dram_words, here.dram_words) << entry.path();
            EXPECT_LE(cost.cost.counts.dram_reads + cost.cost.counts.dram_writes, here.dram_words) << entry.path();
            EXPECT_LE(cost.cost.energy.links, 5.6 * static_cast<double>(here.hops)) << entry.path();
        } catch (const InputError& error) {
            EXPECT_EQ(error.code(), ErrorCode::unsupported) << entry.path() << ": " << error.message();
            ++refused;
        }
    }
    EXPECT_GE(compared, 5);
    EXPECT_EQ(refused, 12);  // bert, gpt_decode, 8 x 8 cores: four trees each
}

// Two images of one layer whose root runs it twice: weights come twice, the published account has them once.
TEST(MulticoreSet, MendedWeights) {
    const auto layers = set::read_layers(
        R"({"name":"a","type":"conv","out":[4,2,2],"in":[3,2,2],"in_padded":[3,2,2],"kernel":[1,1],"stride":[1,1],"groups":1,"terms":1,"weights":12,"permute":[0,1,2],"outside_channels":3,"from":[],"weights_from":[]})",
        "net");
    const set::Machine machine{1, 1, 1, 1, 2};
    const auto tree = set::read_tree(
        "T 2/2 E:1, T:8, NoC(hops=0, DRAM acc=0) Buffer(max=0, avg=0) Buffer(max=0, avg=0) Buffer(max=0, avg=0) Max "
        "NoC: 0\n"
        "\ta 1 (K:1,B:1,H:1,W:1) E:1, T:4, NoC(hops=0, DRAM acc=0) Buffer(max=0, avg=0) Buffer(max=0, avg=0) "
        "Buffer(max=0, avg=0) Max NoC: 0\n",
        layers, "tree");
    const auto published = set::count(layers, machine, tree, set::kPublished);
    const auto mended = set::count(layers, machine, tree, {});
    EXPECT_EQ(published[0].dram_words, 2 * (12 / 2 + 12 + 16));
    EXPECT_EQ(mended[0].dram_words, 2 * (12 + 12 + 16));
}

}  // namespace
}  // namespace tilewright
