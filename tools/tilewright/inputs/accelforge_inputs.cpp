#include "inputs/accelforge_inputs.hpp"

#include <algorithm>
#include <set>

#include "accelforge/files/load.hpp"
#include "accelforge/forms/as_ours.hpp"
#include "base/files/file.hpp"
#include "options/options.hpp"

namespace tilewright::cli {
namespace {

constexpr double kUsualBits = 8.0;  // of words, where no workload says it

bool ends_as_yaml(const std::string& file) {
    return file.ends_with(".yaml") || file.ends_with(".yml") || file.find(".jinja") != std::string::npos;
}

// {"eyeriss": {"MainMemory": {"area": .., "leak_power": .., "actions": {..}}}}
bool holds_figures(const std::string& file, const std::string& text) {
    return file.ends_with(".json") && text.find("\"leak_power\"") != std::string::npos &&
           text.find("\"actions\"") != std::string::npos;
}

void collect_files(const yaml::Node& node, std::set<std::string>& files) {
    files.insert(node.where().file);
    if (node.is_map())
        for (const yaml::Node::Entry& entry : node.entries()) collect_files(entry.value, files);
    if (node.is_sequence())
        for (const yaml::Node& item : node.items()) collect_files(item, files);
}

}  // namespace

bool AccelforgeInputs::take(const std::string& file, std::uintmax_t most_bytes) {
    const bool is_yaml = ends_as_yaml(file);
    std::error_code ignored;
    if ((!is_yaml && !file.ends_with(".json")) || !std::filesystem::exists(file, ignored)) return false;
    const std::string text = read_file(file, most_bytes);
    if (holds_figures(file, text)) {
        figures_ = accelforge::read_figures(text, file);
        return true;
    }
    if (!is_yaml || !accelforge::is_accelforge(text)) return false;
    files_.emplace_back(file);
    return true;
}

void AccelforgeInputs::load(const jinja::Settings& settings) {
    if (files_.empty()) return;
    root_ = accelforge::load(files_, settings);
    std::set<std::string> all;
    collect_files(root_, all);
    for (const std::filesystem::path& file : files_) all.erase(file.string());
    all.erase("");
    included_.assign(all.begin(), all.end());
    for (const char* section : {"config", "mapper", "model"})
        if (root_.has(section)) notes_.add("sections of AccelForge's that are not read", section, "");
}

const accelforge::Workload& AccelforgeInputs::workload() {
    if (!workload_) workload_ = accelforge::read_workload(root_);
    return *workload_;
}

std::string AccelforgeInputs::name_of(const char* section) const {
    return std::filesystem::path(root_.at(section).where().file).stem().string();
}

// Those of the machine's name; a file with one machine is about it whatever it is called. Our tables say the rest.
const accelforge::Figures& AccelforgeInputs::figures() {
    if (all_figures_) return *all_figures_;
    const auto found = figures_.find(name_of("arch"));
    const bool only_one = found == figures_.end() && figures_.size() == 1;
    const accelforge::Figures given = found != figures_.end() ? found->second
                                      : only_one              ? figures_.begin()->second
                                                              : accelforge::Figures{};
    return all_figures_.emplace(accelforge::with_estimates(root_, usual_einsum(), given, notes_));
}

// The one that a machine is read for where it does not matter which.
accelforge::EinsumSpec AccelforgeInputs::usual_einsum() {
    if (has_workload()) return accelforge::typical_einsum(workload());
    const Einsum product{"product",
                         {{"m", 1}, {"k", 1}, {"n", 1}},
                         {{"Inputs", {{{{0, 1}}}, {{{1, 1}}}}, false, 0},
                          {"Weights", {{{{1, 1}}}, {{{2, 1}}}}, false, 0},
                          {"Outputs", {{{{0, 1}}}, {{{2, 1}}}}, true, 0}}};
    return accelforge::spec_of(product, kUsualBits);
}

Architecture AccelforgeInputs::architecture() {
    if (!has_workload()) notes_.add("no workload of AccelForge's says how wide words are: 8 bits");
    return accelforge::architecture_of(root_, usual_einsum(), name_of("arch"), figures(), notes_);
}

Constraints AccelforgeInputs::constraints(const Architecture& architecture, const Einsum& einsum) const {
    return accelforge::constraints_of(root_, architecture, einsum, kUsualBits);
}

Cascade AccelforgeInputs::cascade() { return accelforge::cascade_of(workload(), name_of("workload"), notes_); }

report::AccelforgeReport AccelforgeInputs::evaluated(const std::string& verb) {
    if (!has_machine()) fail_usage(verb, "no machine: give a file of AccelForge's with 'arch'");
    if (!has_workload()) fail_usage(verb, "no workload: give a file of AccelForge's with 'workload'");
    report::AccelforgeReport report;
    report.machine = name_of("arch");
    report.workload = name_of("workload");
    report.costs = accelforge::evaluate(
        workload(),
        [&](const accelforge::EinsumSpec& einsum) {
            return accelforge::read_machine(root_, einsum, figures(), &notes_);
        },
        accelforge::read_mapping(root_));
    report.notes = notes();
    return report;
}

}  // namespace tilewright::cli
