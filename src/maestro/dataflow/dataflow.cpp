#include "maestro/dataflow/dataflow.hpp"

#include <algorithm>
#include <array>

namespace tilewright::dataflow {

std::vector<std::string> parameters_of(const Dataflow& dataflow) {
    std::vector<std::string> names;
    const auto add = [&](const Size& size) {
        for (std::string& name : parameters_of(size))
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    };
    for (const Directive& directive : dataflow.directives) {
        add(directive.size);
        if (directive.kind != DirectiveKind::cluster) add(directive.offset);
    }
    return names;
}

std::string to_text(const Directive& directive) {
    if (directive.kind == DirectiveKind::cluster)
        return "Cluster(" + to_text(directive.size) + "," + (directive.cluster == ClusterKind::physical ? "P" : "L") +
               ")";
    return std::string(directive.kind == DirectiveKind::spatial ? "SpatialMap(" : "TemporalMap(") +
           to_text(directive.size) + "," + to_text(directive.offset) + ") " + std::string(name_of(directive.axis));
}

namespace {

// Input elements touched by `outputs` window positions, and the inverse.
std::int64_t input_extent(std::int64_t outputs, std::int64_t window, std::int64_t stride, std::int64_t dilation) {
    return (outputs - 1) * stride + (window - 1) * dilation + 1;
}

std::int64_t output_extent(std::int64_t inputs, std::int64_t window, std::int64_t stride, std::int64_t dilation) {
    const std::int64_t reach = (window - 1) * dilation + 1;
    return inputs < reach ? 0 : (inputs - reach) / stride + 1;
}

void complete_window(const Layer& layer, Axis image, Axis out, Extents& extents) {
    const Axis window = filter_along(image);
    // A transposed layer is a plain convolution over the expanded image: its factor is in the density, not here.
    const std::int64_t stride = layer.type == LayerType::transposed ? 1 : layer.stride[image];
    if (extents[image] == 0 && extents[out] > 0)
        extents[image] = input_extent(extents[out], extents[window], stride, layer.dilation[window]);
    else
        extents[out] = output_extent(extents[image], extents[window], stride, layer.dilation[window]);
}

}  // namespace

std::string_view name_of(LayerType type) {
    constexpr std::array<std::string_view, 8> kLayerTypes{"CONV",   "DSCONV", "NGCONV", "GEMM",
                                                          "TRCONV", "FC",     "POOL",   "LSTM"};
    return kLayerTypes[static_cast<std::size_t>(type)];
}

AxisRules axis_rules(LayerType type) {
    using enum Axis;
    switch (type) {
        case LayerType::conv:
        case LayerType::transposed: return {{K, C, R, S, Y, X}, {N}};
        case LayerType::depthwise: return {{C, R, S, Y, X}, {N, K}};
        case LayerType::grouped: return {{G, K, C, R, S, Y, X}, {N}};
        case LayerType::gemm: return {{M, N, K}, {}};
        case LayerType::fully_connected: return {{K, C}, {N, R, S, Y, X}};
        case LayerType::pool: return {{C, R, S, Y, X}, {N, K}};
        case LayerType::lstm: return {{K, C, X}, {N, R, S, Y}};
    }
    return {};
}

Extents complete_extents(const Layer& layer) {
    Extents extents = layer.extents;
    for (const Axis axis : axis_rules(layer.type).optional)
        if (extents[axis] == 0 && !window_of(axis)) extents[axis] = 1;
    if (layer.type == LayerType::gemm) return extents;
    for (const auto& [image, out] : {std::pair{Axis::Y, Axis::out_y}, std::pair{Axis::X, Axis::out_x}}) {
        if (extents[image] == 0 && extents[out] == 0) extents[image] = extents[filter_along(image)];
        complete_window(layer, image, out, extents);
    }
    return extents;
}

bool has_output(const Layer& layer) {
    if (layer.type == LayerType::gemm) return true;
    const Extents extents = complete_extents(layer);
    return extents[Axis::out_y] >= 1 && extents[Axis::out_x] >= 1;
}

}  // namespace tilewright::dataflow
