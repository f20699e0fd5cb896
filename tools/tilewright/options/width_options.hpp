// --bits (workload/widths.hpp), with errors of a verb.
#pragma once

#include <string>
#include <vector>

#include "workload/cascade/cascade.hpp"
#include "workload/widths.hpp"
#include "workload/words.hpp"

namespace tilewright::cli {

/// Throws InputError(usage).
std::vector<TensorWidth> read_widths(const std::string& verb, const std::vector<std::string>& texts);

/// Partial sums of a cascade whose widths are set, by tensor; empty: none is given. Throws InputError(usage).
PartialBits read_partial_sums(const std::string& verb, const std::vector<std::string>& texts, const Cascade& cascade);

}  // namespace tilewright::cli
