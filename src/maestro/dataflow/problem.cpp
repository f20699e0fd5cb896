#include "maestro/dataflow/problem.hpp"

#include "base/numbers/checked.hpp"

namespace tilewright::dataflow {
namespace {

void couple(CompleteLayer& problem, LayerType type) {
    using enum Axis;
    switch (type) {
        case LayerType::gemm: problem.input = {M, K}, problem.filter = {K, N}, problem.output = {M, N}; break;
        case LayerType::lstm: problem.input = {N, X}, problem.filter = {K, C, X}, problem.output = {N, K, C}; break;
        case LayerType::pool: problem.input = {N, C, Y, X}, problem.filter = {}, problem.output = {N, C, Y, X}; break;
        case LayerType::depthwise:
            problem.input = {N, C, Y, X}, problem.filter = {C, K, R, S}, problem.output = {N, C, K, Y, X};
            break;
        case LayerType::grouped:
            problem.input = {N, G, C, Y, X}, problem.filter = {G, K, C, R, S}, problem.output = {N, G, K, Y, X};
            break;
        default: problem.input = {N, C, Y, X}, problem.filter = {K, C, R, S}, problem.output = {N, K, Y, X};
    }
}

}  // namespace

CompleteLayer problem_of(const Layer& layer) {
    CompleteLayer problem;
    problem.extents = complete_extents(layer);
    problem.windows = layer.type != LayerType::gemm && layer.type != LayerType::lstm;
    problem.density = layer.density;
    if (layer.type == LayerType::transposed) {
        problem.density.input.density /= static_cast<double>(layer.stride[Axis::Y] * layer.stride[Axis::X]);
    } else {
        problem.stride = layer.stride;
    }
    problem.dilation = layer.dilation;
    couple(problem, layer.type);
    using enum Axis;
    for (const Axis axis : {C, G, K, M, N, R, S, X, Y})
        if (problem.extents[axis] > 0) problem.coupled.push_back(axis);
    return problem;
}

std::int64_t operations_of(const CompleteLayer& problem) {
    std::int64_t operations = 1;
    for (const Axis axis : problem.coupled) {
        const bool image = problem.windows && window_of(axis).has_value();
        const Axis counted = !image ? axis : axis == Axis::Y ? Axis::out_y : Axis::out_x;
        operations = checked_mul(operations, problem.extents[counted]);
    }
    return operations;
}

LevelsRequest request_for(const CompleteLayer& problem, std::int64_t units, Reading reading) {
    LevelsRequest request;
    request.extents = problem.extents;
    request.coupled = problem.coupled;
    request.stride = problem.stride;
    request.dilation = problem.dilation;
    request.units = units;
    request.reading = reading;
    return request;
}

}  // namespace tilewright::dataflow
