#include "silicon/systolic/tiled_layer.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "mapping/tile.hpp"
#include "workload/layer_roles.hpp"

namespace tilewright::silicon {
namespace {

struct Roles {
    std::vector<std::optional<Axis>> axis_of;  ///< by dimension
    std::int64_t stride_columns = 1;
    std::int64_t stride_rows = 1;
};

using Refusal = std::string;

struct Operands {
    const Tensor* weights = nullptr;
    const Tensor* inputs = nullptr;
    const Tensor* outputs = nullptr;
};

std::optional<Operands> operands_of(const Einsum& einsum) {
    Operands result;
    std::vector<const Tensor*> read;
    for (const Tensor& tensor : einsum.tensors) {
        if (tensor.written && result.outputs != nullptr) return std::nullopt;
        if (tensor.written)
            result.outputs = &tensor;
        else
            read.push_back(&tensor);
    }
    if (read.size() != 2 || result.outputs == nullptr) return std::nullopt;
    const bool first = weights_come_first(einsum);
    result.weights = read[first ? 0 : 1];
    result.inputs = read[first ? 1 : 0];
    return result;
}

// An input rank under a sliding kernel: the dimension of the outputs, and of the kernel.
std::optional<std::pair<Term, Term>> window_of(const Rank& rank, const Operands& operands) {
    if (rank.terms.size() != 2) return std::nullopt;
    for (const bool swapped : {false, true}) {
        const Term& position = rank.terms[swapped ? 1 : 0];
        const Term& kernel = rank.terms[swapped ? 0 : 1];
        if (is_relevant(*operands.outputs, position.dimension) && is_relevant(*operands.weights, kernel.dimension))
            return std::pair(position, kernel);
    }
    return std::nullopt;
}

// "", or the reason why the window is not of a dense two-dimensional convolution.
Refusal take_window(const Einsum& einsum, const std::pair<Term, Term>& window, bool first, Roles& roles) {
    const auto& [position, kernel] = window;
    if (kernel.coefficient != 1 && einsum.dimensions[kernel.dimension].extent > 1) return "its kernel is dilated";
    if (position.coefficient < 1) return "its window runs backwards";
    const bool is_rows = !first || einsum.dimensions[position.dimension].name == "Q";
    for (const auto& axis : roles.axis_of)
        if (axis == (is_rows ? Axis::q : Axis::p)) return "its windows have more than two dimensions";
    roles.axis_of[position.dimension] = is_rows ? Axis::q : Axis::p;
    roles.axis_of[kernel.dimension] = is_rows ? Axis::s : Axis::r;
    (is_rows ? roles.stride_rows : roles.stride_columns) = position.coefficient;
    return "";
}

std::optional<Axis> plain_axis(const Operands& operands, int dimension) {
    const bool of_weights = is_relevant(*operands.weights, dimension);
    const bool of_inputs = is_relevant(*operands.inputs, dimension);
    const bool of_outputs = is_relevant(*operands.outputs, dimension);
    if (of_weights && of_outputs && !of_inputs) return Axis::k;
    if (of_weights && of_inputs && !of_outputs) return Axis::c;
    if (of_inputs && of_outputs && !of_weights) return Axis::n;
    return std::nullopt;
}

// Dimensions without a window: channels and images, one non-trivial dimension each.
Refusal take_plain(const Einsum& einsum, const Operands& operands, Roles& roles) {
    std::vector<Axis> taken;
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        if (roles.axis_of[d] || einsum.dimensions[d].extent == 1) continue;
        const std::optional<Axis> axis = plain_axis(operands, d);
        if (!axis) return "dimension " + einsum.dimensions[d].name + " is neither of channels nor of images";
        if (std::ranges::find(taken, *axis) != taken.end())
            return "dimension " + einsum.dimensions[d].name + " does what another one does already";
        taken.push_back(*axis);
        roles.axis_of[d] = axis;
    }
    return "";
}

std::variant<Roles, Refusal> roles_of(const Einsum& einsum) {
    const std::optional<Operands> operands = operands_of(einsum);
    if (!operands) return Refusal("it is no product of two tensors");
    Roles roles;
    roles.axis_of.resize(einsum.dimensions.size());
    bool first = true;
    for (const Rank& rank : operands->inputs->ranks) {
        const auto window = window_of(rank, *operands);
        if (!window && rank.terms.size() > 1) return Refusal("its window has more than a position and a kernel");
        if (!window) continue;
        if (Refusal refusal = take_window(einsum, *window, first, roles); !refusal.empty()) return refusal;
        first = false;
    }
    if (Refusal refusal = take_plain(einsum, *operands, roles); !refusal.empty()) return refusal;
    return roles;
}

AxisExtents by_axis(const Einsum& einsum, const Roles& roles, const Extents& extents) {
    AxisExtents result;
    for (int d = 0; d < einsum.dimension_count(); ++d)
        if (roles.axis_of[d]) result[*roles.axis_of[d]] = extents[d];
    return result;
}

// A product of rows n is one of rows p: the hardware does not distinguish them.
void name_rows(TiledLayer& layer) {
    const AxisExtents& whole = layer.whole;
    layer.is_product = whole[Axis::q] == 1 && whole[Axis::r] == 1 && whole[Axis::s] == 1 &&
                       (whole[Axis::p] == 1 || whole[Axis::n] == 1);
    if (!layer.is_product || whole[Axis::n] == 1) return;
    std::swap(layer.whole[Axis::n], layer.whole[Axis::p]);
    std::swap(layer.tile[Axis::n], layer.tile[Axis::p]);
    std::ranges::replace(layer.order, Axis::n, Axis::p);
}

TiledLayer layer_of(const Einsum& einsum, const Roles& roles, const Extents& tile, std::vector<Axis> order) {
    TiledLayer layer;
    layer.whole = by_axis(einsum, roles, whole_extents(einsum));
    layer.tile = by_axis(einsum, roles, tile);
    layer.order = std::move(order);
    name_rows(layer);
    const std::int64_t stride = layer.is_product ? 1 : roles.stride_columns;
    layer.columns = padded_window(layer.whole[Axis::p], layer.whole[Axis::r], stride);
    layer.rows = padded_window(layer.whole[Axis::q], layer.whole[Axis::s], roles.stride_rows);
    return layer;
}

}  // namespace

Window padded_window(std::int64_t outputs, std::int64_t kernel, std::int64_t stride) {
    return {stride, kernel / 2, outputs * stride, outputs};
}

std::variant<TiledLayer, std::string> tiled_layer(const Einsum& einsum, const Architecture& architecture,
                                                  const Mapping& mapping) {
    const auto roles = roles_of(einsum);
    if (const auto* refusal = std::get_if<Refusal>(&roles)) return *refusal;
    if (!is_even(mapping, architecture.memory_count())) return std::string("its mapping is uneven");
    const auto& known = std::get<Roles>(roles);
    const std::vector<MappingLevel> levels = levels_of(mapping, architecture.memory_count());
    std::vector<Axis> order;
    for (auto loop = levels.front().temporal.rbegin(); loop != levels.front().temporal.rend(); ++loop)
        if (loop->extent > 1 && known.axis_of[loop->dimension]) order.push_back(*known.axis_of[loop->dimension]);
    std::size_t inside = 0;
    for (std::size_t i = 0; i < mapping.nodes.size(); ++i) {
        const auto* loop = std::get_if<Loop>(&mapping.nodes[i]);
        if (loop == nullptr && std::get<Store>(mapping.nodes[i]).memory > 0) break;
        if (loop == nullptr || !loop->is_spatial()) inside = i;
    }
    return layer_of(einsum, known, extents_inside(einsum, mapping)[inside], std::move(order));
}

std::variant<TiledLayer, std::string> whole_layer(const Einsum& einsum) {
    const auto roles = roles_of(einsum);
    if (const auto* refusal = std::get_if<Refusal>(&roles)) return *refusal;
    return layer_of(einsum, std::get<Roles>(roles), whole_extents(einsum), {});
}

std::vector<std::optional<Axis>> axes_of(const Einsum& einsum) {
    const auto roles = roles_of(einsum);
    if (const auto* known = std::get_if<Roles>(&roles)) return known->axis_of;
    return std::vector<std::optional<Axis>>(einsum.dimensions.size());
}

char letter_of(Axis axis) {
    static constexpr std::array kLetters{'C', 'K', 'N', 'P', 'Q', 'R', 'S'};
    return kLetters[static_cast<std::size_t>(axis)];
}

}  // namespace tilewright::silicon
