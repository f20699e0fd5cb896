// Indices of dimensions, tensors and einsums as those of vectors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewright::fusion {

inline std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

}  // namespace tilewright::fusion
