#include "verbs/show_silicon.hpp"

#include <fmt/format.h>

#include "base/numbers/number_text.hpp"
#include "report/parts/table.hpp"
#include "run/physical/physical_latency.hpp"

namespace tilewright::cli {
namespace {

constexpr double kPerSecond = 1e6;  // of a rate per microsecond

void add_sheet(const silicon::DataSheet& sheet, report::Table& table) {
    const auto add = [&](const char* name, std::string value) { table.add({name, std::move(value), "data sheet"}); };
    add("operations, 16 bits", si_text(sheet.operations_per_us * kPerSecond, "op/s"));
    add("of 8 and 4 bits", fmt::format("{:g} and {:g} times as many", sheet.fp8_factor, sheet.fp4_factor));
    add("memory", si_text(sheet.memory_bytes_per_us * kPerSecond, "B/s"));
    add("multiprocessors",
        fmt::format("{:g} at {}", sheet.multiprocessors, si_text(sheet.clock_per_us * kPerSecond, "Hz")));
    add("last cache", si_text(sheet.cache_bytes, "B"));
    add("exponentials", fmt::format("{:g} a clock and multiprocessor", sheet.exponentials_per_cycle));
    if (sheet.link_bytes_per_us > 0.0)
        add("links", si_text(sheet.link_bytes_per_us * kPerSecond, "B/s") + " in one direction");
    if (sheet.power_watts > 0.0) add("power limit", si_text(sheet.power_watts, "W"));
}

void add_accelerator(const silicon::Accelerator& machine, report::Table& table) {
    add_sheet(machine.sheet, table);
    const std::string from = machine.inherited_of.empty()
                                 ? (machine.rows.empty() ? "calibrated" : "calibrated: " + machine.rows)
                                 : "inherited: those of " + machine.inherited_of;
    const silicon::CalibratedNumbers& numbers = machine.calibrated;
    table.add({"launch", fmt::format("{:g} us", numbers.launch_us), from});
    table.add({"shares reached",
               fmt::format("memory {:g}, rate {:g}, links {:g}", numbers.bandwidth_share, numbers.rate_share,
                           numbers.link_share),
               from});
    if (machine.power) {
        const silicon::PowerNumbers& power = *machine.power;
        table.add({"power",
                   fmt::format("idle {:g} W, busy {:g} W, {:g} pJ an operation, {:g} pJ a byte", power.idle_watts,
                               power.busy_watts, power.pj_per_operation, power.pj_per_byte),
                   machine.power_is_own ? "calibrated" : "inherited"});
    }
    table.add({"form", machine.form.generation + ": tiles, attention, experts, collectives",
               fmt::format("data/silicon/{0}.yaml and {0}-{1}.yaml", machine.form.generation, machine.form.engine)});
}

void add_kernels(const silicon::KernelMachine& machine, report::Table& table) {
    const auto add = [&](const char* name, std::string value, const char* from) {
        table.add({name, std::move(value), from});
    };
    add("operations", si_text(machine.operations_per_us * kPerSecond, "op/s"), "data sheet");
    add("memory", si_text(machine.memory_bytes_per_us * kPerSecond, "B/s"), "data sheet");
    const silicon::Calibration& numbers = machine.calibration;
    add("launch", fmt::format("{:g} us", numbers.launch_us), "the file's `calibrated`");
    add("shares reached", fmt::format("memory {:g}, rate {:g}", numbers.bandwidth_share, numbers.rate_share),
        "the file's `calibrated`");
    add("form", machine.has_blocks() ? "the general one of thread blocks" : "the general one of matrix units",
        "none of its generation");
}

}  // namespace

std::string silicon_text(const silicon::Silicon& silicon) {
    const auto* kernels = std::get_if<silicon::KernelMachine>(&silicon.machine);
    if (kernels == nullptr) return "";
    report::Table table({"as built (docs/silicon.md)", "", "from"}, "lll");
    if (silicon.accelerator)
        add_accelerator(*silicon.accelerator, table);
    else
        add_kernels(*kernels, table);
    std::string text = "\n" + table.text();
    for (const std::string& note : physical_caveats(silicon)) text += "  note: " + note + "\n";
    return text;
}

}  // namespace tilewright::cli
