// Rows of the file of Gemmini's RTL cycles as tiled layers: what the mapping's text turned into when it ran.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "silicon/systolic/tiled_layer.hpp"
#include "table.hpp"

namespace tilewright::silicon_study {

struct GemminiRow {
    std::string shape;  ///< "64_128_1_128_1_1_1": C, K, N, P, Q, R, S; folds keep rows of one shape together
    silicon::TiledLayer layer;
    double measured = 0.0;
    std::optional<double> timeloop;  ///< what Timeloop says of the same mapping, cycles
    /// Gemmini's own tiling of the same layer, as recorded and as measured with the tiler's search.
    std::optional<silicon::TiledLayer> own;
    double own_measured = 0.0;
};

/// The tile is what the levels inside DRAM hold: temporal and spatial loops of the accumulator, the spatial ones of the
/// scratchpad, and P and Q of the registers; the rest was ignored. The order of DRAM's loops was honoured. Outputs are
/// as many as the image and its padding make: with an even kernel of stride 1, one more than P says.
std::vector<GemminiRow> gemmini_rows(const Table& table);

}  // namespace tilewright::silicon_study
