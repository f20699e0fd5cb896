// Network: the layers of a model that are mapped, and those that are not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright {

struct Layer {
    std::string name;
    std::string op;            ///< the operator it came from: "Conv", "MatMul", ...
    Einsum einsum;             ///< einsum.name is not the layer's; equal einsums have equal names
    std::int64_t repeats = 1;  ///< how often this very layer runs (grouped convolutions keep the group as a dimension)
    std::vector<int> feeds_from;  ///< indices of the layers whose results it reads, where known
    std::string own_name = {};    ///< in its network, where it is called otherwise here (workload/join.hpp)

    bool operator==(const Layer&) const = default;
};

/// An operator of the source model that Tilewright does not map, and why.
struct UnmappedOperator {
    std::string name;
    std::string op;
    std::string reason;

    bool operator==(const UnmappedOperator&) const = default;
};

/// An operator that reads and writes tensors element by element and multiplies no matrices: pooling, additions of two
/// tensors, softmax. Not those of one tensor (activations, batch normalization), which are applied where it is made.
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
    std::vector<StreamedOperator> streamed =
        {};  ///< as far as their sizes are known; those of a model are unmapped, too
};

/// Layers with the same shape, mapped once. Shapes are equal when dimensions and tensors are, whatever the names of
/// the layers.
struct DistinctLayer {
    Einsum einsum;
    std::vector<int> layers;   ///< indices into Network::layers, ascending
    std::int64_t repeats = 0;  ///< sum of the layers' repeats
};

/// In order of first appearance.
std::vector<DistinctLayer> distinct_layers(const Network& network);

}  // namespace tilewright
