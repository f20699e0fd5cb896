// Folders of recorded cases: the inputs of one evaluation and what Timeloop said to them. Or as Timeloop leaves them:
// parsed-processed-input.yaml, and beside NAMEstats.txt NAMEmap.yaml, NAMEERT.yaml and NAMEART.yaml.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "sparse/design.hpp"
#include "timeloop/account/timeloop.hpp"
#include "timeloop/sparse/full_nest.hpp"
#include "workload/einsum.hpp"

namespace tilewright::golden {

/// The folders of cases in `folder`: itself when it holds a problem.yaml or an output of Timeloop beside its input,
/// else its sub-folders that do, by name.
std::vector<std::filesystem::path> cases_in(const std::filesystem::path& folder);

/// The inputs of one case. Energies that it does not give are Timeloop's built-in ones.
struct Inputs {
    Einsum einsum;
    Architecture architecture;
    Mapping mapping;
    std::optional<sparse::Design> sparse;  ///< where the files ask for a format, or for gating or skipping
    account::LoopOrders orders;
};

/// What Timeloop printed, stats.txt or NAME.stats.txt (the first by name), or nothing.
std::optional<std::filesystem::path> stats_file(const std::filesystem::path& folder);

/// mapping.yaml, or best_mapping.yaml, or the map.yaml that belongs to stats_file(), or nothing.
std::optional<std::filesystem::path> mapping_file(const std::filesystem::path& folder);

/// Throws InputError.
Inputs read_inputs(const std::filesystem::path& folder);

/// The JSON file of that name in `folder`, if there is one. Throws nlohmann::json::exception when it is malformed.
std::optional<nlohmann::json> read_json(const std::filesystem::path& folder, const std::string& name);

/// The switches that `recorded["env"]` names (TIMELOOP_...). Throws std::invalid_argument for one that is not known.
account::TimeloopOptions options_of(const nlohmann::json& recorded);

}  // namespace tilewright::golden
