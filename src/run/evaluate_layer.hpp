// Evaluates a given mapping of a layer under an accounting: whose rules count.
//
//     const report::LayerResult cost = evaluate_layer(layer, architecture, mapping, {.rules = Rules::timeloop});
//     if (!cost.evaluation) std::cerr << cost.failures.front() << '\n';
//
// Free functions on values: any number of threads may call them at once.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "mapping/text.hpp"
#include "report/report.hpp"
#include "run/map_network.hpp"
#include "timeloop/account/timeloop.hpp"
#include "timeloop/sparse/full_nest.hpp"
#include "workload/network.hpp"

namespace tilewright {

/// `exact`: the exact model (docs/model.md); `timeloop` and `zigzag`: as those tools count.
enum class Rules { exact, timeloop, zigzag };

/// "exact", "timeloop", "zigzag"
std::string_view name_of(Rules rules);
/// Reads one of these; nothing for any other text.
std::optional<Rules> rules_named(std::string_view name);
/// All of them, in the order of the enumeration.
std::vector<std::string> rules_names();

struct Accounting {
    Rules rules = Rules::exact;
    account::TimeloopOptions timeloop = {};  ///< switches of Rules::timeloop
    LayerDetails details = {};               ///< words, and what the machine does about zeros
    account::LoopOrders orders = {};         ///< of Rules::timeloop with zeros: those of the mapping's file
};

/// The layer's evaluation, or why there is none: every rule that the mapping breaks, at its place where the mapping was
/// read from a file. Throws InputError(overflow) that names the layer where a count does not fit in 64 bits.
report::LayerResult evaluate_layer(const Layer& layer, const Architecture& architecture, const Mapping& mapping,
                                   const Accounting& accounting = {}, const MappingPlaces& places = {});

// What a user should know about what the evaluation of a given mapping leaves out.

/// Where a given mapping spreads a dimension over more neighbours than the constraints let it: constraints bind
/// searches, but what neighbours share by wire no mapping can give each its own.
std::vector<std::string> spread_notes(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                      const Constraints& constraints);

/// Sentences: accounting switches that the rules ignore; tensors that the outermost memory does not keep, whose way
/// from there is not counted; constraints that do not fit the layer, and what
/// spread_notes() has. `constraints` may throw InputError.
std::vector<std::string> mapping_notes(const Layer& layer, const Architecture& architecture, const Mapping& mapping,
                                       Rules rules, const ConstraintsOf& constraints);

}  // namespace tilewright
