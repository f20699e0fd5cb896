// tilewright evaluate: what a given mapping costs.
#include <algorithm>

#include "base/error.hpp"
#include "inputs/asked.hpp"
#include "inputs/cascades.hpp"
#include "inputs/inputs.hpp"
#include "inputs/physical.hpp"
#include "options/verb.hpp"
#include "output/output.hpp"
#include "report/accelforge/accelforge_report.hpp"
#include "run/composition.hpp"
#include "run/physical/physical_latency.hpp"
#include "run/what_if/what_if.hpp"
#include "run/words.hpp"
#include "timeloop/sparse/read_sparse.hpp"
#include "verbs/compare/compare_runs.hpp"
#include "verbs/evaluate/dataflows.hpp"
#include "verbs/evaluate/evaluation.hpp"
#include "verbs/evaluate/fused.hpp"
#include "verbs/evaluate/scalesim.hpp"
#include "verbs/evaluate/zigzag.hpp"
#include "verbs/package/package_plans.hpp"
#include "verbs/package/set_account.hpp"

namespace tilewright::cli {
namespace {

// `tilewright evaluate` of AccelForge's own mappings: counted as AccelForge does.

// Prints the costs; a mapping that does not fit its memories has none.
ExitStatus evaluate_accelforge(Inputs& inputs, const OutputOptions& output) {
    if (!output.csv.empty()) fail_usage("evaluate", "--csv is not for AccelForge's mappings; --json is");
    report::AccelforgeReport report = inputs.accelforge().evaluated("evaluate");
    prepare(output);
    report.provenance = provenance("evaluate", inputs.read());
    report.provenance.accounting = "accelforge";
    for (const std::string& failure : report.costs.failures) print_error("error: " + failure);
    if (!report.costs.failures.empty()) return ExitStatus::no_answer;
    write_text_and_json(report::accelforge_text(report), report::accelforge_json(report), output);
    return ExitStatus::done;
}

class Evaluate : public Command {
   public:
    void declare(Options& options) override {
        inputs_.declare(options);
        options.group("Accounting");
        options.value("account", 0, "WHICH", "whose rules count", &account_.account).choices = choices();
        account_.declare_switches(options);
        against_.declare(options);
        zigzag_.declare(options);
        dataflow_.declare(options);
        dataflow_.declare_tool(options);
        fused_.declare(options);
        package_.declare(options);
        package_.declare_published(options);
        output_.declare(options);
        options.only_with({"published"}, {"account=set"}, "--published is for --account set");
        options.not_with({"json", "csv", "output"}, {"account=set"}, "--account set prints a table: without {}");
        options.only_with({"tool-csv"}, {"account=maestro"});
        options.not_with({"csv"}, {"account=maestro"}, "--csv is not for --account maestro; --tool-csv and --json are");
        options.not_with({"csv"}, {"fused-mapping"}, "--csv is not for --fused-mapping; --json is");
    }

    ExitStatus run() override {
        if (account_.account == "set") return evaluate_by_set(inputs_, package_, output_);
        if (package_.given()) {
            refuse_beside_packages();
            return evaluate_on_package(given_beside(*this, options_of_packages()), inputs_, package_, output_);
        }
        if (fused_.given()) return evaluate_fused(inputs_, fused_, output_);
        if (against_.given() && account_.account.empty()) account_.account = "timeloop";
        if (against_.given() && account_.account != "timeloop") fail_usage("evaluate", AgainstOptions::kWhy);
        if (has_dataflows(inputs_, dataflow_)) return evaluate_dataflows(inputs_, dataflow_, account_.account, output_);
        if (account_.account == "maestro")
            fail_usage("evaluate", "--account maestro needs a dataflow (--dataflow, *.m)");
        const bool counts_zeros =
            account_.account.empty() || account_.account == "exact" || account_.account == "timeloop";
        inputs_.sparse = counts_zeros && !inputs_.dense;
        Inputs inputs("evaluate", inputs_);
        if (inputs.zigzag().decide()) return evaluate_zigzag(inputs);
        if (inputs.accelforge().has_mapping()) return evaluate_accelforge_mapping(inputs);
        if (account_.account == "accelforge")
            fail_usage("evaluate", "--account accelforge needs AccelForge's own machine, workload and mapping");
        const bool only_scalesim =
            account_.account.empty() && inputs.scalesim() != nullptr && !has_mappings(inputs.root());
        if (account_.account == "scalesim" || only_scalesim) return evaluate_scalesim(inputs, output_);
        return evaluate_layers(inputs);
    }

   private:
    // By the table of capabilities.
    void refuse_beside_packages() const {
        std::vector<Capability> together = capabilities_asked("evaluate", inputs_, {});
        together.push_back(Capability::package);
        refuse_for("evaluate", refusal(together));
    }

    ExitStatus evaluate_layers(Inputs& inputs) {
        const bool any_account = account_.account.empty();
        if (any_account) account_.account = "exact";
        report::Report report;
        report.architecture = inputs.architecture();
        const std::optional<silicon::Silicon> built = as_built(inputs, report.architecture);
        inputs.take_words();
        const Network network = inputs.network();
        const DetailsOf details = inputs.details(network, report.architecture);
        const std::vector<std::string> scales = block_notes(network, inputs.words(network));
        const std::vector<LayerMapping> mappings = given_mappings("evaluate", inputs, network, report.architecture);
        report.network = network.name;
        report.notes = inputs.notes();
        prepare(output_);
        for (const Layer& layer : network.layers) report.layers.push_back(report::unmapped(layer));
        for (const auto& [index, mapping, places] : mappings) {
            const Layer& layer = network.layers[index];
            const LayerDetails own = details(static_cast<std::size_t>(index));
            report.layers[index] = evaluate_one(inputs, layer, report.architecture, mapping, own, places);
            if (any_account && mappings.size() == 1 && own.zeros)
                count_zeros_otherwise(inputs, layer, report, mapping, own, places);
            if (built) report.layers[index].not_as_built = why_plain(layer, report.architecture, own);
            report.layers[index].unpadded = inputs.unpadded(layer);
            name_density_sources(inputs.zeros(), network, report.layers[index]);
            add_notes(notes_about(inputs, layer, report.architecture, mapping, account_.account), report.notes);
        }
        add_notes(inputs.notes(), report.notes);
        add_notes(scales, report.notes);
        if (built) take_time_as_built(*built, report);
        add_notes(energy_range_notes(report), report.notes);
        for (const int index : layers_without(mappings, network))
            report.layers[index].failures = {"the files hold no mapping of it"};
        report.unmapped = network.unmapped;
        report.provenance = provenance("evaluate", inputs.read());
        report.provenance.accounting = account_.account;
        if (built) report.provenance.options.emplace_back("latency", "physical");
        if (!scales.empty()) report.provenance.options.emplace_back(kBlocksOption, list_words(scales));
        const std::string comparison = compared(inputs, network, report.architecture, mappings);
        write_report(report, output_);
        print(comparison);
        return finish(report);
    }

    // With the file of --against; "" without it.
    std::string compared(Inputs& inputs, const Network& network, const Architecture& architecture,
                         const std::vector<LayerMapping>& mappings) const {
        if (!against_.given()) return "";
        if (mappings.size() != 1) fail_usage("evaluate", "--against takes one layer with its mapping");
        const auto& [index, mapping, places] = mappings.front();
        const auto zeros = inputs.sparse_design(network.layers[index], architecture);
        return against_text(against_.file, network.layers[index], architecture, mapping, account_.timeloop(),
                            zeros ? &*zeros : nullptr, inputs.root());
    }

    static std::vector<std::string> choices() {
        std::vector<std::string> names = accountings();
        names.emplace_back("accelforge");
        names.emplace_back("maestro");
        names.emplace_back("scalesim");
        names.emplace_back("set");
        return names;
    }

    // What the exact account of zeros does not count, Timeloop's may. Where it does, it is the one that counts.
    void count_zeros_otherwise(Inputs& inputs, const Layer& layer, report::Report& report, const Mapping& mapping,
                               const LayerDetails& details, const MappingPlaces& places) {
        const auto found = std::ranges::find(report.layers, layer.name, [](const report::LayerResult& one) {
            return one.names.empty() ? "" : one.names.front();
        });
        if (found == report.layers.end() || found->evaluation) return;
        account_.account = "timeloop";
        report::LayerResult counted = evaluate_one(inputs, layer, report.architecture, mapping, details, places);
        if (!counted.evaluation) {
            account_.account = "exact";
            return;
        }
        report.notes.push_back("counted as --account timeloop does: " + list_words(found->failures));
        *found = std::move(counted);
    }

    report::LayerResult evaluate_one(const Inputs& inputs, const Layer& layer, const Architecture& architecture,
                                     const Mapping& mapping, const LayerDetails& details,
                                     const MappingPlaces& places) const {
        return evaluate_layer(layer, architecture, mapping, account_, places, details,
                              timeloop::read_loop_orders(inputs.root(), layer.einsum, architecture));
    }

    // How the machine was built, where its time counts: by default, too.
    std::optional<silicon::Silicon> as_built(const Inputs& inputs, const Architecture& architecture) const {
        if (!zigzag_.latency.empty() && !zigzag_.is_for_other_files())
            fail_usage("evaluate", "--latency " + zigzag_.latency + " is for ZigZag's own files");
        if (zigzag_.is_physical() && account_.account != "exact")
            fail_usage("evaluate", "--latency physical is for --account exact");
        if (zigzag_.is_plain() || account_.account != "exact") return std::nullopt;
        if (zigzag_.is_physical()) return silicon_of("evaluate", inputs, architecture);
        return silicon::read_silicon(inputs.root(), architecture);
    }

    // Why the time as built of such a layer is not known, or "". Where it was asked for, that is an error.
    std::string why_plain(const Layer& layer, const Architecture& architecture, const LayerDetails& details) const {
        std::string why = why_not_as_built({layer.einsum, architecture, {}, details.words, details.zeros});
        if (zigzag_.is_physical()) refuse_for("evaluate", why);
        return why;
    }

    /// ZigZag's own files are counted as ZigZag does.
    ExitStatus evaluate_zigzag(Inputs& inputs) {
        if (!account_.account.empty() && account_.account != "zigzag")
            fail_usage("evaluate", "ZigZag's files are counted with --account zigzag only");
        prepare(output_);
        const report::ZigzagReport report = evaluate_zigzag_files("evaluate", inputs, zigzag_);
        write_report(report, output_);
        return is_complete(report) ? ExitStatus::done : ExitStatus::no_answer;
    }

    ExitStatus evaluate_accelforge_mapping(Inputs& inputs) {
        if (!account_.account.empty() && account_.account != "accelforge")
            fail_usage("evaluate", "AccelForge's mappings are counted with --account accelforge only");
        return evaluate_accelforge(inputs, output_);
    }

    // Reasons go to stderr too: --json or --quiet may hide the text.
    static ExitStatus finish(const report::Report& report) {
        ExitStatus status = ExitStatus::done;
        for (const report::LayerResult& layer : report.layers) {
            if (layer.evaluation) continue;
            if (layer.mapping) print_failures(layer);
            status = ExitStatus::no_answer;
        }
        const bool all =
            std::ranges::all_of(report.layers, [](const auto& layer) { return layer.mapping.has_value(); });
        if (!all) print_error("error: " + report::missing_text(report));
        return status;
    }

    InputOptions inputs_;
    AccountOptions account_;
    AgainstOptions against_;
    ZigzagAccountOptions zigzag_;
    DataflowOptions dataflow_;
    PackageOptions package_;
    FusedOptions fused_;
    OutputOptions output_;
};

}  // namespace

std::unique_ptr<Command> make_evaluate() { return std::make_unique<Evaluate>(); }

}  // namespace tilewright::cli
