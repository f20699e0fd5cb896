// Steps of zigzag.hpp's evaluate(), one file each, filling in a Result in this order.
#pragma once

#include "zigzag/accounting/zigzag.hpp"

namespace tilewright::zigzag {

/// Words and energies (cost_model.py: calc_memory_energy_cost). Requires movement and levels of the right sizes.
void add_energy(const Accelerator& accelerator, const Layer& layer, Result& result);

/// Energy of the operations of an array computing in memory, in place of the units'. Requires energy and nest.
void add_array_energy(const Accelerator& accelerator, const Layer& layer, const ArrayUnrolling& unrolling,
                      const UnevenMapping& mapping, Result& result);

/// Utilisation and double buffers (calc_memory_utilization, calc_double_buffer_flag).
void add_utilization(const Accelerator& accelerator, const Layer& layer, Result& result);

/// Transfer cycles and stalls (calc_latency).
void add_stalls(const Accelerator& accelerator, const Layer& layer, Result& result);

/// Loading and unloading (also calc_latency). Requires stalls.
void add_loading(const Accelerator& accelerator, const Layer& layer, Result& result);

}  // namespace tilewright::zigzag
