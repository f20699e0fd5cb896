// Energy and cycles, and what is known of both from below.
#pragma once

namespace tilewright::fusion {

struct Cost {
    double energy_pj = 0.0;
    double cycles = 0.0;
};

/// What something costs at least: energy and cycles each by itself, and the weighted sum of both at once.
struct Floor {
    Cost cost;
    double value = 0.0;
};

}  // namespace tilewright::fusion
