// A part of the cycles of a run: as expected, and as simulated.
#pragma once

#include <string>

namespace tilewright::report {

struct Term {
    std::string name;
    double model_cycles = 0.0;
    double simulated_cycles = 0.0;
    bool known = false;  ///< always equal to the model if present: never named

    double beyond() const { return simulated_cycles - model_cycles; }
    bool operator==(const Term&) const = default;
};

}  // namespace tilewright::report
