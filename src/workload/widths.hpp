// Word widths of tensors, given for a network by tensor and layer.
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
    std::string layers = "*";  ///< name or shell pattern
    std::string tensor;
    std::int64_t bits = 0;          ///< 0 to kMaxWordBits, as Tensor::bits
    BlockFormat blocks = {};        ///< of these words, unknown to Tensor (Words)
    std::int64_t partial_bits = 0;  ///< of partial sums, unknown to Tensor, too; 0: as wide as final ones
};

bool have_partial_sums(const std::vector<TensorWidth>& widths);
bool have_blocks(const std::vector<TensorWidth>& widths);

/// Sets the widths in order: for the same tensor the later one counts. Throws InputError(unknown_name), with the
/// nearest name, for a pattern without a layer and for a tensor absent from its layers.
void set_widths(Network& network, const std::vector<TensorWidth>& widths);

/// The first layer with a tensor of given width: "layer 'conv1' has words of 4 bits in 'Weights'"; "" if none. For cost
/// models with a single width.
std::string own_width_in(const Network& network);

/// The same of one layer: "words of 4 bits in 'Weights'".
std::string own_width_in(const Einsum& einsum);

}  // namespace tilewright
