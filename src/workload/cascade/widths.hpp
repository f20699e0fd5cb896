// How many bits the words of a cascade's tensors have, given by name or by the part that a tensor plays in einsums.
//
//     Cascade cascade = zoo_cascade("bert-base", {}, {});
//     const std::vector<std::string> notes = set_widths(cascade, {{"*", "Weights", 4}, {"*", "Outputs", 8}});
//
// A tensor is stored once and has one width. Given by the tensor's own name, that is it. Of what einsums write it is
// that of Outputs of those that write it, whatever their readers play it as; of what comes from outside that of the
// part that it plays in those that read it.
#pragma once

#include <string>
#include <vector>

#include "workload/cascade/cascade.hpp"
#include "workload/widths.hpp"
#include "workload/words.hpp"

namespace tilewright {

/// Sets the widths; of two about the same part of the same einsum, or the same name, the later one counts. Returns what
/// the user should know: of what einsums read as a part for which another width is given than the tensor has. Blocks
/// are not looked at. Throws InputError(unknown_name) for a pattern that no einsum matches and for what is neither a
/// tensor nor a part that one plays; InputError(bad_value) where a tensor would have two widths.
std::vector<std::string> set_widths(Cascade& cascade, const std::vector<TensorWidth>& widths);

/// By tensor, bits of partial sums given likewise, 0: as many as of final ones; empty: none is given. Of a cascade whose
/// widths are set. Throws what set_widths() throws, and InputError(bad_value) where they are of what no einsum writes,
/// or narrower than final ones.
PartialBits partial_bits(const Cascade& cascade, const std::vector<TensorWidth>& partial_sums);

}  // namespace tilewright
