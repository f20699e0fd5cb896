// Wires: what a word costs on the way from a memory to its inner neighbours. Internal to certificate/.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "certificate/common/addresses.hpp"
#include "mapping/perfect.hpp"

namespace tilewright::certificate {

/// Energy of a word and hop on the meshes below a memory.
struct WireCosts {
    double operand_pj = 0.0;  ///< of any tensor
    double result_pj = 0.0;   ///< of written tensors besides
    Mesh lattice;

    bool is_free() const { return operand_pj == 0.0 && result_pj == 0.0; }
};

/// The costs below memory `index`. `left_out`: set where there are costs of another form than these.
WireCosts wire_costs(const Architecture& architecture, int index, bool& left_out);

/// Hops of one word of every group of neighbours that are sent the same words, when the fan-out's spatial loops step
/// over such a box of iterations.
double hops_to_all(const Addresses& tensor, const PerfectLevel& level, int dimensions, const Box& box,
                   const Mesh& hardware);

}  // namespace tilewright::certificate
