#include "scalesim/systolic.hpp"

#include <array>
#include <vector>

#include "base/numbers/checked.hpp"
#include "workload/layer_roles.hpp"

namespace tilewright::scalesim {
namespace {

constexpr std::array<std::string_view, 3> kNames{"os", "ws", "is"};

// The dimensions along rows, along columns, and in time.
struct Projection {
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t steps;
};

Projection projection_of(Stationary stationary, const Product& product) {
    switch (stationary) {
        case Stationary::output: return {product.pixels, product.filters, product.window};
        case Stationary::weight: return {product.window, product.filters, product.pixels};
        case Stationary::input: break;
    }
    return {product.window, product.pixels, product.filters};
}

// The last unit, in the far corner, begins rows + columns - 2 cycles after the first. The stationary operand is shifted
// in first, a row of the array a cycle.
std::int64_t fold_cycles(const SystolicArray& array, Stationary stationary, std::int64_t steps) {
    const std::int64_t filling = stationary == Stationary::output ? 0 : array.rows;
    return checked_add(checked_add(filling, checked_add(array.rows, array.columns) - 2), steps);
}

double real(std::int64_t value) { return static_cast<double>(value); }

}  // namespace

std::optional<ProductTensors> product_tensors(const Einsum& einsum) {
    std::vector<int> operands;
    int result = -1;
    for (int tensor = 0; tensor < einsum.tensor_count(); ++tensor) {
        if (einsum.tensors[tensor].written)
            result = tensor;
        else
            operands.push_back(tensor);
    }
    if (operands.size() != 2) return std::nullopt;
    const int filters = operands[weights_come_first(einsum) ? 0 : 1];
    return ProductTensors{operands[0] == filters ? operands[1] : operands[0], filters, result};
}

std::string_view name_of(Stationary stationary) { return kNames.at(static_cast<std::size_t>(stationary)); }

std::optional<Stationary> stationary_named(std::string_view name) {
    for (std::size_t i = 0; i < kNames.size(); ++i)
        if (kNames.at(i) == name) return static_cast<Stationary>(i);
    return std::nullopt;
}

SystolicRun run_on(const SystolicArray& array, Stationary stationary, const Product& product) {
    const Projection projection = projection_of(stationary, product);
    SystolicRun run;
    run.row_folds = ceil_div(projection.rows, array.rows);
    run.column_folds = ceil_div(projection.columns, array.columns);
    const std::int64_t folds = checked_mul(run.row_folds, run.column_folds);
    const std::int64_t one = checked_mul(folds, fold_cycles(array, stationary, projection.steps)) - 1;
    run.cycles = checked_mul(product.groups, one);
    const double units = real(array.rows) * real(array.columns);
    const double held = real(projection.rows) * real(projection.columns);
    run.mapping_efficiency = held / (real(folds) * units);
    if (one > 0) run.utilization = held * real(projection.steps) / (units * real(one));
    return run;
}

std::variant<Product, std::string> product_of(const Einsum& einsum) {
    const std::optional<ProductTensors> tensors = product_tensors(einsum);
    if (!tensors) return "it is no product of two operands";
    const auto [inputs, weights, result] = *tensors;
    Product product;
    for (int dimension = 0; dimension < einsum.dimension_count(); ++dimension) {
        const auto& [name, extent] = einsum.dimensions[dimension];
        const auto in = [&einsum, dimension](int tensor) { return is_relevant(einsum.tensors[tensor], dimension); };
        if (in(weights) + in(inputs) + in(result) < 2) {
            if (extent > 1) return "its dimension " + name + " is in one tensor only";
            continue;
        }
        std::int64_t& size = in(weights) && in(inputs) && in(result) ? product.groups
                             : !in(weights)                          ? product.pixels
                             : !in(inputs)                           ? product.filters
                                                                     : product.window;
        size = checked_mul(size, extent);
    }
    return product;
}

}  // namespace tilewright::scalesim
