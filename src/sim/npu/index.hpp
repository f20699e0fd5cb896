// Numbers of tiles, nodes and channels as indices. Internal to sim/npu.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewright::sim::npu {

inline std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

}  // namespace tilewright::sim::npu
