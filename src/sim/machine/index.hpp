// Numbers as indices. Internal to sim/machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewright::sim {

inline std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

}  // namespace tilewright::sim
