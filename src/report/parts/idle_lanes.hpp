// Idle lanes of the array: axes of fan-outs not filled by a mapping's spatial loops.
//
//     for (const IdleLanes& idle : idle_lanes(einsum, architecture, mapping)) std::cout << idle_text(idle) << '\n';
//
// "C=3 fills 3 of 32 rows below buffer"; "nothing spreads over the 14 columns below buffer". Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "workload/einsum.hpp"

namespace tilewright::report {

/// One axis of the fan-out below one memory.
struct IdleLanes {
    std::string memory;
    bool along_x = true;      ///< columns; rows otherwise
    std::string loops;        ///< "K=4 x C=3", "K=5,2" with 2 in the last run; "" without loops
    std::int64_t filled = 1;  ///< lanes filled by the loops
    std::int64_t lanes = 1;   ///< in total; more than `filled`
    double share() const { return static_cast<double>(filled) / static_cast<double>(lanes); }
};

/// Partially filled axes, the emptiest first, then in the memories' order. Requires indices that exist.
std::vector<IdleLanes> idle_lanes(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping);

std::string idle_text(const IdleLanes& idle);

}  // namespace tilewright::report
