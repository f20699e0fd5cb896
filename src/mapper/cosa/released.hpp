// The models of CoSA's released code (ucb-bar/cosa), with its deviations from the paper (docs/cosa.md lists them).
//
// Three states: `released_2021`, of the paper's time; `released_2023`, the last one, with a slip that keeps kernel
// factors out of all on-chip memories; `repaired`, the first with windows counted in both input memories and strides
// once. All share the code's assumptions: a tile of a shared memory gets a fixed share, and there is no reuse between
// the outermost memory's loops. Tiles of `released_2021` may not fit.
#pragma once

#include <vector>

#include "mapper/cosa/encoding/encoding.hpp"

namespace tilewright::cosa {

enum class Released { in_2021, in_2023, repaired };

std::vector<OrderedPlace> released_orders(const Layout& layout);

/// Adds the capacity rows (2) and returns the objective's terms.
Terms released_model(Released version, const Encoding& encoding);

}  // namespace tilewright::cosa
