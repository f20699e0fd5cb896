#include "maestro/dataflow/problem.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/numbers/checked.hpp"
#include "workload/shapes.hpp"

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

namespace {

std::int64_t extent_of(const Einsum& einsum, const char* name) {
    const int dimension = find_dimension(einsum, name);
    return dimension < 0 ? 1 : einsum.dimensions[dimension].extent;
}

// Stride and dilation of the input axis under `positions` and `window`.
struct Spacing {
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
};

std::optional<Spacing> spacing_of(const Einsum& einsum, const Tensor& inputs, const char* positions,
                                  const char* window) {
    const int place = find_dimension(einsum, positions);
    const int offset = find_dimension(einsum, window);
    if (place < 0 && offset < 0) return Spacing{};
    for (const Rank& rank : inputs.ranks) {
        Spacing spacing;
        bool place_found = place < 0;
        bool offset_found = offset < 0;
        for (const Term& term : rank.terms) {
            if (term.dimension == place) place_found = true, spacing.stride = term.coefficient;
            if (term.dimension == offset) offset_found = true, spacing.dilation = term.coefficient;
        }
        if (place_found && offset_found && spacing.stride > 0 && spacing.dilation > 0) return spacing;
    }
    return std::nullopt;
}

void set_axes(const Einsum& einsum, Layer& layer, const Spacing& height, const Spacing& width) {
    using enum Axis;
    layer.extents[N] = extent_of(einsum, "N");
    layer.extents[R] = extent_of(einsum, "S");
    layer.extents[S] = extent_of(einsum, "R");
    layer.stride[Y] = height.stride;
    layer.stride[X] = width.stride;
    layer.dilation[R] = height.dilation;
    layer.dilation[S] = width.dilation;
    layer.extents[Y] = (extent_of(einsum, "Q") - 1) * height.stride + (layer.extents[R] - 1) * height.dilation + 1;
    layer.extents[X] = (extent_of(einsum, "P") - 1) * width.stride + (layer.extents[S] - 1) * width.dilation + 1;
    const std::int64_t groups = extent_of(einsum, "G");
    const std::int64_t channels = extent_of(einsum, "C");
    layer.extents[K] = extent_of(einsum, "K");
    if (groups > 1 && channels == 1) {
        layer.type = LayerType::depthwise;
        layer.extents[C] = groups;
        return;
    }
    layer.extents[C] = channels;
    if (groups == 1) return;
    layer.type = LayerType::grouped;
    layer.extents[G] = groups;
}

Convolution convolution_of(const Layer& layer, const Extents& extents) {
    using enum Axis;
    const auto at_least_one = [&](Axis axis) { return std::max<std::int64_t>(extents[axis], 1); };
    const bool expanded = layer.type == LayerType::transposed;
    Convolution shape;
    shape.batch = at_least_one(N);
    shape.in_channels = at_least_one(C);
    shape.out_channels = at_least_one(K);
    shape.groups = at_least_one(G);
    if (layer.type == LayerType::depthwise) std::swap(shape.groups, shape.in_channels);
    shape.width = {at_least_one(out_x), at_least_one(S), expanded ? 1 : layer.stride[X], layer.dilation[S]};
    shape.height = {at_least_one(out_y), at_least_one(R), expanded ? 1 : layer.stride[Y], layer.dilation[R]};
    return shape;
}

}  // namespace

std::string dimension_of(Axis axis, LayerType type) {
    using enum Axis;
    if (type == LayerType::gemm) return axis == M ? "N" : axis == K ? "C" : "K";
    switch (axis) {
        case R: return "S";
        case S: return "R";
        case Y: return "Q";
        case X: return "P";
        case C: return type == LayerType::depthwise ? "G" : "C";
        default: return std::string(name_of(axis));
    }
}

std::variant<Layer, std::string> layer_of(const Einsum& einsum) {
    static constexpr std::array<std::string_view, 10> kKnown{"R", "S", "P", "Q", "C", "K", "N", "G", "T", "Z"};
    for (const Dimension& dimension : einsum.dimensions)
        if (std::find(kKnown.begin(), kKnown.end(), dimension.name) == kKnown.end())
            return "its dimension '" + dimension.name + "' is none of a convolution's";
    if (extent_of(einsum, "T") > 1 || extent_of(einsum, "Z") > 1) return std::string("it has a third axis");
    const int inputs = find_tensor(einsum, "Inputs");
    if (inputs < 0) return std::string("it has no tensor 'Inputs'");
    const auto height = spacing_of(einsum, einsum.tensors[inputs], "Q", "S");
    const auto width = spacing_of(einsum, einsum.tensors[inputs], "P", "R");
    if (!height || !width) return std::string("its output is scattered, or its input not addressed as a convolution's");
    Layer layer;
    set_axes(einsum, layer, *height, *width);
    return layer;
}

std::variant<Einsum, std::string> einsum_of(const Layer& layer) {
    if (!has_output(layer)) return std::string("it has no output: its filter is larger than its input");
    const Extents extents = complete_extents(layer);
    switch (layer.type) {
        case LayerType::pool: return std::string("pooling multiplies nothing");
        case LayerType::gemm: return gemm(extents[Axis::M], extents[Axis::K], extents[Axis::N]);
        case LayerType::lstm: return gemm(extents[Axis::N], extents[Axis::X], extents[Axis::K] * extents[Axis::C]);
        default: return convolution(convolution_of(layer, extents));
    }
}

}  // namespace tilewright::dataflow
