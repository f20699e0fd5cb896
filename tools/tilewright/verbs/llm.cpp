// tilewright llm: what serving a language model takes: time to the first token, time of each token, room.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "arch/vector_unit.hpp"
#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/hash.hpp"
#include "inputs/cascades.hpp"
#include "inputs/inputs.hpp"
#include "llm/widths.hpp"
#include "native/models/language_model.hpp"
#include "options/search.hpp"
#include "options/verb.hpp"
#include "options/width_options.hpp"
#include "output/cache.hpp"
#include "output/output.hpp"
#include "report/cascade/cascade.hpp"
#include "report/llm/serving.hpp"
#include "report/plot/chart.hpp"
#include "run/composition.hpp"
#include "run/llm/mapped_server.hpp"
#include "run/llm/serve.hpp"
#include "run/physical/map_physically.hpp"
#include "silicon/files/accelerator.hpp"
#include "silicon/files/silicon.hpp"
#include "timeloop/additions/additions.hpp"
#include "verbs/llm_served.hpp"
#include "verbs/map/search_layers.hpp"
#include "workload/cascade/text.hpp"
#include "workload/zoo/cascades.hpp"

namespace tilewright::cli {
namespace {

constexpr std::int64_t kMostPoints = 10'000;

/// "1,8,64": whole numbers of at least `least`, each once.
std::vector<std::int64_t> numbers(const std::string& option, const std::vector<std::string>& texts,
                                  std::int64_t least) {
    std::vector<std::int64_t> all;
    for (const std::string& text : texts) {
        std::int64_t number = 0;
        const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{} || stopped != text.data() + text.size() || number < least || number > kMostZooExtent)
            fail_usage("llm", fmt::format("{} takes whole numbers from {} to {} with commas between them, found '{}'",
                                          option, least, kMostZooExtent, text));
        if (std::ranges::find(all, number) != all.end())
            fail_usage("llm", fmt::format("{}: {} stands there twice", option, number));
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
        served_.declare(options);
        plan_.declare(options);
        cache_.declare(options);
        output_.declare(options);
    }

    ExitStatus run() override {
        served_.refuse_without_load();
        take_model();
        if (!sizes_ && own_text_.empty()) inputs_.nets = {model_};
        Inputs inputs("llm", inputs_);
        if (inputs.zigzag().decide()) fail_usage("llm", "a machine in Timeloop's format is needed, not ZigZag's");
        if (plan_.objective.empty()) plan_.objective = "latency";
        PlannedSearch settings = plan_.settle(inputs.root());
        ServingMachine machine = machine_of(inputs);
        machine.fastest_as_built = plan_.mapper.empty() && plan_.factors.empty() && !plan_.uneven &&
                                   settings.map.objective.kind == ObjectiveKind::latency;
        prepare("llm", output_);
        report::ServingReport report;
        if (served_.asked()) {
            serve(report, inputs, machine, settings);
        } else {
            const std::vector<llm::Point> points = asked_points();
            report.points = costs_at(points, machine, settings, report);
            describe(report, inputs, machine, settings, points);
        }
        write(report);
        return status_of(report);
    }

   private:
    // A file of sizes, or a name of the zoo, which becomes the zoo's own.
    void take_model() {
        if (model_.empty())
            fail_usage("llm",
                       "which model: give --net NAME, one of the zoo's language models, --net config.json, or "
                       "a cascade file");
        if (model_.ends_with(".json")) return read_sizes();
        if (is_cascade_file(model_)) return read_own_cascade();
        model_ = zoo_name_of(model_);
        if (!is_zoo_cascade(model_)) sizes_ = native::published_model(model_, model_notes_);
        if (sizes_) return;
        for (const ZooEntry& entry : zoo_cascades()) {
            if (entry.name != model_) continue;
            static_cast<void>(zoo_cascade(model_, {}, Phase::decode));  // throws for an encoder
            return;
        }
        std::vector<std::string> names;
        for (const ZooEntry& entry : zoo_cascades())
            if (is_zoo_language_model(entry.name)) names.push_back(entry.name);
        for (std::string& name : native::published_models()) names.push_back(std::move(name));
        fail_usage("llm",
                   fmt::format("'{}' is no language model of the zoo{}; there are {}, and its config.json can be "
                               "given",
                               model_, did_you_mean(model_, names), list_words(names)));
    }

    void read_sizes() {
        const std::string text = read_file(model_, most_input_bytes({}, model_));
        sizes_ = native::read_language_model(yaml::parse_text(text, model_), model_notes_);
        read_ = report::Input{model_, content_hash(text)};
        model_ = std::filesystem::path(model_).stem().string();
        constexpr std::string_view kEnding = ".config";
        if (model_.ends_with(kEnding)) model_.resize(model_.size() - kEnding.size());
    }

    // Of any kind, with caches; its numbers of tokens are marks (docs/llm.md).
    void read_own_cascade() {
        own_file_ = model_;
        own_text_ = read_file(model_, most_input_bytes({}, model_));
        read_ = report::Input{model_, content_hash(own_text_)};
        model_ = std::filesystem::path(model_).stem().string();
        const auto refuse = [&](const std::string& message) {
            throw InputError(ErrorCode::unsupported, {own_file_}, message);
        };
        for (const char* mark : {"@batch", "@tokens", "@context"})
            if (own_text_.find(mark) == std::string::npos)
                refuse(
                    fmt::format("a cascade that `llm` asks at several points has '{}' where its size stands; `map "
                                "--fuse` and `map --cascade` take it as it is",
                                mark));
        if (std::ranges::none_of(model().at({Phase::decode, 1, 1, 1, 1}).tensors,
                                 [](const CascadeTensor& one) { return one.role == TensorRole::cache; }))
            refuse("the cascade has no cache: tokens of the context are kept in one");
    }

    std::vector<llm::PhaseCosts> costs_at(const std::vector<llm::Point>& points, const ServingMachine& machine,
                                          const PlannedSearch& settings, report::ServingReport& report) const {
        const ServingPlan plan = plan_serving(model(), points, machine, widths_asked());
        plan_.check(plan.problem);
        if (const std::string why = refusal(capabilities_of(plan.problem, settings.map)); !why.empty())
            fail_usage("llm", why);
        AnswerCache cache(answer_cache(cache_, settings.map, output_.quiet));
        const bool as_built = machine.fastest_as_built && machine.silicon &&
                              std::holds_alternative<silicon::SystolicMachine>(machine.silicon->machine);
        const NetworkAnswer answer =
            search_layers(plan.problem, settings.map, cache, output_.quiet,
                          as_built ? physical_mapper(plan.problem, *machine.silicon) : MapsShape{});
        report.interrupted = answer.interrupted;
        tell_found(cache.found(), output_.quiet);
        return costs_of(plan, answer, machine);
    }

    // By the kernels of an accelerator, else by what `map` finds for the layers of each step.
    void serve(report::ServingReport& report, const Inputs& inputs, const ServingMachine& machine,
               const PlannedSearch& settings) {
        std::optional<DecoderSizes> sizes = sizes_;
        if (!sizes && own_text_.empty()) sizes = zoo_decoder(model_);
        const std::string engine = served_.engine.empty() || served_.engine.front().find('=') != std::string::npos ||
                                           served_.engine.front() == "none"
                                       ? "vllm"
                                       : served_.engine.front();
        const std::vector<std::string> known = silicon::engine_names();
        std::optional<silicon::Accelerator> accelerator;
        if (sizes && latency_ != "plain" && machine.fastest_as_built)
            accelerator = silicon::read_accelerator(inputs.root(), machine.architecture,
                                                    std::ranges::count(known, engine) > 0 ? engine : "vllm");
        std::vector<report::Input> read;
        const ServedQuestion question =
            served_question(served_, sizes, accelerator.has_value(), numbers("--tensor-parallel", or_one(devices_), 1),
                            numbers("--prompt", prompts_.empty() ? std::vector<std::string>{"2048"} : prompts_, 1),
                            accelerator ? bits_ : std::vector<std::string>{}, read);
        std::vector<llm::Point> points;
        if (accelerator) {
            report.served = answer(
                question, served_,
                llm::kernel_server(*accelerator, *sizes, question.words, question.engine, machine.device.memory_bytes));
        } else {
            if (!served_.arithmetic.empty())
                fail_usage("llm",
                           "--arithmetic is about accelerators with kernels of engines; here --bits says widths");
            points = mapped_points(question);
            report.served =
                answer(question, served_, mapped_server(costs_at(points, machine, settings, report), question.engine));
        }
        describe(report, inputs, machine, settings, points);
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

    llm::Model model() const {
        if (!own_text_.empty())
            return {model_, [name = model_, file = own_file_, text = own_text_](const llm::Point& point) {
                        return parse_cascade(llm::at_point(text, point), {}, name, file);
                    }};
        if (!sizes_) return model_;
        return {model_, [name = model_, sizes = *sizes_](const llm::Point& point) {
                    return decoder_cascade(name, sizes, {point.batch, point.tokens, point.context});
                }};
    }

    std::vector<TensorWidth> widths_asked() const {
        const Widths widths = read_widths("llm", bits_);
        if (widths.have_partial_sums)
            fail_usage("llm", "--bits is about weights and caches here, which have no partial sums");
        // A name that nothing has is a mistake whatever the point.
        Cascade any = model().at({Phase::decode, 1, 1, 1, 1});
        try {
            static_cast<void>(llm::set_widths(any, widths.words));
        } catch (const InputError& error) {
            fail_usage("llm", "--bits: " + error.message());
        }
        return widths.words;
    }

    std::vector<llm::Point> asked_points() const {
        const auto given = [](const std::vector<std::string>& texts, const char* otherwise) {
            return texts.empty() ? std::vector<std::string>{otherwise} : texts;
        };
        const std::vector<std::int64_t> batches = numbers("--batch", given(batches_, "1"), 1);
        const std::vector<std::int64_t> prompts = numbers("--prompt", given(prompts_, "2048"), 1);
        const std::vector<std::int64_t> contexts = contexts_.empty() ? prompts : numbers("--context", contexts_, 0);
        const auto least_prompt = std::ranges::min(prompts);
        if (const auto most_context = std::ranges::max(contexts); !prompts_.empty() && most_context < least_prompt)
            fail_usage("llm",
                       fmt::format("--context {0}: the cache holds the prompt, too, and the shortest of --prompt "
                                   "has {1} tokens; take a context of at least {1}, or another prompt",
                                   most_context, least_prompt));
        const std::vector<std::int64_t> devices = numbers("--tensor-parallel", given(devices_, "1"), 1);
        const double most = static_cast<double>(devices.size()) * static_cast<double>(batches.size()) *
                            static_cast<double>(prompts.size() + contexts.size());
        if (most > static_cast<double>(kMostPoints))
            fail_usage("llm", fmt::format("{:.0f} points are too many; the most is {}", most, kMostPoints));
        std::vector<llm::Point> points;
        for (const std::int64_t count : devices)
            for (const std::int64_t batch : batches)
                for (const std::int64_t prompt : prompts) points.push_back({Phase::prefill, batch, prompt, 0, count});
        for (const std::int64_t count : devices)
            for (const std::int64_t batch : batches)
                for (const std::int64_t context : contexts) points.push_back({Phase::decode, batch, 1, context, count});
        return points;
    }

    ServingMachine machine_of(Inputs& inputs) const {
        ServingMachine machine;
        machine.architecture = inputs.architecture();
        machine.silicon = silicon::read_silicon(inputs.root(), machine.architecture);
        if (latency_ == "physical" && !machine.silicon)
            fail_usage("llm", "--latency physical needs a machine with a section 'silicon' (docs/silicon.md)");
        if (latency_ == "plain") machine.silicon.reset();
        const bool kernels =
            machine.silicon && std::holds_alternative<silicon::KernelMachine>(machine.silicon->machine);
        if (!attention_.empty() && !kernels)
            fail_usage("llm", "--attention is about GPUs and TPUs as built; elsewhere attention is its einsums");
        if (attention_ == "masked") machine.attention = silicon::AttentionKind::masked;
        if (attention_ == "unfused") machine.attention = silicon::AttentionKind::unfused;
        if (collective_ == "ring") machine.collective = llm::Collective::ring;
        if (collective_ == "tree") machine.collective = llm::Collective::tree;
        machine.vector_unit = inputs.vector_unit(machine.architecture);
        machine.device = timeloop::read_device(inputs.root());
        machine.constraints = [&inputs, architecture = machine.architecture](const Einsum& einsum) {
            return inputs.constraints(architecture, einsum);
        };
        return machine;
    }

    void describe(report::ServingReport& report, const Inputs& inputs, const ServingMachine& machine,
                  const PlannedSearch& settings, const std::vector<llm::Point>& points) const {
        report.machine = machine.architecture.name;
        report.model = model_;
        report.latency = machine.silicon ? "as built" : "plain model";
        report.notes = serving_caveats(machine, points);
        if (std::string note = power_note(report.points, machine.device); !note.empty())
            report.notes.push_back(std::move(note));
        if (!bits_.empty())
            report.notes.push_back(
                fmt::format("words of weights and caches: {}; operations take as long as with the machine's own words, "
                            "and unpacking takes no time",
                            fmt::join(bits_, ", ")));
        for (const std::string& note : model_notes_) report.notes.push_back(model_ + ": " + note);
        for (const std::string& note : inputs.notes()) report.notes.push_back(note);
        report.provenance = provenance("llm", inputs.read());
        if (read_)
            report.provenance.inputs.push_back(*read_);
        else if (!sizes_)
            report.provenance.inputs.push_back(
                {"zoo:" + model_, content_hash(report::cascade_json(zoo_cascade(model_)))});
        report.provenance.seed = settings.map.seed;
        report.provenance.options = settings.for_the_report;
        if (!bits_.empty()) report.provenance.options.emplace_back("bits", fmt::format("{}", fmt::join(bits_, ",")));
        if (!attention_.empty()) report.provenance.options.emplace_back("attention", attention_);
        if (!collective_.empty()) report.provenance.options.emplace_back("collective", collective_);
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
    std::optional<DecoderSizes> sizes_;  ///< of a file
    std::string own_text_;               ///< of a cascade file
    std::string own_file_;
    std::optional<report::Input> read_;  ///< a file of either kind
    std::vector<std::string> model_notes_;
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
