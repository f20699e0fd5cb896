// Which lanes of the array a mapping leaves idle: axes of fan-outs that its spatial loops do not fill.
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
    std::string loops;        ///< "K=4 x C=3", "K=5,2" where 2 is the last time; "" when nothing spreads over it
    std::int64_t filled = 1;  ///< lanes that the loops fill
    std::int64_t lanes = 1;   ///< that there are; more than `filled`
    double share() const { return static_cast<double>(filled) / static_cast<double>(lanes); }
};

/// The axes that are not full, the emptiest first, then as memories lie. Requires indices that exist.
std::vector<IdleLanes> idle_lanes(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping);

std::string idle_text(const IdleLanes& idle);

}  // namespace tilewright::report
