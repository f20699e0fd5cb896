// SPDX-License-Identifier: Apache-2.0
// Einsum: one layer as an affine contraction over a box of iterations.
//
//     const Einsum product = parse_einsum("O[m,n] += A[m,k] * B[k,n]", {{"m", 64}, {"n", 64}, {"k", 256}});
//     const Einsum row = parse_einsum("O[p] += W[r] * I[2p+r]", {{"p", 32}, {"r", 3}});   // stride 2
//
// Extents are numbers of iterations. Thread-safe: values and pure functions. parse_einsum() throws InputError with the
// column of what is wrong.
#pragma once

#include "workload/einsum.hpp"
#include "workload/einsum_text.hpp"
