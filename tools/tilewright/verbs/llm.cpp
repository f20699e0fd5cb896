// tilewright llm: what serving a language model takes: time to the first token, time of each token, room.

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/error.hpp"
#include "inputs/inputs.hpp"
#include "options/search.hpp"
#include "options/verb.hpp"
#include "output/cache.hpp"
#include "output/output.hpp"
#include "report/llm/serving.hpp"
#include "report/plot/svg.hpp"
#include "run/composition.hpp"
#include "run/llm/serve_model.hpp"
#include "silicon/files/silicon.hpp"
#include "timeloop/additions/device.hpp"
#include "verbs/map/search_layers.hpp"

namespace tilewright::cli {
namespace {

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
        options
            .value("attention", 0, "WHICH",
                   "as the software of a GPU or TPU runs it: skipping what the causal mask "
                   "hides (flash, the default), all of the square, or einsum by einsum",
                   &attention_)
            .choices = {"flash", "masked", "unfused"};
        plan_.declare(options);
        cache_.declare(options);
        output_.declare(options);
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
        const std::vector<llm::Point> points = points_of(wishes);
        if (model.input.name.starts_with("zoo:")) inputs_.nets = {model.model.name};
        Inputs inputs("llm", inputs_);
        if (inputs.zigzag().decide()) fail_usage("llm", "a machine in Timeloop's format is needed, not ZigZag's");
        if (plan_.objective.empty()) plan_.objective = "latency";
        PlannedSearch settings = plan_.settle(inputs.root());
        ServingMachine machine = machine_of(inputs);
        set_choices(wishes, machine);
        machine.fastest_as_built = plan_.mapper.empty() && plan_.factors.empty() && !plan_.uneven &&
                                   settings.map.objective.kind == ObjectiveKind::latency;
        prepare("llm", output_);
        const ServingPlan plan = plan_serving(model.model, points, machine, serving_widths(wishes, model.model));
        plan_.check(plan.problem);
        if (const std::string why = refusal(capabilities_of(plan.problem, settings.map)); !why.empty())
            fail_usage("llm", why);
        AnswerCache cache(answer_cache(cache_, settings.map, output_.quiet));
        const NetworkAnswer answer =
            search_layers(plan.problem, settings.map, cache, output_.quiet, serving_mapper(plan, machine));
        report::ServingReport report = serving_report(model, wishes, machine, plan, answer);
        describe(report, inputs, model, settings);
        write(report);
        tell_found(cache.found(), output_.quiet);
        return status_of(report);
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

    static void describe(report::ServingReport& report, const Inputs& inputs, const NamedModel& model,
                         const PlannedSearch& settings) {
        for (const std::string& note : inputs.notes()) report.notes.push_back(note);
        const std::vector<std::pair<std::string, std::string>> choices = report.provenance.options;
        report.provenance = provenance("llm", inputs.read());
        report.provenance.inputs.push_back(model.input);
        report.provenance.seed = settings.map.seed;
        report.provenance.options = settings.for_the_report;
        report.provenance.options.insert(report.provenance.options.end(), choices.begin(), choices.end());
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
    std::string model_;
    std::vector<std::string> bits_;
    std::vector<std::string> batches_;
    std::vector<std::string> prompts_;
    std::vector<std::string> contexts_;
    std::vector<std::string> devices_;
    std::string collective_;
    std::string latency_;
    std::string attention_;
};

}  // namespace

std::unique_ptr<Command> make_llm() { return std::make_unique<Llm>(); }

}  // namespace tilewright::cli
