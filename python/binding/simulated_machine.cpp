#include "simulated_machine.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <vector>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "parts.hpp"
#include "sim/dram/load.hpp"

namespace tilewright::python {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw InputError(ErrorCode::usage, {}, why); }

// What the user gave takes the place of the default, and has to be a number that the machine can have.
void set(int& value, std::optional<int> given, const char* name) {
    constexpr int kMost = 1'000'000;
    if (!given) return;
    if (*given < 1 || *given > kMost)
        refuse(std::string(name) + ": expected a number from 1 to 1000000, found " + std::to_string(*given));
    value = *given;
}

// CoSA's network is as it was published: the options of ours do not describe it.
bool is_cosa(const SimulatedMachine& wishes) {
    const std::string network = wishes.network.value_or("mesh");
    if (network == "mesh") return false;
    if (network != "cosa") refuse("network takes 'mesh' or 'cosa', found '" + network + "'");
    const std::pair<const char*, bool> of_ours[] = {{"flit_bits", wishes.flit_bits.has_value()},
                                                    {"packet_flits", wishes.packet_flits.has_value()},
                                                    {"virtual_channels", wishes.virtual_channels.has_value()},
                                                    {"buffer_flits", wishes.buffer_flits.has_value()},
                                                    {"double_buffered", wishes.double_buffered},
                                                    {"reduce_in_network", wishes.reduce_in_network},
                                                    {"every_iteration", wishes.every_iteration}};
    for (const auto& [name, given] : of_ours)
        if (given) refuse(std::string(name) + " is for the network 'mesh': CoSA's network is as it was published");
    return true;
}

}  // namespace

sim::dram::Device device_of(const std::string& name) {
    if (name.find('/') != std::string::npos || name.ends_with(".yaml"))
        return sim::dram::parse_device(read_file(name), name);
    if (std::optional<sim::dram::Device> device = sim::dram::device_named(name)) return *device;
    const std::vector<std::string> known = sim::dram::device_names();
    throw InputError(
        ErrorCode::unknown_name, {},
        "there is no device '" + name + "'" + did_you_mean(name, known) + " (known: " + list_words(known) + ")");
}

sim::dram::MemoryOptions memory_options(const std::optional<std::string>& dram, std::optional<int> channels,
                                        const std::optional<std::string>& row_policy, bool as_cosa) {
    sim::dram::MemoryOptions options;
    if (!dram && channels) refuse("dram_channels: no dram was given");
    if (!dram && row_policy) refuse("row_policy: no dram was given");
    set(options.channels, channels, "dram_channels");
    if (as_cosa) {
        options.controller.scheduling = sim::dram::Scheduling::round_robin;
        options.controller.interleaving = sim::dram::Interleaving::row_column_bank_rank;
    }
    if (!row_policy) return options;
    if (*row_policy != "open" && *row_policy != "closed")
        refuse("row_policy takes 'open' or 'closed', found '" + *row_policy + "'");
    if (*row_policy == "closed") options.controller.rows = sim::dram::RowPolicy::closed;
    return options;
}

sim::MachineOptions machine_options(const SimulatedMachine& wishes) {
    sim::MachineOptions machine;
    machine.cosa_network = is_cosa(wishes);
    if (wishes.dram) machine.dram = device_of(*wishes.dram);
    machine.dram_options = memory_options(wishes.dram, wishes.dram_channels, wishes.row_policy, machine.cosa_network);
    set(machine.flit_bits, wishes.flit_bits, "flit_bits");
    set(machine.packet_flits, wishes.packet_flits, "packet_flits");
    set(machine.router.virtual_channels, wishes.virtual_channels, "virtual_channels");
    set(machine.router.buffer_flits, wishes.buffer_flits, "buffer_flits");
    machine.double_buffered = wishes.double_buffered;
    machine.reduce_in_network = wishes.reduce_in_network;
    machine.detect_steady_state = !wishes.every_iteration;
    if (const std::string problem = sim::problem_with(machine); !problem.empty()) refuse(problem);
    return machine;
}

sim::Floor floor_of(const SimulatedMachine& wishes, const Architecture& architecture) {
    const sim::Floor floor = sim::floor_of(architecture);
    if (!wishes.mesh) return floor;
    const auto [columns, rows] = *wishes.mesh;
    const bool fits = columns > 0 && rows > 0 && std::int64_t{columns} * rows == floor.elements();
    if (!fits)
        refuse("mesh: the array has " + std::to_string(floor.elements()) + " elements, which " +
               std::to_string(columns) + " x " + std::to_string(rows) + " nodes are not");
    return sim::folded(floor, columns, rows);
}

void bind_simulated_machine(py::module_& module) {
    py::class_<SimulatedMachine>(module, "SimulatedMachine")
        .def(py::init<>())
        .def_readwrite("network", &SimulatedMachine::network)
        .def_readwrite("dram", &SimulatedMachine::dram)
        .def_readwrite("dram_channels", &SimulatedMachine::dram_channels)
        .def_readwrite("row_policy", &SimulatedMachine::row_policy)
        .def_readwrite("mesh", &SimulatedMachine::mesh)
        .def_readwrite("flit_bits", &SimulatedMachine::flit_bits)
        .def_readwrite("packet_flits", &SimulatedMachine::packet_flits)
        .def_readwrite("virtual_channels", &SimulatedMachine::virtual_channels)
        .def_readwrite("buffer_flits", &SimulatedMachine::buffer_flits)
        .def_readwrite("double_buffered", &SimulatedMachine::double_buffered)
        .def_readwrite("reduce_in_network", &SimulatedMachine::reduce_in_network)
        .def_readwrite("every_iteration", &SimulatedMachine::every_iteration);
}

}  // namespace tilewright::python
