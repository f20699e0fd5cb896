// A simulation's document: simulated beside expected cycles, by layer and by term. Values; documents/ makes them.
#pragma once

#include <string>
#include <vector>

#include "report/simulation/term.hpp"

namespace tilewright::views {

struct SimulatedLayer {
    std::vector<std::string> names;  ///< of the shape's layers
    double repeats = 1.0;
    double model_cycles = 0.0;  ///< of a schedule: its own
    double cycles = 0.0;        ///< as simulated
    bool interrupted = false;
    std::vector<report::Term> terms;
    std::string underestimated;  ///< the name of a term; "" for none
};

struct Simulation {
    std::string file;                    ///< of the document
    std::string title;                   ///< "resnet50 on simba, DDR4-2400"
    std::vector<SimulatedLayer> layers;  ///< those simulated
};

}  // namespace tilewright::views
