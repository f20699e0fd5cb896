#include <fmt/format.h>

#include "base/numbers/number_text.hpp"
#include "report/parts/table.hpp"
#include "report/zigzag.hpp"
#include "zigzag/forms/uneven_text.hpp"

namespace tilewright::report {
namespace {

std::string uses_of(const zigzag::Port& port) {
    std::string text = fmt::format("{} {} bits:", port.name, port.bandwidth_max_bits);
    for (const zigzag::PortUse& use : port.uses)
        text += fmt::format(" {}.{}", zigzag::name_of(use.operand), zigzag::short_name_of(use.direction));
    return text;
}

}  // namespace

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
