// What map(), evaluate() and compare() know of zeros: the machine's files, the network's, and `density`.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "run/zeros/sparse_files.hpp"
#include "values.hpp"

namespace tilewright::python {

/// Text as of the command line's --density, or a tensor ("conv2*:Weights") and an array as bytes of NumPy's .npy files.
using DensityWord = std::variant<std::string, std::pair<std::string, std::string>>;

/// Does nothing where the machine does nothing about zeros. What was not counted of a model becomes notes. Throws
/// InputError, also where densities were given and the machine does nothing about them.
SparseFiles zeros_of(const ReadNetwork& network, const Machine& machine, const std::vector<DensityWord>& words,
                     std::vector<std::string>& notes);

/// What there is to say of these designs, once each, goes to the notes of a machine's files, before those of estimates.
void add_design_notes(const std::vector<sparse::Design>& designs, const Machine& machine,
                      std::vector<std::string>& notes);

}  // namespace tilewright::python
