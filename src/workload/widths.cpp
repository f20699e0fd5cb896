#include "workload/widths.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "workload/select_layers.hpp"

namespace tilewright {
namespace {

void set_width(Network& network, const TensorWidth& width) {
    const std::vector<bool> matching = matching_layers(network, {width.layers});
    bool found = false;
    std::set<std::string> known;
    for (std::size_t i = 0; i < matching.size(); ++i) {
        if (!matching[i]) continue;
        for (Tensor& tensor : network.layers[i].einsum.tensors) {
            known.insert(tensor.name);
            if (tensor.name != width.tensor) continue;
            tensor.bits = width.bits;
            found = true;
        }
    }
    if (!found)
        throw InputError(ErrorCode::unknown_name, {},
                         "no layer '" + width.layers + "' of " + network.name + " has a tensor '" + width.tensor + "'" +
                             did_you_mean(width.tensor, {known.begin(), known.end()}));
}

}  // namespace

bool have_partial_sums(const std::vector<TensorWidth>& widths) {
    return std::ranges::any_of(widths, [](const TensorWidth& one) { return one.partial_bits > 0; });
}

bool have_blocks(const std::vector<TensorWidth>& widths) {
    return std::ranges::any_of(widths, [](const TensorWidth& one) { return one.blocks.is_given(); });
}

void set_widths(Network& network, const std::vector<TensorWidth>& widths) {
    for (const TensorWidth& width : widths) set_width(network, width);
}

std::string own_width_in(const Einsum& einsum) {
    for (const Tensor& tensor : einsum.tensors)
        if (tensor.bits > 0) return "words of " + std::to_string(tensor.bits) + " bits in '" + tensor.name + "'";
    return "";
}

std::string own_width_in(const Network& network) {
    for (const Layer& layer : network.layers)
        if (const std::string width = own_width_in(layer.einsum); !width.empty())
            return "layer '" + layer.name + "' has " + width;
    return "";
}

}  // namespace tilewright
