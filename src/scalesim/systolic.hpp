// SCALE-Sim's cycles of a matrix product on a systolic array, without memory stalls. docs/coming-from-scalesim.md
// derives them; a test steps the array cycle by cycle.
//
// A layer is a product of M output pixels, N filters and windows of K elements. The stationary operand is cut into
// folds, run in sequence on the whole array, however little of it they use. Values; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "workload/einsum.hpp"

namespace tilewright::scalesim {

struct SystolicArray {
    std::int64_t rows = 1;
    std::int64_t columns = 1;

    bool operator==(const SystolicArray&) const = default;
};

enum class Stationary : std::uint8_t { output, weight, input };
inline constexpr std::array<Stationary, 3> kStationaries{Stationary::output, Stationary::weight, Stationary::input};

/// "os", "ws", "is"
std::string_view name_of(Stationary stationary);
std::optional<Stationary> stationary_named(std::string_view name);

/// groups x [pixels x window] * [window x filters]; each group is a separate run.
struct Product {
    std::int64_t pixels = 1;   ///< M
    std::int64_t filters = 1;  ///< N
    std::int64_t window = 1;   ///< K
    std::int64_t groups = 1;

    bool operator==(const Product&) const = default;
};

struct SystolicRun {
    std::int64_t row_folds = 1;
    std::int64_t column_folds = 1;
    std::int64_t cycles = 0;          ///< of all groups; SCALE-Sim counts from 0: one less per group
    std::int64_t stalled = 0;         ///< of these, if the memories have a bandwidth (stalls.hpp)
    double utilization = 0.0;         ///< operations per unit and cycle
    double mapping_efficiency = 0.0;  ///< units with work, on average over the folds
};

/// Throws OverflowError.
SystolicRun run_on(const SystolicArray& array, Stationary stationary, const Product& product);

struct ProductTensors {
    int inputs = 0;
    int filters = 0;
    int result = 0;
};

/// Those of a two-operand einsum; the filters are the operand named Weights, else the second one.
std::optional<ProductTensors> product_tensors(const Einsum& einsum);

/// The product of a two-operand einsum, or the reason for none.
std::variant<Product, std::string> product_of(const Einsum& einsum);

}  // namespace tilewright::scalesim
