// Latency over load, against BookSim 2. The random numbers are not the same, so the means agree within what sampling
// allows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "booksim_router.hpp"
#include "golden/noc_traffic.hpp"

namespace tilewright::golden::booksim_curves_test {
namespace {

struct Point {
    std::string router;
    std::string pattern;
    int packet_flits = 0;
    double offered = 0.0;
    double latency = 0.0;
    bool stable = false;

    std::string curve() const { return router + " " + pattern + " " + std::to_string(packet_flits); }
};

std::vector<Point> points() {
    std::ifstream file("tests/golden/noc/booksim_curves.csv");
    std::vector<Point> points;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream words(line);
        Point point;
        std::string latency;
        words >> point.router >> point.pattern >> point.packet_flits >> point.offered >> latency;
        point.stable = latency != "unstable";
        if (point.stable) point.latency = std::stod(latency);
        points.push_back(point);
    }
    return points;
}

sim::TrafficResult run(const Point& point) {
    sim::Traffic traffic;
    traffic.pattern = sim::pattern_named(point.pattern).value();
    traffic.packet_flits = point.packet_flits;
    traffic.flits_per_node_cycle = point.offered;
    return sim::run_traffic({4, 4}, booksim_router(point.router), traffic, {3000, 10000, 6000});
}

/// How far from the recorded mean we may be. At the least load it is a mean over a few hundred packets; near saturation
/// a small change of load is a large one of latency, and two samples of the same traffic differ.
double tolerance(const Point& point, double idle) {
    if (point.offered < 0.03) return 0.08;
    return point.latency < 1.25 * idle ? 0.05 : point.latency < 1.6 * idle ? 0.1 : 0.3;
}

TEST(BookSim, LatencyOverLoad) {
    const std::vector<Point> all = points();
    int compared = 0;
    double idle = 0.0;
    std::string curve;
    for (const Point& point : all) {
        if (point.curve() != curve) idle = point.latency;
        curve = point.curve();
        const sim::TrafficResult result = run(point);
        const double latency = result.latency.mean();
        if (!point.stable) {
            EXPECT_TRUE(!result.complete || latency > 4 * idle) << curve << " at " << point.offered << ": " << latency;
            continue;
        }
        if (point.latency > 2.0 * idle) continue;
        EXPECT_NEAR(latency, point.latency, tolerance(point, idle) * point.latency) << curve << " at " << point.offered;
        ++compared;
    }
    EXPECT_GE(compared, 300);
}

}  // namespace
}  // namespace tilewright::golden::booksim_curves_test
