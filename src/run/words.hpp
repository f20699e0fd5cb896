// The words of a network's layers, as wishes give them; what reports say of them; and layers in parts of a bit.
//
//     const std::vector<PartialBits> partial = partial_bits(network, {{"*", "Outputs", 32}});
//     const std::vector<BlockFormats> blocks = block_formats(network, {{"*", "Weights", 4, {32, 8}}});
//
// Free functions on values; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/map_network.hpp"
#include "workload/network.hpp"
#include "workload/widths.hpp"
#include "workload/words.hpp"

namespace tilewright {

/// By layer, in the network's order; of two widths about the same tensor the later one counts (0: none). Empty where no
/// layer has any. Throws InputError(unknown_name) for a pattern that no layer matches.
std::vector<PartialBits> partial_bits(const Network& network, const std::vector<TensorWidth>& widths);

/// "words of 32 bits in partial sums of 'Outputs'"; "" where there are none. For those who count one width only.
std::string partial_width_in(const Einsum& einsum, const PartialBits& bits);

/// By layer, in the network's order; of two widths about the same tensor the later one counts. Empty where no layer has
/// blocks. Throws InputError(unknown_name) for a pattern that no layer matches.
std::vector<BlockFormats> block_formats(const Network& network, const std::vector<TensorWidth>& widths);

/// The same on top of formats that are there.
void set_blocks(const Network& network, const std::vector<TensorWidth>& widths, std::vector<BlockFormats>& formats);

/// "words of 'Weights' have 4 bits, and a scale of 8 for every 32 along their innermost axis (20 layers)": what reports
/// say of them.
std::vector<std::string> block_notes(const Network& network, const std::vector<BlockFormats>& formats);

/// The option of a report's provenance whose value is block_notes(), joined: a report without it has no blocks.
inline constexpr const char* kBlocksOption = "blocks";

/// Layers whose scales lie in blocks, said without blocks: what certificates of them speak of. Scales take room in
/// proportion, and memories have so much of it that every mapping with room for whole scales has room; what a mapping
/// costs is what it costs with whole scales.
struct InParts {
    NetworkProblem problem;
    std::optional<Architecture> machine;  ///< of all of `problem`; nothing: they have too many parts to share one
    std::vector<bool> bounded;            ///< by shape: its lower bound was proven with no more room than `machine` has
};

/// Throws OverflowError.
InParts in_parts_of_bits(const NetworkProblem& problem);

}  // namespace tilewright
