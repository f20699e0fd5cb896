// Conservation and order of the mesh network under random traffic, and oracle-free laws.
#include "sim/noc/network.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "base/numbers/random.hpp"

namespace tilewright::sim::network_test {
namespace {

RouterOptions random_options(Random& random) {
    RouterOptions options;
    options.virtual_channels = static_cast<int>(random.between(1, 4));
    options.buffer_flits = static_cast<int>(random.between(1, 9));
    options.lookahead = random.chance(0.5);
    options.speculative = random.chance(0.3);
    options.wait_for_tail_credit = random.chance(0.3);
    options.hold_switch = random.chance(0.3);
    options.credit_cycles = static_cast<int>(random.below(5));
    if (random.chance(0.3)) options.virtual_channel_matching = Matching::separable_input_first;
    if (random.chance(0.3)) options.switch_matching = Matching::separable_input_first;
    return options;
}

Message random_message(Random& random, const Mesh& mesh, const RouterOptions& options, std::uint64_t tag) {
    Message message;
    message.source = static_cast<int>(random.below(static_cast<std::uint64_t>(mesh.nodes())));
    message.tag = tag;
    const bool multicast = random.chance(0.3);
    message.flits = static_cast<int>(random.between(1, multicast ? options.buffer_flits : 12));
    const auto other = [&] { return static_cast<int>(random.below(static_cast<std::uint64_t>(mesh.nodes()))); };
    message.destinations = {other()};
    for (int node = 0; multicast && node < mesh.nodes(); ++node) {
        if (node != message.destinations.front() && random.chance(0.4)) message.destinations.push_back(node);
    }
    return message;
}

/// Runs until idle; fails if the network stops moving.
std::vector<Arrival> drain(Network& network, Cycle limit = 200000) {
    std::vector<Arrival> all;
    const Cycle end = network.now() + limit;
    while (!network.idle() && network.now() < end) {
        network.step();
        all.insert(all.end(), network.arrivals().begin(), network.arrivals().end());
    }
    EXPECT_TRUE(network.idle()) << "nothing moves";
    return all;
}

/// Every message arrived once at each destination.
void expect_delivered(const std::vector<Message>& sent, const std::vector<Arrival>& arrivals) {
    std::map<std::pair<std::uint64_t, int>, int> times;
    for (const Arrival& arrival : arrivals) ++times[{arrival.tag, arrival.node}];
    std::size_t expected = 0;
    for (const Message& message : sent) {
        expected += message.destinations.size();
        for (const int node : message.destinations)
            EXPECT_EQ((times[{message.tag, node}]), 1) << "packet " << message.tag;
    }
    EXPECT_EQ(arrivals.size(), expected);
}

TEST(Network, DeliversEverythingOnceAndGetsItsCreditsBack) {
    int packets = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        Random random(seed);
        const Mesh mesh{static_cast<int>(random.between(1, 5)), static_cast<int>(random.between(1, 5))};
        const RouterOptions options = random_options(random);
        Network network(mesh, options);
        std::vector<Message> sent;
        std::vector<Arrival> arrivals;
        const double load = random.unit();
        for (int cycle = 0; cycle < 200; ++cycle) {
            while (random.chance(load * 0.6)) {
                sent.push_back(random_message(random, mesh, options, sent.size()));
                ASSERT_EQ(problem_with(mesh, options, sent.back()), "");
                network.send(sent.back());
            }
            network.step();
            arrivals.insert(arrivals.end(), network.arrivals().begin(), network.arrivals().end());
        }
        const std::vector<Arrival> rest = drain(network);
        arrivals.insert(arrivals.end(), rest.begin(), rest.end());
        expect_delivered(sent, arrivals);
        EXPECT_TRUE(network.at_rest()) << "seed " << seed;
        packets += static_cast<int>(sent.size());
    }
    EXPECT_GE(packets, 10000);
}

// A tree uses every link of its routes' union once per flit.
TEST(Network, MulticastCrossesEveryLinkOnce) {
    const Mesh mesh{4, 4};
    Network network(mesh, {.virtual_channels = 1, .buffer_flits = 5});
    std::vector<int> everyone(16);
    std::iota(everyone.begin(), everyone.end(), 0);
    network.send({.source = 5, .destinations = everyone, .flits = 5, .tag = 0});
    drain(network);
    std::int64_t crossings = 0;
    for (int node = 0; node < 16; ++node) {
        for (int port = 0; port < index_of(Port::local); ++port) crossings += network.flits_through(node, port);
    }
    EXPECT_EQ(crossings, 15 * 5);
}

// Cycles from a packet's entry into an idle network until its last flit is out, over `routers` routers.
std::int64_t idle_latency(const RouterOptions& options, int routers, int flits) {
    const int cycles_per_router = 5 - (options.lookahead ? 1 : 0) - (options.speculative ? 1 : 0);
    constexpr int kLinksOfTerminals = 2;
    return static_cast<std::int64_t>(cycles_per_router) * routers + kLinksOfTerminals + flits - 1;
}

TEST(Network, AnEmptyMeshHasTheLatencyOfItsPipeline) {
    for (const bool lookahead : {false, true}) {
        for (const bool speculative : {false, true}) {
            const RouterOptions options{.lookahead = lookahead, .speculative = speculative};
            const Mesh mesh{5, 3};
            Network network(mesh, options);
            for (int from = 0; from < mesh.nodes(); ++from) {
                for (int to = 0; to < mesh.nodes(); ++to) {
                    network.send({.source = from, .destinations = {to}, .flits = 4, .tag = 0});
                    const Arrival arrival = drain(network).at(0);
                    EXPECT_EQ(arrival.tail - arrival.created, idle_latency(options, mesh.routers_between(from, to), 4));
                }
            }
        }
    }
}

TEST(Network, MulticastWithoutContentionReachesEachAsAUnicastWould) {
    const Mesh mesh{4, 4};
    const RouterOptions options{.virtual_channels = 1, .buffer_flits = 5};
    Network network(mesh, options);
    network.send({.source = 9, .destinations = {0, 3, 6, 9, 12, 15}, .flits = 5, .tag = 0});
    for (const Arrival& arrival : drain(network)) {
        EXPECT_EQ(arrival.tail, idle_latency(options, mesh.routers_between(9, arrival.node), 5)) << arrival.node;
    }
}

TEST(Network, RefusesWhatItCannotCarry) {
    const Mesh mesh{2, 2};
    const RouterOptions options{.buffer_flits = 4};
    EXPECT_NE(problem_with(mesh, options, {.source = 4, .destinations = {0}}), "");
    EXPECT_NE(problem_with(mesh, options, {.source = 0, .destinations = {}}), "");
    EXPECT_NE(problem_with(mesh, options, {.source = 0, .destinations = {-1}}), "");
    EXPECT_NE(problem_with(mesh, options, {.source = 0, .destinations = {1, 1}}), "");
    EXPECT_NE(problem_with(mesh, options, {.source = 0, .destinations = {1}, .flits = 0}), "");
    EXPECT_NE(problem_with(mesh, options, {.source = 0, .destinations = {1, 2}, .flits = 5}), "");
    EXPECT_EQ(problem_with(mesh, options, {.source = 0, .destinations = {1}, .flits = 5}), "");
    EXPECT_NE(problem_with(RouterOptions{.virtual_channels = 13}), "");
    EXPECT_NE(problem_with(RouterOptions{.buffer_flits = 0}), "");
    EXPECT_NE(problem_with(RouterOptions{.credit_cycles = 5}), "");
}

}  // namespace
}  // namespace tilewright::sim::network_test
