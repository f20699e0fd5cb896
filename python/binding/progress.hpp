// How far a run is, as callbacks of Python see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tilewright::python {

struct Progress {
    std::string event;                         ///< of layers: "begins", "searches", "ends"; of simulations: "steps"
    std::string layer;                         ///< whose event this is
    std::int64_t done = 0;                     ///< layers that have ended; of simulations: steps of the layer
    std::int64_t total = 0;                    ///< layers, or steps, there are
    std::optional<std::int64_t> sampled = {};  ///< mappings proposed; of "searches", like what follows
    std::optional<std::int64_t> valid = {};    ///< of those, the legal ones
    std::optional<double> energy_pj = {};      ///< of the best so far, where there is one
    std::optional<std::int64_t> cycles = {};
    std::optional<double> objective = {};
    std::optional<double> lower_bound = {};
};

/// For repr().
std::string to_text(const Progress& progress);

}  // namespace tilewright::python
