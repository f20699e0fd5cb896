#include "verbs/evaluate/dataflows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <variant>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "inputs/cascades.hpp"
#include "inputs/dataflow_inputs.hpp"
#include "maestro/account/printed.hpp"
#include "maestro/dataflow/problem.hpp"
#include "maestro/files/document.hpp"
#include "maestro/forms/mapping_form.hpp"
#include "report/peers/dataflow_report.hpp"
#include "run/mapping/mapping_file.hpp"
#include "verbs/evaluate/evaluation.hpp"

namespace tilewright::cli {
namespace {

// The tool's answer. Its reader's refusals are those of files that the layers come from.
maestro::ToolResult tool_result(DataflowInputs given) {
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

// The loops of the dataflow on a chain of memories, as Timeloop counts them.
report::TimeloopRow timeloop_row(const dataflow::Layer& layer, const DataflowInputs& given) {
    report::TimeloopRow row;
    const dataflow::LevelsResult made =
        levels_of(*layer.dataflow, given.parameters, request_for(problem_of(layer), given.hardware.units));
    row.failure = made.problem;
    if (!made.ok()) return row;
    const auto form = mapping_form(layer, made.levels);
    const auto* same = std::get_if<dataflow::MappingForm>(&form);
    if (same == nullptr) {
        row.failure = std::get<std::string>(form);
        return row;
    }
    AccountOptions options;
    options.account = "timeloop";
    const report::LayerResult result =
        evaluate_layer({layer.name, "", same->einsum, 1, {}}, same->architecture, same->mapping, options);
    if (!result.evaluation) {
        row.failure = list_words(result.failures);
        return row;
    }
    const auto words = [&](const char* tensor, double TensorTraffic::* count) {
        const auto& all = result.evaluation->memories.front().tensors;
        return static_cast<std::int64_t>(all[find_tensor(same->einsum, tensor)].*count);
    };
    row.operations = result.evaluation->computes;
    row.cycles = result.evaluation->cycles;
    row.input_reads = words("Inputs", &TensorTraffic::reads);
    row.filter_reads = words("Weights", &TensorTraffic::reads);
    row.output_writes = words("Outputs", &TensorTraffic::updates);
    return row;
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
    options.value("size", 0, "NAME=N", "an open size of the dataflow: P_cluster_size=64", &sizes);
}

void DataflowOptions::declare_tool(Options& options) {
    options.group("Dataflows");
    options.value("tool-csv", 0, "FILE", "--account maestro: the public tool's CSV with its 51 columns", &tool_csv);
}

bool is_dataflow_file(const std::string& name) { return name.ends_with(".m"); }

bool has_dataflows(const InputOptions& inputs, const DataflowOptions& options) {
    if (!options.dataflow.empty()) return true;
    const auto any = [](const std::vector<std::string>& names) { return std::ranges::any_of(names, is_dataflow_file); };
    if (!any(inputs.files) && !any(inputs.nets) && !is_dataflow_file(inputs.arch)) return false;
    // With a mapping beside it, a file of MAESTRO's says what the layers are.
    InputOptions others;
    others.largest_input_mib = inputs.largest_input_mib;
    others.jinja = inputs.jinja;
    std::ranges::remove_copy_if(inputs.files, std::back_inserter(others.files), is_dataflow_file);
    return others.files.empty() || !has_mappings(Inputs("dataflows", others).root());
}

std::vector<LayerDensity> dataflow_densities(const std::string& file, std::uintmax_t most_bytes) {
    const maestro::Document document = maestro::read(read_file(file, most_bytes), file);
    std::vector<LayerDensity> densities;
    bool any = false;
    int index = 0;
    for (const dataflow::Layer& layer : document.layers) {
        if (!std::holds_alternative<Einsum>(dataflow::einsum_of(layer))) continue;
        any = any || layer.density != dataflow::Densities{};
        const std::string from = fmt::format("{}:{}", layer.where.file, layer.where.line);
        const auto add = [&](const char* tensor, const sparse::FixedStructured& density) {
            densities.push_back({index, {"", tensor, density, from, layer.where, ""}});
        };
        add("Weights", layer.density.filter);
        add("Inputs", layer.density.input);
        add("Outputs", layer.density.output);
        ++index;
    }
    return any ? densities : std::vector<LayerDensity>{};
}

Network dataflow_network(const std::string& file, std::uintmax_t most_bytes, bool strict,
                         std::vector<std::string>& notes) {
    const maestro::Document document = maestro::read(read_file(file, most_bytes), file);
    for (std::string& note : maestro::notes_about(document, strict)) notes.push_back(std::move(note));
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
    const DataflowInputs given = read_dataflows("evaluate", inputs, options);
    require_layers("evaluate", given);
    prepare(output);
    if (account != "maestro") {
        const report::DataflowReport report = exact_report(given);
        const std::string text = dataflow_text(report);
        write_forms({dataflow_json(report), text, output.csv.empty() ? "" : dataflow_csv(report), text}, output, {});
        return status_of(report);
    }
    const maestro::ToolHardware hardware = maestro::tool_hardware(given.hardware);
    const maestro::ToolResult result = tool_result(given);
    if (result.refused) return print_refusal(*result.refused);
    if (!options.tool_csv.empty()) write_file(options.tool_csv, maestro::csv(given.document.network, result, hardware));
    const std::vector<std::int64_t> repeats = repeats_of(given.layers);
    write_text_and_json(report::tool_text(result, hardware, repeats), report::tool_json(result, hardware, repeats),
                        output);
    return ExitStatus::done;
}

ExitStatus compare_dataflows(const InputOptions& inputs, const DataflowOptions& options,
                             const std::vector<std::string>& accounts, bool json) {
    for (const std::string& account : accounts)
        if (account != "exact" && account != "maestro" && account != "timeloop" && account != "all")
            fail_usage("compare", "dataflows are counted with exact, maestro and timeloop, found '" + account + "'");
    const DataflowInputs given = read_dataflows("compare", inputs, options);
    require_layers("compare", given);
    const report::DataflowReport report = exact_report(given);
    const maestro::ToolResult result = tool_result(given);
    if (result.refused) return print_refusal(*result.refused);
    const maestro::ToolHardware hardware = maestro::tool_hardware(given.hardware);
    std::vector<report::TimeloopRow> timeloop;
    if (std::ranges::any_of(accounts, [](const std::string& name) { return name == "timeloop" || name == "all"; }))
        for (const dataflow::Layer& layer : given.layers) timeloop.push_back(timeloop_row(layer, given));
    if (!json) {
        print(dataflow_comparison_text(report, result, hardware, timeloop));
        return status_of(report);
    }
    print("[" + dataflow_json(report) + "," + report::tool_json(result, hardware, repeats_of(given.layers)));
    print((timeloop.empty() ? "" : "," + timeloop_json(report, timeloop)) + "]\n");
    return status_of(report);
}

ExitStatus show_dataflows(const InputOptions& inputs, const DataflowOptions& options) {
    DataflowInputs given = read_dataflows("show", inputs, options);
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
        const dataflow::CompleteLayer problem = problem_of(layer);
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
    const DataflowInputs given = read_dataflows("check", inputs, options);
    print(fmt::format("network {}: {} layers\n", given.document.network, given.layers.size()));
    if (!given.has_hardware) return ExitStatus::done;
    ExitStatus status = ExitStatus::done;
    for (const dataflow::Layer& layer : given.layers) {
        if (!layer.dataflow) continue;
        const dataflow::CompleteLayer problem = problem_of(layer);
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
    DataflowInputs given = read_dataflows("convert", inputs, {});
    if (given.layers.empty() && !given.has_hardware)
        fail_usage("convert", "nothing to convert: give files, --net or --arch");
    given.document.layers = given.layers;
    if (given.has_hardware) given.document.hardware = given.hardware;
    print(maestro::to_text(given.document));
    for (const std::string& note : given.notes) print_error("note: " + note);
    return ExitStatus::done;
}

ExploredDataflows explored_dataflows(const InputOptions& inputs, const DataflowOptions& options) {
    DataflowInputs given = read_dataflows("explore", inputs, options);
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
    const DataflowInputs given = read_dataflows("convert", inputs, options);
    require_layers("convert", given);
    std::vector<LayerMappingText> texts;
    for (const dataflow::Layer& layer : given.layers) {
        const dataflow::LevelsResult made =
            levels_of(*layer.dataflow, given.parameters, request_for(problem_of(layer), given.hardware.units));
        LayerMappingText text{layer.name, "", made.problem};
        if (made.ok()) {
            const auto form = mapping_form(layer, made.levels);
            if (const auto* same = std::get_if<dataflow::MappingForm>(&form))
                text.yaml =
                    shape_mapping_file({layer.name}, same->mapping, same->einsum, same->einsum, same->architecture);
            else
                text.failure = std::get<std::string>(form);
        }
        texts.push_back(std::move(text));
    }
    return texts;
}

LayerDataflowText dataflow_text_of(const Layer& layer, const Architecture& architecture, const Mapping& mapping,
                                   const std::string& network) {
    auto made = dataflow::layer_of(layer.einsum);
    if (const auto* reason = std::get_if<std::string>(&made)) return {"", *reason};
    auto form = dataflow_form(std::get<dataflow::Layer>(made), layer.einsum, mapping,
                              static_cast<int>(architecture.memories.size()));
    if (const auto* reason = std::get_if<std::string>(&form)) return {"", *reason};
    auto& same = std::get<dataflow::DataflowForm>(form);
    maestro::Document document;
    document.network = network;
    document.layers.push_back(std::get<dataflow::Layer>(std::move(made)));
    document.layers.front().name = layer.name;
    document.layers.front().dataflow = std::move(same.dataflow);
    document.hardware = hardware_of(architecture);
    document.hardware->units = same.units;
    return {maestro::to_text(document), ""};
}

}  // namespace tilewright::cli
