// What counts of two costs.
#pragma once

namespace tilewright::fusion {

/// Energy and cycles both, or the one and, where it is equal, the other.
enum class Ranking { both, energy_first, cycles_first };

}  // namespace tilewright::fusion
