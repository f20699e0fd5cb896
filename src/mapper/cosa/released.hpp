// The models of CoSA's released code (ucb-bar/cosa), deviations from the paper included (docs/cosa.md lists them).
//
// Three states of it: `released_2021`, of the paper's time; `released_2023`, the last one, where a slip keeps kernel
// factors out of all on-chip memories; `repaired`, the first with windows counted in both input memories and strides
// once. All assume what the code assumes: a tile of a shared memory gets a fixed share, reuse between the outermost
// memory's loops does not exist. `released_2021` may give tiles that do not fit.
#pragma once

#include <vector>

#include "mapper/cosa/encoding/encoding.hpp"
#include "mapper/cosa/encoding/terms.hpp"

namespace tilewright::cosa {

enum class Released { in_2021, in_2023, repaired };

std::vector<OrderedPlace> released_orders(const Layout& layout);

/// Adds the capacity rows (2) and returns the objective's terms.
Terms released_model(Released version, const Encoding& encoding);

}  // namespace tilewright::cosa
