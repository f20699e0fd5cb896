// Tile, node, bank and channel numbers as vector subscripts. Internal to sim/.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewright::sim {

constexpr std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

}  // namespace tilewright::sim
