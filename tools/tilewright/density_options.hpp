// --density as text: "Weights=0.3", "conv2*:Inputs=0.5".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sparse/design.hpp"
#include "workload/network.hpp"

namespace tilewright::cli {

/// Densities that were given, by layer's name and tensor's.
using GivenDensities = std::map<std::string, std::map<std::string, double>>;

/// Of two about the same tensor the later one counts. Throws InputError(usage) for what is no density, for a pattern
/// that no layer matches and for a tensor that none of its layers has.
GivenDensities read_given_densities(const std::string& verb, const std::vector<std::string>& texts,
                                    const Network& network);

/// The same share of every tile, in place of what the files say.
void set_densities(const GivenDensities& given, const Layer& layer, sparse::Design& design);

}  // namespace tilewright::cli
