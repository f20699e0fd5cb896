// Arrays that compute in their memory cells, as ZigZag 3.8.5 costs them (docs/zigzag.md, "Arrays that compute in
// memory").
//
// Weights of a layer's second input lie in the cells: the first array dimension by name is columns, the second rows
// (added up), the others banks. An analog array reads the sum of each column and weight bit by a converter; a digital
// one adds by trees. An input enters in slices, one a cycle. Pure functions of values.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "zigzag/accounting/spatial.hpp"
#include "zigzag/values/accelerator.hpp"
#include "zigzag/values/layer.hpp"
#include "zigzag/values/uneven_mapping.hpp"

namespace tilewright::zigzag {

enum class ArrayPart { cells, precharging, dacs, adcs, multipliers, bitlines, adder_trees, place_values, accumulators };
inline constexpr int kArrayParts = 9;

/// ZigZag's names: "cells", "local_bl_precharging", ...
std::string_view name_of(ArrayPart part);

struct ArrayParts {
    std::array<double, kArrayParts> values{};
    double& operator[](ArrayPart part) { return values[static_cast<std::size_t>(part)]; }
    double operator[](ArrayPart part) const { return values[static_cast<std::size_t>(part)]; }
    double total() const;
    bool operator==(const ArrayParts&) const = default;
};

/// Of the machine alone.
struct ArrayCosts {
    ArrayParts area_mm2;
    ArrayParts delay_ns;  ///< one path: the clock is their sum
    ArrayParts peak_pj;   ///< of one clock with everything in use
    double macs_per_cycle = 0.0;

    double clock_ns() const { return delay_ns.total(); }
    /// Tera-operations a second, two a multiply-accumulate.
    double peak_tops() const { return 2 * macs_per_cycle / clock_ns() / 1000; }
    double peak_tops_per_watt() const { return 2 * macs_per_cycle / peak_pj.total(); }
    double peak_tops_per_mm2() const { return peak_tops() / area_mm2.total(); }
};

/// Reason why an in-memory array is none that the circuits describe, or "".
std::string problem_with_array(const Accelerator& accelerator);

/// Requires an in-memory array without problem; so do the functions below.
ArrayCosts array_costs(const Accelerator& accelerator);

/// One layer's operations.
struct ArrayEnergy {
    ArrayParts pj;          ///< without precharging, which depends on the mapping
    std::int64_t rows = 1;  ///< in use
};
ArrayEnergy operations_energy(const Accelerator& accelerator, const Layer& layer, const ArrayUnrolling& unrolling);

/// Energy of precharging the local bitlines for a weight of a group of cells; 0 where each group holds a single one.
double precharge_pj(const Accelerator& accelerator);

/// Of a layer's. `stationary`: operations of a unit for which the weight stays; `reused`: iterations of those loops
/// that lie in the cells' own level, which divide twice (ZigZag).
inline double precharging_pj(double precharge_pj, double operations, double stationary, double reused) {
    return precharge_pj * std::trunc(operations / stationary) / reused;
}

/// Product of the innermost loops of the cells' level that leave the weights alone, as the mapping has them.
std::int64_t reused_in_cells(const Layer& layer, const UnevenMapping& mapping);

}  // namespace tilewright::zigzag
