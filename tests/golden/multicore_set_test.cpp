// SET's account against its recorded runs: all that lies between cores.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "base/files/file.hpp"
#include "multicore/set/account.hpp"
#include "multicore/set/read.hpp"

namespace tilewright {
namespace {

using namespace multicore;

struct Compared {
    int figures = 0;
    int wrong = 0;
};

void compare(const multicore::set::Node& node, const multicore::set::Figures& got, Compared& seen) {
    const multicore::set::Figures& want = node.recorded;
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
    std::vector<multicore::set::Layer> layers;
    multicore::set::Machine machine;
    multicore::set::Tree tree;
};

SetRun read_run(const std::filesystem::path& scheme) {
    const std::filesystem::path folder = scheme.parent_path();
    const yaml::Node run = yaml::parse_file(folder / "run.json");
    const std::filesystem::path net = folder.parent_path() / ("net_" + run.at("network").text() + ".jsonl");
    SetRun read{multicore::set::read_layers(read_file(net), net.string()), multicore::set::read_machine(run), {}};
    read.tree = multicore::set::read_tree(read_file(scheme), read.layers, scheme.string());
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
        const auto got = multicore::set::count(run.layers, run.machine, run.tree, multicore::set::kPublished);
        for (std::size_t n = 0; n < run.tree.size(); ++n) compare(run.tree[n], got[n], seen);
        EXPECT_EQ(seen.wrong, before.wrong) << entry.path();
    }
    EXPECT_GE(seen.figures, 9848);
}

// Two images of one layer whose root runs it twice: weights come twice, the published account has them once.
TEST(MulticoreSet, MendedWeights) {
    const auto layers = multicore::set::read_layers(
        R"({"name":"a","type":"conv","out":[4,2,2],"in":[3,2,2],"in_padded":[3,2,2],"kernel":[1,1],"stride":[1,1],"groups":1,"terms":1,"weights":12,"permute":[0,1,2],"outside_channels":3,"from":[],"weights_from":[]})",
        "net");
    const multicore::set::Machine machine{1, 1, 1, 1, 2};
    const auto tree = multicore::set::read_tree(
        "T 2/2 E:1, T:8, NoC(hops=0, DRAM acc=0) Buffer(max=0, avg=0) Buffer(max=0, avg=0) Buffer(max=0, avg=0) Max "
        "NoC: 0\n"
        "\ta 1 (K:1,B:1,H:1,W:1) E:1, T:4, NoC(hops=0, DRAM acc=0) Buffer(max=0, avg=0) Buffer(max=0, avg=0) "
        "Buffer(max=0, avg=0) Max NoC: 0\n",
        layers, "tree");
    const auto published = multicore::set::count(layers, machine, tree, multicore::set::kPublished);
    const auto mended = multicore::set::count(layers, machine, tree, {});
    EXPECT_EQ(published[0].dram_words, 2 * (12 / 2 + 12 + 16));
    EXPECT_EQ(mended[0].dram_words, 2 * (12 + 12 + 16));
}

}  // namespace
}  // namespace tilewright
