// A cascade shared by several devices (tensor parallel): each one's part, and the common sums.
//
// Heads and hidden ranks are cut into equal parts, one per device: the contraction producing them is cut by its
// columns, the one reducing them by its rows (Megatron-LM). The latter's result is an all-reduce of the devices' parts,
// deferred over contractions reading it, as sums of sums (the choice of experts). Every device does the rest itself.
// Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "arch/device.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::llm {

/// Tensor summed over the devices, with its repeats per run.
struct SummedTensor {
    int tensor = 0;
    std::int64_t repeats = 1;

    bool operator==(const SummedTensor&) const = default;
};

struct Shared {
    Cascade part;                    ///< of each device
    std::vector<SummedTensor> sums;  ///< in order of production
};

/// Or the reason for none: an indivisible rank, a tensor read in part by one einsum and whole by another. Ranks are
/// those of the zoo's models (workload/zoo): h heads, f, s and p hidden, v the vocabulary if divisible (the logits stay
/// apart then); of models without heads i.
std::variant<Shared, std::string> shared_by(const Cascade& cascade, std::int64_t devices);

// All-reduce times by formula, for one link per device to the others and no other traffic. An approximation: real
// networks have topologies, and software its own algorithms.
//
//     ring    2 (n - 1) steps, each with an n-th of the bytes:   2 (n - 1) (latency + bytes / n / bandwidth)
//     tree    up and down a binary tree, all bytes at each step: 2 ceil(log2 n) (latency + bytes / bandwidth)
//
// Either moves 2 (n - 1) times the bytes over links. Pure; thread-safe.

/// `best`: the shorter of the two for each sum.
enum class Collective { best, ring, tree };

/// us. Require at least one device; of one they are 0.
double ring_us(double bytes, std::int64_t devices, const Links& links);
double tree_us(double bytes, std::int64_t devices, const Links& links);
double all_reduce_us(double bytes, std::int64_t devices, const Links& links, Collective by);

/// Of all links together.
double all_reduce_pj(double bytes, std::int64_t devices, const Links& links);

}  // namespace tilewright::llm
