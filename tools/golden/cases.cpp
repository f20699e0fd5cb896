#include "cases.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "arch/estimate.hpp"
#include "frontend/timeloop/files/load.hpp"
#include "frontend/timeloop/machine/architecture.hpp"
#include "frontend/timeloop/mapping/mapping.hpp"
#include "frontend/timeloop/problem/problem.hpp"

namespace tilewright::golden {
namespace {

bool is_case(const std::filesystem::path& folder) { return std::filesystem::exists(folder / "problem.yaml"); }

}  // namespace

std::vector<std::filesystem::path> cases_in(const std::filesystem::path& folder) {
    if (is_case(folder)) return {folder};
    std::vector<std::filesystem::path> cases;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.is_directory() && is_case(entry.path())) cases.push_back(entry.path());
    std::sort(cases.begin(), cases.end());
    return cases;
}

std::optional<std::filesystem::path> mapping_file(const std::filesystem::path& folder) {
    for (const char* name : {"mapping.yaml", "best_mapping.yaml"})
        if (std::filesystem::exists(folder / name)) return folder / name;
    return std::nullopt;
}

Inputs read_inputs(const std::filesystem::path& folder) {
    Inputs inputs;
    inputs.einsum = timeloop::read_problem(timeloop::load({folder / "problem.yaml"}));
    inputs.architecture = timeloop::read_architecture(timeloop::load({folder / "arch.yaml"}));
    estimate(inputs.architecture, Estimator::timeloop_pat);
    const yaml::Node root = timeloop::load({mapping_file(folder).value_or(folder / "mapping.yaml")});
    inputs.mapping = timeloop::read_mapping(root, inputs.einsum, inputs.architecture);
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
