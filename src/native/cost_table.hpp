// Block costs of an accelerator, for `tilewright explore --cost FILE`: schema schemas/cost-1.schema.json, example
// examples/explore/cost_28nm.yaml.
//
//     cost:
//       about: our 12 nm library
//       mac: {area_um2: 812, power_mw: 0.31}
//       l1: {cell_bytes: 64, area_um2: 905, power_mw: 0.05}
//       l2: {cell_bytes: 32768, area_um2: 61000, power_mw: 1.9}
//       bus: {area_um2: 21, power_mw: 0.0002, per_unit: 14.662, constant: 28.895}
//       arbiter: {area_um2: 80, power_mw: 0.0001, per_unit_squared: 1.2886, least_area_um2: 80}
//       l1_access_macs: [{bytes: 256, macs: 0.4}, {bytes: 2048, macs: 1.68}]
//       l2_access_macs: 18.61
#pragma once

#include "maestro/designs/accelerator_cost.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {

/// The blocks are mandatory; missing energies are MAESTRO's. Throws InputError for unknown keys, and for costs falling
/// with size: ranges of designs are skipped by their minimum costs.
explore::CostTable read_cost_table(const yaml::Node& root);

}  // namespace tilewright::native
