// The memories of the recorded ramulator2 runs.
#pragma once

#include <string>

#include "sim/dram/load.hpp"
#include "sim/dram/memory.hpp"

namespace tilewright::golden {

struct RecordedMemory {
    sim::dram::Device device;
    sim::dram::MemoryOptions options;
};

/// By the name of the recorded configuration.
inline RecordedMemory recorded_memory(const std::string& name) {
    const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
    const char* device = has("ddr3")     ? "ddr3-1600"
                         : has("lpddr5") ? "lpddr5-6400"
                         : has("hbm2")   ? "hbm2-2000"
                         : has("3200")   ? "ddr4-3200"
                                         : "ddr4-2400";
    RecordedMemory memory{sim::dram::device_named(device).value(), {}};
    memory.options.channels = has("4ch") ? 4 : has("2ch") ? 2 : 1;
    if (has("mop")) memory.options.controller.interleaving = sim::dram::Interleaving::four_accesses;
    if (has("norefresh")) memory.device.timing.refresh_interval = 0;
    return memory;
}

}  // namespace tilewright::golden
