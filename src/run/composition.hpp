// What composes with what: the one table of capabilities that a layer's problem and a search may ask for together, and
// the sentence why two of them do not. Command line and Python settle their wishes here, before any work.
//
//     const std::string why = refusal(capabilities_of(problem, options));    // "" or one sentence
//
// A new capability is a value in LayerProblem or MapOptions and a row of this table. Pure functions.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/map_network.hpp"

namespace tilewright {

enum class Capability {
    zeros,         ///< a machine that does something about them
    partial_sums,  ///< of another width than final ones
    blocks,        ///< of words that share a scale
    passages,      ///< priced, as of an array computing in memory
    programming,   ///< writes on which the units wait, as of its cells
    tile_rules,    ///< of memories: alignment, buffers, extents
    pareto,
    uneven,
    remainders,  ///< factors that leave some
    padded,
    heuristic,        ///< samples or enumerates the mapspace
    own_search,       ///< with a cost model of its own
    timeloops,        ///< a search of Timeloop's
    refinement,       ///< by simulation
    as_built,         ///< latency of a machine as it was built
    dataflows,        ///< searched in place of mappings
    fusion,           ///< of a cascade's einsums
    package,          ///< of cores, with plans of a cascade
    other_objective,  ///< than latency
    chosen_search,    ///< a mapper or factors by name
    what_if,
    certificate,
    serving,  ///< a language model under load, best layouts, requests one by one
};

inline constexpr std::array kCapabilities{
    Capability::zeros,       Capability::partial_sums, Capability::blocks,          Capability::passages,
    Capability::programming, Capability::tile_rules,   Capability::pareto,          Capability::uneven,
    Capability::remainders,  Capability::padded,       Capability::heuristic,       Capability::own_search,
    Capability::timeloops,   Capability::refinement,   Capability::as_built,        Capability::dataflows,
    Capability::fusion,      Capability::package,      Capability::other_objective, Capability::chosen_search,
    Capability::what_if,     Capability::certificate,  Capability::serving};

/// Two that do not compose; or three of which any two do.
struct Refused {
    Capability one;
    Capability other;
    std::string_view why;
    std::optional<Capability> third = {};
};

/// All of them: any others compose.
const std::vector<Refused>& refused_pairs();

/// "block formats (MX)"; of three "the objective pareto and a certificate".
std::string others_of(const Refused& refused);

/// "sparsity", "the objective pareto", ...
std::string_view name_of(Capability capability);

/// Why two do not compose, in one sentence; "" where they do. In either order.
std::string refusal(Capability one, Capability other);

/// Of the first two or three that do not compose; "" where all do.
std::string refusal(const std::vector<Capability>& together);

/// What the machine's files ask for.
std::vector<Capability> capabilities_of(const Architecture& architecture);
/// What the options ask for.
std::vector<Capability> capabilities_of(const MapOptions& options);
/// What the layer asks for, and what the options do.
std::vector<Capability> capabilities_of(const LayerProblem& problem, const MapOptions& options);
/// Of any of its layers, each capability once.
std::vector<Capability> capabilities_of(const NetworkProblem& problem, const MapOptions& options);

}  // namespace tilewright
