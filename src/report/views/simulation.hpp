// What a simulation's document tells: simulated cycles beside those that were expected, by layer and by term. Plain
// values; frontend/documents reads them.
#pragma once

#include <string>
#include <vector>

namespace tilewright::views {

/// What a part of the cycles went to.
struct CycleTerm {
    std::string name;
    double model_cycles = 0.0;
    double simulated_cycles = 0.0;

    double beyond() const { return simulated_cycles - model_cycles; }
};

/// One run of a layer shape.
struct SimulatedLayer {
    std::vector<std::string> names;  ///< of the layers that have the shape
    double repeats = 1.0;
    double model_cycles = 0.0;  ///< of a schedule: what it says
    double cycles = 0.0;        ///< as simulated
    bool interrupted = false;
    std::vector<CycleTerm> terms;
    std::string underestimated;  ///< the name of a term; "" for none
};

struct Simulation {
    std::string file;                    ///< where the document was read
    std::string title;                   ///< "resnet50 on simba, DDR4-2400"
    std::vector<SimulatedLayer> layers;  ///< those that were simulated
};

}  // namespace tilewright::views
