#include "workload/zoo/image_builder.hpp"

#include "base/numbers/checked.hpp"

namespace tilewright::zoo {
namespace {

using enum OperationClass;

struct Activated {
    const char* op;
    std::vector<OperationCount> operations;
};

// A rectifier compares once, a clip twice, a leaky rectifier multiplies as well; each added number is an addition.
Activated activated(Activation activation, std::int64_t added) {
    switch (activation) {
        case Activation::none: return {"Add", {{add, added}}};
        case Activation::relu: return {"Relu", {{add, added + 1}}};
        case Activation::clip: return {"Clip", {{add, added + 2}}};
        case Activation::leaky: return {"LeakyRelu", {{add, added + 1}, {multiply, 1}}};
    }
    return {"Add", {{add, added}}};
}

Coordinate along(const Einsum& einsum, std::initializer_list<std::pair<const char*, std::int64_t>> terms,
                 std::int64_t offset = 0) {
    Coordinate coordinate{{}, offset};
    for (const auto& [name, coefficient] : terms)
        if (const int dimension = find_dimension(einsum, name); dimension >= 0)
            coordinate.terms.push_back({dimension, coefficient});
    return coordinate;
}

std::int64_t extent_of(const Einsum& einsum, const char* name) {
    const int dimension = find_dimension(einsum, name);
    return dimension < 0 ? 1 : einsum.dimensions[dimension].extent;
}

// Input step per position.
std::int64_t stride_of(const Einsum& einsum, const char* position) {
    const int dimension = find_dimension(einsum, position);
    for (const Rank& rank : einsum.tensors[find_tensor(einsum, "Inputs")].ranks)
        for (const Term& term : rank.terms)
            if (term.dimension == dimension) return term.coefficient;
    return 1;
}

// Channels of all groups.
std::int64_t channels_of(const Einsum& einsum, const char* inner) {
    return extent_of(einsum, "G") * extent_of(einsum, inner);
}

// Positions times stride, plus the kernel's further reach.
std::int64_t reach_of(const Einsum& einsum, const char* position, const char* kernel) {
    return (extent_of(einsum, position) - 1) * stride_of(einsum, position) + extent_of(einsum, kernel);
}

Access input_access(const Einsum& einsum, const Image& from, std::int64_t padding) {
    return {from.tensor,
            {along(einsum, {{"N", 1}}), along(einsum, {{"G", extent_of(einsum, "C")}, {"C", 1}}, from.first),
             along(einsum, {{"Q", stride_of(einsum, "Q")}, {"S", 1}}, -padding),
             along(einsum, {{"P", stride_of(einsum, "P")}, {"R", 1}}, -padding)}};
}

Access output_access(const Einsum& einsum, const Image& into) {
    return {into.tensor,
            {along(einsum, {{"N", 1}}), along(einsum, {{"G", extent_of(einsum, "K")}, {"K", 1}}, into.first),
             along(einsum, {{"Q", 1}}), along(einsum, {{"P", 1}})}};
}

std::vector<Rank> ranks(std::initializer_list<int> dimensions) {
    std::vector<Rank> all;
    for (const int dimension : dimensions) all.push_back({{{dimension, 1}}});
    return all;
}

// N, K, Q and P, as in convolution results.
Access point_access(const Image& of) { return {of.tensor, {{{{0, 1}}}, {{{1, 1}}, of.first}, {{{2, 1}}}, {{{3, 1}}}}}; }

}  // namespace

int ImageBuilder::tensor(const std::string& name, TensorRole role, std::int64_t channels, std::int64_t size) {
    return cascade_.tensor(name, role, {batch_, channels, size, size});
}

Image ImageBuilder::image(std::int64_t channels, std::int64_t size) {
    return {{}, tensor("image", TensorRole::input, channels, size), 0, channels, size};
}

Image ImageBuilder::joined(const std::string& name, std::int64_t channels, std::int64_t size) {
    return {{}, tensor(name, TensorRole::intermediate, channels, size), 0, channels, size};
}

Image ImageBuilder::part(const Image& of, std::int64_t first, std::int64_t channels) {
    return {of.layers, of.tensor, of.first + first, channels, of.size};
}

Image ImageBuilder::result(const std::string& name, const Image& like, std::int64_t size,
                           const std::optional<Image>& into) {
    Image made = into ? *into : joined(name, like.channels, size);
    made.layers = like.layers;
    return made;
}

void ImageBuilder::add_contraction(const std::string& name, const char* op, Einsum shape, const Image& from,
                                   const Image& into, std::int64_t padding) {
    if (batch_ != 1) shape = multiplied(shape, 'N', batch_);
    const Tensor& weights = shape.tensors[find_tensor(shape, "Weights")];
    std::vector<std::int64_t> extents;
    for (const Rank& rank : weights.ranks) extents.push_back(shape.dimensions[rank.terms.front().dimension].extent);
    const int kernel = cascade_.tensor(name + ".weight", TensorRole::weight, std::move(extents));
    CascadeEinsum one{name, op, shape};
    for (const Tensor& own : shape.tensors) {
        if (own.name == "Weights")
            one.accesses.push_back(plain_access(kernel, own));
        else
            one.accesses.push_back(own.written ? output_access(shape, into) : input_access(shape, from, padding));
    }
    cascade_.einsum(std::move(one));
}

// One result word per word of the operands, and `constants` numbers a channel.
void ImageBuilder::add_pointwise(const std::string& name, const char* op, std::vector<OperationCount> operations,
                                 const std::vector<Image>& operands, int constants, const Image& into) {
    const Image& first = operands.front();
    Einsum shape{name, {{"N", batch_}, {"K", first.channels}, {"Q", first.size}, {"P", first.size}}, {}};
    CascadeEinsum one{name, op, {}, EinsumKind::elementwise, std::move(operations)};
    const auto operand = [&](const std::string& own, std::vector<Rank> of, bool written, Access access) {
        shape.tensors.push_back({own, std::move(of), written});
        one.accesses.push_back(std::move(access));
    };
    for (std::size_t i = 0; i < operands.size(); ++i)
        operand("x" + std::to_string(i + 1), ranks({0, 1, 2, 3}), false, point_access(operands[i]));
    for (int i = 0; i < constants; ++i) {
        const std::string own = i == 0 ? "bias" : "scale";
        const int kept = cascade_.tensor(name + "." + own, TensorRole::weight, {first.channels});
        operand(own, ranks({1}), false, {kept, {{{{1, 1}}}}});
    }
    operand("y", ranks({0, 1, 2, 3}), true, point_access(into));
    one.einsum = std::move(shape);
    cascade_.einsum(std::move(one));
}

Image ImageBuilder::sums(const std::string& name, const Einsum& shape, const Image& from,
                         std::optional<std::int64_t> padding, const std::optional<Image>& into) {
    Image like = from;
    like.layers = net_.conv(name, shape, from.layers);
    like.channels = channels_of(shape, "K");
    const Image made = result(into ? name : name + ".sums", like, extent_of(shape, "P"), into);
    add_contraction(name, "Conv", shape, from, made, padding.value_or((extent_of(shape, "R") - 1) / 2));
    return made;
}

Image ImageBuilder::finish(const std::string& name, const Image& sums, Activation activation,
                           const std::optional<Image>& shortcut, const std::optional<Image>& into) {
    Image like = sums;
    std::vector<Image> operands{sums};
    if (shortcut) {
        operands.push_back(*shortcut);
        like.layers = merge(sums.layers, shortcut->layers);
        net_.sum(name, sums.channels * sums.size * sums.size);
    }
    const Image made = result(name, like, sums.size, into);
    const Activated by = activated(activation, std::ssize(operands));
    add_pointwise(shortcut ? name : name + ".activation", by.op, by.operations, operands, 1, made);
    return made;
}

Image ImageBuilder::conv(const std::string& name, const Einsum& shape, const Image& from, Activation activation,
                         std::optional<std::int64_t> padding, const std::optional<Image>& into) {
    return finish(name, sums(name, shape, from, padding), activation, {}, into);
}

void ImageBuilder::alone(const std::string& name, const Einsum& shape) {
    net_.conv(name, shape, {});
    const std::int64_t own = extent_of(shape, "N") * batch_;
    const auto made = [&](const char* what, TensorRole role, std::vector<std::int64_t> extents) {
        return Image{{}, cascade_.tensor(name + what, role, std::move(extents)), 0, 0, 0};
    };
    const Image from = made(".image", TensorRole::input,
                            {own, channels_of(shape, "C"), reach_of(shape, "Q", "S"), reach_of(shape, "P", "R")});
    const Image into =
        made("", TensorRole::output, {own, channels_of(shape, "K"), extent_of(shape, "Q"), extent_of(shape, "P")});
    add_contraction(name, "Conv", shape, from, into, 0);
}

Image ImageBuilder::normalised(const std::string& name, const Image& from) {
    const Image made = result(name, from, from.size, {});
    add_pointwise(name, "BatchNormalization", {{multiply, 1}, {add, 2}}, {from}, 2, made);
    return made;
}

Image ImageBuilder::folded(const std::string& name, const Image& sums, Activation activation, const Image& into) {
    const std::int64_t half = sums.size / 2;
    const std::int64_t channels = sums.channels;
    const Activated by = activated(activation, 1);
    // N, K, Q, P, and S and R: the row and the column in a block.
    Einsum shape{name, {{"N", batch_}, {"K", channels}, {"Q", half}, {"P", half}, {"S", 2}, {"R", 2}}, {}};
    shape.tensors = {
        {"x", ranks({0, 1, 2, 3, 4, 5}), false}, {"bias", ranks({1}), false}, {"y", ranks({0, 1, 2, 3, 4, 5}), true}};
    CascadeEinsum one{name, by.op, std::move(shape), EinsumKind::elementwise, by.operations};
    const int bias = cascade_.tensor(name + ".bias", TensorRole::weight, {channels});
    one.accesses = {
        {sums.tensor, {{{{0, 1}}}, {{{1, 1}}}, {{{2, 2}, {4, 1}}}, {{{3, 2}, {5, 1}}}}},
        {bias, {{{{1, 1}}}}},
        {into.tensor, {{{{0, 1}}}, {{{1, 1}, {4, 2 * channels}, {5, channels}}, into.first}, {{{2, 1}}}, {{{3, 1}}}}}};
    cascade_.einsum(std::move(one));
    Image made = into;
    made.layers = sums.layers;
    return made;
}

Image ImageBuilder::pool(const std::string& name, const Image& from, const Pooling& pooling,
                         const std::optional<Image>& into) {
    const std::int64_t size = (from.size + 2 * pooling.padding - pooling.kernel) / pooling.stride + 1;
    net_.pool(name, from.channels, from.size, size);
    const Image made = result(name, from, size, into);
    Einsum shape{
        name,
        {{"N", batch_}, {"G", from.channels}, {"Q", size}, {"P", size}, {"S", pooling.kernel}, {"R", pooling.kernel}},
        {}};
    shape.tensors = {{"Inputs", ranks({0, 1}), false}, {"Outputs", ranks({0, 1, 2, 3}), true}};
    shape.tensors[0].ranks.push_back({{{2, pooling.stride}, {4, 1}}});
    shape.tensors[0].ranks.push_back({{{3, pooling.stride}, {5, 1}}});
    CascadeEinsum one{name, pooling.op, std::move(shape), EinsumKind::pooling, {{add, 1}}};
    one.accesses = {{from.tensor,
                     {{{{0, 1}}},
                      {{{1, 1}}, from.first},
                      {{{2, pooling.stride}, {4, 1}}, -pooling.padding},
                      {{{3, pooling.stride}, {5, 1}}, -pooling.padding}}},
                    point_access(made)};
    cascade_.einsum(std::move(one));
    return made;
}

Image ImageBuilder::global_pool(const std::string& name, const Image& from) {
    net_.pool(name, from.channels, from.size, 1);
    const Image made = result(name, from, 1, {});
    Einsum shape{name, {{"N", batch_}, {"G", from.channels}, {"S", from.size}, {"R", from.size}}, {}};
    shape.tensors = {{"Inputs", ranks({0, 1, 2, 3}), false}, {"Outputs", ranks({0, 1}), true}};
    CascadeEinsum one{name, "GlobalAveragePool", std::move(shape), EinsumKind::pooling, {{add, 1}}};
    one.accesses = {point_access(from), {made.tensor, {{{{0, 1}}}, {{{1, 1}}}, {}, {}}}};
    cascade_.einsum(std::move(one));
    return made;
}

// In the cascade the matrix is an image-sized kernel.
Image ImageBuilder::linear(const std::string& name, const Image& from, std::int64_t columns, Activation activation) {
    Image like = from;
    like.layers = net_.linear(name, 1, from.channels * from.size * from.size, columns, from.layers);
    like.channels = columns;
    const Image made = result(name + ".sums", like, 1, {});
    add_contraction(name, "Gemm", conv2d(from.channels, columns, 1, from.size), from, made, 0);
    return finish(name, made, activation);
}

Cascade ImageBuilder::take_cascade() {
    const std::vector<CascadeTensor>& tensors = cascade_.so_far().tensors;
    for (int t = 0; t < std::ssize(tensors); ++t)
        if (tensors[t].role == TensorRole::intermediate && tensors[t].readers.empty()) cascade_.output(t);
    return cascade_.take();
}

}  // namespace tilewright::zoo
