#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "base/numbers/number_text.hpp"
#include "report/parts/table.hpp"
#include "report/zigzag.hpp"
#include "zigzag/forms/uneven_text.hpp"

namespace tilewright::report {
namespace {

using zigzag::Accelerator;
using zigzag::Direction;
using zigzag::Layer;
using zigzag::LevelCost;
using zigzag::Result;

std::string share_of(double part, double whole) { return share_text(whole > 0.0 ? part / whole : 0.0); }

std::string dimensions_text(const Layer& layer) {
    std::string text;
    for (const Dimension& dimension : layer.dimensions)
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", dimension.name, dimension.extent);
    return text;
}

std::string totals_text(const Result& result) {
    const zigzag::Latency& latency = result.latency;
    return fmt::format(
        "  energy       {} ({} in the memories, {} in the units)\n"
        "  latency      {} cycles: {} with every unit busy, {} of idle units, {} of stalls, {} loading, {} unloading\n"
        "  utilization  {} (spatial {}, with stalls {})\n",
        energy_text(result.energy_pj()), energy_text(result.memory_energy_pj), energy_text(result.mac_energy_pj),
        count_text(latency.total()), count_text(latency.ideal_cycles), count_text(latency.spatial_stall_cycles()),
        count_text(latency.stall_cycles), count_text(latency.onloading_cycles), count_text(latency.offloading_cycles),
        share_text(latency.utilization(latency.total())),
        share_text(latency.utilization(static_cast<double>(latency.ideal_temporal_cycles))),
        share_text(latency.utilization(static_cast<double>(latency.computation()))));
}

// Parts of the energy in the units, by ZigZag's names.
std::string array_text(const Accelerator& accelerator, const Result& result) {
    if (!result.array) return "";
    std::string parts;
    for (int p = 0; p < zigzag::kArrayParts; ++p) {
        const auto part = static_cast<zigzag::ArrayPart>(p);
        if (const double pj = result.array->pj[part]; pj > 0.0)
            parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", zigzag::name_of(part), energy_text(pj));
    }
    const zigzag::ArrayCosts costs = zigzag::array_costs(accelerator);
    return fmt::format("  array        {}\n  clock        {:.4g} ns: {} us in all; {} rows in use\n", parts,
                       costs.clock_ns(), count_text(std::round(result.latency.total() * costs.clock_ns() / 1000.0)),
                       count_text(result.array->rows));
}

std::string words_table(const Accelerator& accelerator, const Layer& layer, const Result& result) {
    using enum Direction;
    Table table({"memory", "operand", "read down", "from below", "read up", "from above", "energy", "share"},
                "llrrrrrr");
    for (int m = static_cast<int>(accelerator.memories.size()); m-- > 0;) {
        std::string name = accelerator.memories[m].name;
        for (std::size_t i = 0; i < layer.operands.size(); ++i) {
            for (const LevelCost& level : result.levels[i]) {
                if (level.memory != m) continue;
                table.add({name, layer.operands[i].name, count_text(level.words[read_down]),
                           count_text(level.words[write_from_below]), count_text(level.words[read_up]),
                           count_text(level.words[write_from_above]), energy_text(level.energy_pj),
                           share_of(level.energy_pj, result.energy_pj())});
                name.clear();
            }
        }
    }
    return table.text() + "  accesses of one word as wide as the port, all instances\n";
}

std::string use_table(const Accelerator& accelerator, const Layer& layer, const Result& result) {
    Table table({"memory", "operand", "full", "with others", "at a time", "with others", "buffer"}, "llrrrrl");
    for (int m = static_cast<int>(accelerator.memories.size()); m-- > 0;) {
        std::string name = accelerator.memories[m].name;
        for (std::size_t i = 0; i < layer.operands.size(); ++i) {
            for (const LevelCost& level : result.levels[i]) {
                if (level.memory != m) continue;
                table.add({name, layer.operands[i].name, share_text(level.utilization),
                           share_text(level.shared_utilization), share_text(level.effective_utilization),
                           share_text(level.effective_shared_utilization),
                           level.double_buffered ? "double" : "single"});
                name.clear();
            }
        }
    }
    return table.text();
}

std::string activity_text(const Layer& layer, const zigzag::PortActivity& activity) {
    const zigzag::Activity& transfer = activity.transfer;
    return fmt::format("{} {}: {} of {} cycles, {} times", layer.operands[activity.operand].name,
                       zigzag::short_name_of(activity.direction), count_text(transfer.real_cycles),
                       count_text(transfer.allowed_cycles), count_text(transfer.count));
}

std::string ports_table(const Accelerator& accelerator, const Layer& layer, const Result& result) {
    Table table({"memory", "port", "stall", "transfers: needed of allowed cycles"}, "llrl");
    for (const zigzag::PortCost& port : result.ports) {
        const zigzag::SharedMemory& memory = accelerator.memories[port.memory];
        std::string name = memory.name;
        std::string port_name = memory.ports[port.port].name;
        std::string stall = count_text(port.stall_cycles);
        for (const zigzag::PortActivity& activity : port.activities) {
            table.add({name, port_name, stall, activity_text(layer, activity)});
            name.clear();
            port_name.clear();
            stall.clear();
        }
    }
    return table.text() + "  the port that stalls longest decides; a negative stall is slack\n";
}

std::string shifted(const std::string& text) {
    std::string out;
    bool at_start = true;
    for (const char c : text) {
        if (at_start) out += "  ";
        at_start = c == '\n';
        out += c;
    }
    return out;
}

std::string layer_text(const ZigzagReport& report, const ZigzagLayer& one) {
    std::string text =
        "Layer " + one.layer.name + " on " + report.accelerator.name + "\n  " + dimensions_text(one.layer) + "\n\n";
    for (const std::string& failure : placed_failures(one)) text += "  no mapping: " + failure + "\n";
    if (one.search)
        text += fmt::format("  search       {} orders, {} fit; stopped by {}\n", count_text(one.search->evaluations),
                            count_text(one.search->valid), one.search->stopped_by);
    if (one.result) text += totals_text(*one.result) + array_text(report.accelerator, *one.result);
    if (one.mapping)
        text += "\n" + shifted(zigzag::nest_text(report.accelerator, one.layer, one.spatial.fractional, *one.mapping));
    if (!one.result) return text;
    return text + "\n" + words_table(report.accelerator, one.layer, *one.result) + "\n" +
           use_table(report.accelerator, one.layer, *one.result) + "\n" +
           ports_table(report.accelerator, one.layer, *one.result);
}

std::string layers_table(const ZigzagReport& report) {
    Table table({"layer", "energy", "cycles", "stalls", "utilization"}, "lrrrr");
    double energy_pj = 0.0;
    double cycles = 0.0;
    for (const ZigzagLayer& one : report.layers) {
        if (!one.result) {
            table.add({one.layer.name, "-", "-", "-", "-"});
            continue;
        }
        const zigzag::Latency& latency = one.result->latency;
        energy_pj += one.result->energy_pj();
        cycles += latency.total();
        table.add({one.layer.name, energy_text(one.result->energy_pj()), count_text(latency.total()),
                   count_text(latency.stall_cycles), share_text(latency.utilization(latency.total()))});
    }
    table.rule();
    table.add({"all", energy_text(energy_pj), count_text(cycles)});
    return "Network " + report.network + " on " + report.accelerator.name + "\n\n" + table.text();
}

std::string failures_text(const ZigzagReport& report) {
    std::string text;
    for (const ZigzagLayer& one : report.layers)
        for (const std::string& failure : placed_failures(one))
            text += "  " + one.layer.name + " has no mapping: " + failure + "\n";
    return text;
}

std::string notes_text(const ZigzagReport& report) {
    std::string text;
    if (report.interrupted) text += "  note: interrupted; these are the best so far\n";
    for (const std::string& note : report.notes) text += "  note: " + note + "\n";
    return text.empty() ? "" : "\n" + text;
}

std::string uses_of(const zigzag::Port& port) {
    std::string text = fmt::format("{} {} bits:", port.name, port.bandwidth_max_bits);
    for (const zigzag::PortUse& use : port.uses)
        text += fmt::format(" {}.{}", zigzag::name_of(use.operand), zigzag::short_name_of(use.direction));
    return text;
}

}  // namespace

std::vector<std::string> placed_failures(const ZigzagLayer& layer) {
    std::vector<std::string> placed;
    placed.reserve(layer.failures.size());
    for (const std::string& failure : layer.failures) placed.push_back(place_text(layer.place) + failure);
    return placed;
}

std::string zigzag_summary(const ZigzagReport& report) {
    if (report.layers.size() == 1) return layer_text(report, report.layers.front()) + notes_text(report);
    return layers_table(report) + failures_text(report) + notes_text(report);
}

std::string zigzag_text(const ZigzagReport& report) {
    std::string text = zigzag_summary(report);
    if (report.layers.size() == 1) return text;
    for (const ZigzagLayer& one : report.layers) text += "\n" + layer_text(report, one);
    return text;
}

std::string zigzag_machine_text(const zigzag::Accelerator& accelerator) {
    Table table({"memory", "holds", "bits", "read", "write", "shared along", "ports"}, "llrrrll");
    for (auto memory = accelerator.memories.rbegin(); memory != accelerator.memories.rend(); ++memory) {
        std::string holds;
        for (const zigzag::MemoryOperand operand : memory->operands)
            holds += (holds.empty() ? "" : " ") + std::string(zigzag::name_of(operand));
        std::string served;
        for (const int dimension : memory->served)
            served += (served.empty() ? "" : " ") + accelerator.array[dimension].name;
        std::vector<std::string> row{memory->name,
                                     holds,
                                     count_text(memory->size_bits),
                                     energy_text(memory->read_pj),
                                     energy_text(memory->write_pj),
                                     served.empty() ? "-" : served};
        for (const zigzag::Port& port : memory->ports) {
            row.resize(6);
            row.push_back(uses_of(port));
            table.add(row);
            row.assign(6, "");
        }
    }
    std::string array;
    for (const zigzag::ArrayDimension& dimension : accelerator.array)
        array += fmt::format("{}{} = {}", array.empty() ? "" : ", ", dimension.name, dimension.size);
    const std::string units = count_text(accelerator.units);
    if (accelerator.in_memory && zigzag::problem_with_array(accelerator).empty()) {
        const zigzag::ArrayCosts costs = zigzag::array_costs(accelerator);
        return fmt::format(
                   "Accelerator {}: {} units ({}) that compute in memory, {}\n"
                   "  clock {:.4g} ns, {:.4g} mm2, at most {:.4g} TOPS, {:.4g} TOPS/W and {:.4g} TOPS/mm2\n\n",
                   accelerator.name, units, array, accelerator.in_memory->analog ? "analog" : "digital",
                   costs.clock_ns(), costs.area_mm2.total(), costs.peak_tops(), costs.peak_tops_per_watt(),
                   costs.peak_tops_per_mm2()) +
               table.text();
    }
    return fmt::format("Accelerator {}: {} units ({}), {} for each operation\n\n", accelerator.name, units, array,
                       energy_text(accelerator.unit_energy_pj)) +
           table.text();
}

std::string zigzag_nests_text(const ZigzagReport& report) {
    std::string text;
    for (const ZigzagLayer& one : report.layers) {
        text += (text.empty() ? "" : "\n") + fmt::format("Layer {} on {}\n\n", one.layer.name, report.accelerator.name);
        for (const std::string& failure : placed_failures(one)) text += "  no mapping: " + failure + "\n";
        if (!one.mapping) continue;
        text += zigzag::nest_text(report.accelerator, one.layer, one.spatial.fractional, *one.mapping) + "\n" +
                zigzag::to_text(report.accelerator, one.layer, *one.mapping);
    }
    return text;
}

}  // namespace tilewright::report
