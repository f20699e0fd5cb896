// Network: the mapped and the unmapped layers of a model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright {

struct Layer {
    std::string name;
    std::string op;               ///< source operator: "Conv", "MatMul", ...
    Einsum einsum;                ///< einsum.name is not the layer's; equal einsums have equal names
    std::int64_t repeats = 1;     ///< repeats of this very layer (grouped convolutions keep the group as a dimension)
    std::vector<int> feeds_from;  ///< indices of its producer layers, if known
    std::string own_name = {};    ///< original name in its network, if renamed here (workload/select_layers.hpp)

    bool operator==(const Layer&) const = default;
};

/// An unmapped operator of the source model, with the reason.
struct UnmappedOperator {
    std::string name;
    std::string op;
    std::string reason;

    bool operator==(const UnmappedOperator&) const = default;
};

/// An element-wise operator with tensor traffic and no matrix product: pooling, additions of two tensors, softmax.
/// Single-tensor ones (activations, batch normalization) are applied at production.
struct StreamedOperator {
    std::string name;
    std::string op;
    std::int64_t read_elements = 0;
    std::int64_t written_elements = 0;

    bool operator==(const StreamedOperator&) const = default;
};

struct Network {
    std::string name;
    std::vector<Layer> layers;
    std::vector<UnmappedOperator> unmapped;
    std::vector<StreamedOperator> streamed = {};  ///< of known size; those of a model are unmapped, too
};

/// Layers with the same shape, mapped once: equal dimensions and tensors, whatever the layer names.
struct DistinctLayer {
    Einsum einsum;
    std::vector<int> layers;   ///< indices into Network::layers, ascending
    std::int64_t repeats = 0;  ///< sum of the layers' repeats
};

/// In order of first appearance.
std::vector<DistinctLayer> distinct_layers(const Network& network);

}  // namespace tilewright
