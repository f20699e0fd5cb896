// Word widths of tensors, given for a network by tensor and layer; as texts "Weights=4", "conv2*:Inputs=8",
// "Outputs=8/32" (final words / partial sums), "Weights=4/32:8" (8 bits of scale for every 32 words).
//
//     Network network = zoo_network("bert-base");
//     set_widths(network, parse_widths("--bits", {"Weights=4", "*.mlp.*:Inputs=8"}));
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

/// In order. `option` begins messages. Throws InputError(usage).
std::vector<TensorWidth> parse_widths(const std::string& option, const std::vector<std::string>& texts);

/// One of them, of which `text` stands behind "=". Throws InputError(usage).
TensorWidth parse_width(const std::string& option, const std::string& layers, const std::string& tensor,
                        const std::string& text);

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
