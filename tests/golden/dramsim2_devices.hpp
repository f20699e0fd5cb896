// The memories of recorded DRAMSim2 runs: tests/golden/dram/*.yaml say what its files say, and the options are those of
// its system.ini.
#pragma once

#include <string>

#include "base/files/file.hpp"
#include "dram_streams.hpp"
#include "sim/dram/load.hpp"

namespace tilewright::golden {

inline sim::dram::Device dramsim2_device(const std::string& name) {
    const std::string file = "tests/golden/dram/" + name + ".yaml";
    return sim::dram::parse_device(read_file(file), file);
}

/// By the name of the recorded configuration.
inline RecordedMemory dramsim2_memory(const std::string& name) {
    const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
    RecordedMemory memory;
    memory.device = dramsim2_device(has("ddr2") ? "ddr2_667" : has("1333") ? "ddr3_1333" : "ddr3_1600");
    if (has("cosa")) memory.device.organisation.ranks = 16;
    memory.options.channels = has("2ch") ? 2 : 1;
    sim::dram::ControllerOptions& controller = memory.options.controller;
    controller.scheduling = sim::dram::Scheduling::round_robin;
    controller.interleaving = has("s7") ? sim::dram::Interleaving::row_column_rank_bank   // its scheme 7
                                        : sim::dram::Interleaving::row_column_bank_rank;  // its scheme 2
    if (has("close")) controller.rows = sim::dram::RowPolicy::closed;
    if (has("nolp")) controller.round_robin.power_down = false;
    controller.round_robin.queue_per_bank = controller.round_robin.banks_first = has("perbank");
    return memory;
}

}  // namespace tilewright::golden
