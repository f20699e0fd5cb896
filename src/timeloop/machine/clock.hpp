// The machine's clock from its components and variables: a period or a frequency, with its unit.
#pragma once

#include "timeloop/machine/machine.hpp"

namespace tilewright::timeloop {

struct Clock {
    double cycle_seconds = 1e-9;
    bool assumed = true;  ///< none is given
};

/// global_cycle_seconds, else the components' common clock (cycle_seconds, cycle_time, frequency, clock_frequency).
/// Throws InputError if they differ.
Clock clock_of(const MachineFile& machine);

}  // namespace tilewright::timeloop
