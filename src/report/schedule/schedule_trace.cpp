#include <map>

#include "report/json_parts.hpp"
#include "report/schedule/schedule.hpp"
#include "schedule/problem/schedule.hpp"

namespace tilewright::report {
namespace {

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

Json execution_event(const OperationGraph& graph, const Execution& one) {
    const schedule::Operation& operation = graph.operation(one.operation);
    std::string operands;
    for (const int tile : operation.tiles)
        operands +=
            (operands.empty() ? "" : " ") + schedule::tile_name(graph.tile(tile).operand, graph.tile(tile).index);
    Json event = span("op " + std::to_string(one.operation), "operation", one.core, one.start, one.end);
    event["args"] = {{"operands", operands}, {"step", operation.step}};
    return event;
}

Json transfer_event(const OperationGraph& graph, const Transfer& one) {
    const std::string name = std::string(schedule::kTransferKindNames[static_cast<std::size_t>(one.kind)]) + " " +
                             schedule::tile_name(one.operand, one.index);
    const std::int64_t thread = graph.problem.machine.cores + one.channel;
    Json event = span(name, "transfer", thread, one.start, one.end);
    event["args"] = {{"bytes", one.bytes}, {"address", one.address}};
    return event;
}

// Bytes in use change at allocation and at last use of a block.
void write_occupancy(const OperationGraph& graph, const Schedule& schedule, Json& events) {
    std::map<std::int64_t, std::int64_t> changes;
    for (const schedule::Residence& one : schedule::residences(graph, schedule)) {
        changes[one.begin] += graph.tile(one.tile).block_bytes;
        changes[one.end] -= graph.tile(one.tile).block_bytes;
    }
    std::int64_t bytes = 0;
    for (const auto& [time, change] : changes) {
        bytes += change;
        events.push_back(
            {{"name", "scratchpad bytes"}, {"ph", "C"}, {"pid", 1}, {"ts", time}, {"args", {{"in use", bytes}}}});
    }
}

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
    write_occupancy(graph, schedule, events);
    Json json;
    json["displayTimeUnit"] = "ns";
    json["traceEvents"] = std::move(events);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::report
