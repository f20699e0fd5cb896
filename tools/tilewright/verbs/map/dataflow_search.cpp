#include "verbs/map/dataflow_search.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/numbers/number_text.hpp"
#include "inputs/dataflow_inputs.hpp"
#include "maestro/files/document.hpp"
#include "maestro/mapper/search.hpp"
#include "report/peers/dataflow_report.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"
#include "verbs/evaluate/evaluation.hpp"

namespace tilewright::cli {
namespace {

using dataflow::DataflowSearch;
using dataflow::FoundDataflow;

constexpr std::int64_t kEvaluations = 40000;

DataflowSearch search_of(const SearchPlan& plan, const DataflowSearchOptions& options) {
    DataflowSearch search;
    search.strategy = *dataflow::dataflow_strategy_named(plan.mapper);
    search.objective = one_objective("map", plan.objective, " with --mapper " + plan.mapper);
    search.legal = !options.illegal;
    search.evaluations = plan.evaluations.value_or(kEvaluations);
    search.threads = threads_of(plan.threads);
    search.seed = static_cast<std::uint64_t>(plan.seed.value_or(1));
    return search;
}

// Sizes that a known dataflow leaves open, for a try: clusters of a few units.
std::vector<dataflow::Dataflow> closed(const dataflow::Dataflow& open, const dataflow::Layer& layer) {
    std::vector<dataflow::Dataflow> all;
    const std::vector<std::string> names = parameters_of(open);
    for (const std::int64_t value : {4, 16, 64}) {
        DataflowInputs one;
        for (const std::string& name : names) one.parameters[name] = value;
        one.layers.push_back(layer);
        one.layers.front().dataflow = fitted(open, layer, one.parameters);
        close_sizes(one);
        all.push_back(std::move(*one.layers.front().dataflow));
        if (names.empty()) break;
    }
    return all;
}

// The layer's own dataflow and those with names take part: the answer is never worse than any of them.
std::vector<dataflow::Dataflow> starts_for(const dataflow::Layer& layer) {
    std::vector<dataflow::Dataflow> starts;
    const auto add = [&](const dataflow::Dataflow& known) {
        for (dataflow::Dataflow& one : closed(known, layer)) starts.push_back(std::move(one));
    };
    if (layer.dataflow) add(*layer.dataflow);
    for (const maestro::NamedDataflow& known : maestro::named_dataflows()) add(maestro::named_dataflow(known.name));
    return starts;
}

bool same_shape(dataflow::Layer a, const dataflow::Layer& b) {
    a.name = b.name;
    return a == b;
}

// Layer by layer; layers of one shape share an answer.
class NetworkSearch {
   public:
    NetworkSearch(const DataflowInputs& given, const DataflowSearch& search, bool as_tool, bool quiet,
                  const std::optional<double>& seconds)
        : given_(given), search_(search), as_tool_(as_tool), interrupt_(stop_), line_(!quiet) {
        limits_.stop = &stop_;
        if (seconds)
            limits_.deadline =
                std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                       std::chrono::duration<double>(*seconds));
    }

    std::vector<FoundDataflow> run() {
        std::vector<FoundDataflow> found;
        for (std::size_t i = 0; i < given_.layers.size(); ++i) {
            std::size_t same = 0;
            while (!same_shape(given_.layers[same], given_.layers[i])) ++same;
            found.push_back(same < i ? found[same] : search(i));
        }
        line_.clear();
        return found;
    }

    bool interrupted() const { return interrupt_.happened(); }

   private:
    FoundDataflow search(std::size_t index) {
        const dataflow::Layer& layer = given_.layers[index];
        DataflowSearch search = search_;
        search.starts = starts_for(layer);
        const auto judge =
            as_tool_ ? dataflow::tool_judge(layer, given_.hardware) : dataflow::exact_judge(layer, given_.hardware);
        const auto progress = [&](const FoundDataflow& now) {
            std::string text = fmt::format("[{}/{}] {}  {} dataflows", index + 1, given_.layers.size(), layer.name,
                                           count_text(now.evaluations));
            if (now.dataflow)
                text += fmt::format(", best {} MACs of energy and {} cycles", figure_text(now.verdict.energy),
                                    count_text(now.verdict.cycles));
            line_.show(text);
        };
        return search_dataflow(layer, given_.hardware, *judge, search, limits_, progress);
    }

    const DataflowInputs& given_;
    const DataflowSearch& search_;
    bool as_tool_;
    StopSource stop_;
    Interrupt interrupt_;
    StatusLine line_;
    dataflow::SearchLimits limits_;
};

// Each layer by itself, as it was searched: in one file the tool carries state from one to the next.
maestro::ToolResult tool_result_of(const DataflowInputs& given) {
    maestro::ToolResult all;
    for (const dataflow::Layer& layer : given.layers)
        for (maestro::LayerCounts& counts : maestro::count({layer}, maestro::tool_hardware(given.hardware)).layers)
            all.layers.push_back(std::move(counts));
    return all;
}

// What the tool counts wrongly of a dataflow that is legal.
std::string doubt_of(const dataflow::Layer& layer, const FoundDataflow& found, const dataflow::Hardware& hardware) {
    const std::int64_t needed = operations_of(problem_of(layer));
    const std::int64_t peak = hardware.units * hardware.vector_width;
    if (found.verdict.operations != needed)
        return fmt::format("{}: the tool counts {} of {} operations", layer.name, count_text(found.verdict.operations),
                           count_text(needed));
    if (found.verdict.cycles < needed / peak)
        return fmt::format("{}: the tool counts fewer cycles than {} units need for {} operations", layer.name, peak,
                           count_text(needed));
    return "";
}

std::string one_line(const dataflow::Dataflow& dataflow) {
    std::string text;
    for (const dataflow::Directive& directive : dataflow.directives)
        text += (text.empty() ? "" : "; ") + to_text(directive);
    return text;
}

void write_as_tool(const DataflowInputs& given, const report::DataflowSearchReport& search,
                   const std::string& dataflows, const OutputOptions& output) {
    const maestro::ToolHardware hardware = maestro::tool_hardware(given.hardware);
    const maestro::ToolResult result = tool_result_of(given);
    const std::vector<std::int64_t> repeats = repeats_of(given.layers);
    const std::string json = report::tool_json(result, hardware, repeats, &search);
    std::string text = report::tool_text(result, hardware, repeats, &search);
    for (const std::string& note : given.notes) text += "  note: " + note + "\n";
    std::vector<NamedBytes> files;
    if (!output.directory.empty()) files = {{kDataflowFile, dataflows}, {"report.txt", text}, {"report.json", json}};
    write_results(output.directory, files);
    print_asked({json, text, "", text}, output);
}

void write_found(const DataflowInputs& given, const report::DataflowSearchReport& search, bool as_tool,
                 const OutputOptions& output) {
    maestro::Document document = given.document;
    document.dataflows.clear();
    document.layers = given.layers;
    document.hardware = given.hardware;
    const std::string dataflows = maestro::to_text(document);
    if (as_tool) {
        write_as_tool(given, search, dataflows, output);
        return;
    }
    const report::DataflowReport report = exact_report(given);
    const std::string text = dataflow_text(report, &search);
    std::vector<NamedBytes> files;
    if (!output.directory.empty()) files.emplace_back(kDataflowFile, dataflows);
    write_forms({dataflow_json(report, &search), text, output.csv.empty() ? "" : dataflow_csv(report), text}, output,
                std::move(files));
}

}  // namespace

void DataflowSearchOptions::declare(Options& options) {
    options.group("Dataflows");
    options
        .value("account", 0, "WHICH",
               "--mapper gamma, dataflow: whose counts are searched: exact (the default), or maestro, the public "
               "tool's",
               &account)
        .choices = {"exact", "maestro"};
    options.flag("illegal", 0,
                 "--mapper gamma, dataflow: also dataflows that leave something out or do it twice, as GAMMA has them",
                 &illegal);
}

std::vector<std::string> dataflow_mapper_names() {
    return {std::string(name_of(dataflow::DataflowStrategy::gamma)),
            std::string(name_of(dataflow::DataflowStrategy::anneal))};
}

bool is_dataflow_mapper(const std::string& name) { return dataflow::dataflow_strategy_named(name).has_value(); }

ExitStatus search_dataflows(const InputOptions& inputs, const SearchPlan& plan, const DataflowSearchOptions& options,
                            const OutputOptions& output) {
    const bool as_tool = options.account == "maestro";
    if (plan.cosa.given()) fail_usage("map", "--cosa-... is not for --mapper " + plan.mapper);
    plan.orders.check(plan.mapper);
    const DataflowSearch search = search_of(plan, options);
    DataflowInputs given = read_dataflows("map", inputs, {});
    require_problem("map", given);
    prepare(output);
    NetworkSearch network(given, search, as_tool, output.quiet, plan.time_limit_seconds);
    const std::vector<FoundDataflow> found = network.run();

    report::DataflowSearchReport searched{
        plan.mapper, plan.objective.empty() ? "edp" : plan.objective, search.seed, search.legal, {}};
    ExitStatus status = ExitStatus::done;
    std::vector<dataflow::Layer> answered;
    for (std::size_t i = 0; i < found.size(); ++i) {
        dataflow::Layer& layer = given.layers[i];
        if (!found[i].dataflow) {
            print_error(fmt::format("error: {}: none of {} dataflows is {}fits the machine", layer.name,
                                    count_text(found[i].evaluations), search.legal ? "legal and " : ""));
            status = ExitStatus::no_answer;
            given.missing_layers += layer.repeats;
            continue;
        }
        layer.dataflow = found[i].dataflow;
        searched.layers.push_back({layer.name, one_line(*layer.dataflow), found[i].evaluations, found[i].cut_short});
        if (const std::string doubt = doubt_of(layer, found[i], given.hardware); as_tool && !doubt.empty())
            given.notes.push_back(doubt);
        answered.push_back(layer);
    }
    given.layers = std::move(answered);
    write_found(given, searched, as_tool, output);
    return network.interrupted() ? ExitStatus::interrupted : status;
}

}  // namespace tilewright::cli
