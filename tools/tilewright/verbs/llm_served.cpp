#include "verbs/llm_served.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/hash.hpp"
#include "llm/server/engine.hpp"
#include "native/models/engines.hpp"
#include "native/models/requests.hpp"
#include "options/machine_options.hpp"
#include "silicon/accelerator/form.hpp"

namespace tilewright::cli {
namespace {

constexpr std::int64_t kMostDevices = 4096;
constexpr std::int64_t kMostLoad = 1'000'000;
constexpr std::int64_t kRequestsMapped = 256;  // of a rank, where none are said

template <typename T>
std::optional<T> number_of(std::string_view text) {
    T number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// "tp4dp2ep8x2", spaces anywhere; what is left out is 1, and experts are cut over all devices.
llm::Layout layout_of(const std::string& text, bool experts) {
    llm::Layout layout;
    bool says_experts = false;
    const std::vector<std::pair<std::string_view, std::int64_t*>> parts{{"tp", &layout.tensor},
                                                                        {"dp", &layout.data},
                                                                        {"pp", &layout.pipeline},
                                                                        {"ep", &layout.expert},
                                                                        {"x", &layout.groups}};
    for (std::string_view rest = text; !rest.empty();) {
        const auto part = std::ranges::find_if(parts, [&](const auto& one) { return rest.starts_with(one.first); });
        std::int64_t number = 0;
        const char* begin = part == parts.end() ? nullptr : rest.data() + part->first.size();
        const auto [end, error] = begin ? std::from_chars(begin, text.data() + text.size(), number)
                                        : std::from_chars_result{nullptr, std::errc::invalid_argument};
        if (error != std::errc{} || number < 1 || number > kMostDevices)
            fail_usage("llm", fmt::format("--deploy takes tpN, dpN, ppN, epN and xN (groups) one behind the other, "
                                          "groups that only prefill before a '+' (tp2x2+tp8), found '{}'",
                                          text));
        *part->second = number;
        says_experts = says_experts || part->first == "ep";
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    }
    const std::int64_t shares = layout.tensor * layout.data;
    if (says_experts && shares % layout.expert != 0)
        fail_usage("llm", fmt::format("--deploy {}: {} ranks of experts do not divide the {} devices of tp and dp",
                                      text, layout.expert, shares));
    if (experts) layout.expert_tensor = shares / layout.expert;
    return layout;
}

llm::Deployment deployment_of(std::string text, const std::optional<DecoderSizes>& sizes) {
    std::erase(text, ' ');
    const bool experts = sizes && sizes->experts > 0;
    const std::size_t plus = text.find('+');
    llm::Deployment deployment{layout_of(plus == std::string::npos ? text : text.substr(plus + 1), experts), {}};
    if (plus != std::string::npos) deployment.prefill = layout_of(text.substr(0, plus), experts);
    if (!sizes) return deployment;
    std::string why = llm::layout_problem(*sizes, deployment.layout);
    if (why.empty() && deployment.prefill) why = llm::layout_problem(*sizes, *deployment.prefill);
    if (!why.empty()) fail_usage("llm", fmt::format("--deploy {}: {}", text, why));
    return deployment;
}

// "vllm,places=256,step_tokens=2048": the constants of data/serving/engines.yaml.
llm::Engine engine_of(const std::vector<std::string>& words, bool kernels) {
    llm::Engine engine;
    std::size_t first = 0;
    if (!words.empty() && words.front().find('=') == std::string::npos) first = 1;
    try {
        engine = native::engine_named(first == 1 ? words.front() : kernels ? "vllm" : "none");
    } catch (const InputError& error) {
        fail_usage("llm", "--engine: " + error.message());
    }
    const std::vector<std::pair<std::string, double*>> reals{
        {"host_us", &engine.host_us},   {"mix", &engine.mix},
        {"burst", &engine.burst},       {"prompt_step_us", &engine.prompt_step_us},
        {"front_us", &engine.front_us}, {"memory_share", &engine.memory_share},
        {"skew", &engine.skew},         {"network_bytes_us", &engine.network_bytes_us}};
    const std::vector<std::pair<std::string, std::int64_t*>> wholes{{"step_tokens", &engine.step_tokens},
                                                                    {"places", &engine.places},
                                                                    {"block_tokens", &engine.block_tokens},
                                                                    {"blocks", &engine.blocks}};
    for (std::size_t i = first; i < words.size(); ++i) {
        const std::size_t equals = words[i].find('=');
        const std::string name = words[i].substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : words[i].substr(equals + 1);
        const auto real = std::ranges::find(reals, name, [](const auto& one) { return one.first; });
        const auto whole = std::ranges::find(wholes, name, [](const auto& one) { return one.first; });
        const std::optional<double> number = number_of<double>(value);
        if (real != reals.end() && number && *number >= 0.0 && *number < 1e15)
            *real->second = *number;
        else if (whole != wholes.end() && number_of<std::int64_t>(value).value_or(0) > 0)
            *whole->second = *number_of<std::int64_t>(value);
        else
            fail_usage("llm", fmt::format("--engine takes the name of an engine and NAME=NUMBER of its constants "
                                          "(data/serving/engines.yaml), found '{}'",
                                          words[i]));
    }
    return engine;
}

llm::ServedWords served_words_of(const ServedOptions& options, const std::vector<std::string>& bits) {
    llm::ServedWords words;
    if (options.arithmetic.size() > 2) fail_usage("llm", "--arithmetic takes that of products, then that of experts");
    const auto named = [](const std::string& name) {
        if (const auto found = silicon::precision_named(name)) return *found;
        fail_usage("llm", fmt::format("--arithmetic takes bfloat16, fp8, fp8_block, nvfp4, int4_wo, w4a16_mxfp4 and "
                                      "w4a8_mxfp4_mxfp8, found '{}'",
                                      name));
    };
    if (!options.arithmetic.empty()) {
        words.products = named(options.arithmetic.front());
        words.experts = named(options.arithmetic.back());
    }
    for (const std::string& one : bits) {
        if (one == "Cache=8")
            words.kv_bytes = 1.0;
        else if (one != "Cache=16")
            fail_usage("llm",
                       fmt::format("under load --bits takes Cache=8 or Cache=16, found '{}'; weights are as wide as "
                                   "--arithmetic says",
                                   one));
    }
    return words;
}

// "tpot<30ms"
llm::ServiceLimits limits_of(const std::vector<std::string>& texts) {
    llm::ServiceLimits limits;
    const std::vector<std::pair<std::string_view, std::optional<double>*>> names{
        {"tpot", &limits.tpot_us}, {"ttft", &limits.ttft_us}, {"latency", &limits.latency_us}};
    const std::vector<std::pair<std::string_view, double>> units{{"us", 1.0}, {"ms", 1e3}, {"s", 1e6}};
    for (const std::string& text : texts) {
        const std::size_t below = std::min(text.find('<'), text.size());
        const auto name = std::ranges::find(names, text.substr(0, below), [](const auto& one) { return one.first; });
        const std::string_view rest = std::string_view(text).substr(std::min(below + 1, text.size()));
        const auto unit = std::ranges::find_if(units, [&](const auto& one) { return rest.ends_with(one.first); });
        const std::optional<double> number =
            unit == units.end() ? std::nullopt : number_of<double>(rest.substr(0, rest.size() - unit->first.size()));
        if (name == names.end() || !number || !(*number > 0.0))
            fail_usage("llm",
                       fmt::format("--best takes limits such as tpot<30ms,ttft<500ms,latency<20s, found '{}'", text));
        *name->second = *number * unit->second;
    }
    return limits;
}

std::vector<std::optional<std::int64_t>> loads_of(const std::vector<std::string>& texts) {
    std::vector<std::optional<std::int64_t>> loads;
    for (const std::string& text : texts) {
        const std::optional<std::int64_t> number = number_of<std::int64_t>(text);
        if (text != "fits" && (!number || *number < 1 || *number > kMostLoad))
            fail_usage("llm", fmt::format("--load takes numbers of requests from 1 to {}, or 'fits', found '{}'",
                                          kMostLoad, text));
        loads.push_back(number);
    }
    return loads;
}

std::vector<llm::Deployment> deployments_asked(const ServedOptions& options, const std::optional<DecoderSizes>& sizes,
                                               const std::vector<std::int64_t>& tensor) {
    std::vector<llm::Deployment> all;
    for (const std::string& text : options.layouts) all.push_back(deployment_of(text, sizes));
    if (!all.empty()) return all;
    const std::int64_t devices = options.devices.value_or(1);
    if (!options.limits.empty() && sizes) return llm::deployments_of(*sizes, devices, true);
    for (const std::int64_t each : tensor) {
        if (devices > 1 && devices % each != 0)
            fail_usage("llm", fmt::format("--devices {}: groups of {} do not use all of them", devices, each));
        all.push_back(deployment_of(fmt::format("tp{}x{}", each, std::max<std::int64_t>(1, devices / each)), sizes));
    }
    return all;
}

}  // namespace

void ServedOptions::declare(Options& options) {
    options.group("Server");
    options.value("load", 0, "LIST",
                  "requests under way under continuous batching; 'fits': as many as the memory holds", &loads);
    options.value("outputs", 0, "N", "tokens of each answer (default 256)", &output).between(1, kMostLoad);
    options.value(
        "deploy", 0, "LIST",
        "devices: tpN, dpN, ppN, epN and xN groups one behind the other; before a '+' those that only prefill "
        "(tp2x2+tp8)",
        &layouts);
    options.value("devices", 0, "N", "of all groups together (default 1)", &devices).between(1, kMostDevices);
    options.value("arithmetic", 0, "LIST", "of products, then of experts: bfloat16 (the default), fp8, nvfp4, ...",
                  &arithmetic);
    options.value("engine", 0, "LIST",
                  "the software: vllm, trtllm, sglang or none, then its constants: vllm,places=256,step_tokens=2048",
                  &engine);
    options.value("best", 0, "LIMITS",
                  "the most tokens a second within tpot<30ms,ttft<500ms,latency<20s, of all layouts of --devices or of "
                  "--deploy",
                  &limits);
    options.value("trace", 0, "FILE", "requests one by one: input, output, arrival_s", &trace).completes = "file";
    options.only_with({"outputs", "deploy", "devices", "arithmetic", "engine"}, {"load", "best", "trace"},
                      "{} is about a server: give --load, --best or --trace, too");
    options.not_with({"trace"}, {"load", "best"}, "--trace has requests of its own: leave out --load and --best");
    options.not_with({"best"}, {"load"}, "--best tries every number of requests: leave out --load");
}

ServedQuestion served_question(const ServedOptions& options, const std::optional<DecoderSizes>& sizes, bool kernels,
                               const std::vector<std::int64_t>& tensor, const std::vector<std::int64_t>& prompts,
                               const std::vector<std::string>& bits, std::vector<report::Input>& read) {
    ServedQuestion question;
    question.engine = engine_of(options.engine, kernels);
    question.words = served_words_of(options, bits);
    question.deployments = deployments_asked(options, sizes, tensor);
    question.loads = loads_of(options.loads);
    question.prompts = prompts;
    question.output = options.output.value_or(question.output);
    question.limits = limits_of(options.limits);
    if (!options.limits.empty() && prompts.size() > 1) fail_usage("llm", "--best takes one --prompt");
    if (options.trace.empty()) return question;
    if (question.deployments.size() != 1 || question.deployments.front().prefill)
        fail_usage("llm", "--trace takes one layout, without groups that only prefill");
    const std::string text = read_file(options.trace);
    read.push_back({options.trace, content_hash(text)});
    native::RequestFile file = native::read_requests(text, options.trace);
    question.requests = std::move(file.requests);
    question.measured = std::move(file.measured);
    return question;
}

AskedRange range_of(const ServedQuestion& question) {
    AskedRange range;
    const std::int64_t prompt = question.prompts.empty() ? 1 : std::ranges::max(question.prompts);
    range.requests = question.loads.empty() ? kRequestsMapped : 1;
    for (const std::optional<std::int64_t>& load : question.loads)
        range.requests = std::max(range.requests, load.value_or(kRequestsMapped));
    range.requests = std::min(range.requests, question.engine.places);
    range.context = prompt + question.output;
    for (const llm::Request& one : question.requests) range.context = std::max(range.context, one.prompt + one.output);
    range.tokens = std::min(question.engine.step_tokens, range.context) + range.requests;
    return range;
}

report::ServedReport answer(const ServedQuestion& question, const ServedOptions& options, const llm::ServerOf& server) {
    report::ServedReport report;
    report.engine = options.engine.empty() ? question.engine.name : fmt::format("{}", fmt::join(options.engine, ","));
    if (!question.requests.empty()) {
        const llm::Deployment& deployment = question.deployments.front();
        report.trace = report::TraceReport{deployment, question.requests,
                                           llm::serve_requests(server, deployment.layout, question.requests),
                                           question.measured, llm::cache_blocks(server, deployment.layout)};
        return report;
    }
    if (!options.limits.empty()) {
        const llm::Load load{1, question.prompts.front(), question.output};
        llm::BestServer best = llm::best_server(question.deployments, load, question.limits, server);
        report.cases = std::move(best.best);
        report.searched = best.counts;
        report.limits = fmt::format("{}", fmt::join(options.limits, ","));
        return report;
    }
    for (const llm::Deployment& deployment : question.deployments)
        for (const std::int64_t prompt : question.prompts)
            for (const std::optional<std::int64_t>& load : question.loads) {
                const std::int64_t fits =
                    llm::most_requests(server, deployment.layout, prompt + question.output) * deployment.layout.ranks();
                if (!load && fits == 0)
                    fail_usage("llm", fmt::format("--load fits: not one request of {} tokens fits on {}",
                                                  prompt + question.output, report::deployment_text(deployment)));
                report.cases.push_back(
                    llm::served_case(server, deployment, {load.value_or(fits), prompt, question.output}));
            }
    return report;
}

}  // namespace tilewright::cli
