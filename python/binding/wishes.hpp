// The options of map() as Python gives them, and a network's problem on a machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/stop.hpp"
#include "progress.hpp"
#include "run/machine.hpp"
#include "run/map_network.hpp"
#include "run/zeros/sparse_files.hpp"
#include "shared_cache.hpp"
#include "silicon/files/silicon.hpp"
#include "simulated_machine.hpp"
#include "values.hpp"

namespace tilewright::python {

/// What the user wrote; empty: what the files say, else the defaults of `tilewright map`.
struct Wishes {
    std::optional<std::string> objective;
    std::optional<std::string> mapper;
    std::optional<std::string> factors;
    bool uneven = false;
    std::optional<std::uint64_t> seed;
    std::optional<std::int64_t> threads;
    std::optional<std::int64_t> evaluations;
    std::optional<std::int64_t> victory;
    std::optional<std::int64_t> largest_space;
    std::optional<std::int64_t> streams;
    std::optional<std::int64_t> timeout;
    std::optional<double> time_limit;
    std::optional<double> layer_time_limit;
    std::shared_ptr<SharedCache> cache = std::make_shared<SharedCache>(std::nullopt);
    std::string latency;  ///< "physical", "plain", or "": plain, with the time as built beside it
    std::optional<std::string> refine;
    std::optional<int> candidates;
    std::optional<SimulatedMachine> machine;  ///< that refine simulates
    std::shared_ptr<StopSource> stop = {};    ///< the user's; may be null
};

/// How the machine was built, where its time is asked for. Throws InputError(usage).
const silicon::Silicon* as_built(const Wishes& wishes, const Machine& machine);
/// Throws InputError(usage) for words that mean nothing.
SearchSettings settings_of(const Wishes& wishes, const Machine& machine);
/// By layer: its words, and what the machine does about zeros. All outlive it.
DetailsOf details_of(const ReadNetwork& network, const SparseFiles& zeros, const Architecture& architecture);

Progress progress_of(const NetworkProblem& problem, const NetworkProgress& now);

}  // namespace tilewright::python
