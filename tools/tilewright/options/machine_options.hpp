// The simulated machine as the options describe it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "options/options.hpp"
#include "report/report.hpp"
#include "sim/machine/replay.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/widths.hpp"
#include "workload/words.hpp"

namespace tilewright::cli {

struct MachinePlan {
    std::string network;  ///< "mesh" or "cosa"; "": mesh
    std::string dram;     ///< a device by name, or a file; "": as the architecture says
    std::optional<std::int64_t> dram_channels;
    std::string row_policy;         ///< "open" or "closed"; "": open
    std::string dram_controller;    ///< "first-ready" or "round-robin"; "": first-ready
    std::string dram_interleaving;  ///< a name of interleavings(); "": as the controller's own
    std::optional<std::int64_t> banks;
    std::optional<std::int64_t> flit_bits;
    std::optional<std::int64_t> packet_flits;
    std::optional<std::int64_t> virtual_channels;
    std::optional<std::int64_t> buffer_flits;
    std::string mesh;  ///< "4x4"; "": as the architecture has the array
    bool double_buffered = false;
    bool reduce_in_network = false;
    bool every_iteration = false;

    void declare(Options& options);
    /// Of its options.
    static const std::vector<std::string>& names();
    /// The floor as --mesh asks for it. Throws InputError(usage).
    sim::Floor floor(const std::string& verb, const Architecture& architecture) const;
    /// Throws InputError for a machine that cannot be. Names a file that it reads in `read`.
    sim::MachineOptions resolve(const std::string& verb, std::vector<report::Input>& read) const;

   private:
    sim::dram::ControllerOptions controller() const;
};

// --bits (workload/widths.hpp), with errors of a verb.

/// Throws InputError(usage).
std::vector<TensorWidth> read_widths(const std::string& verb, const std::vector<std::string>& texts);

/// Partial sums of a cascade whose widths are set, by tensor; empty: none is given. Throws InputError(usage).
PartialBits read_partial_sums(const std::string& verb, const std::vector<std::string>& texts, const Cascade& cascade);

}  // namespace tilewright::cli
