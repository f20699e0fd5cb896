// The machine that simulate() and map(refine="simulate") simulate, as the user describes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "arch/architecture.hpp"
#include "sim/dram/device.hpp"
#include "sim/machine/replay.hpp"

namespace tilewright::python {

/// Empty: the defaults of `tilewright simulate`.
struct SimulatedMachine {
    std::optional<std::string> network;  ///< "mesh" or "cosa"
    std::optional<std::string> dram;     ///< a device by name, or a file
    std::optional<int> dram_channels;
    std::optional<std::string> row_policy;    ///< "open" or "closed"
    std::optional<std::pair<int, int>> mesh;  ///< columns, rows
    std::optional<int> flit_bits;
    std::optional<int> packet_flits;
    std::optional<int> virtual_channels;
    std::optional<int> buffer_flits;
    bool double_buffered = false;
    bool reduce_in_network = false;
    bool every_iteration = false;
};

/// A device by name, or a file (with a '/' or ending in .yaml). Throws InputError.
sim::dram::Device device_of(const std::string& name);

/// Throws InputError for a machine that cannot be.
sim::MachineOptions machine_options(const SimulatedMachine& wishes);
/// Throws InputError for a mesh with other nodes than the array has elements.
sim::Floor floor_of(const SimulatedMachine& wishes, const Architecture& architecture);

/// Channels and row policy. Throws InputError for what no memory can be.
sim::dram::MemoryOptions memory_options(const std::optional<std::string>& dram, std::optional<int> channels,
                                        const std::optional<std::string>& row_policy, bool as_cosa = false);

}  // namespace tilewright::python
