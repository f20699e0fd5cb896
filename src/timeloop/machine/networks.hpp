// The wires between the levels: one inferred from the attributes of each memory, or the networks that the file defines
// and that `network_read`, `network_fill`, `network_update` and `network_drain` connect.
#pragma once

#include "arch/architecture.hpp"
#include "timeloop/machine/machine.hpp"

namespace tilewright::timeloop {

/// Sets Memory::link and update_link of every memory. `architecture` has the machine's memories, in its order.
void connect_networks(const MachineFile& machine, Architecture& architecture);

}  // namespace tilewright::timeloop
