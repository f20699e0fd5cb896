#include "schedule/problem/schedule.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace tilewright::schedule {
namespace {

// "latency^2" adds 2 to the weight of latency. False for any other word.
bool add_factor(std::string_view text, Objective& objective) {
    const std::size_t hat = text.find('^');
    double power = 1.0;
    if (hat != std::string_view::npos) {
        const std::string_view digits = text.substr(hat + 1);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), power);
        if (error != std::errc{} || end != digits.data() + digits.size() || !(power >= 0.0) || power > 100.0)
            return false;
    }
    const std::string_view name = text.substr(0, hat);
    if (name == "latency") objective.latency_weight += power;
    if (name == "traffic") objective.traffic_weight += power;
    return name == "latency" || name == "traffic";
}

std::string factor_text(const char* name, double power) {
    if (power == 0.0) return "";
    if (power == 1.0) return name;
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), power).ptr;
    return std::string(name) + "^" + std::string(digits.data(), end);
}

struct Use {
    Residence residence;  ///< by this use alone
    bool begins = false;  ///< a load, or the first operation of a chain
};

std::vector<Use> uses_of(const OperationGraph& graph, const Schedule& schedule) {
    std::vector<Use> uses;
    for (const Transfer& one : schedule.transfers)
        uses.push_back(
            {{graph.first[static_cast<std::size_t>(one.operand)] + one.index, one.address, one.start, one.end, 0},
             one.kind == TransferKind::load});
    for (const Execution& one : schedule.executions) {
        const Operation& operation = graph.operation(one.operation);
        for (std::size_t o = 0; o < kOperands; ++o) {
            if (one.address[o] == kNoBlock) continue;
            const bool begins = static_cast<Operand>(o) == Operand::output && operation.step == 0;
            uses.push_back(
                {{operation.tiles[o], one.address[o], one.start, one.end, std::uint64_t{1} << one.core}, begins});
        }
    }
    std::stable_sort(uses.begin(), uses.end(),
                     [](const Use& a, const Use& b) { return a.residence.begin < b.residence.begin; });
    return uses;
}

}  // namespace

std::optional<Objective> parse_objective(std::string_view text) {
    Objective objective{0.0, 0.0};
    while (true) {
        const std::size_t star = text.find('*');
        if (!add_factor(text.substr(0, star), objective)) return std::nullopt;
        if (star == std::string_view::npos) break;
        text.remove_prefix(star + 1);
    }
    if (objective.latency_weight == 0.0 && objective.traffic_weight == 0.0) return std::nullopt;
    return objective;
}

std::string to_text(const Objective& objective) {
    const std::string latency = factor_text("latency", objective.latency_weight);
    const std::string traffic = factor_text("traffic", objective.traffic_weight);
    return latency + (latency.empty() || traffic.empty() ? "" : "*") + traffic;
}

Score score_of(const Objective& objective, const Schedule& schedule) {
    return {objective.value(static_cast<double>(schedule.latency_cycles), static_cast<double>(schedule.traffic_bytes)),
            schedule.latency_cycles, schedule.traffic_bytes};
}

std::vector<Residence> residences(const OperationGraph& graph, const Schedule& schedule) {
    std::vector<Residence> ended;
    std::map<int, Residence> live;  // by tile
    for (const Use& use : uses_of(graph, schedule)) {
        const auto found = live.find(use.residence.tile);
        if (use.begins) {
            if (found != live.end()) ended.push_back(found->second);
            live[use.residence.tile] = use.residence;
        } else if (found != live.end()) {
            found->second.end = std::max(found->second.end, use.residence.end);
            found->second.cores |= use.residence.cores;
        }
    }
    for (const auto& [tile, residence] : live) ended.push_back(residence);
    std::stable_sort(ended.begin(), ended.end(), [](const Residence& a, const Residence& b) { return a.end < b.end; });
    return ended;
}

}  // namespace tilewright::schedule
