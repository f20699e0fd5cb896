// Word widths of a cascade's tensors, given by name or by role in einsums.
//
//     Cascade cascade = zoo_cascade("bert-base", {}, {});
//     const std::vector<std::string> notes = set_widths(cascade, {{"*", "Weights", 4}, {"*", "Outputs", 8}});
//
// A tensor is stored once and has one width: by its own name if given; for a written tensor the Outputs width of its
// writers, whatever its readers' roles; for an outside tensor the width of its role in its readers.
#pragma once

#include <string>
#include <vector>

#include "workload/cascade/cascade.hpp"
#include "workload/widths.hpp"
#include "workload/words.hpp"

namespace tilewright {

/// Sets the widths; for the same role of the same einsum, or the same name, the later one counts. Returns notes on
/// tensors read in a role with another width than their own. Blocks and partial sums are ignored. Throws
/// InputError(unknown_name) for a pattern without an einsum and for a name that is neither a tensor nor a role;
/// InputError(bad_value) for a tensor with two widths.
std::vector<std::string> set_widths(Cascade& cascade, const std::vector<TensorWidth>& widths);

/// By tensor, bits of partial sums, 0: as many as of final ones; empty: none is given. Of a cascade whose widths are
/// set. Throws what set_widths() throws, and InputError(bad_value) where they are of what no einsum
/// writes, or narrower than final ones.
PartialBits partial_bits(const Cascade& cascade, std::vector<TensorWidth> widths);

}  // namespace tilewright
