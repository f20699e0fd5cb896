// Figures 3 to 6 of the SALSA paper (Jung et al., AICAS 2023), as Markdown tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layers.hpp"

namespace tilewright::salsa_study {

/// Figure 5, left: every layer with LOMA 7 and `seeds` runs of SALSA, energies above the proven least, processor time.
void print_layers(const std::vector<Layer>& layers, int seeds);

/// The layers on which some of `seeds` runs of SALSA end above LOMA 7's energy.
void print_losses(const std::vector<std::vector<Layer>>& networks, int seeds);

/// Figure 5, right: a line with SALSA's energy (seed 1) over LOMA 7's for each network.
void print_gains(const std::vector<std::vector<Layer>>& networks);

/// Figures 3 and 6: LOMA at every limit of prime factors that leaves at most `most_orders` orders, SALSA and `optimal`.
void print_limits(const std::string& title, const Layer& layer, std::int64_t most_orders);

/// Figure 4: the energies that SALSA sees in `seeds` runs, and those of as many orders drawn evenly.
void print_distribution(const std::string& title, const Layer& layer, int seeds);

/// Figures 3 and 6 in a line each, by LOMA 6, 7 and 8; without times.
void print_limits_line(const std::string& title, const Layer& layer);

}  // namespace tilewright::salsa_study
