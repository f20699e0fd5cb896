// Reads AccelForge's workloads: the sections `workload` and `renames`.
//
//     workload:
//       rank_sizes: {M: 128, K: 64, N: 32}
//       bits_per_value: {All: 8, weight: 4}
//       einsums:
//       - "Y[m, n] = X[m, k] * W[k, n]"
//       - {name: Z, tensor_accesses: [{name: Y, projection: [m, n]}, {name: Z, projection: [m, n], output: True}]}
#pragma once

#include "accelforge/values/workload.hpp"
#include "yaml/node.hpp"

namespace tilewright::accelforge {

/// `root` is a loaded tree. Throws InputError at its place.
Workload read_workload(const yaml::Node& root);

}  // namespace tilewright::accelforge
