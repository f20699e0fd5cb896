// What would make SALSA's runs end at the best order as often as its paper says: 99.9 % of 500 runs of each layer of
// ResNet-34.
#pragma once

#include <filesystem>
#include <string>

namespace tilewright::salsa_study {

/// A table with a row for each reading of the paper: fewer loops, other unrollings, other references, acceptance by
/// differences of energy, more iterations, other memories. `runs` of each layer. With `summary` a line of the best
/// ones.
void print_readings(const std::filesystem::path& folder, int runs, bool summary);

}  // namespace tilewright::salsa_study
