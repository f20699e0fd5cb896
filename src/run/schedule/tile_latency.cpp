#include "run/schedule/tile_latency.hpp"

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "run/map_layer.hpp"
#include "workload/shapes.hpp"

namespace tilewright {
namespace {

Einsum einsum_of(const schedule::TileShape& tile) {
    Convolution shape;
    shape.in_channels = tile.in_c;
    shape.out_channels = tile.out_c;
    shape.width = {tile.out_w, tile.kernel_w, tile.stride_w, tile.dilation_w};
    shape.height = {tile.out_h, tile.kernel_h, tile.stride_h, tile.dilation_h};
    return convolution(shape);
}

// The tile as a layer, with its own word widths, if any.
LayerProblem problem_of(const schedule::TileShape& tile, const Architecture& architecture) {
    LayerProblem problem{einsum_of(tile), architecture, {}};
    if (!tile.bits.given()) return problem;
    Einsum& einsum = problem.einsum;
    const int outputs = find_tensor(einsum, "Outputs");
    einsum.tensors[find_tensor(einsum, "Inputs")].bits = tile.bits.input;
    einsum.tensors[find_tensor(einsum, "Weights")].bits = tile.bits.weight;
    einsum.tensors[outputs].bits = tile.bits.output;
    if (tile.bits.partial_sum == tile.bits.output) return problem;
    problem.words.partial_bits.assign(einsum.tensors.size(), 0);
    problem.words.partial_bits[outputs] = tile.bits.partial_sum;
    return problem;
}

}  // namespace

TileLatency::TileLatency(Architecture architecture, std::function<Constraints(const Einsum&)> constraints)
    : architecture_(std::move(architecture)), constraints_(std::move(constraints)) {}

std::int64_t TileLatency::at_least(const schedule::TileShape& tile) const {
    std::int64_t operations = 1;
    for (const std::int64_t factor : {tile.out_w, tile.out_h, tile.in_c, tile.out_c, tile.kernel_w, tile.kernel_h})
        operations = checked_mul(operations, factor);
    return ceil_div(operations, architecture_.compute.instances);
}

std::int64_t TileLatency::cycles(const schedule::TileShape& tile) const {
    LayerProblem problem = problem_of(tile, architecture_);
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = known_.find(tile); found != known_.end()) return found->second;
        problem.constraints = constraints_(problem.einsum);
    }
    MapOptions options;
    options.objective = {.kind = ObjectiveKind::latency};
    options.threads = 1;  // many callers in parallel
    const LayerAnswer answer = map_layer(problem, options);
    if (!answer.evaluation)
        throw InputError(ErrorCode::unsupported, {},
                         "a tile of " + to_text(tile) + " has no mapping on core " + architecture_.name + ": " +
                             answer.failures.front());
    const std::lock_guard lock(mutex_);
    return known_.emplace(tile, answer.evaluation->cycles).first->second;
}

}  // namespace tilewright
