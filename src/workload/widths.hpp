// How many bits the words of tensors have, given for a network by tensor and layer.
//
//     Network network = zoo_network("bert-base");
//     set_widths(network, {{"*", "Weights", 4}, {"*.mlp.*", "Inputs", 8}});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/network.hpp"
#include "workload/words.hpp"

namespace tilewright {

struct TensorWidth {
    std::string layers = "*";  ///< name, or a pattern as of shells
    std::string tensor;
    std::int64_t bits = 0;    ///< 0 to kMaxWordBits, as Tensor::bits
    BlockFormat blocks = {};  ///< that these words lie in, which Tensor does not know (Words)
};

/// Sets the widths one after the other: of two about the same tensor the later one counts. Throws
/// InputError(unknown_name), with the nearest name, for a pattern that no layer matches and for a tensor that none of
/// its layers has.
void set_widths(Network& network, const std::vector<TensorWidth>& widths);

/// The first layer with a tensor that says how many bits its words have: "layer 'conv1' has words of 4 bits in
/// 'Weights'"; "" when there is none. For cost models that know one width only.
std::string own_width_in(const Network& network);

/// The same of one layer: "words of 4 bits in 'Weights'".
std::string own_width_in(const Einsum& einsum);

}  // namespace tilewright
