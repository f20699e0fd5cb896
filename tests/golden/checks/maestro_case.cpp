#include "maestro_case.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "cases.hpp"
#include "maestro/account/printed.hpp"
#include "maestro/analysis/analysis.hpp"
#include "maestro/analysis/motion.hpp"
#include "maestro/walk/walk.hpp"

namespace tilewright::golden {
namespace {

using maestro::LayerCounts;
using maestro::LevelCounts;
using nlohmann::json;

bool is_maestro_case(const std::filesystem::path& folder) {
    return std::filesystem::exists(folder / "mapping.m") && std::filesystem::exists(folder / "expected.json");
}

void compare_range(const std::string& name, const maestro::DelayRange& ours, const json& theirs,
                   Differences& differences) {
    differences.count(name + ".min", ours.least, theirs.at("min"));
    differences.count(name + ".max", ours.most, theirs.at("max"));
    differences.count(name + ".avg", ours.average, theirs.at("avg"));
}

void compare_tensor(const std::string& name, const maestro::TensorCounts& ours, const json& theirs,
                    Differences& differences) {
    differences.count(name + ".l2_size", ours.l2_size, theirs.at("l2_size"));
    differences.count(name + ".l1_size", ours.l1_size, theirs.at("l1_size"));
    differences.count(name + ".l2_write", ours.l2_write, theirs.at("l2_write"));
    differences.count(name + ".l2_read", ours.l2_read, theirs.at("l2_read"));
    differences.count(name + ".l1_write", ours.l1_write, theirs.at("l1_write"));
    differences.count(name + ".l1_read", ours.l1_read, theirs.at("l1_read"));
}

void compare_real(const std::string& name, double ours, const json& theirs, Differences& differences) {
    if (theirs.is_string())
        differences.text(name, std::isnan(ours) ? "nan" : std::to_string(ours), theirs.get<std::string>());
    else
        differences.close(name, ours, theirs);
}

void compare_level(const std::string& name, const LevelCounts& ours, const json& theirs, Differences& differences) {
    differences.count(name + ".runtime", ours.runtime, theirs.at("runtime"));
    differences.count(name + ".num_macs", ours.operations, theirs.at("num_macs"));
    differences.count(name + ".num_sub_clusters", ours.clusters, theirs.at("num_sub_clusters"));
    compare_real(name + ".avg_active_clusters", ours.active_units, theirs.at("avg_active_clusters"), differences);
    compare_real(name + ".arithmetic_intensity", ours.arithmetic_intensity, theirs.at("arithmetic_intensity"),
                 differences);
    differences.count(name + ".peak_bw", ours.peak_bandwidth, theirs.at("peak_bw"));
    compare_real(name + ".avg_bw", ours.average_bandwidth, theirs.at("avg_bw"), differences);
    differences.count(name + ".offchip_bw", ours.offchip_bandwidth, theirs.at("offchip_bw"));
    compare_range(name + ".ingress_delay", ours.ingress, theirs.at("ingress_delay"), differences);
    compare_range(name + ".egress_delay", ours.egress, theirs.at("egress_delay"), differences);
    compare_range(name + ".computation_delay", ours.compute, theirs.at("computation_delay"), differences);
    constexpr std::array<const char*, maestro::kTensors> kNames{"input", "filter", "output"};
    for (std::size_t i = 0; i < kNames.size(); ++i)
        compare_tensor(name + "." + kNames[i], ours.tensors[i], theirs.at("tensors").at(kNames[i]), differences);
}

void compare_layer(const LayerCounts& ours, const maestro::PrintedLayer& printed, const json& theirs,
                   Differences& differences) {
    const json& exact = theirs.at("exact");
    compare_level("top", ours.top, exact.at("top"), differences);
    compare_level("innermost", ours.innermost, exact.at("innermost_first"), differences);
    differences.count("l1_size_total", ours.l1_size(), exact.at("l1_size_total"));
    differences.count("l2_size_total", ours.l2_size(), exact.at("l2_size_total"));
    for (const auto& [name, ours_value] :
         {std::pair{"area_um2", printed.area_um2}, std::pair{"power_mw", printed.power_mw},
          std::pair{"pe_power", printed.unit_power_mw}, std::pair{"l1_power", printed.l1_power_mw},
          std::pair{"l2_power", printed.l2_power_mw}, std::pair{"noc_power", printed.noc_power_mw}})
        differences.close(name, ours_value, exact.at(name));
    const json& levels = exact.at("levels");
    for (std::size_t i = 0; i < ours.levels.size() && i < levels.size(); ++i)
        for (std::size_t j = 0; j < ours.levels[i].maps.size(); ++j)
            differences.text("level " + std::to_string(i), to_text(ours.levels[i].maps[j]),
                             levels[i].at("dataflow").at(j).get<std::string>());
}

// Six significant digits, as the tool's streams print them.
void compare_printed(const std::string& name, double ours, const json& theirs, Differences& differences) {
    const std::string text = theirs.is_number() ? maestro::six_digits(theirs.get<double>()) : theirs.get<std::string>();
    differences.text(name, maestro::six_digits(ours), text);
}

void compare_summary(const LayerCounts& layer, const maestro::PrintedLayer& printed, const json& reported,
                     Differences& differences) {
    differences.count("num_macs", layer.top.operations, reported.at("num_macs"));
    compare_printed("total_energy_consumption", printed.energy_macs, reported.at("total_energy_consumption"),
                    differences);
    compare_printed("throughput", printed.throughput, reported.at("throughput"), differences);
    compare_printed("performance_per_mac_energy", printed.throughput / printed.energy_macs,
                    reported.at("performance_per_mac_energy"), differences);
    compare_printed("overall_data_reuse_factor", printed.reuse_factor, reported.at("overall_data_reuse_factor"),
                    differences);
}

void compare_refusal(const maestro::ToolResult& ours, const json& expected, Differences& differences) {
    if (!ours.refused) return differences.problem("status", "ours answers, theirs does not");
    const std::string theirs =
        expected.at("signal").is_string() ? expected.at("signal").get<std::string>() : "exit 255";
    // The public reader crashes where ours names the mistake.
    if (ours.refused->layer.empty() && theirs == "SIGSEGV") return;
    differences.text("ending (" + ours.refused->reason + ")", ending_text(ours.refused->ending), theirs);
}

void compare_answer(const MaestroAnswer& answer, const maestro::ToolHardware& hardware,
                    const std::filesystem::path& folder, const json& expected, Differences& differences) {
    const maestro::ToolResult& ours = answer.result;
    if (ours.refused)
        return differences.problem("refused", ours.refused->reason + " (" + ending_text(ours.refused->ending) + ")");
    const json& layers = expected.at("layers");
    if (layers.size() != ours.layers.size()) return differences.count("layers", ours.layers.size(), layers.size());
    const std::vector<maestro::PrintedLayer> printed = maestro::printed(ours, hardware);
    for (std::size_t i = 0; i < layers.size(); ++i) {
        compare_layer(ours.layers[i], printed[i], layers[i], differences);
        compare_summary(ours.layers[i], printed[i], layers[i].at("reported"), differences);
    }
    if (std::filesystem::exists(folder / "result.csv") &&
        maestro::csv(answer.network, ours, hardware) != read_file(folder / "result.csv"))
        differences.problem("result.csv", "ours is another");
    std::vector<std::string> messages;
    for (const json& message : expected.at("messages")) messages.push_back(message.get<std::string>());
    const std::vector<std::string> warnings = maestro::warnings(ours, hardware);
    if (warnings != messages)
        differences.text("warnings", warnings.empty() ? "" : list_words(warnings),
                         messages.empty() ? "" : list_words(messages));
}

std::string hardware_of(const std::filesystem::path& folder) {
    return std::filesystem::exists(folder / "hw.m") ? read_file(folder / "hw.m") : "";
}

// A fold in which some sub-clusters have no tile, and keep the one of the fold before.
bool has_idle(const dataflow::Level& level) {
    return std::any_of(level.maps.begin(), level.maps.end(), [&](const dataflow::Map& map) {
        const dataflow::Walk walk = walk_of(map, level.extents[map.axis], level.clusters);
        return map.spatial && walk.steps > 1 && walk.active < level.clusters;
    });
}

// The judge's numbers of the top level and of the whole. Recorded array words leave out what idle sub-clusters hold.
void compare_walked(const dataflow::Walked& ours, bool idle, const json& truth, Differences& differences) {
    const dataflow::LevelCounts& top = ours.counts.levels.at(0);
    differences.count("truth.steps", top.steps, truth.at("steps"));
    for (const auto& [name, sent] : {std::pair{"input", &top.input}, std::pair{"filter", &top.filter}}) {
        differences.count("truth.l2_read_multicast", sent->multicast, truth.at("l2_read_multicast").at(name));
        differences.count("truth.l2_read_unicast", sent->unicast, truth.at("l2_read_unicast").at(name));
        const std::int64_t array = truth.at("l2_read_array").at(name).get<std::int64_t>();
        if (!idle || sent->array > array) differences.count("truth.l2_read_array", sent->array, array);
    }
    differences.count("truth.out_write_each", top.output_each, truth.at("out_write_each"));
    differences.count("truth.out_write_change", top.output_change, truth.at("out_write_change"));
    differences.count("truth.macs", ours.counts.operations, truth.at("macs"));
    differences.count("truth.macs_unique", ours.distinct_operations, truth.at("macs_unique"));
    differences.count("truth.touched.input", ours.touched_input, truth.at("touched").at("input"));
    differences.count("truth.touched.filter", ours.touched_filter, truth.at("touched").at("filter"));
    differences.count("truth.runtime_exact_counts", ours.counts.runtime_cycles, truth.at("runtime_exact_counts"));
}

// The exact analysis and its judge on the first layer, with strides read as the tool does.
void compare_truth(const std::filesystem::path& folder, Differences& differences) {
    const std::optional<json> truth = read_json(folder, "truth.json");
    if (!truth || truth->contains("error")) return;
    const dataflow::Layer layer = maestro::read(read_file(folder / "mapping.m"), "mapping.m").layers.at(0);
    const dataflow::Hardware hardware =
        maestro::read(hardware_of(folder), "hw.m").hardware.value_or(dataflow::Hardware{});
    const dataflow::CompleteLayer problem = problem_of(layer);
    const dataflow::LevelsResult levels =
        levels_of(*layer.dataflow, {}, request_for(problem, hardware.units, dataflow::Reading::public_tool));
    if (!levels.ok()) return differences.problem("truth", levels.problem);
    const dataflow::Walked walked = dataflow::walk(problem, levels.levels, hardware);
    compare_walked(walked, has_idle(levels.levels.at(0)), *truth, differences);
    differences.count("truth.macs_true", operations_of(problem), truth->at("macs_true"));
    const std::optional<dataflow::Counts> counts = analyze(problem, levels.levels, hardware);
    if (!counts)
        differences.problem("truth", "not covered: " + not_covered(problem, levels.levels, hardware));
    else if (*counts != walked.counts)
        differences.problem("truth", "the analysis differs from the walk");
}

}  // namespace

const char* ending_text(maestro::Ending ending) {
    switch (ending) {
        case maestro::Ending::message: return "exit 255";
        case maestro::Ending::division_by_zero: return "SIGFPE";
        case maestro::Ending::abort: return "SIGABRT";
        case maestro::Ending::segmentation_fault: return "SIGSEGV";
    }
    return "";
}

std::vector<std::filesystem::path> maestro_cases_in(const std::filesystem::path& folder) {
    if (is_maestro_case(folder)) return {folder};
    std::vector<std::filesystem::path> cases;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.is_directory() && is_maestro_case(entry.path())) cases.push_back(entry.path());
    std::sort(cases.begin(), cases.end());
    return cases;
}

maestro::ToolHardware maestro_hardware(std::string_view hardware_file, const json& args) {
    maestro::ToolHardware hardware;
    hardware.units = 7;
    hardware.noc_latency = 0;
    hardware.offchip_bandwidth = 70000;
    std::int64_t hops = 1;
    std::int64_t hop_latency = 0;
    bool file = false;
    for (const json& arg : args) {
        const std::string text = arg.get<std::string>();
        const std::string name = text.substr(0, text.find('='));
        const std::string value = text.substr(std::min(text.size(), name.size() + 1));
        if (name == "--HW_file") file = true;
        for (const auto& [option, target] :
             {std::pair{"--num_pes", &hardware.units}, std::pair{"--noc_bw_cstr", &hardware.noc_bandwidth},
              std::pair{"--offchip_bw_cstr", &hardware.offchip_bandwidth},
              std::pair{"--l1_size_cstr", &hardware.l1_size}, std::pair{"--l2_size_cstr", &hardware.l2_size},
              std::pair{"--num_simd_lanes", &hardware.simd_lanes}, std::pair{"--noc_hops", &hops},
              std::pair{"--noc_hop_latency", &hop_latency}})
            if (name == option) *target = std::stoll(value);
    }
    hardware.noc_latency = hops * hop_latency;
    if (!file) return hardware;
    const maestro::Document document = maestro::read(hardware_file, "hw.m");
    maestro::ToolHardware from_file = maestro::tool_hardware(document.hardware.value_or(dataflow::Hardware{}));
    from_file.simd_lanes = hardware.simd_lanes;
    return from_file;
}

MaestroAnswer maestro_answer(std::string_view mapping, const maestro::ToolHardware& hardware) {
    const auto refused = [](const std::string& reason) {
        MaestroAnswer answer;
        answer.result.refused = maestro::ToolRefused{maestro::Ending::message, "", reason};
        return answer;
    };
    try {
        const maestro::Document document = maestro::read(mapping, "mapping.m");
        if (!document.tool_refusals.empty()) return refused(document.tool_refusals.front().reason);
        return {document.network, maestro::count(document.layers, hardware)};
    } catch (const InputError& error) {
        return refused(error.message());
    }
}

Differences check_maestro_case(const std::filesystem::path& folder) {
    Differences differences;
    try {
        const json expected = read_json(folder, "expected.json").value();
        const json recorded = read_json(folder, "args.json").value();
        const maestro::ToolHardware hardware = maestro_hardware(hardware_of(folder), recorded.at("args"));
        const MaestroAnswer answer = maestro_answer(read_file(folder / "mapping.m"), hardware);
        if (expected.at("status") == "ok")
            compare_answer(answer, hardware, folder, expected, differences);
        else
            compare_refusal(answer.result, expected, differences);
        compare_truth(folder, differences);
    } catch (const std::exception& error) {
        differences.problem("error", error.what());
    }
    return differences;
}

}  // namespace tilewright::golden
