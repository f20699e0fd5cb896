// Random tiny cascades on a machine of a DRAM, a buffer and an array: matrix products and images one after the other,
// with branches that meet again and tensors of two writers. Windows may be smaller than their steps, and terms are
// written in any order.
#pragma once

#include <cstdint>

#include "arch/architecture.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::property {

struct ChainProblem {
    Cascade cascade;  ///< in one form
    Cascade written;  ///< the same as it was written
    Architecture architecture;
    bool image = false;
    bool branches = false;    ///< a tensor has several readers
    bool steps_over = false;  ///< a window steps over words
    bool turned = false;      ///< some terms stand in another order
    bool several_writers = false;
    int longest_group = 1 << 20;
};

ChainProblem random_chain(std::uint64_t seed, int most_einsums);

/// Gives most tensors a width of their own, narrower and wider than the memories' words.
void give_widths(ChainProblem& problem, std::uint64_t seed);

}  // namespace tilewright::property
