// What neighbouring units of the array have in common: one dimension across X, one across Y, each so many times.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright::fusion {

/// One dimension across each axis of the array; -1: none, with a factor of 1.
struct Spread {
    int x = -1;
    std::int64_t along_x = 1;
    int y = -1;
    std::int64_t along_y = 1;
};

/// Of one step of the array.
struct Shared {
    double units = 1.0;                           ///< that work
    std::array<double, kMaxTensors> different{};  ///< words of each operand, those that units share counted once
};

bool is_without_windows(const Tensor& tensor);

/// Remembered, whatever the extents are: of an einsum, or of others of its shape. Not thread-safe.
class Neighbours {
   public:
    explicit Neighbours(const Einsum& einsum);

    /// Operands that move with the dimension.
    TensorSet moved_by(int dimension) const { return movers_[dimension]; }
    /// The operand has no windows.
    bool is_plain(int operand) const { return plain_.has(operand); }

    /// Stays where it is.
    const Shared& at_spread(const Spread& spread);

   private:
    const Einsum* einsum_;
    std::vector<TensorSet> movers_;  // by dimension
    TensorSet plain_;
    std::unordered_map<std::uint64_t, Shared> known_;
};

}  // namespace tilewright::fusion
