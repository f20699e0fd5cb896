// Random tiny cascades on a machine of a DRAM, a buffer and an array: matrix products and images one after the other,
// with branches that meet again.
#pragma once

#include <cstdint>

#include "arch/architecture.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::property {

struct ChainProblem {
    Cascade cascade;
    Architecture architecture;
    bool image = false;
    bool branches = false;  ///< a tensor has several readers
    int longest_group = 1 << 20;
};

ChainProblem random_chain(std::uint64_t seed, int most_einsums);

}  // namespace tilewright::property
