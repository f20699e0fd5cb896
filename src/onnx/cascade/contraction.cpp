// Convolutions and matrix products with accesses and biases.
#include <algorithm>

#include "onnx/cascade/draft.hpp"
#include "onnx/graph/messages.hpp"
#include "onnx/operators/lower.hpp"
#include "onnx/operators/window.hpp"

namespace tilewright::onnx {
namespace {

// In the shapes' convention (workload/shapes.hpp), if it has the dimension.
void add_term(const Einsum& einsum, Coordinate& coordinate, const char* dimension, std::int64_t coefficient) {
    if (const int found = find_dimension(einsum, dimension); found >= 0)
        coordinate.terms.push_back({found, coefficient});
}

std::int64_t extent_of(const Einsum& einsum, const char* dimension) {
    const int found = find_dimension(einsum, dimension);
    return found < 0 ? 1 : einsum.dimensions[found].extent;
}

constexpr const char* kPositions[] = {"P", "Q", "Z"};
constexpr const char* kKernels[] = {"R", "S", "T"};

// Channel `inner` of group G.
Coordinate channel(const Einsum& einsum, const char* inner) {
    Coordinate place;
    add_term(einsum, place, "G", extent_of(einsum, inner));
    add_term(einsum, place, inner, 1);
    return place;
}

struct Places {
    std::vector<Coordinate> image;  ///< N, channels, sums of position and kernel
    std::vector<Coordinate> weights;
    std::vector<Coordinate> points;  ///< N, channels, positions
};

// Of a transposed convolution the image is the result.
Places places_of(const Einsum& einsum, const SlidingKernel& window, bool transposed) {
    Places places;
    Coordinate batch;
    add_term(einsum, batch, "N", 1);
    places.image = {batch, channel(einsum, transposed ? "K" : "C")};
    places.points = {batch, channel(einsum, transposed ? "C" : "K")};
    places.weights = {channel(einsum, transposed ? "C" : "K"), {}};
    add_term(einsum, places.weights[1], transposed ? "K" : "C", 1);
    const std::size_t count = window.axes.size();
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t letter = count - 1 - i;
        Coordinate along{{}, -padding_before(window, i)};
        add_term(einsum, along, kPositions[letter], window.axes[i].stride);
        add_term(einsum, along, kKernels[letter], window.axes[i].dilation);
        places.image.push_back(along);
        places.points.emplace_back();
        add_term(einsum, places.points.back(), kPositions[letter], 1);
        places.weights.emplace_back();
        add_term(einsum, places.weights.back(), kKernels[letter], 1);
    }
    return places;
}

// Whether a transposed convolution writes its whole result: output padding is not written.
bool covers(const SlidingKernel& window, const Extents& result) {
    if (window.auto_pad != "NOTSET" || result.size() != window.axes.size() + 2) return false;
    for (std::size_t i = 0; i < window.axes.size(); ++i) {
        const WindowAxis& axis = window.axes[i];
        const std::int64_t last = (axis.positions - 1) * axis.stride + (axis.kernel - 1) * axis.dilation;
        if (last - window.pads[i] < result[i + 2] - 1) return false;
    }
    return true;
}

bool add_convolution(const Operator& op, const Shapes& shapes, Values& values) {
    const Lowered lowered = lower(op);
    const auto* contraction = std::get_if<Contraction>(&lowered);
    const std::optional<Extents> shape = shapes.of(op.node().output(0));
    if (contraction == nullptr || !shape) return false;
    const bool transposed = op.node().op_type() == "ConvTranspose";
    const int weights = op.node().op_type() == "QLinearConv" ? 3 : 1;
    const SlidingKernel window = transposed ? transposed_window(op) : convolution_window(op, 0, weights);
    const Places places = places_of(contraction->einsum, window, transposed);
    const int bias = op.node().op_type() == "QLinearConv" ? 8 : op.node().op_type() == "ConvInteger" ? -1 : 2;
    const bool has_bias = bias >= 0 && op.has_input(bias);
    if (transposed && !covers(window, *shape)) return false;
    const std::string& result = op.node().output(0);
    const int tensor = values.make(has_bias ? result + ".sums" : result, *shape);
    CascadeEinsum one{name_of(op.node()), op.node().op_type(), contraction->einsum};
    for (const Tensor& own : one.einsum.tensors) {
        const bool is_points = own.written != transposed;
        if (own.name == "Weights")
            one.accesses.push_back(values.access(values.of(op.node().input(weights)), one.einsum, places.weights));
        else
            one.accesses.push_back(values.access(own.written ? values.whole(tensor) : values.of(op.node().input(0)),
                                                 one.einsum, is_points ? places.points : places.image));
    }
    values.add(std::move(one));
    values.set(result, values.whole(tensor));
    if (has_bias) add_bias(op, values, tensor, bias, 1, result, *shape);
    return true;
}

// Rows, columns and reduction of one operand: `outer` and `inner` are its last two axes, in either order.
std::vector<Coordinate> matrix_places(const std::vector<int>& batch, const Extents& own, int outer, int inner,
                                      bool swapped) {
    const std::size_t batches = own.size() - 2;
    std::vector<Coordinate> places;
    for (std::size_t axis = 0; axis < batches; ++axis) {
        places.emplace_back();
        if (own[axis] > 1) places.back().terms.push_back({batch[batch.size() - batches + axis], 1});
    }
    places.push_back({{{swapped ? inner : outer, 1}}, 0});
    places.push_back({{{swapped ? outer : inner, 1}}, 0});
    return places;
}

struct ProductOperands {
    Extents a;
    Extents b;
    bool swap_a = false;
    bool swap_b = false;
};

void add_product(const Operator& op, Values& values, const ProductOperands& product, int result, const Extents& shape) {
    Draft draft(values, name_of(op.node()), op.node().op_type(), EinsumKind::contraction,
                {{OperationClass::multiply_add, 1}});
    const std::vector<int> batch = draft.dimensions({shape.begin(), shape.end() - 2});
    const std::size_t last = product.a.size() - 1;
    const int rows = draft.dimension("m", shape[shape.size() - 2]);
    const int columns = draft.dimension("n", shape.back());
    const int inner = draft.dimension("k", product.a[product.swap_a ? last - 1 : last]);
    const auto read_a = [&] {
        draft.read(values.of(op.node().input(0)), matrix_places(batch, product.a, rows, inner, product.swap_a));
    };
    const bool weights_first = op.is_constant(0) && !op.is_constant(1);
    if (!weights_first) read_a();
    draft.read(values.of(op.node().input(1)), matrix_places(batch, product.b, inner, columns, product.swap_b));
    if (weights_first) read_a();
    std::vector<int> written = batch;
    written.insert(written.end(), {rows, columns});
    draft.write(result, places_along(written));
    draft.finish();
}

bool is_one_word(const Extents& shape) {
    return std::ranges::all_of(shape, [](std::int64_t extent) { return extent == 1; });
}

bool add_matrix_product(const Operator& op, const Shapes& shapes, Values& values) {
    const std::optional<Extents> shape = shapes.of(op.node().output(0));
    ProductOperands product{op.input(0), op.input(1)};
    const bool vectors = product.a.size() < 2 || product.b.size() < 2;
    if (!shape || shape->size() < 2 || vectors || is_one_word(product.a) || is_one_word(product.b)) return false;
    if (product.a.size() > shape->size() || product.b.size() > shape->size()) return false;
    if (!std::holds_alternative<Contraction>(lower(op))) return false;
    const bool gemm = op.node().op_type() == "Gemm";
    if (gemm) {
        const Attributes attributes(op.node(), op.file());
        product.swap_a = attributes.integer("transA", 0) != 0;
        product.swap_b = attributes.integer("transB", 0) != 0;
    }
    const bool has_bias = gemm && op.has_input(2) && op.knows_input(2);
    const std::string& result = op.node().output(0);
    const int tensor = values.make(has_bias ? result + ".sums" : result, *shape);
    add_product(op, values, product, tensor, *shape);
    values.set(result, values.whole(tensor));
    if (has_bias) add_bias(op, values, tensor, 2, 1, result, *shape);
    return true;
}

}  // namespace

bool add_contraction(const Operator& op, const Shapes& shapes, Values& values) {
    const std::string& type = op.node().op_type();
    if (type == "Conv" || type == "ConvInteger" || type == "QLinearConv" || type == "ConvTranspose")
        return add_convolution(op, shapes, values);
    if (type == "Gemm" || type == "MatMul" || type == "MatMulInteger") return add_matrix_product(op, shapes, values);
    return false;
}

}  // namespace tilewright::onnx
