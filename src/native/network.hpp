// Networks as files of Tilewright's own, to be kept, edited and read back: every layer as an einsum with its extents.
//
//     network:
//       version: 1
//       name: resnet18
//       layers:
//       - name: conv1
//         op: Conv
//         einsum: "Outputs[N, K, Q, P] += Weights[C, K, R, S] * Inputs[N, C, R+2*P, S+2*Q]"
//         extents: {R: 7, S: 7, P: 112, Q: 112, C: 3, K: 64, N: 1}
//         shape: conv            # optional, as all that follows: what equal shapes are called
//         bits: {Weights: 4}     # of tensors whose words have a width of their own
//         repeats: 1             # how often the very layer runs
//         feeds_from: [pool]     # layers whose results it reads
//       not_mapped: [{name: relu1, op: Relu, reason: works element by element}]
//       streamed: [{name: add1, op: Add, reads: 200704, writes: 100352}]
#pragma once

#include <string>

#include "workload/network.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {

/// `node` is the value of the key `network`. Throws InputError.
Network read_network(const yaml::Node& node);

/// A file that read_network() reads back as the same network. Throws InputError(unsupported), which names the layer,
/// for dimensions that move no tensor: an einsum cannot say them.
std::string write_network(const Network& network);

}  // namespace tilewright::native
