// Our network against recorded runs of BookSim 2: every packet of every trace in the same cycles.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "booksim_router.hpp"
#include "sim/noc/network.hpp"

namespace tilewright::golden::booksim_traces_test {
namespace {

struct TracePacket {
    sim::Cycle created = 0;
    sim::Message message;
};
using Trace = std::vector<TracePacket>;

std::map<std::string, Trace> traffic() {
    std::ifstream file("tests/golden/noc/booksim_traffic.txt");
    std::map<std::string, Trace> traces;
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        TracePacket packet;
        char mark = 0;
        int destination = 0;
        while (words >> packet.created >> mark >> packet.message.source >> mark >> destination >> mark >>
               packet.message.flits) {
            packet.message.destinations = {destination};
            packet.message.tag = traces[name].size();
            traces[name].push_back(packet);
        }
    }
    return traces;
}

std::vector<sim::Arrival> replay(const sim::RouterOptions& options, const Trace& trace) {
    sim::Network network({4, 4}, options);
    std::vector<sim::Arrival> arrivals(trace.size());
    std::size_t next = 0;
    while (next < trace.size() || !network.idle()) {
        if (network.idle()) network.skip_to(trace[next].created);
        for (; next < trace.size() && trace[next].created == network.now(); ++next) network.send(trace[next].message);
        network.step();
        for (const sim::Arrival& arrival : network.arrivals()) arrivals[arrival.tag] = arrival;
    }
    EXPECT_TRUE(network.at_rest());
    return arrivals;
}

/// What booksim_traces.csv has of a trace.
std::string sums(const std::vector<sim::Arrival>& arrivals) {
    sim::Cycle inject = 0;
    sim::Cycle head = 0;
    sim::Cycle tail = 0;
    sim::Cycle weighted = 0;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
        const sim::Arrival& a = arrivals[i];
        inject += a.injected;
        head += a.head;
        tail += a.tail;
        weighted += static_cast<sim::Cycle>(i + 1) * (a.injected + 3 * a.head + 7 * a.tail + 11 * a.virtual_channel);
    }
    std::ostringstream text;
    text << arrivals.size() << ',' << inject << ',' << head << ',' << tail << ',' << weighted;
    return text.str();
}

TEST(BookSim, EveryPacketOfEveryTraceInTheSameCycles) {
    const std::map<std::string, Trace> traces = traffic();
    ASSERT_EQ(traces.size(), 20U);
    std::ifstream file("tests/golden/noc/booksim_traces.csv");
    std::string line;
    std::getline(file, line);
    int compared = 0;
    while (std::getline(file, line)) {
        const std::string router = line.substr(0, line.find(','));
        const std::size_t name_at = router.size() + 1;
        const std::string name = line.substr(name_at, line.find(',', name_at) - name_at);
        const std::string expected = line.substr(name_at + name.size() + 1);
        EXPECT_EQ(sums(replay(booksim_router(router), traces.at(name))), expected) << router << ' ' << name;
        ++compared;
    }
    EXPECT_EQ(compared, 280);
}

}  // namespace
}  // namespace tilewright::golden::booksim_traces_test
