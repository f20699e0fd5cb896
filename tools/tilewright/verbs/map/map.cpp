// tilewright map: the best mapping of every layer shape of a network.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/number_text.hpp"
#include "inputs/asked.hpp"
#include "inputs/file_names.hpp"
#include "inputs/inputs.hpp"
#include "inputs/physical.hpp"
#include "inputs/vector_work.hpp"
#include "options/search.hpp"
#include "options/verb.hpp"
#include "output/cache.hpp"
#include "output/output.hpp"
#include "report/documents/documents.hpp"
#include "report/json.hpp"
#include "report/page/page.hpp"
#include "report/views/figures.hpp"
#include "run/claim.hpp"
#include "run/composition.hpp"
#include "run/map_network.hpp"
#include "run/mapping/mapping_file.hpp"
#include "run/physical/map_physically.hpp"
#include "run/physical/physical_latency.hpp"
#include "run/report_of.hpp"
#include "run/what_if/what_if.hpp"
#include "run/words.hpp"
#include "timeloop/machine/architecture.hpp"
#include "verbs/check/certificates.hpp"
#include "verbs/compare/compare_runs.hpp"
#include "verbs/evaluate/zigzag.hpp"
#include "verbs/map/dataflow_search.hpp"
#include "verbs/map/fused_search.hpp"
#include "verbs/map/search_layers.hpp"
#include "verbs/package/package_plans.hpp"

namespace tilewright::cli {
namespace {

class Map : public Command {
   public:
    void declare(Options& options) override {
        inputs_.declare_files(options);
        inputs_.declare_arch(options);
        inputs_.declare_net(options);
        options.flag("each", 0, "every network of --net by itself, side by side", &each_);
        fusion_.declare(options);
        package_.declare(options);
        plan_.declare(options);
        inputs_.declare_expressible(options);
        dataflows_.declare(options);
        refine_.declare(options);
        cache_.declare(options);
        output_.declare(options);
        options.flag("what-if", 0, "gain of twice the DRAM bandwidth, and of twice the capacity of each memory",
                     &what_if_);
        options
            .value("certificate", 0, "FILE",
                   "write a certificate of the answer (tilewright check FILE); -o writes certificate.json",
                   &certificate_)
            .completes = "file";
        declare_rules(options);
    }

    ExitStatus run() override {
        refuse_together();
        if (package_.given()) return map_on_package(beside_packages(), inputs_, plan_, package_, certificate_, output_);
        if (fusion_.fuse) return search_fused(inputs_, plan_, fusion_, certificate_, output_);
        const std::vector<InputOptions> runs = separate_runs();
        return runs.size() == 1 ? run_one(inputs_, output_, nullptr) : run_each(runs);
    }

   private:
    static void declare_rules(Options& options) {
        const std::vector<std::string> dataflows = {"mapper=gamma", "mapper=dataflow"};
        options.takes_only({"fuse"}, options_of_fusion(),
                           "--fuse does not take {}: it is a search of its own over all of a cascade",
                           {"mapper", "package"});
        options.only_with({"buffers", "fused-mapping"}, {"fuse"}, "{} is for --fuse");
        options.not_with({"fused-mapping"}, {"buffers"});
        options.not_with({"certificate"}, {"plan"},
                         "--certificate is of the best plan of all, not of the one that --plan gives");
        options.not_with({"certificate"}, {"fused-mapping"},
                         "{} is of the best mapping of all, not of the leaves of --fused-mapping");
        options.not_with({"csv", "html"}, {"fused-mapping"}, "{} is not for --fused-mapping; --json is");
        options.only_with({"each"}, {"net"}, "--each is for the networks of --net");
        options.not_with({"json", "csv", "certificate"}, {"each"},
                         "{} is of one machine and network; -o DIR writes a directory for each");
        options.not_with({"expressible"}, {"uneven"},
                         "--expressible timeloop: its mappings are even; without --uneven");
        options.not_with({"expressible"}, {"mapper=gamma", "mapper=dataflow", "mapper=cosa", "latency=physical"},
                         "--expressible is for searches of a mapspace: not for --mapper cosa, gamma and dataflow, and "
                         "--latency physical");
        options.only_with({"account", "illegal"}, dataflows, "{} is for --mapper gamma or dataflow");
        options.not_with({"victory", "largest-space", "streams", "timeout", "evaluations=0"}, dataflows,
                         "{} is not for a search of dataflows");
        options.not_with({"account=maestro"}, {"csv"}, "--csv is not for --account maestro; --json is");
        options.only_with(RefinePlan::names(), {"refine"},
                          "{} is for --refine simulate: nothing else here is simulated");
    }

    std::vector<std::string> beside_packages() const {
        Map map = *this;
        map.inputs_.files.clear();
        return given_beside(std::move(map), options_of_packages());
    }

    // --arch a,b and --each: every machine, every network by itself.
    std::vector<InputOptions> separate_runs() const {
        std::vector<std::string> machines{inputs_.arch};
        std::error_code ignored;
        if (inputs_.arch.find(',') != std::string::npos && !std::filesystem::exists(inputs_.arch, ignored))
            machines = split_at_commas(inputs_.arch);
        std::vector<InputOptions> runs;
        for (const std::string& machine : machines) {
            InputOptions run = inputs_;
            run.arch = machine;
            if (!each_) runs.push_back(run);
            for (const std::string& net : each_ ? inputs_.nets : std::vector<std::string>{}) {
                run.nets = {net};
                runs.push_back(run);
            }
        }
        return runs;
    }

    // Every run as it would be alone, in a directory of its own; then all of them side by side.
    ExitStatus run_each(const std::vector<InputOptions>& runs) {
        if (output_.json || !output_.csv.empty() || !certificate_.empty())  // of several machines
            fail_usage("map",
                       "--json, --csv and --certificate are of one machine and network; -o DIR writes a directory "
                       "for each");
        ExitStatus status = ExitStatus::done;
        std::vector<views::Document> documents;
        FileNames names;
        for (const InputOptions& run : runs) {
            OutputOptions output = output_;
            const std::string name = names.apart(name_of(run));
            if (!output_.directory.empty())
                output.directory = (std::filesystem::path(output_.directory) / name).string();
            std::optional<report::Report> report;
            output.quiet = true;
            output.html.clear();
            const ExitStatus one = run_one(run, output, &report);
            if (one != ExitStatus::done) status = one;
            if (report) documents.push_back(documents::document_of(*report, name));
            if (one == ExitStatus::interrupted) break;
        }
        if (documents.empty()) return status;
        const std::string page =
            output_.directory.empty() && output_.html.empty() ? "" : page::html(documents, page::assets());
        if (!output_.directory.empty()) write_files(output_.directory, {{"report.html", page}});
        if (!output_.html.empty()) write_files("", {{std::filesystem::absolute(output_.html).string(), page}});
        if (!output_.quiet) print(runs_text(views::all_runs(documents)));
        return status;
    }

    // "eyeriss", "eyeriss-resnet18": of files, what they are called.
    std::string name_of(const InputOptions& run) const {
        constexpr std::size_t kLongest = 200;  // file systems take 255 bytes
        std::string name = std::filesystem::path(run.arch).stem().string();
        if (each_) name += "-" + std::filesystem::path(run.nets.front()).stem().string();
        return name.substr(0, kLongest);
    }

    void refuse_inexpressible(Inputs& inputs) const {
        if (inputs_.expressible.empty()) return;
        inputs.refuse_zigzag("--expressible is not for ZigZag's files");
    }

    // `kept`: gets the report, which is not printed then; may be null.
    ExitStatus run_one(const InputOptions& input, const OutputOptions& output, std::optional<report::Report>* kept) {
        if (is_dataflow_mapper(plan_.mapper)) return map_dataflows(input, output, kept == nullptr);
        InputOptions sparse_input = input;
        sparse_input.sparse = !input.dense;
        Inputs inputs("map", sparse_input);
        refuse_inexpressible(inputs);
        if (inputs.zigzag().decide()) {
            if (what_if_) fail_usage("map", "--what-if is not for ZigZag's files");
            if (kept != nullptr) fail_usage("map", "ZigZag's files are mapped one machine at a time");
            return map_zigzag(inputs);
        }
        return map_layers(inputs, output, kept);
    }

    ExitStatus map_layers(Inputs& inputs, const OutputOptions& output, std::optional<report::Report>* kept) {
        const Architecture architecture = inputs.architecture();
        const std::optional<silicon::Silicon> built = as_built(inputs, architecture);
        inputs.take_words();
        const Network network = inputs.network();
        const std::optional<VectorUnit> vector = inputs.vector_unit(architecture);
        plan_.cosa.machine = inputs_.arch;
        PlannedSearch settings = settle(inputs);
        if (!inputs_.expressible.empty()) settings.for_the_report.emplace_back("expressible", inputs_.expressible);
        // Everything is read and checked before the first search starts.
        const NetworkProblem problem = inputs.problem(network, architecture);
        refuse_together(capabilities_of(problem, settings.map));
        plan_.check(problem);
        std::vector<report::Input> read = inputs.read();
        const std::optional<RefineOptions> refinement = refine_.settle(settings, architecture, read);
        prepare(output);
        if (!certificate_.empty()) check_target(certificate_);
        AnswerCache cache(answer_cache(cache_, settings.map, output_.quiet));
        NetworkAnswer answer = search_layers(problem, settings.map, cache, output_.quiet,
                                             built ? physical_mapper(problem, *built) : MapsShape{});
        std::vector<std::optional<report::Refinement>> refined;
        if (refinement) refined = refine_layers(problem, *refinement, answer, output_.quiet);
        report::Report report = report_of(network, architecture, problem, answer);
        for (std::size_t i = 0; i < refined.size(); ++i) report.layers[i].refinement = std::move(refined[i]);
        if (what_if_ && !answer.interrupted)
            report.what_if = what_if(problem, answer, search_again(settings.map, cache, output_.quiet));
        for (report::LayerResult& layer : report.layers) name_density_sources(inputs.zeros(), network, layer);
        if (built) take_time_as_built(*built, report);
        const std::vector<std::string> scales = block_notes(network, inputs.words(network));
        report.notes = all_notes(inputs, problem, settings, scales, report);
        if (plan_.factors.empty() && !answer.interrupted && !built)
            say_idle_axes(problem, answer, settings.map, report);
        report.provenance = provenance("map", read);
        report.provenance.seed = settings.map.seed;
        report.provenance.options = settings.for_the_report;
        if (!scales.empty()) report.provenance.options.emplace_back(kBlocksOption, list_words(scales));
        const std::vector<NamedBytes> proofs = certificates(problem, settings, report, output);  // of what was searched
        if (vector) add_vector_work(inputs.vector_work(), architecture, *vector, report);
        write_report(report, output, proofs);
        tell_found(cache.found(), output_.quiet);
        const ExitStatus status = finish(report);
        if (kept != nullptr) *kept = std::move(report);
        return status;
    }

    // Of the files, the search and what it found. Notes that the report has stand behind those of the search.
    std::vector<std::string> all_notes(const Inputs& inputs, const NetworkProblem& problem,
                                       const PlannedSearch& settings, const std::vector<std::string>& scales,
                                       const report::Report& report) const {
        std::vector<std::string> notes = inputs.notes();
        const auto add = [&](const std::vector<std::string>& more) {
            notes.insert(notes.end(), more.begin(), more.end());
        };
        add(settings.notes);
        add(report.notes);
        if (plan_.orders.zigzag.latency.empty())
            if (const auto built = silicon::read_silicon(inputs.root(), report.architecture))
                add(time_as_built_notes(*built, problem, report));
        add(energy_range_notes(report));
        add(scales);
        if (std::string note = unproven_note(report, settings.map); !note.empty()) notes.push_back(std::move(note));
        return notes;
    }

    // How the machine was built, where its time is asked for.
    std::optional<silicon::Silicon> as_built(const Inputs& inputs, const Architecture& architecture) const {
        if (!plan_.orders.zigzag.is_physical()) return std::nullopt;
        return silicon_of("map", inputs, architecture);
    }

    PlannedSearch settle(const Inputs& inputs) const {
        SearchPlan plan = plan_;
        if (plan.orders.zigzag.is_for_other_files()) plan.orders.zigzag.latency.clear();  // the others are ZigZag's
        const bool as_built = plan_.orders.zigzag.is_physical();
        if (as_built && plan.objective.empty()) plan.objective = "latency";
        PlannedSearch settings = plan.settle(inputs.root());
        if (as_built) settings.for_the_report.emplace_back("latency", "physical");
        return settings;
    }

    // Where no rule of factors was chosen: what the others would bring.
    void say_idle_axes(const NetworkProblem& problem, const NetworkAnswer& answer, const MapOptions& options,
                       report::Report& report) const {
        const auto map_some = [this](const NetworkProblem& some, const MapOptions& other) {
            AnswerCache none;
            return search_layers(some, other, none, output_.quiet);
        };
        if (const std::optional<IdleAxes> idle = idle_axes(problem, answer, options, map_some))
            report.notes.push_back(note_about(*idle, problem.shapes.size()));
    }

    // With the same options, and the answers that are known.
    static std::function<NetworkAnswer(const NetworkProblem&)> search_again(const MapOptions& options,
                                                                            AnswerCache& cache, bool quiet) {
        return [&options, &cache, quiet](const NetworkProblem& changed) {
            return search_layers(changed, options, cache, quiet);
        };
    }

    // `of_problem`: what files say beside the options.
    void refuse_together(const std::vector<Capability>& of_problem = {}) const {
        std::vector<Capability> together = capabilities_asked("map", inputs_, plan_);
        together.insert(together.end(), of_problem.begin(), of_problem.end());
        if (fusion_.fuse) together.push_back(Capability::fusion);
        if (package_.given()) together.push_back(Capability::package);
        if (refine_.asked()) together.push_back(Capability::refinement);
        if (what_if_) together.push_back(Capability::what_if);
        if (!certificate_.empty()) together.push_back(Capability::certificate);
        const std::string why = refusal(together);
        const bool zeros = std::ranges::count(together, Capability::zeros) > 0;
        refuse_for("map", why.empty() || !zeros ? why : why + "; --dense reads a sparse machine as dense");
    }

    // Directives, tiles and clusters are searched, not loops of a mapping.
    ExitStatus map_dataflows(const InputOptions& input, const OutputOptions& output, bool alone) const {
        if (!alone) fail_usage("map", "dataflows are searched for one machine at a time");
        return search_dataflows(input, plan_, dataflows_, output);
    }

    // ZigZag's own files: the order of the loops is searched, ZigZag's rules count.
    ExitStatus map_zigzag(Inputs& inputs) {
        if (refine_.asked())
            fail_usage("map", "ZigZag's files cannot be simulated: --refine is for the other machines");
        if (plan_.orders.zigzag.is_for_other_files())
            fail_usage("map", "--latency " + plan_.orders.zigzag.latency + " is not for ZigZag's files");
        if (!certificate_.empty())
            fail_usage("map", "--certificate: searches on ZigZag's files have no proof to check");
        prepare(output_);
        const report::ZigzagReport report = map_zigzag_files(inputs, plan_, output_.quiet);
        write_report(report, output_);
        if (report.interrupted) return ExitStatus::interrupted;
        return is_complete(report) ? ExitStatus::done : ExitStatus::no_answer;
    }

    bool has_certificate(const PlannedSearch& settings) const {
        return !refine_.asked() && intended_mapper(settings.map) == MapperKind::optimal &&
               settings.map.factors != FactorRule::padded;
    }

    // Beside the report; and where the user asked for it. Only the optimal mapper's answers have something to certify.
    std::vector<NamedBytes> certificates(const NetworkProblem& problem, const PlannedSearch& settings,
                                         const report::Report& report, const OutputOptions& output) const {
        const bool as_built = plan_.orders.zigzag.is_physical();
        if (as_built || !has_certificate(settings) || (output.directory.empty() && certificate_.empty())) return {};
        const std::string json = certificate_json(report, problem, settings, mapping_file(report));
        if (json.empty()) {
            if (!certificate_.empty()) leave_no_certificate(certificate_);
            return {};
        }
        std::vector<NamedBytes> files;
        if (!output.directory.empty()) files.emplace_back(kCertificateFile, json);
        if (!certificate_.empty()) files.emplace_back(std::filesystem::absolute(certificate_), json);
        return files;
    }

    static ExitStatus finish(const report::Report& report) {
        ExitStatus status = ExitStatus::done;
        std::vector<std::string> not_searched;
        for (const report::LayerResult& layer : report.layers) {
            if (layer.evaluation) continue;
            if (layer.failures == std::vector<std::string>{kNotSearched})
                not_searched.push_back(layer.names.front());
            else
                print_failures(layer);
            status = ExitStatus::no_answer;
        }
        if (!not_searched.empty())
            print_error(
                fmt::format("error: interrupted before {} of {} layer shapes were searched, {} the first of them",
                            not_searched.size(), report.layers.size(), not_searched.front()));
        if (report.layers.empty()) {
            print_error("error: " + report::no_layer_text(report.network, report.unmapped));
            status = ExitStatus::no_answer;
        }
        return report.interrupted ? ExitStatus::interrupted : status;
    }

    InputOptions inputs_;
    SearchPlan plan_;
    DataflowSearchOptions dataflows_;
    RefinePlan refine_;
    CacheOptions cache_;
    OutputOptions output_;
    FusionOptions fusion_;
    PackageOptions package_;
    std::string certificate_;
    bool each_ = false;
    bool what_if_ = false;
};

}  // namespace

std::unique_ptr<Command> make_map() { return std::make_unique<Map>(); }

}  // namespace tilewright::cli
