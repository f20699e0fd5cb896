// What a simulation's document tells: simulated cycles beside those that were expected, by layer and by term. Plain
// values; documents/ makes them.
#pragma once

#include <string>
#include <vector>

#include "report/simulation/term.hpp"

namespace tilewright::views {

/// One run of a layer shape.
struct SimulatedLayer {
    std::vector<std::string> names;  ///< of the layers that have the shape
    double repeats = 1.0;
    double model_cycles = 0.0;  ///< of a schedule: what it says
    double cycles = 0.0;        ///< as simulated
    bool interrupted = false;
    std::vector<report::Term> terms;
    std::string underestimated;  ///< the name of a term; "" for none
};

struct Simulation {
    std::string file;                    ///< where the document was read
    std::string title;                   ///< "resnet50 on simba, DDR4-2400"
    std::vector<SimulatedLayer> layers;  ///< those that were simulated
};

}  // namespace tilewright::views
