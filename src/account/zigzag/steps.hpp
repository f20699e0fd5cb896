// The steps of zigzag.hpp's evaluate(), one file each; they fill in a Result in this order.
#pragma once

#include "account/zigzag/zigzag.hpp"

namespace tilewright::zigzag {

/// Words and energies (section 7). Requires movement and levels of the right sizes.
void add_energy(const Accelerator& accelerator, const Layer& layer, Result& result);

/// Utilisation and double buffers (section 8).
void add_utilization(const Accelerator& accelerator, const Layer& layer, Result& result);

/// Transfer cycles and stalls (sections 9.1 to 9.3).
void add_stalls(const Accelerator& accelerator, const Layer& layer, Result& result);

/// Loading and unloading (sections 9.4 to 9.7). Requires stalls.
void add_loading(const Accelerator& accelerator, const Layer& layer, Result& result);

}  // namespace tilewright::zigzag
