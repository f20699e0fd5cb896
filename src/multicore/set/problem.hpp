// SET's runs as problems of ours: its machine as a package, its layers as a cascade.
#pragma once

#include <vector>

#include "multicore/set/values.hpp"
#include "package/package.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::multicore::set {

/// Its cores in its order, with 1024 multipliers and a buffer of 1 Mi words; a DRAM at both ends of every row, over
/// which all tensors are interleaved; its prices of a hop and of a DRAM word, and none inside cores, which it does not
/// count between them.
package::Package package_of(const Machine& machine);

/// Layers in this order (numbers; empty: the network's) on `batch` images, `times` one after another. Einsums have the
/// layers' names; concatenations are read where they were made. Throws InputError(unsupported) for layers whose groups
/// or weights come from other layers.
Cascade cascade_of(const std::vector<Layer>& layers, std::int64_t batch, std::int64_t times = 1,
                   std::vector<int> order = {});

/// Layers of a tree in its order.
std::vector<int> order_of(const Tree& tree);
/// Rounds of its root, each with fewer images.
std::int64_t rounds_of(const Tree& tree);

}  // namespace tilewright::multicore::set
