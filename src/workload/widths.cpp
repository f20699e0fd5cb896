#include "workload/widths.hpp"

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
