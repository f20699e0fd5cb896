// Analog-to-digital converters by a published survey: T. Andrulis, R. Chen, H.-S. Lee, J. Emer and V. Sze, "Modeling
// analog-digital-converter energy and area for compute-in-memory accelerator design", arXiv 2404.06553, a fit to
// B. Murmann's survey of converters.
#pragma once

namespace tilewright::cim {

struct ConverterCost {
    double conversion_pj = 0.0;  ///< paid for each conversion: four fifths of all
    double leak_w = 0.0;         ///< of all converters, always drawn at this rate
    double area_um2 = 0.0;       ///< of all converters
};

/// `count` converters of `bits` at `technology_nm` that together do `conversions_per_second`. Requires bits >= 4 (the
/// fit begins there), positive numbers. Single machines differ from the fit by a factor of three (docs/estimation.md).
ConverterCost surveyed_converter(double bits, double technology_nm, double conversions_per_second, double count = 1.0);

}  // namespace tilewright::cim
