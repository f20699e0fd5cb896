// Networks as Tilewright's own files: every layer as an einsum with its extents.
//
//     network:
//       version: 1
//       name: resnet18
//       layers:
//       - name: conv1
//         op: Conv
//         einsum: "Outputs[N, K, Q, P] += Weights[C, K, R, S] * Inputs[N, C, R+2*P, S+2*Q]"
//         extents: {R: 7, S: 7, P: 112, Q: 112, C: 3, K: 64, N: 1}
//         shape: conv            # optional, as everything below: common name of equal shapes
//         bits: {Weights: 4}     # of tensors with a word width of their own
//         repeats: 1             # repeats of this very layer
//         feeds_from: [pool]     # producer layers
//       not_mapped: [{name: relu1, op: Relu, reason: works element by element}]
//       streamed: [{name: add1, op: Add, reads: 200704, writes: 100352}]
#pragma once

#include <string>

#include "workload/network.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {

/// `node`: value of the key `network`. Throws InputError.
Network read_network(const yaml::Node& node);

/// A file for read_network(), giving the same network. Throws InputError(unsupported), naming the layer, for dimensions
/// without a tensor: inexpressible in an einsum.
std::string write_network(const Network& network);

}  // namespace tilewright::native
