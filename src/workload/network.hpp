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
    std::string own_name = {};    ///< original name in its network, if renamed here (workload/network.hpp)

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

// Some layers of a network, by their names.
//
//     const Network first = select_layers(zoo_network("resnet50"), {"conv1", "layer1.*"});
// Several networks as one, with unique layer names for files to refer to.
//
//     const Network both = joined({zoo_network("alexnet"), zoo_network("resnet18")});   // "alexnet+resnet18"
//     both.layers[0].name                                                               // "alexnet/conv1"

/// Matches of shell patterns ("conv*") among `names`; no patterns: all. Throws InputError(unknown_name), with the
/// nearest name, for a pattern without a match; `network` is for the message.
std::vector<bool> matching_layers(const std::vector<std::string>& names, const std::vector<std::string>& patterns,
                                  const std::string& network);
/// The same for a network's layers: by their names, and by their original names.
std::vector<bool> matching_layers(const Network& network, const std::vector<std::string>& patterns);

/// The network of the matching layers, in order; without producer links, as some producers may be gone.
Network select_layers(const Network& network, const std::vector<std::string>& patterns);

/// Layers of the same name in one network: the second is "NAME#2", the third "NAME#3".
void name_layers_apart(Network& network);

/// All layers, network after network. Equal names in two networks become "NETWORK/NAME", and if that is not enough, are
/// numbered as in one network. Requires at least one network.
Network joined(std::vector<Network> networks);

}  // namespace tilewright
