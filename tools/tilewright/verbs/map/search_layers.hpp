// Maps a network with a line of progress on the terminal and Ctrl-C.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options/machine_options.hpp"
#include "options/options.hpp"
#include "options/search.hpp"
#include "run/map_network.hpp"
#include "run/simulate/simulate_network.hpp"

namespace tilewright::cli {

/// map_network(); after Ctrl-C every layer that was begun has its best so far. `map_shape`: as of NetworkControl.
/// Throws as map_network().
NetworkAnswer search_layers(const NetworkProblem& problem, const MapOptions& options, AnswerCache& cache, bool quiet,
                            const MapsShape& map_shape = {});

// map --refine: the best mappings of every layer are simulated, and the best of them is the answer.

struct RefinePlan {
    std::string how;  ///< "simulate"; "": not at all
    std::optional<std::int64_t> candidates;
    MachinePlan machine;

    void declare(Options& options);
    bool asked() const { return !how.empty(); }
    /// Of the options that serve --refine alone.
    static const std::vector<std::string>& names();
    /// Nothing where it was not asked for. Adds to what the report says of the search; names files that it reads.
    /// Throws InputError.
    std::optional<RefineOptions> settle(PlannedSearch& settings, const Architecture& architecture,
                                        std::vector<report::Input>& read) const;
};

/// refine() with a line of progress, cut short by Ctrl-C: what was simulated until then is chosen from.
std::vector<std::optional<report::Refinement>> refine_layers(const NetworkProblem& problem,
                                                             const RefineOptions& options, NetworkAnswer& answer,
                                                             bool quiet);

}  // namespace tilewright::cli
