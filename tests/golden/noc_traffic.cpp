#include "golden/noc_traffic.hpp"

#include <algorithm>
#include <bit>

#include "base/numbers/random.hpp"

namespace tilewright::sim {
namespace {

int destination_of(const Mesh& mesh, Pattern pattern, int source, Random& random) {
    switch (pattern) {
        case Pattern::uniform: return static_cast<int>(random.below(static_cast<std::uint64_t>(mesh.nodes())));
        case Pattern::transpose: return mesh.node(mesh.y(source), mesh.x(source));
        case Pattern::bitcomp: return mesh.nodes() - 1 - source;
        case Pattern::neighbor: return mesh.node((mesh.x(source) + 1) % mesh.columns, (mesh.y(source) + 1) % mesh.rows);
        case Pattern::hotspot: return mesh.nodes() - 1;
    }
    return source;
}

/// Makes packets, sends them, and keeps what it learns from arrivals.
class TrafficRun {
   public:
    TrafficRun(const Mesh& mesh, const RouterOptions& options, const Traffic& traffic)
        : network_(mesh, options),
          traffic_(traffic),
          random_(traffic.seed),
          outstanding_(static_cast<std::size_t>(mesh.nodes())) {}

    /// Stops early, and says false, when told to.
    bool advance(Cycle cycles, bool making, bool measuring, const StopSource* stop) {
        for (Cycle c = 0; c < cycles; ++c) {
            if (stop != nullptr && (c & 1023) == 0 && stop->requested()) return false;
            if (!making && measured_ == 0) return true;
            if (making) make(measuring);
            network_.step();
            for (const Arrival& arrival : network_.arrivals()) note(arrival, measuring);
        }
        return true;
    }

    std::vector<std::int64_t> flits_through() const {
        std::vector<std::int64_t> flits;
        for (int node = 0; node < network_.mesh().nodes(); ++node) {
            for (int port = 0; port < kPorts; ++port) flits.push_back(network_.flits_through(node, port));
        }
        return flits;
    }

    std::int64_t measured() const { return measured_; }
    std::int64_t delivered() const { return delivered_; }
    Histogram latency;

   private:
    void make(bool measuring) {
        for (int node = 0; node < network_.mesh().nodes(); ++node) {
            int& outstanding = outstanding_[node];
            const bool closed = traffic_.outstanding > 0;
            const bool wants = closed ? outstanding < traffic_.outstanding
                                      : random_.chance(traffic_.flits_per_node_cycle / traffic_.packet_flits);
            if (!wants) continue;
            ++outstanding;
            measured_ += measuring ? 1 : 0;
            const int destination = destination_of(network_.mesh(), traffic_.pattern, node, random_);
            network_.send({node,
                           {destination},
                           traffic_.packet_flits,
                           static_cast<std::uint64_t>(2 * node + (measuring ? 1 : 0))});
        }
    }

    void note(const Arrival& arrival, bool measuring) {
        --outstanding_[arrival.tag / 2];
        if (measuring) ++delivered_;
        if (arrival.tag % 2 == 0) return;
        --measured_;
        latency.add(arrival.tail - arrival.created);
    }

    Network network_;
    Traffic traffic_;
    Random random_;
    std::vector<int> outstanding_;
    std::int64_t measured_ = 0;   ///< packets to be measured that are under way
    std::int64_t delivered_ = 0;  ///< packets that arrived while measuring
};

}  // namespace

std::optional<Pattern> pattern_named(std::string_view name) {
    if (name == "uniform") return Pattern::uniform;
    if (name == "transpose") return Pattern::transpose;
    if (name == "bitcomp") return Pattern::bitcomp;
    if (name == "neighbor") return Pattern::neighbor;
    if (name == "hotspot") return Pattern::hotspot;
    return std::nullopt;
}

void Histogram::add(Cycle latency) {
    const auto bucket =
        static_cast<std::size_t>(latency < 2 ? 0 : std::bit_width(static_cast<std::uint64_t>(latency)) - 1);
    if (counts_.size() <= bucket) counts_.resize(bucket + 1);
    ++counts_[bucket];
    ++total_;
    sum_ += latency;
    longest_ = std::max(longest_, latency);
}

TrafficResult run_traffic(const Mesh& mesh, const RouterOptions& options, const Traffic& traffic,
                          const Measurement& measurement, const StopSource* stop) {
    TrafficResult result;
    TrafficRun run(mesh, options, traffic);
    bool going = run.advance(measurement.warm_up_cycles, true, false, stop);
    const std::vector<std::int64_t> before = run.flits_through();
    going = going && run.advance(measurement.cycles, true, true, stop);
    const std::vector<std::int64_t> after = run.flits_through();
    const auto cycles = static_cast<double>(measurement.cycles);
    for (std::size_t i = 0; i < after.size(); ++i) {
        result.link_utilisation.push_back(static_cast<double>(after[i] - before[i]) / cycles);
    }
    result.accepted_flits_per_node_cycle =
        static_cast<double>(run.delivered() * traffic.packet_flits) / (cycles * mesh.nodes());
    going = going && run.advance(measurement.patience_cycles, false, false, stop);
    result.interrupted = !going;
    result.complete = run.measured() == 0;
    result.latency = run.latency;
    return result;
}

}  // namespace tilewright::sim
