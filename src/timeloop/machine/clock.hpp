// The machine's clock, as its components and variables give it: a period or a frequency, with its unit.
#pragma once

#include "timeloop/machine/machine.hpp"

namespace tilewright::timeloop {

struct Clock {
    double cycle_seconds = 1e-9;
    bool assumed = true;  ///< none is given
};

/// global_cycle_seconds, else what the components say (cycle_seconds, cycle_time, frequency, clock_frequency), which
/// has to be one clock for all of them. Throws InputError.
Clock clock_of(const MachineFile& machine);

}  // namespace tilewright::timeloop
