#include "workload/shapes.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "base/numbers/checked.hpp"

namespace tilewright {
namespace {

/// The dimensions of a shape, by index; -1 if absent.
struct Axes {
    int r, s, t, p, q, z, c, k, n, g;
};

int add(Einsum& einsum, const char* name, std::int64_t extent) {
    einsum.dimensions.push_back({name, extent});
    return einsum.dimension_count() - 1;
}

Axes add_dimensions(Einsum& einsum, const Convolution& shape) {
    Axes axes{};
    axes.r = add(einsum, "R", shape.width.kernel);
    axes.s = add(einsum, "S", shape.height.kernel);
    axes.t = shape.depth ? add(einsum, "T", shape.depth->kernel) : -1;
    axes.p = add(einsum, "P", shape.width.positions);
    axes.q = add(einsum, "Q", shape.height.positions);
    axes.z = shape.depth ? add(einsum, "Z", shape.depth->positions) : -1;
    axes.c = add(einsum, "C", shape.in_channels);
    axes.k = add(einsum, "K", shape.out_channels);
    axes.n = add(einsum, "N", shape.batch);
    axes.g = shape.groups > 1 ? add(einsum, "G", shape.groups) : -1;
    return axes;
}

/// Ranks of one dimension each, without absent ones.
std::vector<Rank> plain(std::initializer_list<int> dimensions) {
    std::vector<Rank> ranks;
    for (const int dimension : dimensions)
        if (dimension >= 0) ranks.push_back({{{dimension, 1}}});
    return ranks;
}

/// dilation * kernel + stride * position.
Rank window(int kernel, int position, const WindowAxis& axis) {
    return {{{kernel, axis.dilation}, {position, axis.stride}}};
}

std::string pair_text(const Convolution& shape, std::int64_t WindowAxis::* member, std::string_view between) {
    std::string text =
        std::to_string(shape.width.*member) + std::string(between) + std::to_string(shape.height.*member);
    if (shape.depth) text += std::string(between) + std::to_string((*shape.depth).*member);
    return text;
}

/// "conv_3x3_56x56_c64_k64_n1_s2": all numbers of the shape, so that equal names mean equal einsums.
std::string name_of(const Convolution& shape, std::string_view family) {
    std::string name = std::string(family) + "_" + pair_text(shape, &WindowAxis::kernel, "x") + "_" +
                       pair_text(shape, &WindowAxis::positions, "x") + "_c" + std::to_string(shape.in_channels) + "_k" +
                       std::to_string(shape.out_channels) + "_n" + std::to_string(shape.batch);
    if (shape.groups > 1) name += "_g" + std::to_string(shape.groups);
    const auto uniform_one = [&](std::int64_t WindowAxis::* member) {
        return shape.width.*member == 1 && shape.height.*member == 1 && (!shape.depth || (*shape.depth).*member == 1);
    };
    if (!uniform_one(&WindowAxis::stride)) name += "_s" + pair_text(shape, &WindowAxis::stride, "x");
    if (!uniform_one(&WindowAxis::dilation)) name += "_d" + pair_text(shape, &WindowAxis::dilation, "x");
    return name;
}

}  // namespace

Einsum convolution(const Convolution& shape) {
    Einsum einsum{name_of(shape, "conv"), {}, {}};
    const Axes axes = add_dimensions(einsum, shape);
    std::vector<Rank> inputs = plain({axes.n, axes.g, axes.c});
    inputs.push_back(window(axes.r, axes.p, shape.width));
    inputs.push_back(window(axes.s, axes.q, shape.height));
    if (shape.depth) inputs.push_back(window(axes.t, axes.z, *shape.depth));
    einsum.tensors = {{"Weights", plain({axes.g, axes.c, axes.k, axes.r, axes.s, axes.t}), false},
                      {"Inputs", std::move(inputs), false},
                      {"Outputs", plain({axes.n, axes.g, axes.k, axes.q, axes.p, axes.z}), true}};
    return einsum;
}

Einsum transposed_convolution(const Convolution& shape) {
    Einsum einsum{name_of(shape, "transposed_conv"), {}, {}};
    const Axes axes = add_dimensions(einsum, shape);
    std::vector<Rank> outputs = plain({axes.n, axes.g, axes.k});
    outputs.push_back(window(axes.s, axes.q, shape.height));
    outputs.push_back(window(axes.r, axes.p, shape.width));
    if (shape.depth) outputs.push_back(window(axes.t, axes.z, *shape.depth));
    einsum.tensors = {{"Weights", plain({axes.g, axes.c, axes.k, axes.r, axes.s, axes.t}), false},
                      {"Inputs", plain({axes.n, axes.g, axes.c, axes.p, axes.q, axes.z}), false},
                      {"Outputs", std::move(outputs), true}};
    return einsum;
}

Einsum conv2d(std::int64_t in_channels, std::int64_t out_channels, std::int64_t size, std::int64_t kernel,
              std::int64_t stride, std::int64_t batch) {
    const WindowAxis axis{.positions = size, .kernel = kernel, .stride = stride};
    return convolution(
        {.batch = batch, .in_channels = in_channels, .out_channels = out_channels, .width = axis, .height = axis});
}

Einsum depthwise(std::int64_t channels, std::int64_t size, std::int64_t kernel, std::int64_t stride,
                 std::int64_t batch) {
    const WindowAxis axis{.positions = size, .kernel = kernel, .stride = stride};
    return convolution({.batch = batch, .groups = channels, .width = axis, .height = axis});
}

Einsum multiplied(const Einsum& einsum, char dimension, std::int64_t factor) {
    Einsum result = einsum;
    const int index = find_dimension(einsum, std::string_view(&dimension, 1));
    std::int64_t& extent = result.dimensions.at(static_cast<std::size_t>(index)).extent;
    const std::string key = dimension == 'N' ? "_n" : "_g";
    const std::string old_text = key + std::to_string(extent);
    extent = checked_mul(extent, factor);
    // The name lists every number once, behind its key, followed by the next key or the end.
    std::size_t place = result.name.find(old_text);
    while (place + old_text.size() < result.name.size() && result.name[place + old_text.size()] != '_')
        place = result.name.find(old_text, place + 1);
    result.name.replace(place, old_text.size(), key + std::to_string(extent));
    return result;
}

Einsum gemm(std::int64_t rows, std::int64_t inner, std::int64_t columns) {
    return batched_matmul(1, rows, inner, columns);
}

Einsum batched_matmul(std::int64_t batch, std::int64_t rows, std::int64_t inner, std::int64_t columns) {
    return convolution(
        {.batch = rows, .groups = batch, .in_channels = inner, .out_channels = columns, .width = {}, .height = {}});
}

}  // namespace tilewright
