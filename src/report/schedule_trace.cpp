#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "report/schedule.hpp"

namespace tilewright::report {
namespace {

using Json = nlohmann::ordered_json;
using schedule::Execution;
using schedule::OperationGraph;
using schedule::Schedule;
using schedule::Transfer;

// Tracks: cores first, then channels.
Json named_thread(std::int64_t thread, const std::string& name) {
    return {{"name", "thread_name"}, {"ph", "M"}, {"pid", 1}, {"tid", thread}, {"args", {{"name", name}}}};
}

Json span(const std::string& name, const char* category, std::int64_t thread, std::int64_t start, std::int64_t end) {
    return {{"name", name},  {"cat", category}, {"ph", "X"},         {"pid", 1},
            {"tid", thread}, {"ts", start},     {"dur", end - start}};
}

std::string tile_name(const OperationGraph& graph, schedule::Operand operand, int index) {
    static constexpr const char* kShort[] = {"IN", "WT", "OT"};
    static_cast<void>(graph);
    return kShort[static_cast<std::size_t>(operand)] + std::to_string(index);
}

Json execution_event(const OperationGraph& graph, const Execution& one) {
    const schedule::Operation& operation = graph.operation(one.operation);
    std::string operands;
    for (const int tile : operation.tiles)
        operands += (operands.empty() ? "" : " ") + tile_name(graph, graph.tile(tile).operand, graph.tile(tile).index);
    Json event = span("op " + std::to_string(one.operation), "operation", one.core, one.start, one.end);
    event["args"] = {{"operands", operands}, {"step", operation.step}};
    return event;
}

Json transfer_event(const OperationGraph& graph, const Transfer& one) {
    const std::string name = std::string(schedule::kTransferKindNames[static_cast<std::size_t>(one.kind)]) + " " +
                             tile_name(graph, one.operand, one.index);
    const std::int64_t thread = graph.problem.machine.cores + one.channel;
    Json event = span(name, "transfer", thread, one.start, one.end);
    event["args"] = {{"bytes", one.bytes}, {"address", one.address}};
    return event;
}

// Bytes in use change when a block is taken and when it is used for the last time.
class Occupancy {
   public:
    explicit Occupancy(const OperationGraph& graph) : graph_(graph) {}

    void add(const Schedule& schedule) {
        struct Use {
            std::int64_t start, end;
            bool begins;
            int tile;
        };
        std::vector<Use> uses;
        for (const Transfer& one : schedule.transfers)
            uses.push_back({one.start, one.end, one.kind == schedule::TransferKind::load,
                            graph_.first[static_cast<std::size_t>(one.operand)] + one.index});
        for (const Execution& one : schedule.executions)
            for (const int tile : graph_.operation(one.operation).tiles) {
                const bool begins =
                    graph_.tile(tile).operand == schedule::Operand::output && graph_.operation(one.operation).step == 0;
                uses.push_back({one.start, one.end, begins, tile});
            }
        std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.start < b.start; });
        std::map<int, std::pair<std::int64_t, std::int64_t>> live;  // tile: begin, last end
        for (const Use& use : uses) {
            if (use.begins) {
                close(live, use.tile);
                live[use.tile] = {use.start, use.end};
            } else if (live.contains(use.tile)) {
                live[use.tile].second = std::max(live[use.tile].second, use.end);
            }
        }
        while (!live.empty()) close(live, live.begin()->first);
    }

    void write(Json& events) const {
        std::int64_t bytes = 0;
        for (const auto& [time, change] : changes_) {
            bytes += change;
            events.push_back(
                {{"name", "scratchpad bytes"}, {"ph", "C"}, {"pid", 1}, {"ts", time}, {"args", {{"in use", bytes}}}});
        }
    }

   private:
    void close(std::map<int, std::pair<std::int64_t, std::int64_t>>& live, int tile) {
        const auto found = live.find(tile);
        if (found == live.end()) return;
        changes_[found->second.first] += graph_.tile(tile).block_bytes;
        changes_[found->second.second] -= graph_.tile(tile).block_bytes;
        live.erase(found);
    }

    const OperationGraph& graph_;
    std::map<std::int64_t, std::int64_t> changes_;
};

}  // namespace

std::string schedule_trace(const schedule::Problem& problem, const Schedule& schedule, const std::string& name) {
    const OperationGraph graph = make_graph(problem);
    Json events = Json::array();
    events.push_back({{"name", "process_name"}, {"ph", "M"}, {"pid", 1}, {"args", {{"name", name}}}});
    for (std::int64_t core = 0; core < problem.machine.cores; ++core)
        events.push_back(named_thread(core, "core " + std::to_string(core)));
    for (std::int64_t channel = 0; channel < problem.machine.dma_channels; ++channel)
        events.push_back(named_thread(problem.machine.cores + channel, "DMA " + std::to_string(channel)));
    for (const Execution& one : schedule.executions) events.push_back(execution_event(graph, one));
    for (const Transfer& one : schedule.transfers) events.push_back(transfer_event(graph, one));
    Occupancy occupancy(graph);
    occupancy.add(schedule);
    occupancy.write(events);
    Json json;
    json["displayTimeUnit"] = "ns";
    json["traceEvents"] = std::move(events);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::report
