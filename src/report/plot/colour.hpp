// Colours of charts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tilewright::plot {

inline constexpr std::size_t kColours = 28;

/// The k-th colour. The first six are distinct for any colour vision (Okabe and Ito, 2008); each later one is as far
/// from its predecessors as a colour of middle lightness can be (CIE 1976 L*a*b*).
std::string colour_of(std::size_t k);

/// Of a name with one meaning in every chart ("idle units", "load weight", "operand 1"); "" for all others. Weights are
/// blue, inputs green, results amber, arithmetic grey.
std::string known_colour(const std::string& name);

/// Of the k-th of some names: its known colour, or that of its place.
std::string kind_colour(const std::vector<std::string>& kinds, std::size_t k);

/// From dark violet (0) to light rose (1): a family distinguished by lightness. Requires 0 <= place <= 1.
std::string ramp_colour(double place);
/// Likewise, for another machine's: from dark green to sand.
std::string other_ramp_colour(double place);

/// The colour halfway to white. Requires "#rrggbb".
std::string tint(const std::string& colour);

}  // namespace tilewright::plot
