#include "report/simulation/schedule_replay.hpp"

#include <fmt/format.h>

#include "base/numbers/number_text.hpp"
#include "report/parts/table.hpp"
#include "report/simulation/terms.hpp"

namespace tilewright::report {
namespace {

double part_of(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

std::string in_percent(double value) { return fmt::format("{:.1f} %", 100.0 * value); }

std::string memory_name(const sim::npu::ReplayOptions& options) { return options.dram ? options.dram->name : ""; }

std::string layout_name(const sim::npu::ReplayOptions& options) {
    return sim::npu::kLayoutNames[static_cast<std::size_t>(options.layout)];
}

std::int64_t row_changes(const sim::dram::Counts& counts) { return counts.row_misses + counts.row_conflicts; }

std::string row_name(const ReplayedLayer& layer) {
    std::string name = layer.names.size() == 1
                           ? layer.names.front()
                           : fmt::format("{} and {} more", layer.names.front(), layer.names.size() - 1);
    if (!layer.result.interrupted) return name;
    return fmt::format("{} (cut short at {} of {})", name, layer.result.done, layer.activities);
}

// Bytes of the accesses over those needed.
double bytes_ratio(const ReplayedLayer& layer, const sim::npu::ReplayOptions& options) {
    std::int64_t moved = 0;
    for (const std::int64_t bytes : layer.result.moved_bytes) moved += bytes;
    return part_of((layer.result.dram_reads + layer.result.dram_writes) * options.dram->organisation.access_bytes(),
                   moved);
}

std::vector<std::string> row_of(const ReplayedLayer& layer, const sim::npu::ReplayOptions& options) {
    const sim::npu::Replay& r = layer.result;
    std::vector<std::string> row{row_name(layer),
                                 count_text(layer.repeats),
                                 count_text(layer.scheduled_cycles),
                                 count_text(r.cycles),
                                 fmt::format("{:.2f}", part_of(r.cycles, layer.scheduled_cycles)),
                                 in_percent(part_of(r.path.computing, r.cycles)),
                                 in_percent(part_of(r.path.moving, r.cycles))};
    if (!options.dram) return row;
    row.push_back(in_percent(part_of(r.path.memory + r.path.draining, r.cycles)));
    row.push_back(fmt::format("{:.2f}", bytes_ratio(layer, options)));
    row.push_back(in_percent(part_of(row_changes(r.dram), r.dram_reads + r.dram_writes)));
    row.push_back(r.interrupted ? "" : underestimated_text(terms_of(layer, options)));
    return row;
}

std::string slack_text(const ScheduleReplay& replay) {
    std::string text;
    for (const ReplayedLayer& layer : replay.layers) {
        const sim::npu::Replay& r = layer.result;
        if (!layer.failure.empty() || r.interrupted || r.ideal_cycles == layer.scheduled_cycles) continue;
        text += fmt::format("{}: with an ideal memory it takes {} cycles, {} fewer than the schedule says\n",
                            layer.names.front(), count_text(r.ideal_cycles),
                            count_text(layer.scheduled_cycles - r.ideal_cycles));
    }
    return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string replay_text(const ScheduleReplay& replay) {
    const bool dram = replay.options.dram.has_value();
    std::vector<std::string> head{"layer", "repeats", "schedule", "simulated", "ratio", "computing", "moving"};
    if (dram) head.insert(head.end(), {"memory", "bytes", "new rows", "underestimated"});
    Table table(head, dram ? "lrrrrrrrrrl" : "lrrrrrr");
    std::int64_t scheduled = 0;
    std::int64_t simulated = 0;
    std::string failures;
    for (const ReplayedLayer& layer : replay.layers) {
        if (!layer.failure.empty()) {
            failures += fmt::format("\n{}: not replayed: {}", layer.names.front(), layer.failure);
            continue;
        }
        table.add(row_of(layer, replay.options));
        scheduled += layer.repeats * layer.scheduled_cycles;
        simulated += layer.repeats * layer.result.cycles;
    }
    std::string text = "schedules for " + replay.machine.name + ", replayed";
    text += dram ? fmt::format(" with {} at {} GHz, tensors as {}", memory_name(replay.options),
                               replay.options.clock_ghz, layout_name(replay.options))
                 : std::string(" with an ideal memory");
    text += "\n\n" + table.text();
    text += fmt::format("\ntotal (with repeats): {} cycles in the schedules, {} simulated ({:.2f} times)\n",
                        count_text(scheduled), count_text(simulated), part_of(simulated, scheduled));
    text += slack_text(replay);
    if (!failures.empty()) text += failures + "\n";
    for (const std::string& note : replay.notes) text += "\nnote: " + note + "\n";
    return text;
}

}  // namespace tilewright::report
