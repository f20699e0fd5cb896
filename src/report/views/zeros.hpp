// What zeros save in a run, as pages say it: cards, tables by memory and layer, and pictures.
//
// Layer by layer, since reports are read so: there may be tens of thousands.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/document.hpp"
#include "report/views/figures.hpp"
#include "sparse/costs.hpp"

namespace tilewright::views {

/// Of one layer, as often as it runs, or of several.
struct SavedByZeros {
    double dense_energy_pj = 0.0;  ///< were nothing done about zeros
    double energy_pj = 0.0;
    double dense_cycles = 0.0;
    double cycles = 0.0;
    double elsewhere_pj = 0.0;  ///< saved on links, address generation and leakage
    /// Accesses of memories, outermost first, and computes.
    std::vector<std::pair<std::string, sparse::Saved>> components;

    /// Sum of the components.
    sparse::Saved total() const;
    SavedByZeros& operator+=(const SavedByZeros& more);
};

struct LayerZeros {
    std::string layer;
    std::string densities;  ///< "Weights 0.3, Inputs 0.5"; tensors that are dense are left out
    SavedByZeros saved;     ///< as often as the layer runs
};

/// Takes what a layer says of zeros, if anything.
void add_zeros_of(const document::Layer& layer, std::vector<LayerZeros>& layers);

/// Adds to the headlines and figures of a document; nothing where there are no layers. `run`: its title.
void add_zeros(const std::vector<LayerZeros>& layers, const std::string& run, Document& document);

}  // namespace tilewright::views
