// What contention inside a slot costs beyond the rule of time of plans on packages (docs/packages-of-cores.md, rule 4).
//
//     package_replay [PLANS [SEED]]
//
// Drawn plans of chains of products on meshes with a core at each router but one, which has the DRAM. All links take a
// word a cycle, and their latencies are those of the empty network. Every slot's words, as the walking judge sends
// them, are handed to sim/noc at once, in packets of at most four words; the slot ends when the last word arrives.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "oracle/package_walk.hpp"
#include "random_package.hpp"
#include "sim/noc/network.hpp"
#include "workload/cascade/text.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::property;

constexpr int kPacketWords = 4;
const sim::RouterOptions kRouter{
    .virtual_channels = 4, .buffer_flits = 8, .lookahead = true, .speculative = true, .wait_for_tail_credit = false};

sim::Cycle arrival_of_last(sim::Network& network) {
    sim::Cycle last = 0;
    while (!network.idle()) {
        network.step();
        for (const sim::Arrival& arrival : network.arrivals()) last = std::max(last, arrival.tail);
    }
    return last;
}

// Of one word over so many links between routers, in the empty network.
sim::Cycle alone(int links) {
    sim::Network network({.columns = links + 1, .rows = 1}, kRouter);
    network.send({.source = 0, .destinations = {links}, .flits = 1});
    return arrival_of_last(network);
}

PackageProblem draw(Random& random) {
    PackageProblem problem;
    const auto n = [&] { return std::to_string(random.between(4, 12)); };
    problem.text = "size m=" + n() + ", a=" + n() + ", b=" + n() + ", c=" + n() +
                   ";\none: B[m,b] += A[m,a] * V[a,b];\ntwo: C[m,c] += B[m,b] * W[b,c];\n";
    problem.cascade = parse_cascade(problem.text, {}, "drawn");
    package::Package& package = problem.package;
    package.columns = static_cast<int>(random.between(2, 4));
    package.rows = static_cast<int>(random.between(2, 3));
    package.chiplet_columns = package.columns;
    package.chiplet_rows = package.rows;
    const sim::Cycle hop = alone(2) - alone(1);
    package.link = package.d2d = {1.0, 1.0, hop};
    package.local = {1.0, 0.0, (alone(1) - hop) / 2};
    package::CoreKind kind;
    kind.name = "wide";
    kind.buffer_words = 1'000'000;
    for (const char* dimension : {"m", "a", "b", "c"}) kind.lanes[dimension] = 16;
    package.kinds.push_back(kind);
    for (int y = 0; y < package.rows; ++y)
        for (int x = 0; x < package.columns; ++x)
            if (x + 1 < package.columns || y + 1 < package.rows) package.cores.push_back({{x, y}, 0});
    // Reads and writes together: its two links decide before it does.
    package.drams.push_back({{package.columns - 1, package.rows - 1}, 2.0, 1.0, 1.0});
    return problem;
}

bool has_ring(const package::Plan& plan) {
    for (const package::Run& run : plan.runs)
        for (const package::Stage& stage : run.stages)
            if (stage.sums.way == package::Sums::Way::ring) return true;
    return false;
}

// The sources' packets take turns, as words of one multicast do.
sim::Cycle replayed(const package::Package& package, const std::vector<const oracle::PackageSend*>& sends) {
    const sim::Mesh mesh{package.columns, package.rows};
    const auto node = [&](int number) {
        const package::Place at =
            number < package.core_count() ? package.cores[number].at : package.drams[number - package.core_count()].at;
        return mesh.node(at.x, at.y);
    };
    std::map<std::pair<int, std::vector<int>>, std::int64_t> left;
    for (const oracle::PackageSend* send : sends) {
        std::vector<int> to;
        for (const int one : send->to) to.push_back(node(one));
        std::ranges::sort(to);
        left[{node(send->from), to}] += send->words;
    }
    sim::Network network(mesh, kRouter);
    for (bool more = true; more;) {
        more = false;
        for (auto& [route, words] : left) {
            if (words == 0) continue;
            const auto flits = static_cast<int>(std::min<std::int64_t>(words, kPacketWords));
            network.send({.source = route.first, .destinations = route.second, .flits = flits});
            words -= flits;
            more = true;
        }
    }
    return arrival_of_last(network);
}

struct Bin {
    std::int64_t least = 0;  ///< cycles by the rule
    std::vector<double> ratios;
    double rule = 0.0;
    double simulated = 0.0;
};

void print(const Bin& bin) {
    std::vector<double> ratios = bin.ratios;
    if (ratios.empty()) return;
    std::ranges::sort(ratios);
    const auto at = [&](double share) {
        return ratios[static_cast<std::size_t>(share * static_cast<double>(ratios.size() - 1))];
    };
    std::printf("| %lld | %zu | %.3f | %.3f | %.3f | %.3f |\n", static_cast<long long>(bin.least), ratios.size(),
                bin.simulated / bin.rule, at(0.5), at(0.9), ratios.back());
}

}  // namespace

int main(int argc, char** argv) {
    const int plans = argc > 1 ? std::atoi(argv[1]) : 300;
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    std::vector<Bin> bins{{0, {}}, {32, {}}, {64, {}}, {128, {}}};
    int legal = 0;
    for (int i = 0; i < plans; ++i) {
        Random random(Random::split(seed, static_cast<std::uint64_t>(i)));
        const PackageProblem problem = draw(random);
        const package::Plan plan = random_package_plan(random, problem);
        if (has_ring(plan)) continue;  // its sends follow one another
        const oracle::PackageWalk walk = oracle::walk_package(problem.cascade, problem.package, plan.runs);
        if (!walk.refused.empty()) continue;
        ++legal;
        std::map<std::pair<int, int>, std::vector<const oracle::PackageSend*>> by_slot;
        for (const oracle::PackageSend& send : walk.sent) by_slot[{send.run, send.slot}].push_back(&send);
        for (const auto& [slot, sends] : by_slot) {
            const auto rule = static_cast<double>(walk.slots[slot.first][slot.second + 1]);
            const auto simulated = static_cast<double>(replayed(problem.package, sends));
            const auto bin = std::ranges::find_if(
                bins.rbegin(), bins.rend(), [&](const Bin& one) { return rule >= static_cast<double>(one.least); });
            bin->ratios.push_back(simulated / rule);
            bin->rule += rule;
            bin->simulated += simulated;
        }
    }
    std::printf("%d plans; a hop takes %lld cycles\n| cycles from | slots | all | median | 90 %% | most |\n", legal,
                static_cast<long long>(alone(2) - alone(1)));
    for (const Bin& bin : bins) print(bin);
    return 0;
}
