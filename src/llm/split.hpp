// A cascade shared by several devices (tensor parallel): each one's part, and the common sums.
//
// Heads and hidden ranks are cut into equal parts, one per device: the contraction producing them is cut by its
// columns, the one reducing them by its rows (Megatron-LM). The latter's result is an all-reduce of the devices' parts,
// deferred over contractions reading it, as sums of sums (the choice of experts). Every device does the rest itself.
// Pure; thread-safe.
#pragma once

#include <string>
#include <variant>
#include <vector>

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

}  // namespace tilewright::llm
