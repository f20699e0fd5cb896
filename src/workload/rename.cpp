#include "workload/rename.hpp"

#include <algorithm>
#include <cstddef>
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

namespace {

bool has_term(const Rank& rank, int dimension) {
    return std::ranges::any_of(rank.terms, [&](const Term& term) { return term.dimension == dimension; });
}

// Ranks of a tensor over both dimensions; of one with itself: over it.
std::ptrdiff_t shared_ranks(const Tensor& tensor, int one, int other) {
    return std::ranges::count_if(tensor.ranks,
                                 [&](const Rank& rank) { return has_term(rank, one) && has_term(rank, other); });
}

// Matches tensors, then dimensions, equal names first.
class Matching {
   public:
    Matching(const Einsum& layer, const Einsum& like) : layer_(layer), like_(like) {}

    bool find() { return layer_.tensors.size() == like_.tensors.size() && place_tensor(0); }

    std::vector<std::pair<std::string, std::string>> names() const {
        std::vector<std::pair<std::string, std::string>> names;
        const auto add = [&](const std::string& from, const std::string& to) {
            if (from != to) names.emplace_back(from, to);
        };
        for (std::size_t d = 0; d < dimensions_.size(); ++d)
            add(layer_.dimensions[d].name, like_.dimensions[dimensions_[d]].name);
        for (std::size_t t = 0; t < tensors_.size(); ++t) add(layer_.tensors[t].name, like_.tensors[tensors_[t]].name);
        return names;
    }

   private:
    // Indices of `items`, that of `name` first.
    template <class Items>
    static std::vector<int> candidates(const Items& items, const std::string& name) {
        std::vector<int> all(items.size());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
        std::ranges::stable_partition(all, [&](int i) { return items[i].name == name; });
        return all;
    }

    bool place_tensor(std::size_t tensor) {
        if (tensor == layer_.tensors.size()) return place_dimension(0);
        for (const int other : candidates(like_.tensors, layer_.tensors[tensor].name)) {
            if (std::ranges::find(tensors_, other) != tensors_.end()) continue;
            if (layer_.tensors[tensor].written != like_.tensors[other].written) continue;
            tensors_.push_back(other);
            if (place_tensor(tensor + 1)) return true;
            tensors_.pop_back();
        }
        return false;
    }

    bool place_dimension(std::size_t dimension) {
        if (dimension == layer_.dimensions.size()) return true;
        for (const int other : candidates(like_.dimensions, layer_.dimensions[dimension].name)) {
            if (std::ranges::find(dimensions_, other) != dimensions_.end()) continue;
            dimensions_.push_back(other);
            if (fits() && place_dimension(dimension + 1)) return true;
            dimensions_.pop_back();
        }
        return false;
    }

    // The last dimension relates to all others as its counterpart does.
    bool fits() const {
        const int last = static_cast<int>(dimensions_.size()) - 1;
        for (std::size_t t = 0; t < tensors_.size(); ++t)
            for (int d = 0; d <= last; ++d)
                if (shared_ranks(layer_.tensors[t], d, last) !=
                    shared_ranks(like_.tensors[tensors_[t]], dimensions_[d], dimensions_[last]))
                    return false;
        return true;
    }

    const Einsum& layer_;
    const Einsum& like_;
    std::vector<int> tensors_;     // by tensor of the layer
    std::vector<int> dimensions_;  // by dimension of the layer
};

}  // namespace

std::optional<std::vector<std::pair<std::string, std::string>>> names_by_role(const Einsum& layer, const Einsum& like) {
    Matching matching(layer, like);
    if (!matching.find()) return std::nullopt;
    return matching.names();
}

}  // namespace tilewright
