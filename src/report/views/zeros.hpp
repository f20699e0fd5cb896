// Savings of a run on zeros, for pages: cards, tables by memory and layer, and pictures.
//
// Layer by layer, as reports are read: there may be tens of thousands.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/document.hpp"
#include "report/views/figures.hpp"
#include "sparse/costs.hpp"

namespace tilewright::views {

/// Of one layer with its repeats, or of several.
struct SavedByZeros {
    double dense_energy_pj = 0.0;  ///< without sparse optimisations
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
    std::string densities;  ///< "Weights 0.3, Inputs 0.5"; without dense tensors
    SavedByZeros saved;     ///< with the layer's repeats
};

void add_zeros_of(const document::Layer& layer, std::vector<LayerZeros>& layers);

/// Adds to the headlines and figures of a document; nothing without layers. `run`: its title.
void add_zeros(const std::vector<LayerZeros>& layers, const std::string& run, Document& document);

}  // namespace tilewright::views
