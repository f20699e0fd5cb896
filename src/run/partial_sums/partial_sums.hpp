// Layers whose results are wider while they are partial sums (model/exact/partial_sums.hpp): evaluated exactly, and
// mapped by two searches that know one width each.
//
//     const PartialBits bits = partial_bits(network, {{"*", "Outputs", 32}}).front();
//     const report::LayerResult cost = evaluate_layer(network.layers[0], architecture, mapping, bits);
//
// Free functions on values; thread-safe.
#pragma once

#include <vector>

#include "mapping/places.hpp"
#include "model/exact/partial_sums.hpp"
#include "report/report.hpp"
#include "run/map_network.hpp"
#include "workload/widths.hpp"

namespace tilewright {

/// By layer, in the network's order; of two widths about the same tensor the later one counts (0: none). Empty where no
/// layer has any. Throws InputError(unknown_name) for a pattern that no layer matches.
std::vector<PartialBits> partial_bits(const Network& network, const std::vector<TensorWidth>& widths);

/// The layer with words as wide as its partial sums throughout.
Einsum with_partial_width(Einsum einsum, const PartialBits& bits);

/// By the exact model; or why there is no evaluation.
report::LayerResult evaluate_layer(const Layer& layer, const Architecture& architecture, const Mapping& mapping,
                                   const PartialBits& bits, const MappingPlaces& places = {});

/// "words of 32 bits in partial sums of 'Outputs'"; "" where there are none. For those who count one width only.
std::string partial_width_in(const Einsum& einsum, const PartialBits& bits);

/// What two searches found, of which neither knows two widths: with words as wide as partial sums throughout, and as
/// wide as final ones throughout. The better of the two, counted exactly, is the answer in `result`, whose einsum says
/// the final widths; it is never called proven. The second search bounds it from below, unless a memory has to be
/// filled to some extent (min_utilization), where wider words may allow more mappings.
void settle_partial_sums(const LayerAnswer& wide, const LayerAnswer& narrow, const LayerProblem& problem,
                         const PartialBits& bits, const Objective& objective, report::LayerResult& result);

}  // namespace tilewright
