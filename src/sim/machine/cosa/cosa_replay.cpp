#include "sim/machine/cosa/cosa_replay.hpp"

#include <algorithm>

#include "sim/dram/device.hpp"
#include "sim/dram/load.hpp"

namespace tilewright::sim {
namespace cosa {
namespace {

class Telling {
   public:
    Telling(const CosaProgram& program, const Floor& floor, const TransactionRun& run)
        : program_(program), floor_(floor), run_(run) {}

    ReplayResult result() const {
        ReplayResult result;
        result.cycles = result.simulated_cycles = run_.cycles;
        result.steps = static_cast<std::int64_t>(program_.transactions.size());
        result.interrupted = run_.stopped;
        result.flits.assign(at(floor_.mesh.nodes()) * kPorts, 0);
        std::vector<std::int64_t> free(at(floor_.elements()), -1);  // by element: end of its last computation
        std::int64_t last = 0;
        for (std::size_t i = 0; i < program_.transactions.size(); ++i) {
            const Transaction& one = program_.transactions[i];
            if (run_.times[i].end() < 0) continue;
            ++result.steps_done;
            if (one.kind != TransactionKind::count)
                count_packets(one, result);
            else if (one.actor < program_.working)
                compute(i, free[at(one.actor)], last, result.elements);
        }
        ElementTime& elements = result.elements;
        elements.working = program_.working;
        elements.other = result.cycles * floor_.elements() - elements.computing - elements.waiting_for_words;
        result.draining = std::max<std::int64_t>(0, result.cycles - last);
        return result;
    }

    std::vector<TraceEvent> trace() const {
        std::vector<TraceEvent> events;
        for (std::size_t i = 0; i < program_.transactions.size() && events.size() < kMostTraceEvents; ++i) {
            const Transaction& one = program_.transactions[i];
            if (run_.times[i].end() < 0) continue;
            const bool counts = one.kind == TransactionKind::count;
            if (counts && one.actor >= program_.working) continue;
            events.push_back({name_of(one.actor),
                              counts ? "computing" : std::to_string(one.size) + " packets to " + receivers_of(one),
                              run_.times[i].start, run_.times[i].end(), is_element(one.actor) ? one.actor : -1});
        }
        return events;
    }

   private:
    bool is_element(int terminal) const { return terminal < floor_.elements(); }

    std::string name_of(int terminal) const {
        if (terminal == program_.dram) return "outermost memory";
        if (terminal == program_.hub) return "memory above the array";
        return "element (" + std::to_string(terminal % floor_.placed_x) + "," +
               std::to_string(terminal / floor_.placed_x) + ")";
    }

    std::string receivers_of(const Transaction& one) const {
        if (one.destinations.size() == 1) return name_of(one.destinations.front());
        return std::to_string(one.destinations.size()) + " elements";
    }

    void count_packets(const Transaction& one, ReplayResult& result) const {
        result.packets += one.size;
        if (one.actor == program_.dram) result.dram_reads += one.size;
        if (one.destinations.front() == program_.dram) result.dram_writes += one.size;
    }

    void compute(std::size_t index, std::int64_t& free, std::int64_t& last, ElementTime& elements) const {
        const TransactionTimes& times = run_.times[index];
        elements.computing += times.end() - times.start;
        elements.waiting_for_words += times.start - std::max<std::int64_t>(0, free);
        if (free < 0) {
            elements.filling += times.start;
        } else {
            elements.waits[static_cast<std::size_t>(waited_for(index, free))] += times.start - free;
        }
        free = times.end();
        last = std::max(last, free);
    }

    // The last arrival since the element's previous computation.
    Wait waited_for(std::size_t index, std::int64_t since) const {
        std::int64_t latest = since;
        Wait why = Wait::sums;  // nothing: its own results were leaving
        const int element = program_.transactions[index].actor;
        for (const int other : program_.transactions[index].after) {
            const Transaction& words = program_.transactions[at(other)];
            const auto mine = std::ranges::find(words.destinations, element) - words.destinations.begin();
            const std::int64_t end = run_.times[at(other)].ends[at(mine)];
            if (end <= latest) continue;
            latest = end;
            why = words.actor == program_.dram ? Wait::outermost : Wait::links;
        }
        return why;
    }

    const CosaProgram& program_;
    const Floor& floor_;
    const TransactionRun& run_;
};

}  // namespace
}  // namespace cosa

OneReadMemory cosa_memory(const MachineOptions& options, int terminal) {
    OneReadMemory memory{.terminal = terminal, .device = {}, .options = options.dram_options};
    if (options.dram) {
        memory.device = *options.dram;
        return memory;
    }
    constexpr int kRanks = 16;
    memory.device = dram::device_named("ddr2-667").value();
    memory.device.organisation.ranks = kRanks;
    memory.options.controller.scheduling = dram::Scheduling::round_robin;
    memory.options.controller.interleaving = dram::Interleaving::row_column_bank_rank;
    return memory;
}

ReplayResult replay_on_cosa(const CosaProgram& program, const Floor& floor, const MachineOptions& options,
                            const ReplayControl& control) {
    const TransactionRun run =
        run_transactions(floor.mesh, program.transactions, cosa_memory(options, program.dram), control.stop);
    const cosa::Telling telling(program, floor, run);
    ReplayResult result = telling.result();
    if (control.trace) result.trace = telling.trace();
    return result;
}

}  // namespace tilewright::sim
