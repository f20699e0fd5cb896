#include "cases.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "arch/estimation/estimate.hpp"
#include "base/notes.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/machine/read_over.hpp"
#include "timeloop/mapping/mapping.hpp"
#include "timeloop/problem/problem.hpp"
#include "timeloop/sparse/read_sparse.hpp"

namespace tilewright::golden {
namespace {

constexpr std::string_view kStats = "stats.txt";

std::filesystem::path dumped_input(const std::filesystem::path& folder) {
    return folder / "parsed-processed-input.yaml";
}

bool is_case(const std::filesystem::path& folder) {
    return std::filesystem::exists(folder / "problem.yaml") ||
           (std::filesystem::exists(dumped_input(folder)) && stats_file(folder));
}

/// Beside NAMEstats.txt, NAME followed by `what`; or nothing.
std::optional<std::filesystem::path> beside_stats(const std::filesystem::path& folder, std::string_view what) {
    const std::optional<std::filesystem::path> stats = stats_file(folder);
    if (!stats) return std::nullopt;
    std::string name = stats->filename().string();
    name.replace(name.size() - kStats.size(), kStats.size(), what);
    if (!std::filesystem::exists(folder / name)) return std::nullopt;
    return folder / name;
}

/// The machine's file and, where Timeloop left them, its tables.
yaml::Node machine_in(const std::filesystem::path& folder) {
    const bool dumped = std::filesystem::exists(dumped_input(folder));
    std::vector<std::filesystem::path> files{dumped ? dumped_input(folder) : folder / "arch.yaml"};
    for (const char* table : {"ERT.yaml", "ART.yaml"})
        if (const auto file = beside_stats(folder, table)) files.push_back(*file);
    return timeloop::load(files);
}

yaml::Node problem_in(const std::filesystem::path& folder) {
    const bool dumped = std::filesystem::exists(dumped_input(folder));
    return timeloop::load({dumped ? dumped_input(folder) : folder / "problem.yaml"});
}

/// Without what is read apart.
yaml::Node dense(const yaml::Node& root) {
    Notes notes;
    return timeloop::read_over(root, {.strict = true, .dense = true, .quiet = true}, notes);
}

}  // namespace

std::vector<std::filesystem::path> cases_in(const std::filesystem::path& folder) {
    if (is_case(folder)) return {folder};
    std::vector<std::filesystem::path> cases;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.is_directory() && is_case(entry.path())) cases.push_back(entry.path());
    std::sort(cases.begin(), cases.end());
    return cases;
}

std::optional<std::filesystem::path> stats_file(const std::filesystem::path& folder) {
    std::optional<std::filesystem::path> first;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        const bool is_stats = name == kStats || name.ends_with("." + std::string(kStats));
        if (is_stats && (!first || entry.path() < *first)) first = entry.path();
    }
    return first;
}

std::optional<std::filesystem::path> mapping_file(const std::filesystem::path& folder) {
    for (const char* name : {"mapping.yaml", "best_mapping.yaml"})
        if (std::filesystem::exists(folder / name)) return folder / name;
    return beside_stats(folder, "map.yaml");
}

Inputs read_inputs(const std::filesystem::path& folder) {
    Inputs inputs;
    const yaml::Node machine = machine_in(folder);
    inputs.einsum = timeloop::read_problem(dense(problem_in(folder)));
    inputs.architecture = timeloop::read_architecture(dense(machine));
    estimate(inputs.architecture, Estimator::timeloop_pat);
    const yaml::Node root = timeloop::load({mapping_file(folder).value_or(folder / "mapping.yaml")});
    inputs.mapping = timeloop::read_mapping(root, inputs.einsum, inputs.architecture);
    if (timeloop::is_sparse(machine)) {
        inputs.sparse = timeloop::read_sparse(machine, inputs.einsum, inputs.architecture);
        inputs.orders = timeloop::read_loop_orders(root, inputs.einsum, inputs.architecture);
    }
    return inputs;
}

std::optional<nlohmann::json> read_json(const std::filesystem::path& folder, const std::string& name) {
    std::ifstream file(folder / name);
    if (!file) return std::nullopt;
    return nlohmann::json::parse(file);
}

account::TimeloopOptions options_of(const nlohmann::json& recorded) {
    account::TimeloopOptions options;
    const auto env = recorded.find("env");
    if (env == recorded.end()) return options;
    for (const auto& [name, value] : env->items()) {
        const bool on = value != "0" && value != 0;
        if (name == "TIMELOOP_DISABLE_LINK_TRANSFERS")
            options.link_transfers = !on;
        else if (name == "TIMELOOP_DISABLE_TEMPORAL_EXTRAPOLATION")
            options.temporal_extrapolation = !on;
        else if (name == "TIMELOOP_DISABLE_SPATIAL_EXTRAPOLATION")
            options.spatial_extrapolation = !on;
        else if (name == "TIMELOOP_ENABLE_FIRST_READ_ELISION")
            options.first_read_elision = on;
        else
            throw std::invalid_argument("switch " + name + " is not followed");
    }
    return options;
}

}  // namespace tilewright::golden
