#include "run/llm/serve_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/numbers/hash.hpp"
#include "llm/footprint.hpp"
#include "native/models/language_model.hpp"
#include "report/cascade/cascade.hpp"
#include "run/physical/map_physically.hpp"
#include "workload/cascade/text.hpp"
#include "workload/widths.hpp"
#include "workload/zoo/cascades.hpp"
#include "workload/zoo/zoo.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kMostPoints = 10'000;
constexpr llm::Point kAnyPoint{Phase::decode, 1, 1, 1, 1};

[[noreturn]] void refuse_serving(const std::string& why) { throw InputError(ErrorCode::usage, {}, why); }

std::string stem_of(const std::string& file) {
    std::string stem = std::filesystem::path(file).stem().string();
    constexpr std::string_view kEnding = ".config";
    if (stem.ends_with(kEnding)) stem.resize(stem.size() - kEnding.size());
    return stem;
}

NamedModel of_decoder(const std::string& name, const DecoderSizes& sizes, report::Input input,
                      std::vector<std::string> notes) {
    const auto cascade = [name, sizes](const llm::Point& point) {
        return decoder_cascade(name, sizes, {point.batch, point.tokens, point.context});
    };
    return {{name, cascade}, std::move(input), std::move(notes), sizes};
}

NamedModel of_sizes(const std::string& file, const std::string& text) {
    std::vector<std::string> notes;
    const DecoderSizes sizes = native::read_language_model(yaml::parse_text(text, file), notes);
    return of_decoder(stem_of(file), sizes, {file, content_hash(text)}, std::move(notes));
}

// Of any kind, with caches; its numbers of tokens are marks (docs/llm.md).
NamedModel of_cascade(const std::string& file, const std::string& text) {
    const auto refuse = [&](const std::string& message) { throw InputError(ErrorCode::unsupported, {file}, message); };
    for (const char* mark : {"@batch", "@tokens", "@context"})
        if (text.find(mark) == std::string::npos)
            refuse(
                fmt::format("a cascade that `llm` asks at several points has '{}' where its size stands; `map --fuse` "
                            "and `map --cascade` take it as it is",
                            mark));
    const std::string name = std::filesystem::path(file).stem().string();
    const auto cascade = [name, file, text](const llm::Point& point) {
        return parse_cascade(llm::at_point(text, point), {}, name, file);
    };
    if (std::ranges::none_of(cascade(kAnyPoint).tensors,
                             [](const CascadeTensor& one) { return one.role == TensorRole::cache; }))
        refuse("the cascade has no cache: tokens of the context are kept in one");
    return {{name, cascade}, {file, content_hash(text)}, {}, {}};
}

NamedModel of_zoo(const std::string& written) {
    const std::string name = zoo_name_of(written);
    if (!is_zoo_cascade(name)) {
        std::vector<std::string> notes;
        if (const auto sizes = native::published_model(name, notes)) return of_decoder(name, *sizes, {}, notes);
    }
    std::vector<std::string> names;
    for (const ZooEntry& entry : zoo_cascades()) {
        if (entry.name == name) {
            static_cast<void>(zoo_cascade(name, {}, Phase::decode));  // throws for an encoder
            return {
                name, {"zoo:" + name, content_hash(report::cascade_json(zoo_cascade(name)))}, {}, zoo_decoder(name)};
        }
        if (is_zoo_language_model(entry.name)) names.push_back(entry.name);
    }
    for (std::string& published : native::published_models()) names.push_back(std::move(published));
    refuse_serving(fmt::format("'{}' is no language model of the zoo{}; there are {}, and its config.json can be given",
                               name, did_you_mean(name, names), list_words(names)));
}

void check_numbers(const std::string& option, const std::vector<std::int64_t>& numbers, std::int64_t least) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] < least || numbers[i] > kMostZooExtent)
            refuse_serving(fmt::format("{} takes whole numbers from {} to {} with commas between them, found '{}'",
                                       option, least, kMostZooExtent, numbers[i]));
        if (std::find(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(i), numbers[i]) !=
            numbers.begin() + static_cast<std::ptrdiff_t>(i))
            refuse_serving(fmt::format("{}: {} stands there twice", option, numbers[i]));
    }
}

}  // namespace

NamedModel named_model(const std::string& name, std::uintmax_t most_bytes) {
    if (name.ends_with(".json")) return of_sizes(name, read_file(name, most_bytes));
    if (name.ends_with(".cascade")) return of_cascade(name, read_file(name, most_bytes));
    return of_zoo(name);
}

std::vector<llm::Point> points_of(const ServingWishes& wishes) {
    const std::string& dashes = wishes.dashes;
    const std::vector<std::int64_t> prompts = wishes.prompts.empty() ? std::vector<std::int64_t>{2048} : wishes.prompts;
    const std::vector<std::int64_t>& contexts = wishes.contexts.empty() ? prompts : wishes.contexts;
    check_numbers(dashes + "batch", wishes.batches, 1);
    check_numbers(dashes + "prompt", prompts, 1);
    check_numbers(dashes + "context", contexts, 0);
    check_numbers(dashes + (dashes.empty() ? "tensor_parallel" : "tensor-parallel"), wishes.devices, 1);
    const std::int64_t least_prompt = std::ranges::min(prompts);
    if (const std::int64_t most = std::ranges::max(contexts); !wishes.prompts.empty() && most < least_prompt)
        refuse_serving(
            fmt::format("{0}context {1}: the cache holds the prompt, too, and the shortest of {0}prompt has "
                        "{2} tokens; take a context of at least {2}, or another prompt",
                        dashes, most, least_prompt));
    const double most = static_cast<double>(wishes.devices.size()) * static_cast<double>(wishes.batches.size()) *
                        static_cast<double>(prompts.size() + contexts.size());
    if (most > static_cast<double>(kMostPoints))
        refuse_serving(fmt::format("{:.0f} points are too many; the most is {}", most, kMostPoints));
    std::vector<llm::Point> points;
    for (const std::int64_t count : wishes.devices)
        for (const std::int64_t batch : wishes.batches)
            for (const std::int64_t prompt : prompts) points.push_back({Phase::prefill, batch, prompt, 0, count});
    for (const std::int64_t count : wishes.devices)
        for (const std::int64_t batch : wishes.batches)
            for (const std::int64_t context : contexts) points.push_back({Phase::decode, batch, 1, context, count});
    return points;
}

void set_choices(const ServingWishes& wishes, ServingMachine& machine) {
    const std::string& dashes = wishes.dashes;
    if (wishes.latency == "physical" && !machine.silicon)
        refuse_serving(
            fmt::format("{}latency physical needs a machine with a section 'silicon' (docs/silicon.md)", dashes));
    if (wishes.latency == "plain") machine.silicon.reset();
    machine.fuse = wishes.fuse;
    const bool kernels = machine.silicon && std::holds_alternative<silicon::KernelMachine>(machine.silicon->machine);
    if (!wishes.attention.empty() && !kernels)
        refuse_serving(
            fmt::format("{}attention is about GPUs and TPUs as built; elsewhere attention is its einsums", dashes));
    if (wishes.attention == "masked") machine.attention = silicon::AttentionKind::masked;
    if (wishes.attention == "unfused") machine.attention = silicon::AttentionKind::unfused;
    if (wishes.collective == "ring") machine.collective = llm::Collective::ring;
    if (wishes.collective == "tree") machine.collective = llm::Collective::tree;
}

std::string serving_refusal(const ServingMachine& machine, const std::vector<Capability>& together, bool served) {
    std::vector<Capability> all = together;
    if (machine.silicon) all.push_back(Capability::as_built);
    if (std::ranges::count(all, Capability::pareto) > 0)  // under load or not
        return refusal(Capability::serving, Capability::pareto);
    for (const auto& [asked, own] : {std::pair(machine.fuse, Capability::fusion), {served, Capability::serving}})
        for (const Capability one : all)
            if (std::string why = asked ? refusal(own, one) : ""; !why.empty()) return why;
    return "";
}

std::vector<TensorWidth> serving_widths(const ServingWishes& wishes, const llm::Model& model) {
    const std::string option = wishes.dashes + "bits";
    std::vector<TensorWidth> widths = parse_widths(option, wishes.bits);
    if (have_partial_sums(widths))
        refuse_serving(option + " is about weights and caches here, which have no partial sums");
    // A name that nothing has is a mistake whatever the point.
    Cascade any = model.at(kAnyPoint);
    try {
        static_cast<void>(llm::set_widths(any, widths));
    } catch (const InputError& error) {
        refuse_serving(option + ": " + error.message());
    }
    return widths;
}

MapsShape serving_mapper(const ServingPlan& plan, const ServingMachine& machine) {
    const bool as_built = machine.fastest_as_built && machine.silicon &&
                          std::holds_alternative<silicon::SystolicMachine>(machine.silicon->machine);
    return as_built ? physical_mapper(plan.problem, *machine.silicon) : MapsShape{};
}

report::ServingReport serving_report(const NamedModel& model, const ServingWishes& wishes,
                                     const ServingMachine& machine, const ServingPlan& plan,
                                     const NetworkAnswer& answer, const FusedParts* fused) {
    report::ServingReport report;
    report.points = costs_of(plan, answer, machine, fused);
    report.interrupted = answer.interrupted || (fused != nullptr && fused->interrupted);
    std::vector<llm::Point> points;
    for (const ServingPoint& point : plan.points) points.push_back(point.point);
    describe_serving(model, wishes, machine, points, report);
    if (fused != nullptr) report.notes.push_back(fusion_note(*fused, report.points));
    return report;
}

void describe_serving(const NamedModel& model, const ServingWishes& wishes, const ServingMachine& machine,
                      const std::vector<llm::Point>& points, report::ServingReport& report) {
    report.machine = machine.architecture.name;
    report.model = model.model.name;
    report.latency = machine.silicon ? "as built" : "plain model";
    report.notes = serving_caveats(machine, points);
    if (std::string note = wear_note(report.points); !note.empty()) report.notes.push_back(std::move(note));
    if (std::string note = power_note(report.points, machine.device); !note.empty())
        report.notes.push_back(std::move(note));
    if (!wishes.bits.empty())
        report.notes.push_back(
            fmt::format("words of weights and caches: {}; operations take as long as with the machine's own words, and "
                        "unpacking takes no time",
                        fmt::join(wishes.bits, ", ")));
    for (const std::string& note : model.notes) report.notes.push_back(report.model + ": " + note);
    if (!wishes.bits.empty())
        report.provenance.options.emplace_back("bits", fmt::format("{}", fmt::join(wishes.bits, ",")));
    if (wishes.fuse) report.provenance.options.emplace_back("fuse", "true");
    if (!wishes.attention.empty()) report.provenance.options.emplace_back("attention", wishes.attention);
    if (!wishes.collective.empty()) report.provenance.options.emplace_back("collective", wishes.collective);
}

}  // namespace tilewright
