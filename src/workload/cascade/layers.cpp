#include "workload/cascade/layers.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/numbers/checked.hpp"
#include "workload/shapes.hpp"

namespace tilewright {
namespace {

// Which operands a dimension moves.
TensorSet moved_by(const Einsum& einsum, int dimension) {
    TensorSet moved;
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (is_relevant(einsum.tensors[static_cast<std::size_t>(t)], dimension)) moved.add(t);
    return moved;
}

// Every dimension alone in a rank, and in one at most of each operand: it may be merged with others.
bool has_plain_ranks(const Einsum& einsum) {
    for (const Tensor& tensor : einsum.tensors) {
        std::vector<bool> seen(einsum.dimensions.size(), false);
        for (const Rank& rank : tensor.ranks)
            for (const Term& term : rank.terms) {
                if (rank.terms.size() > 1 || term.coefficient != 1 || seen[static_cast<std::size_t>(term.dimension)])
                    return false;
                seen[static_cast<std::size_t>(term.dimension)] = true;
            }
    }
    return true;
}

bool has_names_of_shapes(const Einsum& einsum) {
    return find_tensor(einsum, "Inputs") >= 0 && find_tensor(einsum, "Outputs") >= 0;
}

std::vector<std::string> operand_names(const Einsum& einsum) {
    std::vector<std::string> names;
    int read = 0;
    int written = 0;
    for (const Tensor& tensor : einsum.tensors) {
        const int place = tensor.written ? ++written : ++read;
        if (tensor.written)
            names.push_back(place == 1 ? "Outputs" : "Outputs" + std::to_string(place));
        else
            names.push_back(place == 1 ? "Inputs" : place == 2 ? "Weights" : "Operand" + std::to_string(place));
    }
    return names;
}

// The letter of workload/shapes.hpp for dimensions that move these operands; "" where there is none.
std::string letter(const Einsum& einsum, TensorSet moved) {
    TensorSet written;
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (einsum.tensors[static_cast<std::size_t>(t)].written) written.add(t);
    const TensorSet all = TensorSet::all(einsum.tensor_count());
    const auto without = [&](int tensor) {
        TensorSet rest = all;
        rest.remove(tensor);
        return rest;
    };
    const bool has_second = einsum.tensor_count() > 2 && !written.has(1);
    if (moved == all) return "G";
    if (has_second && moved == without(1)) return "N";
    if (has_second && moved == without(0)) return "K";
    if ((moved.bits() & written.bits()) == 0) return moved.bits() == (all.bits() & ~written.bits()) ? "C" : "";
    return "";
}

// Dimensions by what they move, in order of first appearance.
std::vector<std::pair<TensorSet, std::int64_t>> merged_dimensions(const Einsum& einsum) {
    std::vector<std::pair<TensorSet, std::int64_t>> merged;
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        const TensorSet moved = moved_by(einsum, d);
        const std::int64_t extent = einsum.dimensions[static_cast<std::size_t>(d)].extent;
        const auto same =
            std::find_if(merged.begin(), merged.end(), [&](const auto& one) { return one.first == moved; });
        if (same == merged.end())
            merged.emplace_back(moved, extent);
        else
            same->second = checked_mul(same->second, extent);
    }
    return merged;
}

// Sums of products of two operands are matrix products, in the very form of other networks.
std::optional<Einsum> as_matrix_product(const Einsum& einsum) {
    if (einsum.tensor_count() != 3 || !einsum.tensors[2].written) return std::nullopt;
    std::map<std::string, std::int64_t> extents;
    for (const auto& [moved, extent] : merged_dimensions(einsum)) {
        const std::string name = letter(einsum, moved);
        if (name.empty()) return std::nullopt;
        extents[name] = extent;
    }
    const auto extent_of = [&](const std::string& name) { return extents.contains(name) ? extents[name] : 1; };
    return batched_matmul(extent_of("G"), extent_of("N"), extent_of("C"), extent_of("K"));
}

Einsum merged(const Einsum& einsum) {
    Einsum layer;
    const std::vector<std::string> names = operand_names(einsum);
    for (int t = 0; t < einsum.tensor_count(); ++t)
        layer.tensors.push_back({names[static_cast<std::size_t>(t)],
                                 {},
                                 einsum.tensors[static_cast<std::size_t>(t)].written,
                                 einsum.tensors[static_cast<std::size_t>(t)].bits});
    for (const auto& [moved, extent] : merged_dimensions(einsum)) {
        std::string name = letter(einsum, moved);
        if (name.empty()) name = "D" + std::to_string(layer.dimension_count() + 1);
        const int dimension = layer.dimension_count();
        layer.dimensions.push_back({std::move(name), extent});
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (moved.has(t)) layer.tensors[static_cast<std::size_t>(t)].ranks.push_back({{{dimension, 1}}});
    }
    return layer;
}

void set_bits(const Einsum& from, Einsum& layer) {
    for (std::size_t t = 0; t < from.tensors.size(); ++t) {
        const int to = find_tensor(layer, operand_names(from)[t]);
        layer.tensors[static_cast<std::size_t>(to)].bits = from.tensors[t].bits;
    }
}

// Layers by the tensors that they write: who feeds whom.
class Feeders {
   public:
    explicit Feeders(const Cascade& cascade) : from_(cascade.tensors.size()) {}

    std::vector<int> of(const CascadeEinsum& einsum) const {
        std::vector<int> all;
        for (std::size_t operand = 0; operand < einsum.accesses.size(); ++operand)
            if (!einsum.einsum.tensors[operand].written)
                for (const int layer : from_[static_cast<std::size_t>(einsum.accesses[operand].tensor)])
                    all.push_back(layer);
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }

    void wrote(const CascadeEinsum& einsum, const std::vector<int>& layers) {
        for (std::size_t operand = 0; operand < einsum.accesses.size(); ++operand) {
            if (!einsum.einsum.tensors[operand].written) continue;
            std::vector<int>& from = from_[static_cast<std::size_t>(einsum.accesses[operand].tensor)];
            from.insert(from.end(), layers.begin(), layers.end());
        }
    }

   private:
    std::vector<std::vector<int>> from_;
};

}  // namespace

Einsum layer_of(const CascadeEinsum& one) {
    const Einsum& einsum = one.einsum;
    if (has_names_of_shapes(einsum) || !has_plain_ranks(einsum)) return einsum;
    if (one.kind != EinsumKind::contraction) return merged(einsum);
    std::optional<Einsum> product = as_matrix_product(einsum);
    if (!product) return merged(einsum);
    set_bits(einsum, *product);
    return *std::move(product);
}

Network network_of(const Cascade& cascade, const std::vector<bool>& wanted) {
    Network network{cascade.name, {}, {}, {}};
    Feeders feeders(cascade);
    for (int i = 0; i < cascade.einsum_count(); ++i) {
        const CascadeEinsum& one = cascade.einsums[static_cast<std::size_t>(i)];
        std::vector<int> from = feeders.of(one);
        if (wanted[static_cast<std::size_t>(i)]) {
            network.layers.push_back({one.name, one.op, layer_of(one), repeats_of(cascade, i), from});
            from = {static_cast<int>(network.layers.size()) - 1};
        }
        feeders.wrote(one, from);
    }
    for (const NotCovered& rest : cascade.not_covered) network.unmapped.push_back({rest.name, rest.op, rest.reason});
    return network;
}

Network network_of(const Cascade& cascade) {
    std::vector<bool> wanted;
    for (const CascadeEinsum& one : cascade.einsums) wanted.push_back(one.kind != EinsumKind::copy);
    return network_of(cascade, wanted);
}

}  // namespace tilewright
