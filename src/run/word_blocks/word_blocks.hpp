// Layers whose words lie in blocks that share a scale (arch/blocks.hpp): evaluated, and mapped by searches that know
// words of one width.
//
//     const std::vector<BlockFormats> formats = block_formats(network, {{"*", "Weights", 4, {32, 8}}});
//     const BlockSearch blocks = block_search(network, architecture, formats, {});
//     const NetworkAnswer answer =
//         map_blocks(blocks, objective, [](const NetworkProblem& problem) { return map_network(problem); });
//
// Free functions on values; thread-safe.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arch/blocks.hpp"
#include "mapping/places.hpp"
#include "report/report.hpp"
#include "run/map_network.hpp"
#include "workload/network.hpp"
#include "workload/widths.hpp"

namespace tilewright {

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

/// The layer by the exact model; or why there is no evaluation.
report::LayerResult evaluate_layer_in_blocks(const Layer& layer, const Architecture& architecture,
                                             const Mapping& mapping, const BlockFormats& formats,
                                             const MappingPlaces& places = {});

/// What is searched in place of such layers.
struct BlockSearch {
    NetworkProblem problem;             ///< the layers as they are, on the machine as it is
    std::vector<BlockFormats> formats;  ///< by shape
    /// In parts of a bit. Scales take room in proportion, and memories have so much of it that every mapping with room
    /// for whole scales has room; what a mapping costs is what it costs with whole scales.
    NetworkProblem searched;
    std::optional<Architecture> machine;  ///< of all of `searched`; nothing: each layer has parts of its own
};

/// `formats`: by layer, each as many as it has tensors. Throws OverflowError.
BlockSearch block_search(const Network& network, const Architecture& architecture,
                         const std::vector<BlockFormats>& formats, const ConstraintsOf& constraints = {});

/// Searches, and where the mapping that is found has no room for whole scales searches again in smaller memories. The
/// answers are of `blocks.problem`, counted exactly. One is proven where the search proved its mapping the best of
/// those with room in proportion; a mapping of a later search has what was proven before as its bound. Throws as
/// `search`.
NetworkAnswer map_blocks(const BlockSearch& blocks, const Objective& objective,
                         const std::function<NetworkAnswer(const NetworkProblem&)>& search);

}  // namespace tilewright
