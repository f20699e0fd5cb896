// tilewright llm: what serving a language model takes: time to the first token, time of each token, room.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.hpp"
#include "inputs/inputs.hpp"
#include "options/search.hpp"
#include "options/verb.hpp"
#include "output/cache.hpp"
#include "output/output.hpp"
#include "report/llm/serving.hpp"
#include "report/plot/chart.hpp"
#include "run/composition.hpp"
#include "run/llm/fused_parts.hpp"
#include "run/llm/serve.hpp"
#include "run/llm/serve_model.hpp"
#include "silicon/files/accelerator.hpp"
#include "silicon/files/silicon.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"
#include "timeloop/additions/additions.hpp"
#include "verbs/llm_served.hpp"
#include "verbs/map/dataflow_search.hpp"
#include "verbs/map/search_layers.hpp"
#include "workload/widths.hpp"

namespace tilewright::cli {
namespace {

// Of options that only `map` has: with what they do not go here.
std::string why_unknown(const std::string& name, const std::vector<std::string>& arguments) {
    const std::vector<std::pair<std::string, Capability>> known{{"density", Capability::zeros},
                                                                {"refine", Capability::refinement},
                                                                {"package", Capability::package},
                                                                {"what-if", Capability::what_if},
                                                                {"certificate", Capability::certificate}};
    const auto found = std::ranges::find(known, name, [](const auto& one) { return one.first; });
    if (found == known.end()) return "";
    const auto has = [&](const std::string& option) {
        return std::ranges::any_of(
            arguments, [&](const std::string& one) { return one == option || one.starts_with(option + "="); });
    };
    const bool served = has("--load") || has("--best") || has("--trace");
    const std::string why = served ? refusal(Capability::serving, found->second) : "";
    return why.empty() && has("--fuse") ? refusal(Capability::fusion, found->second) : why;
}

/// "1,8,64": whole numbers of at least `least`.
std::vector<std::int64_t> numbers(const std::string& option, const std::vector<std::string>& texts,
                                  std::int64_t least) {
    std::vector<std::int64_t> all;
    for (const std::string& text : texts) {
        std::int64_t number = 0;
        const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{} || stopped != text.data() + text.size())
            fail_usage("llm", fmt::format("{} takes whole numbers from {} to {} with commas between them, found '{}'",
                                          option, least, kMostZooExtent, text));
        all.push_back(number);
    }
    return all;
}

class Llm : public Command {
   public:
    void declare(Options& options) override {
        inputs_.declare_files(options);
        inputs_.declare_arch(options);
        options.group("Model");
        options
            .value("net", 'n', "NAME", "a language model of the zoo, the config.json of one, or a cascade file",
                   &model_)
            .completes = "net";
        options.value("batch", 0, "LIST", "requests at once (default 1)", &batches_);
        options.value("prompt", 0, "LIST", "tokens of each prompt (default 2048)", &prompts_);
        options.value("context", 0, "LIST", "tokens in the cache where decode goes on (default: the prompts)",
                      &contexts_);
        options.value("bits", 0, "LIST",
                      "bits of the words of weights and caches: Weights=4/32:8,Cache=8, with 8 bits of scale for "
                      "every 32; '*norm*:Weights=16' of some einsums (docs/llm.md)",
                      &bits_);
        options.group("Machine");
        options.value("tensor-parallel", 0, "LIST", "devices that share each block (default 1)", &devices_);
        options.value("collective", 0, "WHICH", "how sums over devices are made; best: the shorter one", &collective_)
            .choices = {"best", "ring", "tree"};
        options
            .value("latency", 0, "WHICH", "whose times (default: as built where the machine says how it was built)",
                   &latency_)
            .choices = {"physical", "plain"};
        options.flag("fuse", 0, "einsums share loops where that is better: on machines without a model as built",
                     &fuse_);
        options
            .value("attention", 0, "WHICH",
                   "as the software of a GPU or TPU runs it: skipping what the causal mask "
                   "hides (flash, the default), all of the square, or einsum by einsum",
                   &attention_)
            .choices = {"flash", "masked", "unfused"};
        served_.declare(options);
        plan_.declare(options);
        cache_.declare(options);
        output_.declare(options);
        options.explain_unknown(why_unknown);
    }

    ExitStatus run() override {
        return in_the_words_of("llm", [&] { return answered(); });
    }

   private:
    ExitStatus answered() {
        if (model_.empty())
            fail_usage("llm",
                       "which model: give --net NAME, one of the zoo's language models, --net config.json, or "
                       "a cascade file");
        const NamedModel model = named_model(model_, most_input_bytes({}, model_));
        const ServingWishes wishes = asked();
        std::vector<llm::Point> points;
        if (!served_.asked()) points = points_of(wishes);
        if (model.input.name.starts_with("zoo:")) inputs_.nets = {model.model.name};
        Inputs inputs("llm", inputs_);
        inputs.refuse_zigzag("a machine in Timeloop's format is needed, not ZigZag's");
        if (plan_.objective.empty()) plan_.objective = "latency";
        ServingMachine machine = machine_of(inputs);
        set_choices(wishes, machine);
        refuse_together(machine, capabilities_of(machine.architecture));
        const PlannedSearch settings = plan_.settle(inputs.root());
        machine.fastest_as_built = plan_.mapper.empty() && plan_.factors.empty() && !plan_.uneven &&
                                   settings.map.objective.kind == ObjectiveKind::latency;
        prepare(output_);
        report::ServingReport report;
        if (served_.asked()) {
            serve(model, inputs, machine, settings, report);
        } else {
            report = mapped(model, points, machine, settings);
            describe(report, inputs, model, settings);
        }
        write(report);
        return status_of(report);
    }

    report::ServingReport mapped(const NamedModel& model, const std::vector<llm::Point>& points,
                                 const ServingMachine& machine, const PlannedSearch& settings) const {
        const ServingWishes wishes = asked();
        const ServingPlan plan = plan_serving(model.model, points, machine, serving_widths(wishes, model.model));
        plan_.check(plan.problem);
        const std::vector<Capability> together = capabilities_of(plan.problem, settings.map);
        refuse_for("llm", refusal(together));
        refuse_together(machine, together);
        AnswerCache cache(answer_cache(cache_, settings.map, output_.quiet));
        MapOptions options = settings.map;
        if (machine.fuse && options.time_limit_seconds) *options.time_limit_seconds /= 2.0;  // of both searches
        const NetworkAnswer answer =
            search_layers(plan.problem, options, cache, output_.quiet, serving_mapper(plan, machine));
        tell_found(cache.found(), output_.quiet);
        if (!machine.fuse) return serving_report(model, wishes, machine, plan, answer);
        const FusedParts fused = fuse(plan, machine, options);
        return serving_report(model, wishes, machine, plan, answer, &fused);
    }

    FusedParts fuse(const ServingPlan& plan, const ServingMachine& machine, const MapOptions& options) const {
        StopSource stop;
        const Interrupt interrupt(stop);
        StatusLine line(!output_.quiet);
        line.show({fmt::format("[1/{}] fused parts", plan.fusible.size())}, true);
        return fuse_parts(plan, machine, options, &stop, [&](std::size_t ended) {
            line.show({fmt::format("[{}/{}] fused parts", ended, plan.fusible.size())}, true);
        });
    }

    // The table of capabilities, before any work.
    void refuse_together(const ServingMachine& machine, std::vector<Capability> together) const {
        const auto add = [&](bool asked, Capability one) {
            if (asked) together.push_back(one);
        };
        add(have_partial_sums(parse_widths("--bits", bits_)), Capability::partial_sums);
        add(is_dataflow_mapper(plan_.mapper), Capability::dataflows);
        add(plan_.objective == "pareto", Capability::pareto);
        add(!plan_.mapper.empty() || !plan_.factors.empty(), Capability::chosen_search);
        add(plan_.uneven, Capability::uneven);
        refuse_for("llm", serving_refusal(machine, together, served_.asked()));
    }

    // By the kernels of an accelerator, else by what `map` finds for the layers of each step.
    void serve(const NamedModel& model, const Inputs& inputs, const ServingMachine& machine,
               const PlannedSearch& settings, report::ServingReport& report) {
        const std::optional<DecoderSizes>& sizes = model.sizes;
        const std::string engine = served_.engine.empty() || served_.engine.front().find('=') != std::string::npos ||
                                           served_.engine.front() == "none"
                                       ? "vllm"
                                       : served_.engine.front();
        const std::vector<std::string> known = silicon::engine_names();
        std::optional<silicon::Accelerator> accelerator;
        if (sizes && latency_ != "plain" && machine.fastest_as_built && !machine.fuse)
            accelerator = silicon::read_accelerator(inputs.root(), machine.architecture,
                                                    std::ranges::count(known, engine) > 0 ? engine : "vllm");
        std::vector<report::Input> read;
        const ServedQuestion question =
            served_question(served_, sizes, accelerator.has_value(), numbers("--tensor-parallel", or_one(devices_), 1),
                            numbers("--prompt", prompts_.empty() ? std::vector<std::string>{"2048"} : prompts_, 1),
                            accelerator ? bits_ : std::vector<std::string>{}, read);
        std::vector<llm::Point> points;
        std::vector<std::string> of_steps;  // notes
        if (accelerator) {
            report.served = answer(
                question, served_,
                llm::kernel_server(*accelerator, *sizes, question.words, question.engine, machine.device.memory_bytes));
        } else {
            if (!served_.arithmetic.empty())
                fail_usage("llm",
                           "--arithmetic is about accelerators with kernels of engines; here --bits says widths");
            points = mapped_points(question);
            const report::ServingReport steps = mapped(model, points, machine, settings);
            report.interrupted = steps.interrupted;
            if (std::string wear = wear_note(steps.points); !wear.empty()) of_steps.push_back(std::move(wear));
            if (machine.fuse) of_steps.push_back(steps.notes.back());
            report.served = answer(question, served_, mapped_server(steps.points, question.engine));
        }
        describe_serving(model, asked(), machine, points, report);
        report.notes.insert(report.notes.end(), of_steps.begin(), of_steps.end());
        describe(report, inputs, model, settings);
        if (accelerator) describe_kernels(report, *accelerator);
        for (report::Input& one : read) report.provenance.inputs.push_back(std::move(one));
    }

    static std::vector<llm::Point> mapped_points(const ServedQuestion& question) {
        const AskedRange range = range_of(question);
        std::vector<std::int64_t> done;
        std::vector<llm::Point> points;
        const auto add = [&](const llm::Layout& layout) {
            if (std::ranges::find(done, layout.tensor) != done.end()) return;
            done.push_back(layout.tensor);
            for (const llm::Point& point : step_points({range.requests, range.tokens, range.context}, layout.tensor))
                points.push_back(point);
        };
        for (const llm::Deployment& deployment : question.deployments) {
            add(deployment.layout);
            if (deployment.prefill) add(*deployment.prefill);
        }
        return points;
    }

    // The notes of phases are about another road.
    static void describe_kernels(report::ServingReport& report, const silicon::Accelerator& accelerator) {
        report.latency = fmt::format("kernels of {} on {}", accelerator.form.engine, accelerator.form.generation);
        report.notes = {"a step is the sum of its kernels by data sheet, calibration and form (docs/silicon.md)"};
        if (!accelerator.inherited_of.empty())
            report.notes.push_back("no row calibrates this machine: its launch and shares are those of " +
                                   accelerator.inherited_of);
    }

    static std::vector<std::string> or_one(const std::vector<std::string>& texts) {
        return texts.empty() ? std::vector<std::string>{"1"} : texts;
    }

    ServingWishes asked() const {
        ServingWishes wishes;
        if (!batches_.empty()) wishes.batches = numbers("--batch", batches_, 1);
        wishes.prompts = numbers("--prompt", prompts_, 1);
        wishes.contexts = numbers("--context", contexts_, 0);
        if (!devices_.empty()) wishes.devices = numbers("--tensor-parallel", devices_, 1);
        wishes.latency = latency_;
        wishes.attention = attention_;
        wishes.collective = collective_;
        wishes.bits = bits_;
        wishes.fuse = fuse_;
        wishes.dashes = "--";
        return wishes;
    }

    static ServingMachine machine_of(Inputs& inputs) {
        ServingMachine machine;
        machine.architecture = inputs.architecture();
        machine.silicon = silicon::read_silicon(inputs.root(), machine.architecture);
        machine.vector_unit = inputs.vector_unit(machine.architecture);
        machine.device = timeloop::read_device(inputs.root());
        machine.constraints = [&inputs, architecture = machine.architecture](const Einsum& einsum) {
            return inputs.constraints(architecture, einsum);
        };
        return machine;
    }

    void describe(report::ServingReport& report, const Inputs& inputs, const NamedModel& model,
                  const PlannedSearch& settings) const {
        for (const std::string& note : inputs.notes()) report.notes.push_back(note);
        const auto choices = report.provenance.options;
        report.provenance = provenance("llm", inputs.read());
        if (!model.input.name.empty()) report.provenance.inputs.push_back(model.input);
        report.provenance.seed = settings.map.seed;
        report.provenance.options = settings.for_the_report;
        report.provenance.options.insert(report.provenance.options.end(), choices.begin(), choices.end());
        if (!served_.engine.empty())
            report.provenance.options.emplace_back("engine", fmt::format("{}", fmt::join(served_.engine, ",")));
        if (!served_.arithmetic.empty())
            report.provenance.options.emplace_back("arithmetic", fmt::format("{}", fmt::join(served_.arithmetic, ",")));
    }

    void write(const report::ServingReport& report) const {
        const std::string text = report::serving_text(report);
        std::vector<NamedBytes> pictures;
        const std::vector<views::Figure> figures = report::serving_figures(report);
        if (!output_.directory.empty())
            for (std::size_t i = 0; i < figures.size(); ++i)
                pictures.emplace_back(fmt::format("llm{}.svg", i + 1), plot::svg(figures[i].chart));
        write_forms({report::serving_json(report), text, report::serving_csv(report), text,
                     [&] {
                         views::Document document;
                         document.file = "report.json";
                         document.figures = figures;
                         document.headlines = {report::serving_headline(report)};
                         return document;
                     }},
                    output_, std::move(pictures));
    }

    static ExitStatus status_of(const report::ServingReport& report) {
        if (report.interrupted) return ExitStatus::interrupted;
        for (const llm::PhaseCosts& costs : report.points)
            if (!costs.failures.empty()) return ExitStatus::no_answer;
        return ExitStatus::done;
    }

    InputOptions inputs_;
    SearchPlan plan_;
    CacheOptions cache_;
    OutputOptions output_;
    ServedOptions served_;
    std::string model_;
    std::vector<std::string> bits_;
    std::vector<std::string> batches_;
    std::vector<std::string> prompts_;
    std::vector<std::string> contexts_;
    std::vector<std::string> devices_;
    std::string collective_;
    std::string latency_;
    std::string attention_;
    bool fuse_ = false;
};

}  // namespace

std::unique_ptr<Command> make_llm() { return std::make_unique<Llm>(); }

}  // namespace tilewright::cli
