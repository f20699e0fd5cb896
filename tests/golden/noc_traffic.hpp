// Synthetic traffic on a mesh, and what it meets: latency over load.
//
// Open loop: every node makes packets at a rate of its own, however full the network is. Closed loop: every node keeps
// at most so many packets outstanding. Deterministic by seed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/stop.hpp"
#include "sim/noc/network.hpp"

namespace tilewright::sim {

enum class Pattern : std::uint8_t {
    uniform,    ///< any node, the source included
    transpose,  ///< (x, y) to (y, x); a square mesh
    bitcomp,    ///< node i to node n - 1 - i
    neighbor,   ///< one further in both dimensions, around the edge
    hotspot,    ///< all to the last node
};

std::optional<Pattern> pattern_named(std::string_view name);

struct Traffic {
    Pattern pattern = Pattern::uniform;
    int packet_flits = 1;
    double flits_per_node_cycle = 0.1;  ///< offered; open loop
    int outstanding = 0;                ///< packets per node; above 0 the loop is closed, and the rate does not matter
    std::uint64_t seed = 1;
};

/// Counts of latencies: [0, 2), [2, 4), [4, 8), ... cycles.
class Histogram {
   public:
    void add(Cycle latency);
    const std::vector<std::int64_t>& counts() const { return counts_; }
    std::int64_t total() const { return total_; }
    double mean() const { return total_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(total_); }
    Cycle longest() const { return longest_; }

   private:
    std::vector<std::int64_t> counts_;
    std::int64_t total_ = 0;
    std::int64_t sum_ = 0;
    Cycle longest_ = 0;
};

struct TrafficResult {
    Histogram latency;  ///< from creation to the exit of the tail, of the packets made while measuring
    double accepted_flits_per_node_cycle = 0.0;
    std::vector<double> link_utilisation;  ///< [node * kPorts + port] flits per cycle while measuring
    bool complete = true;                  ///< every measured packet arrived before the patience ended
    bool interrupted = false;
};

struct Measurement {
    Cycle warm_up_cycles = 6000;
    Cycle cycles = 20000;
    Cycle patience_cycles = 20000;  ///< for measured packets to arrive afterwards
};

/// Requires problem_with(options).empty(), a positive packet length and a rate of at most one flit per node and cycle.
TrafficResult run_traffic(const Mesh& mesh, const RouterOptions& options, const Traffic& traffic,
                          const Measurement& measurement, const StopSource* stop = nullptr);

}  // namespace tilewright::sim
