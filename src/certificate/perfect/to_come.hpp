// ToCome: lower bounds of the deliveries beyond a stage, by fitting tiles. Internal to certificate/.
#pragma once

#include <optional>

#include "certificate/common/charges.hpp"
#include "certificate/common/goal.hpp"
#include "certificate/perfect/bounds.hpp"
#include "certificate/perfect/loads_to_come.hpp"
#include "certificate/perfect/tile_numbers.hpp"

namespace tilewright::certificate {

struct ToCome {
    Completion completion;
    std::optional<LoadsToCome> loads;  ///< if some memory's bandwidth may bind
    double least_cycles = 0.0;         ///< of all mappings
};

/// Nothing if all mappings are out of reach. `least_cycles`: their lower bound for any tiles.
std::optional<ToCome> look_at_tiles(const Charges& charges, TileNumbers& tiles, Storage storage, double least_cycles,
                                    const Goal& goal);

}  // namespace tilewright::certificate
