// ToCome: what the deliveries that a stage has not reached take at least, by the tiles that fit. Internal to
// certificate/.
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
    std::optional<LoadsToCome> loads;  ///< where some memory's bandwidth may bind
    double least_cycles = 0.0;         ///< of all mappings
};

/// Nothing when all mappings are out of reach. They take `least_cycles` at least, whatever the tiles.
std::optional<ToCome> look_at_tiles(const Charges& charges, TileNumbers& tiles, Storage storage, double least_cycles,
                                    const Goal& goal);

}  // namespace tilewright::certificate
