// Proves floors of one layer on one machine, for the check of machines. Internal to certificate/codesign.
#pragma once

#include <functional>
#include <string>

#include "arch/architecture.hpp"
#include "certificate/codesign/network_floor.hpp"
#include "mapspace/constraints.hpp"
#include "workload/einsum.hpp"

namespace tilewright::certificate {

struct PlacedLayer {
    Einsum einsum;
    Architecture machine;
    Constraints constraints;
};

/// Ten significant digits.
std::string in_digits(double value);

/// The floor not proven, in words; "" if no mapping has less, or none exists.
std::string doubt_of_floor(const PlacedLayer& layer, const std::string& factors, const std::string& objective,
                           const ProvenFloor& floor, const std::function<bool()>& stop);

/// Likewise, for a smaller score than this.
std::string doubt_of_score(const PlacedLayer& layer, const std::string& factors, const std::string& objective,
                           double score, const std::function<bool()>& stop);

/// Likewise, for any mapping at all.
std::string doubt_of_emptiness(const PlacedLayer& layer, const std::string& factors, const std::function<bool()>& stop);

}  // namespace tilewright::certificate
