// The wires between the levels: one inferred from each memory's attributes, or the file's networks, connected by
// `network_read`, `network_fill`, `network_update` and `network_drain`.
#pragma once

#include "arch/architecture.hpp"
#include "timeloop/machine/machine.hpp"

namespace tilewright::timeloop {

/// Sets Memory::link and update_link of every memory. `architecture` has the machine's memories in order.
void connect_networks(const MachineFile& machine, Architecture& architecture);

}  // namespace tilewright::timeloop
