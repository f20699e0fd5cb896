#include "dataflows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <variant>

#include "account/maestro/printed.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "dataflow/cost.hpp"
#include "dataflow/einsums.hpp"
#include "dataflow/mapping_form.hpp"
#include "frontend/maestro/document.hpp"
#include "frontend/maestro/named.hpp"
#include "frontend/timeloop/mapping/mapping.hpp"
#include "report/dataflow_report.hpp"

namespace tilewright::cli {
namespace {

// What the user named, read.
struct Given {
    maestro::Document document;
    std::vector<dataflow::Layer> layers;  ///< each with the dataflow that it is evaluated with, if there is one
    dataflow::Hardware hardware;
    bool has_hardware = false;
    dataflow::Parameters parameters;
    std::vector<std::string> notes;
};

std::vector<std::string> take_dataflow_files(std::vector<std::string>& names) {
    std::vector<std::string> taken;
    std::vector<std::string> others;
    for (std::string& name : names) (is_dataflow_file(name) ? taken : others).push_back(std::move(name));
    names = std::move(others);
    return taken;
}

dataflow::Parameters parameters_in(const std::string& verb, const std::vector<std::string>& sizes) {
    dataflow::Parameters parameters;
    for (const std::string& text : sizes) {
        const std::size_t equals = text.find('=');
        std::int64_t value = 0;
        const char* end = text.data() + text.size();
        const char* begin = text.data() + std::min(text.size(), equals + 1);
        const auto [stopped, error] = std::from_chars(begin, end, value);
        if (equals == std::string::npos || equals == 0 || error != std::errc{} || stopped != end || value < 1)
            fail_usage(verb, "--size takes NAME=N with N at least 1, found '" + text + "'");
        parameters[text.substr(0, equals)] = value;
    }
    return parameters;
}

// L1 is the innermost memory, L2 the outermost on the chip; words become bytes.
dataflow::Hardware hardware_of(const Architecture& architecture) {
    dataflow::Hardware hardware;
    hardware.units = architecture.compute.instances;
    hardware.operand_bytes = hardware.sum_bytes = std::max<std::int64_t>(architecture.compute.word_bits / 8, 1);
    const Memory* l2 = nullptr;
    const Memory* l1 = nullptr;
    for (const Memory& memory : architecture.memories) {
        if (memory.is_dram || memory.spreads_only) continue;
        if (l2 == nullptr) l2 = &memory;
        l1 = &memory;
    }
    const auto bytes = [](const Memory& memory) -> std::optional<std::int64_t> {
        if (!memory.capacity_words) return std::nullopt;
        return std::max<std::int64_t>(*memory.capacity_words * memory.word_bits / 8, 1);
    };
    if (l1 != nullptr) hardware.l1_bytes = bytes(*l1);
    if (l2 == nullptr) return hardware;
    hardware.l2_bytes = bytes(*l2);
    if (const auto& words = l2->read_words_per_cycle)
        hardware.noc_bytes_per_cycle =
            std::max<std::int64_t>(static_cast<std::int64_t>(*words * static_cast<double>(l2->word_bits) / 8.0), 1);
    return hardware;
}

std::vector<dataflow::Layer> layers_of(const Network& network, std::vector<std::string>& notes) {
    std::vector<dataflow::Layer> layers;
    for (const Layer& layer : network.layers) {
        auto made = dataflow::layer_of(layer.einsum);
        if (const auto* reason = std::get_if<std::string>(&made)) {
            notes.push_back("layer '" + layer.name + "' has no form in the notation: " + *reason);
            continue;
        }
        layers.push_back(std::get<dataflow::Layer>(std::move(made)));
        layers.back().name = layer.name;
    }
    return layers;
}

dataflow::Dataflow dataflow_named(const std::string& verb, const std::string& name) {
    if (!is_dataflow_file(name)) return maestro::named_dataflow(name);
    const maestro::Document document = maestro::read(read_file(name), name);
    if (document.dataflows.size() == 1) return document.dataflows.front();
    const auto has = [](const dataflow::Layer& layer) { return layer.dataflow.has_value(); };
    const auto layer = std::find_if(document.layers.begin(), document.layers.end(), has);
    if (document.dataflows.empty() && layer != document.layers.end()) return *layer->dataflow;
    fail_usage(verb, "'" + name + "' has to hold one Dataflow, found " + std::to_string(document.dataflows.size()));
}

// --dataflow for all layers; else a layer without one has that of the layer before.
void give_dataflows(const std::string& verb, const DataflowOptions& options, Given& given) {
    const dataflow::Dataflow* before = nullptr;
    dataflow::Dataflow named;
    if (!options.dataflow.empty()) named = dataflow_named(verb, options.dataflow);
    for (dataflow::Layer& layer : given.layers) {
        if (!options.dataflow.empty())
            layer.dataflow = fitted(named, layer, given.parameters);
        else if (!layer.dataflow && before != nullptr)
            layer.dataflow = fitted(*before, layer, given.parameters);
        if (layer.dataflow) before = &*layer.dataflow;
    }
}

Given read_all(const std::string& verb, InputOptions inputs, const DataflowOptions& options) {
    Given given;
    given.parameters = parameters_in(verb, options.sizes);
    std::vector<std::string> files = take_dataflow_files(inputs.files);
    std::vector<std::string> nets = take_dataflow_files(inputs.nets);
    files.insert(files.end(), nets.begin(), nets.end());
    if (is_dataflow_file(inputs.arch)) files.push_back(std::exchange(inputs.arch, ""));
    std::vector<maestro::Document> documents;
    for (const std::string& file : files) documents.push_back(maestro::read(read_file(file), file));
    given.document = maestro::merge(std::move(documents));
    if (given.document.network.empty() && !given.document.layers.empty())
        given.document.network = std::filesystem::path(files.front()).stem().string();
    const std::vector<std::string> patterns = std::exchange(inputs.layers, {});
    Inputs others(verb, inputs);
    given.layers = given.document.layers;
    if (others.has_network()) {
        const Network network = others.network();
        if (given.document.network.empty()) given.document.network = network.name;
        for (dataflow::Layer& layer : layers_of(network, given.notes)) given.layers.push_back(std::move(layer));
    }
    given.has_hardware = given.document.hardware.has_value() || others.has_architecture();
    if (given.document.hardware)
        given.hardware = *given.document.hardware;
    else if (others.has_architecture())
        given.hardware = hardware_of(others.architecture());
    give_dataflows(verb, options, given);
    if (patterns.empty()) return given;
    InputOptions only;
    only.layers = patterns;
    std::vector<std::string> names;
    for (const dataflow::Layer& layer : given.layers) names.push_back(layer.name);
    const std::vector<bool> wanted = Inputs(verb, only).wanted(names, given.document.network);
    std::size_t index = 0;
    std::erase_if(given.layers, [&](const dataflow::Layer&) { return !wanted[index++]; });
    return given;
}

void require_layers(const std::string& verb, const Given& given) {
    if (given.layers.empty()) fail_usage(verb, "no layer: give a file with a Network, or --net");
    if (!given.has_hardware) fail_usage(verb, "no machine: give a hardware file (num_pes: 256), or --arch");
    for (const dataflow::Layer& layer : given.layers)
        if (!layer.dataflow)
            throw InputError(ErrorCode::missing_key, layer.where,
                             "layer '" + layer.name + "' has no Dataflow; --dataflow gives it one");
}

report::DataflowReport exact_report(const Given& given) {
    report::DataflowReport report;
    report.network = given.document.network;
    report.hardware = given.hardware;
    report.notes = given.notes;
    for (const dataflow::Layer& layer : given.layers)
        report.layers.push_back({layer.name, cost_of(layer, *layer.dataflow, given.parameters, given.hardware)});
    return report;
}

// The sizes that --size gives, written into the directives: the public tool knows no open ones.
void close_sizes(Given& given) {
    for (dataflow::Layer& layer : given.layers)
        for (dataflow::Directive& directive : layer.dataflow->directives)
            for (dataflow::Size* size : {&directive.size, &directive.offset})
                for (dataflow::SizeTerm& term : size->postfix)
                    if (const auto* name = std::get_if<std::string>(&term))
                        if (const auto found = given.parameters.find(*name); found != given.parameters.end())
                            term = found->second;
}

// The tool's answer. Its reader's refusals are those of files that the layers come from.
maestro::ToolResult tool_result(Given given) {
    close_sizes(given);
    maestro::ToolResult result = maestro::count(given.layers, maestro::tool_hardware(given.hardware));
    if (given.document.tool_refusals.empty()) return result;
    const maestro::ToolRefusal& refusal = given.document.tool_refusals.front();
    maestro::ToolRefused refused{maestro::Ending::message, "", ""};
    refused.reason = fmt::format("{}:{}:{}: its reader does not take {}", refusal.where.file, refusal.where.line,
                                 refusal.where.column, refusal.reason);
    return {{}, refused};
}

ExitStatus print_refusal(const maestro::ToolRefused& refused) {
    constexpr std::array<const char*, 4> kEndings{"stops with a message", "crashes: SIGFPE", "crashes: SIGABRT",
                                                  "crashes: SIGSEGV"};
    print_error(fmt::format("error: the public MAESTRO {}: {}{} [unsupported]",
                            kEndings.at(static_cast<std::size_t>(refused.ending)),
                            refused.layer.empty() ? "" : "layer '" + refused.layer + "': ", refused.reason));
    return ExitStatus::no_answer;
}

void print_or_write(const std::string& text, const std::string& json, const OutputOptions& output) {
    std::vector<NamedBytes> files;
    if (!output.directory.empty()) files = {{"report.txt", text}, {"report.json", json}};
    write_results(output.directory, files);
    if (output.json)
        print(json);
    else if (!output.quiet)
        print(text);
}

ExitStatus status_of(const report::DataflowReport& report) {
    ExitStatus status = ExitStatus::done;
    for (const report::DataflowLayer& layer : report.layers) {
        for (const std::string& failure : layer.cost.failures)
            print_error(fmt::format("error: {}: {}", layer.name, failure));
        if (!layer.cost.counts) status = ExitStatus::no_answer;
    }
    return status;
}

}  // namespace

void DataflowOptions::declare(Options& options) {
    options.group("Dataflows");
    std::string names;
    for (const maestro::NamedDataflow& one : maestro::named_dataflows())
        names += (names.empty() ? "" : ", ") + one.name;
    options.value("dataflow", 0, "NAME", "a data-centric dataflow for all layers: " + names + ", or a file (*.m)",
                  &dataflow);
    options.value("size", 0, "NAME=N", "a size that the dataflow leaves open: P_cluster_size=64", &sizes);
}

void DataflowOptions::declare_tool(Options& options) {
    options.group("Dataflows");
    options.value("tool-csv", 0, "FILE", "--account maestro: the public tool's CSV with its 51 columns", &tool_csv);
}

bool is_dataflow_file(const std::string& name) { return name.ends_with(".m"); }

bool has_dataflows(const InputOptions& inputs, const DataflowOptions& options) {
    const auto any = [](const std::vector<std::string>& names) {
        return std::any_of(names.begin(), names.end(), is_dataflow_file);
    };
    return !options.dataflow.empty() || any(inputs.files) || any(inputs.nets) || is_dataflow_file(inputs.arch);
}

Network dataflow_network(const std::string& file) {
    const maestro::Document document = maestro::read(read_file(file), file);
    Network network;
    network.name = document.network.empty() ? std::filesystem::path(file).stem().string() : document.network;
    for (const dataflow::Layer& layer : document.layers) {
        const std::string type(name_of(layer.type));
        auto made = dataflow::einsum_of(layer);
        if (const auto* reason = std::get_if<std::string>(&made))
            network.unmapped.push_back({layer.name, type, *reason});
        else
            network.layers.push_back({layer.name, type, std::get<Einsum>(std::move(made)), 1, {}});
    }
    return network;
}

ExitStatus evaluate_dataflows(const InputOptions& inputs, const DataflowOptions& options, const std::string& account,
                              const OutputOptions& output) {
    if (!account.empty() && account != "exact" && account != "maestro")
        fail_usage("evaluate", "dataflows are counted with --account exact or maestro");
    if (!options.tool_csv.empty() && account != "maestro")
        fail_usage("evaluate", "--tool-csv belongs to --account maestro");
    if (!output.csv.empty()) fail_usage("evaluate", "--csv is not for dataflows; --tool-csv and --json are");
    const Given given = read_all("evaluate", inputs, options);
    require_layers("evaluate", given);
    if (account != "maestro") {
        const report::DataflowReport report = exact_report(given);
        print_or_write(dataflow_text(report), dataflow_json(report), output);
        return status_of(report);
    }
    const maestro::ToolHardware hardware = maestro::tool_hardware(given.hardware);
    const maestro::ToolResult result = tool_result(given);
    if (result.refused) return print_refusal(*result.refused);
    if (!options.tool_csv.empty()) write_file(options.tool_csv, maestro::csv(given.document.network, result, hardware));
    print_or_write(report::tool_text(result, hardware), report::tool_json(result, hardware), output);
    return ExitStatus::done;
}

ExitStatus compare_dataflows(const InputOptions& inputs, const DataflowOptions& options,
                             const std::vector<std::string>& accounts, bool json) {
    for (const std::string& account : accounts)
        if (account != "exact" && account != "maestro" && account != "all")
            fail_usage("compare", "dataflows are counted with exact and maestro, found '" + account + "'");
    const Given given = read_all("compare", inputs, options);
    require_layers("compare", given);
    const report::DataflowReport report = exact_report(given);
    const maestro::ToolResult result = tool_result(given);
    if (result.refused) return print_refusal(*result.refused);
    const maestro::ToolHardware hardware = maestro::tool_hardware(given.hardware);
    if (json)
        print("[" + dataflow_json(report) + "," + report::tool_json(result, hardware) + "]\n");
    else
        print(dataflow_comparison_text(report, result, hardware));
    return status_of(report);
}

ExitStatus show_dataflows(const InputOptions& inputs, const DataflowOptions& options) {
    Given given = read_all("show", inputs, options);
    if (!given.has_hardware) {
        given.document.layers = given.layers;
        print(maestro::to_text(given.document));
        return ExitStatus::done;
    }
    if (given.layers.empty()) {
        print(maestro::to_text(given.document));
        return ExitStatus::done;
    }
    require_layers("show", given);
    for (const dataflow::Layer& layer : given.layers) {
        const dataflow::Problem problem = problem_of(layer);
        const dataflow::LevelsResult made =
            levels_of(*layer.dataflow, given.parameters, request_for(problem, given.hardware.units));
        print("Layer " + layer.name + "\n");
        if (!made.ok()) throw InputError(ErrorCode::bad_value, made.where, made.problem);
        for (const dataflow::Level& level : made.levels) {
            print(fmt::format("  {} sub-clusters\n", level.clusters));
            for (const dataflow::Map& map : level.maps)
                print(fmt::format("    {}{}\n", to_text(map), map.inherited ? "  (inherited)" : ""));
        }
        for (const dataflow::Finding& finding : findings(problem, made.levels))
            print(fmt::format("  {}: {}\n", dataflow::name_of(finding.condition), finding.text));
    }
    return ExitStatus::done;
}

ExitStatus check_dataflows(const InputOptions& inputs, const DataflowOptions& options) {
    const Given given = read_all("check", inputs, options);
    print(fmt::format("network {}: {} layers\n", given.document.network, given.layers.size()));
    if (!given.has_hardware) return ExitStatus::done;
    ExitStatus status = ExitStatus::done;
    for (const dataflow::Layer& layer : given.layers) {
        if (!layer.dataflow) continue;
        const dataflow::Problem problem = problem_of(layer);
        const dataflow::LevelsResult made =
            levels_of(*layer.dataflow, given.parameters, request_for(problem, given.hardware.units));
        const auto complain = [&](const Location& where, const std::string& text, std::string_view kind) {
            const std::string place =
                where.line > 0 ? fmt::format("{}:{}:{}: ", where.file, where.line, where.column) : "";
            print_error(fmt::format("{}error: layer '{}': {} [{}]", place, layer.name, text, kind));
            status = ExitStatus::no_answer;
        };
        if (!made.ok()) {
            complain(made.where, made.problem, "bad-value");
            continue;
        }
        const std::vector<dataflow::Finding> found = findings(problem, made.levels);
        for (const dataflow::Finding& finding : found)
            complain(finding.where, finding.text, dataflow::name_of(finding.condition));
        if (found.empty()) print("dataflow of " + layer.name + ": legal\n");
    }
    return status;
}

ExitStatus convert_to_dataflows(const InputOptions& inputs) {
    Given given = read_all("convert", inputs, {});
    if (given.layers.empty() && !given.has_hardware)
        fail_usage("convert", "nothing to convert: give files, --net or --arch");
    given.document.layers = given.layers;
    if (given.has_hardware) given.document.hardware = given.hardware;
    print(maestro::to_text(given.document));
    for (const std::string& note : given.notes) print_error("note: " + note);
    return ExitStatus::done;
}

ExploredDataflows explored_dataflows(const InputOptions& inputs, const DataflowOptions& options) {
    Given given = read_all("explore", inputs, options);
    const bool has_hardware = std::exchange(given.has_hardware, true);  // knobs may say the rest
    require_layers("explore", given);
    given.document.layers = given.layers;
    given.document.hardware = given.hardware;
    std::string text = maestro::to_text(given.document);
    for (const auto& [name, size] : given.parameters) text += fmt::format("{} = {}\n", name, size);
    std::string title = given.document.network + " on " + fmt::format("{}", has_hardware ? "its machine" : "a machine");
    return {{std::move(given.layers), std::move(given.parameters), given.hardware},
            std::move(title),
            std::move(text),
            has_hardware,
            std::move(given.notes)};
}

std::vector<LayerMappingText> dataflow_mappings(const InputOptions& inputs, const DataflowOptions& options) {
    const Given given = read_all("convert", inputs, options);
    require_layers("convert", given);
    std::vector<LayerMappingText> texts;
    for (const dataflow::Layer& layer : given.layers) {
        const dataflow::LevelsResult made =
            levels_of(*layer.dataflow, given.parameters, request_for(problem_of(layer), given.hardware.units));
        LayerMappingText text{layer.name, "", made.problem};
        if (made.ok()) {
            const auto form = mapping_form(layer, made.levels);
            if (const auto* same = std::get_if<dataflow::MappingForm>(&form))
                text.yaml = timeloop::write_mapping(same->mapping, same->einsum, same->architecture);
            else
                text.failure = std::get<std::string>(form);
        }
        texts.push_back(std::move(text));
    }
    return texts;
}

}  // namespace tilewright::cli
