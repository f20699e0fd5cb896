// Wires: a word's cost from a memory to its inner neighbours. Internal to certificate/.
#pragma once

#include <array>

#include "arch/architecture.hpp"
#include "certificate/common/addresses.hpp"
#include "mapping/tiling_point.hpp"
#include "workload/einsum.hpp"

namespace tilewright::certificate {

struct WireCosts {
    std::array<double, kMaxTensors> hop_pj{};   ///< of a word and hop, by tensor
    std::array<double, kMaxTensors> word_pj{};  ///< of a word to all neighbours sharing it: passages
    Mesh lattice;

    bool is_free() const { return hop_pj == std::array<double, kMaxTensors>{} && has_no_passages(); }
    bool has_no_passages() const { return word_pj == std::array<double, kMaxTensors>{}; }
};

/// The costs below memory `index`. `left_out`: set if there are costs of another form.
WireCosts wire_costs(const Einsum& einsum, const Architecture& architecture, int index, bool& left_out);

/// Hops of one word to every group of neighbours with equal words; `box`: iterations per step of the spatial loops.
double hops_to_all(const Addresses& tensor, const TilingLevel& level, int dimensions, const Box& box,
                   const Mesh& hardware);

}  // namespace tilewright::certificate
