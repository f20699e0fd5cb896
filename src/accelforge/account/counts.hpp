// Closed-form action counts of memories and tolls per tensor of one einsum.
#pragma once

#include <vector>

#include "accelforge/account/steps.hpp"

namespace tilewright::accelforge {

struct HolderCounts {
    int component = 0;
    int tensor = 0;
    double reads = 0.0;  ///< of all instances
    double writes = 0.0;
    double unit_reads = 0.0;  ///< of one instance
    double unit_writes = 0.0;
};

/// A tensor's space in a memory.
struct Reservation {
    int component = 0;
    int tensor = 0;
    double bits = 0.0;
    bool first = false;  ///< in its outermost holder
    bool persistent = false;
    std::size_t splits_above = 0;             ///< the holder
    const MappingNode* loop_below = nullptr;  ///< the first loop behind it
};

struct EinsumCounts {
    std::vector<HolderCounts> holders;
    std::vector<Reservation> reservations;
    double operations = 0.0;                ///< of all compute units
    double compute_steps = 0.0;             ///< of one
    std::vector<std::vector<double>> used;  ///< instances in use, by component and fan-out
};

/// Throws InputError as steps_of_tensor.
EinsumCounts count(const EinsumPath& path);

}  // namespace tilewright::accelforge
