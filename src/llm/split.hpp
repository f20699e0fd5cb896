// A cascade shared by several devices (tensor parallel): what each of them has, and what they sum up together.
//
// Heads and hidden ranks are cut into equal parts, a part for each device: the contraction that makes them is cut by
// its columns, the one that reduces them by its rows (Megatron-LM). The result of the latter is a sum of the devices'
// parts: an all-reduce, put off over contractions that read it, as sums of sums (the choice of experts). Everything
// else is done by every device for itself. Pure; thread-safe.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "workload/cascade/cascade.hpp"

namespace tilewright::llm {

/// Tensor that is summed over the devices, and how often in a run.
struct SummedTensor {
    int tensor = 0;
    std::int64_t repeats = 1;

    bool operator==(const SummedTensor&) const = default;
};

struct Shared {
    Cascade part;                    ///< of each device
    std::vector<SummedTensor> sums;  ///< in the order in which they are made
};

/// A text says why it cannot be: a rank that the devices do not divide, a tensor of which one einsum reads a part and
/// another all. Ranks are those of the zoo's models (workload/zoo): h heads, f and s hidden, v the vocabulary where
/// they divide it (the logits stay apart then); of models without heads i.
std::variant<Shared, std::string> shared_by(const Cascade& cascade, std::int64_t devices);

}  // namespace tilewright::llm
