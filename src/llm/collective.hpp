// All-reduce times by formula, for one link per device to the others and no other traffic. An approximation: real
// networks have topologies, and software its own algorithms.
//
//     ring    2 (n - 1) steps, each with an n-th of the bytes:   2 (n - 1) (latency + bytes / n / bandwidth)
//     tree    up and down a binary tree, all bytes at each step: 2 ceil(log2 n) (latency + bytes / bandwidth)
//
// Either moves 2 (n - 1) times the bytes over links. Pure; thread-safe.
#pragma once

#include <cstdint>

#include "arch/device.hpp"

namespace tilewright::llm {

/// `best`: the shorter of the two for each sum.
enum class Collective { best, ring, tree };

/// us. Require at least one device; of one they are 0.
double ring_us(double bytes, std::int64_t devices, const Links& links);
double tree_us(double bytes, std::int64_t devices, const Links& links);
double all_reduce_us(double bytes, std::int64_t devices, const Links& links, Collective by);

/// Of all links together.
double all_reduce_pj(double bytes, std::int64_t devices, const Links& links);

}  // namespace tilewright::llm
