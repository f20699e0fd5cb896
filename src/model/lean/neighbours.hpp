// A nest spread over more neighbours below an instance than present (docs/model.md, rule 10).
#pragma once

#include <optional>

#include "mapping/validity.hpp"
#include "model/lean/problem.hpp"

namespace tilewright::lean {

/// As in check(), outermost memory first. `nest` has the addressed instances: used_x and used_y, by level, and last of
/// the compute units; none exceeds its mesh.
template <typename Nest>
std::optional<ViolationKind> neighbour_violation(const Setup& setup, const Nest& nest) {
    for (std::size_t l = 0; l < setup.levels.size(); ++l) {
        const Mesh& has = setup.levels[l].fanout;
        if (nest.used_x[l + 1] > nest.used_x[l] * static_cast<double>(has.x)) return ViolationKind::fanout_x;
        if (nest.used_y[l + 1] > nest.used_y[l] * static_cast<double>(has.y)) return ViolationKind::fanout_y;
    }
    return std::nullopt;
}

}  // namespace tilewright::lean
