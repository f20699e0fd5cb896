#include "workload/rename.hpp"

#include <set>

#include "base/error.hpp"

namespace tilewright {
namespace {

using Names = std::vector<std::pair<std::string, std::string>>;

// Renames the items of one layer; `found` collects the old names present.
template <class Items>
void rename_items(Items& items, const Names& names, const std::string& layer, std::set<std::string>& found) {
    std::set<std::string> taken;
    for (auto& item : items) {
        for (const auto& [before, after] : names) {
            if (item.name != before) continue;
            found.insert(before);
            item.name = after;
            break;
        }
        if (!taken.insert(item.name).second)
            throw InputError(ErrorCode::duplicate_key, {}, "layer '" + layer + "' would have two '" + item.name + "'");
    }
}

void refuse_repeated(const Names& names) {
    std::set<std::string> given;
    for (const auto& [before, after] : names)
        if (!given.insert(before).second)
            throw InputError(ErrorCode::duplicate_key, {}, "'" + before + "' is renamed twice");
}

std::vector<std::string> names_in(const Network& network) {
    std::set<std::string> names;
    for (const Layer& layer : network.layers) {
        for (const Dimension& dimension : layer.einsum.dimensions) names.insert(dimension.name);
        for (const Tensor& tensor : layer.einsum.tensors) names.insert(tensor.name);
    }
    return {names.begin(), names.end()};
}

void rename_layer(Layer& layer, const Names& names, std::set<std::string>& found) {
    rename_items(layer.einsum.dimensions, names, layer.name, found);
    rename_items(layer.einsum.tensors, names, layer.name, found);
}

}  // namespace

void rename_ranks(Layer& layer, const Names& names) {
    std::set<std::string> found;
    rename_layer(layer, names, found);
}

void rename_ranks(Network& network, const Names& names) {
    refuse_repeated(names);
    const std::vector<std::string> known = names_in(network);
    std::set<std::string> found;
    for (Layer& layer : network.layers) rename_layer(layer, names, found);
    for (const auto& [before, after] : names)
        if (!found.contains(before))
            throw InputError(ErrorCode::unknown_name, {},
                             "no layer of '" + network.name + "' has a dimension or tensor '" + before + "'" +
                                 did_you_mean(before, known));
}

}  // namespace tilewright
