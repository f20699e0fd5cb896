// Places in vectors, of numbers that are never negative where they are used.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewright::certificate::fused_proof {

inline std::size_t place(std::int64_t number) { return static_cast<std::size_t>(number); }

}  // namespace tilewright::certificate::fused_proof
