// VectorUnit: the unit beside the array of multiply-accumulate units for additions, roots, exponentials on whole
// vectors of words, out of one memory of the machine. Without one the array does such work.
//
// Values; thread-safe.
#pragma once

#include <array>
#include <string>

#include "workload/cascade/cascade.hpp"

namespace tilewright {

/// Of one class of operations.
struct VectorRate {
    double energy_pj = 0.0;  ///< of one operation
    double per_cycle = 1.0;  ///< operations in a cycle, above 0

    bool operator==(const VectorRate&) const = default;
};

struct VectorUnit {
    std::string memory;                               ///< source and destination
    std::array<VectorRate, kOperationClasses> rates;  ///< by OperationClass
    double area_um2 = 0.0;

    bool operator==(const VectorUnit&) const = default;

    const VectorRate& rate(OperationClass operation) const { return rates.at(static_cast<std::size_t>(operation)); }
};

}  // namespace tilewright
