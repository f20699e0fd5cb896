// Subscripts of vectors.
#pragma once

#include <cstddef>

namespace tilewright::sim::dram {

constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace tilewright::sim::dram
