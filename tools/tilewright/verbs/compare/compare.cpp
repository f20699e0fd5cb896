// tilewright compare: one mapping under several accountings, several mappers, or model and simulation.

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "inputs/cascades.hpp"
#include "inputs/inputs.hpp"
#include "options/machine_options.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "report/csv.hpp"
#include "report/documents/documents.hpp"
#include "report/json.hpp"
#include "report/page/page.hpp"
#include "report/parts/table.hpp"
#include "report/show_text.hpp"
#include "report/simulation/simulation.hpp"
#include "terminal/interrupt.hpp"
#include "timeloop/sparse/read_sparse.hpp"
#include "verbs/compare/compare_mappers.hpp"
#include "verbs/compare/compare_runs.hpp"
#include "verbs/evaluate/dataflows.hpp"
#include "verbs/evaluate/evaluation.hpp"
#include "verbs/evaluate/zigzag.hpp"
#include "verbs/schedule/simulate.hpp"

namespace tilewright::cli {
namespace {

constexpr const char* kSimulatesAlone =
    "--simulate compares the exact model with a simulation of the same mappings, as text or --json; leave out the "
    "other "
    "comparisons";

class Compare : public Command {
   public:
    void declare(Options& options) override {
        inputs_.declare(options);
        options.group("Accounting");
        std::vector<std::string> choices = accountings();
        choices.emplace_back("maestro");
        choices.emplace_back("all");
        options.value("account", 0, "LIST", "rules of counting; the others are compared with the first", &accounts_)
            .choices = choices;
        account_.declare_switches(options);
        against_.declare(options);
        mappers_.declare(options);
        options.group("Model and simulation");
        options.flag("simulate", 0,
                     "simulate the mappings, and show the model's cycles and the simulated ones term by term",
                     &simulate_);
        machine_.declare(options);
        options.only_with(MachinePlan::names(), {"simulate"}, "{} is for --simulate: nothing else here is simulated");
        options.not_with({"simulate"}, {"against", "csv", "account", "mappers", "dataflow"}, kSimulatesAlone);
        dataflow_.declare(options);
        options.group("Output");
        options.flag("json", 'j', "print one JSON document instead of text", &json_);
        declare_html(options, html_);
        options
            .value("csv", 0, "FILE",
                   "write a row per accounting, memory, tensor and action, or the curves of --mappers; '-': print them "
                   "in place of the text",
                   &csv_)
            .completes = "file";
        csv_or_json(options);
    }

    ExitStatus run() override {
        if (!html_.empty() && !are_runs(inputs_.files))
            fail_usage("compare",
                       "--html is for whole runs (report.json); tilewright report makes a page of what --json prints");
        if (are_runs(inputs_.files)) {
            if (against_.given()) fail_usage("compare", AgainstOptions::kWhy);
            return compare_runs();
        }
        if (simulate_) return compare_with_simulation();
        if (against_.given() && !may_count_as_timeloop()) fail_usage("compare", AgainstOptions::kWhy);
        if (has_dataflows(inputs_, dataflow_)) return compare_dataflows(inputs_, dataflow_, accounts_, json_);
        if (std::find(accounts_.begin(), accounts_.end(), "maestro") != accounts_.end())
            fail_usage("compare", "--account maestro needs a dataflow (--dataflow, *.m)");
        inputs_.sparse = !inputs_.dense;
        Inputs inputs("compare", inputs_);
        return mappers_.wanted() ? mappers_.run(inputs, json_, csv_) : compare_accountings(inputs);
    }

   private:
    ExitStatus compare_runs() const {
        if (json_ || !csv_.empty() || !accounts_.empty() || mappers_.wanted() || simulate_)
            fail_usage("compare", "whole runs (report.json) are compared as text; their documents have all numbers");
        const std::vector<views::Document> documents = read_documents(inputs_.files, inputs_.largest_input_mib);
        const std::vector<views::Run> runs = views::all_runs(documents);
        if (!html_.empty()) check_target(html_);
        std::vector<views::Simulation> simulations;
        for (const views::Document& document : documents)
            simulations.insert(simulations.end(), document.simulations.begin(), document.simulations.end());
        if (runs.size() < 2 && simulations.empty())
            fail_usage("compare", "takes at least two runs, or one that was simulated (simulation.json)");
        if (runs.size() > 1) print(runs_text(runs) + (simulations.empty() ? "" : "\n"));
        if (!simulations.empty()) print(simulations_text(runs, simulations));
        if (!html_.empty())
            write_files("", {{std::filesystem::absolute(html_).string(), page::html(documents, page::assets())}});
        return ExitStatus::done;
    }

    // The machine is simulated; its cycles stand beside the model's.
    ExitStatus compare_with_simulation() {
        if (has_dataflows(inputs_, dataflow_)) fail_usage("compare", kSimulatesAlone);
        Inputs inputs("compare", inputs_);
        inputs.refuse_zigzag("ZigZag's files cannot be simulated");
        report::Simulation simulation;
        simulation.architecture = inputs.architecture();
        const Network network = inputs.network();
        simulation.network = network.name;
        simulation.notes = inputs.notes();
        std::vector<report::Input> read = inputs.read();
        SimulationWork work{.machine = machine_.resolve("compare", read),
                            .floor = machine_.floor("compare", simulation.architecture),
                            .threads = mappers_.threads()};
        simulation.memory = memory_name(work.machine);
        const std::vector<Replayed> layers =
            replayed(network, given_mappings("compare", inputs, network, simulation.architecture));
        simulate_mappings(layers, work, simulation);
        simulation.provenance = provenance("compare", read);
        if (json_) {
            print(report::simulation_json(simulation));
            return finish_simulation(simulation);
        }
        print(simulations_text({}, documents::document_of(simulation, "simulation.json").simulations));
        for (const std::string& note : simulation.notes) print("\nnote: " + note + "\n");
        return finish_simulation(simulation);
    }

    bool may_count_as_timeloop() const {
        const bool counted = accounts_.empty() || std::ranges::any_of(accounts_, [](const std::string& name) {
                                 return name == "timeloop" || name == "all";
                             });
        return counted && !has_dataflows(inputs_, dataflow_);
    }

    ExitStatus compare_accountings(Inputs& inputs) {
        const bool all = accounts_.empty() || std::find(accounts_.begin(), accounts_.end(), "all") != accounts_.end();
        if (all) accounts_ = accountings();
        if (inputs.zigzag().decide()) {
            if (against_.given()) fail_usage("compare", AgainstOptions::kWhy);
            return compare_zigzag_files(inputs);
        }
        report::Report report;
        report.architecture = inputs.architecture();
        inputs.take_words();
        const Network network = inputs.network();
        if (network.layers.size() != 1) fail_usage("compare", "takes one layer; choose one with --layers");
        const std::vector<LayerMapping> mappings = given_mappings("compare", inputs, network, report.architecture);
        const Mapping& mapping = mappings.front().mapping;
        const LayerDetails details = inputs.details(network, report.architecture)(0);
        report.notes = inputs.notes();
        for (std::string& note :
             notes_about(inputs, network.layers[0], report.architecture, mapping, accounts_.front()))
            report.notes.push_back(std::move(note));
        report.provenance = provenance("compare", inputs.read());
        report.provenance.accounting = accounts_.front();

        StopSource stop;
        const Interrupt interrupt(stop);
        std::vector<report::NamedEvaluation> evaluations;
        for (const std::string& name : accounts_) {
            if (stop.requested()) {
                report.notes.push_back(fmt::format("interrupted: no line for {}", name));
                continue;
            }
            account_.account = name;
            const report::LayerResult result = evaluate_layer(
                network.layers[0], report.architecture, mapping, account_, mappings.front().places, details,
                timeloop::read_loop_orders(inputs.root(), network.layers[0].einsum, report.architecture));
            // Asked for by name, an accounting has to answer; among all of them, a peer may have no words for it.
            if (!result.evaluation && all && name != accounts_.front()) {
                report.notes.push_back(fmt::format("no line for {}: {}", name, list_words(result.failures)));
                continue;
            }
            if (!result.evaluation) {
                print_failures(result);
                return ExitStatus::no_answer;
            }
            evaluations.emplace_back(name, *result.evaluation);
            if (report.layers.empty()) report.layers = {result};
        }
        std::string comparison;
        if (against_.given())
            comparison = against_text(against_.file, network.layers[0], report.architecture, mapping,
                                      account_.timeloop(), details.zeros ? &*details.zeros : nullptr, inputs.root());
        write(report, evaluations);
        print(comparison);
        return interrupt.happened() ? ExitStatus::interrupted : ExitStatus::done;
    }

    // ZigZag's own files: its own counts, and those of the others for the same nest on a chain of memories.
    ExitStatus compare_zigzag_files(Inputs& inputs) {
        const ZigzagComparison same = compare_zigzag("compare", inputs, {});
        const Layer layer{same.chain.einsum.name, "", same.chain.einsum, 1, {}};
        report::Report report;
        report.architecture = same.chain.architecture;
        report.notes = inputs.zigzag().notes();
        report.notes.emplace_back(
            "ZigZag's operands differ in width; for the others a memory's words are as wide as its widest operand");
        report.provenance = provenance("compare", inputs.read());
        report.provenance.accounting = accounts_.front();
        std::vector<report::NamedEvaluation> evaluations;
        for (const std::string& name : accounts_) {
            account_.account = name;
            report::LayerResult result = evaluate_layer(layer, report.architecture, same.chain.mapping, account_);
            if (name == "zigzag") result.evaluation = same.zigzag;
            if (!result.evaluation) {
                report.notes.push_back("no line for " + name + ": " + list_words(result.failures));
                continue;
            }
            evaluations.emplace_back(name, *result.evaluation);
            if (report.layers.empty()) report.layers = {result};
        }
        if (evaluations.empty()) {
            for (const std::string& note : report.notes) print_error("error: " + note);
            return ExitStatus::no_answer;
        }
        write(report, evaluations);
        return ExitStatus::done;
    }

    void write(const report::Report& report, const std::vector<report::NamedEvaluation>& evaluations) const {
        for (const auto& [file, bytes] : csv_file(csv_, report::costs_csv(report, evaluations)))
            write_file(file, bytes);
        if (csv_ == kStandardOutput) return print(report::costs_csv(report, evaluations));
        const report::LayerResult& layer = report.layers.front();
        if (json_) return print(report::comparison_json(report, evaluations));
        print("Layer " + layer.names.front() + " on " + report.architecture.name + "\n  " + to_text(layer.einsum) +
              "\n  " + report::extents_text(layer.einsum) + "\n\n" +
              report::comparison_text(layer.einsum, evaluations));
        for (const std::string& note : report.notes) print("  note: " + note + "\n");
    }

    InputOptions inputs_;
    std::vector<std::string> accounts_;
    AccountOptions account_;
    AgainstOptions against_;
    MapperComparer mappers_;
    MachinePlan machine_;
    bool simulate_ = false;
    DataflowOptions dataflow_;
    bool json_ = false;
    std::string csv_;
    std::string html_;
};

}  // namespace

std::unique_ptr<Command> make_compare() { return std::make_unique<Compare>(); }

}  // namespace tilewright::cli
