#include "schedule/problem/layer.hpp"

#include <set>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"

namespace tilewright::schedule {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
    throw InputError(ErrorCode::unsupported, {}, "layer '" + name + "' cannot be scheduled: " + why);
}

std::int64_t extent_of(const Einsum& einsum, std::string_view dimension) {
    const int index = find_dimension(einsum, dimension);
    return index < 0 ? 1 : einsum.dimensions[index].extent;
}

const Tensor& tensor_of(const Einsum& einsum, std::string_view tensor, const std::string& name) {
    const int index = find_tensor(einsum, tensor);
    if (index < 0) refuse(name, "it has no tensor '" + std::string(tensor) + "'");
    return einsum.tensors[index];
}

// The coefficient of `dimension` in a tensor addressed by it and `other`.
std::int64_t coefficient(const Einsum& einsum, const Tensor& tensor, std::string_view dimension) {
    const int index = find_dimension(einsum, dimension);
    for (const Rank& rank : tensor.ranks)
        for (const Term& term : rank.terms)
            if (term.dimension == index) return term.coefficient;
    return 1;
}

// Names of a tensor's relevant dimensions, as one word.
std::string addressed_by(const Einsum& einsum, const Tensor& tensor) {
    std::set<std::string> names;
    for (const Rank& rank : tensor.ranks)
        for (const Term& term : rank.terms)
            if (einsum.dimensions[term.dimension].extent > 1) names.insert(einsum.dimensions[term.dimension].name);
    std::string text;
    for (const std::string& name : names) text += name;
    return text;
}

std::string present(const Einsum& einsum, std::string_view letters) {
    std::string text;
    for (const char letter : letters)
        if (extent_of(einsum, std::string_view(&letter, 1)) > 1) text += letter;
    return text;
}

void expect_convolution(const Einsum& einsum, const std::string& name) {
    for (const Dimension& dimension : einsum.dimensions)
        if (dimension.name.size() != 1 || std::string_view("RSPQCKNGTZ").find(dimension.name) == std::string_view::npos)
            refuse(name, "'" + dimension.name + "' is no dimension of a convolution (R S P Q C K N G)");
    if (extent_of(einsum, "T") > 1 || extent_of(einsum, "Z") > 1) refuse(name, "it has three spatial dimensions");
    if (einsum.tensors.size() != 3) refuse(name, "it has other tensors than Weights, Inputs and Outputs");
    // Letters in alphabetical order, as listed by addressed_by().
    const std::pair<const char*, const char*> expected[] = {
        {"Weights", "CGKRS"}, {"Inputs", "CGNPQRS"}, {"Outputs", "GKNPQ"}};
    for (const auto& [tensor, letters] : expected)
        if (addressed_by(einsum, tensor_of(einsum, tensor, name)) != present(einsum, letters))
            refuse(name, std::string(tensor) + " is not addressed as in a convolution");
}

}  // namespace

std::string problem_with(const ConvLayer& layer) {
    for (const std::int64_t value : {layer.out_w, layer.out_h, layer.in_c, layer.out_c, layer.kernel_w, layer.kernel_h,
                                     layer.stride_w, layer.stride_h, layer.dilation_w, layer.dilation_h})
        if (value < 1 || value > kLargestExtent)
            return "extents, strides and dilations must lie between 1 and " + std::to_string(kLargestExtent);
    const WordBits& bits = layer.bits;
    if (bits == WordBits{}) return "";
    for (const std::int64_t width : {bits.input, bits.weight, bits.output, bits.partial_sum})
        if (width < 1 || width > kMaxWordBits)
            return "words must have between 1 and " + std::to_string(kMaxWordBits) + " bits";
    return bits.partial_sum < bits.output ? "a partial sum must not be smaller than an output" : "";
}

RepeatedLayer conv_layer(const Einsum& einsum, const std::string& name) {
    expect_convolution(einsum, name);
    const Tensor& inputs = tensor_of(einsum, "Inputs", name);
    RepeatedLayer result;
    ConvLayer& layer = result.layer;
    layer.out_w = extent_of(einsum, "P");
    layer.out_h = extent_of(einsum, "Q");
    layer.in_c = extent_of(einsum, "C");
    layer.out_c = extent_of(einsum, "K");
    layer.kernel_w = extent_of(einsum, "R");
    layer.kernel_h = extent_of(einsum, "S");
    layer.stride_w = coefficient(einsum, inputs, "P");
    layer.stride_h = coefficient(einsum, inputs, "Q");
    layer.dilation_w = coefficient(einsum, inputs, "R");
    layer.dilation_h = coefficient(einsum, inputs, "S");
    if (!problem_with(layer).empty()) refuse(name, problem_with(layer));
    result.repeats = extent_of(einsum, "G");
    const std::int64_t images = extent_of(einsum, "N");
    const bool matrix = layer.out_w == 1 && layer.out_h == 1 && layer.kernel_w == 1 && layer.kernel_h == 1;
    if (!matrix) {
        result.repeats = checked_mul(result.repeats, images);
        return result;
    }
    layer.out_w = images;
    layer.stride_w = 1;
    return result;
}

TileShape tile_shape(const ConvLayer& layer, std::int64_t out_w, std::int64_t out_h, std::int64_t in_c,
                     std::int64_t out_c) {
    TileShape tile = layer;
    tile.out_w = out_w;
    tile.out_h = out_h;
    tile.in_c = in_c;
    tile.out_c = out_c;
    if (in_c < layer.in_c) tile.bits.output = layer.bits.partial_sum;
    return tile;
}

PerDim extents(const ConvLayer& layer) { return {{layer.out_w, layer.out_h, layer.in_c, layer.out_c}}; }

}  // namespace tilewright::schedule
