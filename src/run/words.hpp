// The words of a network's layers, as wishes give them; what reports say of them; and layers in parts of a bit.
//
//     const std::vector<Words> words = words_of(network, parse_widths("--bits", {"Weights=4/32:8", "Outputs=8/32"}));
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

/// By layer, in the network's order; of two widths about the same tensor the later one counts. Empty where no layer has
/// partial sums of another width or blocks. Throws InputError(unknown_name) for a pattern that no layer matches, and
/// InputError(bad_value) for partial sums of an operand.
std::vector<Words> words_of(const Network& network, const std::vector<TensorWidth>& widths);

/// The same on top of words that are there.
void set_words(const Network& network, const std::vector<TensorWidth>& widths, std::vector<Words>& words);

std::vector<PartialBits> partial_bits_of(const std::vector<Words>& words);
bool have_blocks(const std::vector<Words>& words);

/// "words of 32 bits in partial sums of 'Outputs'" or "blocks of 32 words with scales of 8 bits in 'Weights'"; "" where
/// all are plain. For those who know one width of each tensor.
std::string unusual_words_in(const Einsum& einsum, const Words& words);

/// "words of 'Weights' have 4 bits, and a scale of 8 for every 32 along their innermost axis (20 layers)": what reports
/// say of them.
std::vector<std::string> block_notes(const Network& network, const std::vector<Words>& words);

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
