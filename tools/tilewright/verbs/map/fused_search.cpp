#include "verbs/map/fused_search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/deadline.hpp"
#include "base/numbers/number_text.hpp"
#include "fusion/optimize.hpp"
#include "mapping/fused/text.hpp"
#include "native/fused_mapping.hpp"
#include "options/machine_options.hpp"
#include "options/verb.hpp"
#include "report/fused/search.hpp"
#include "report/plot/chart.hpp"
#include "run/composition.hpp"
#include "run/fused/fusing.hpp"
#include "run/fused/map_fused.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/terminal.hpp"
#include "verbs/check/certificates.hpp"
#include "verbs/evaluate/fused.hpp"

namespace tilewright::cli {
namespace {

// "65536", "64k", "64Ki": k and M are powers of 1024, as memories are built. Nothing for what is no such number.
std::optional<std::int64_t> words_in(std::string_view text) {
    constexpr std::int64_t kMost = std::int64_t{1} << 50;
    if (text.size() > 2 && text.back() == 'i') text.remove_suffix(1);
    std::int64_t scale = 1;
    if (text.ends_with('k') || text.ends_with('K')) scale = 1024;
    if (text.ends_with('M')) scale = std::int64_t{1024} * 1024;
    if (scale > 1) text.remove_suffix(1);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < 1 || number > kMost / scale)
        return std::nullopt;
    return number * scale;
}

std::vector<std::int64_t> sizes_of(const std::vector<std::string>& texts) {
    std::vector<std::int64_t> sizes;
    for (const std::string& text : texts) {
        const std::optional<std::int64_t> words = words_in(text);
        if (!words)
            fail_usage("map",
                       "--buffers takes numbers of words with commas between them, such as 4096,64Ki,1Mi; found '" +
                           text + "'");
        sizes.push_back(*words);
    }
    std::ranges::sort(sizes);
    if (const auto twice = std::ranges::adjacent_find(sizes); twice != sizes.end())
        fail_usage("map", fmt::format("--buffers: {} stands there twice", *twice));
    return sizes;
}

// The mapping in both notations, the one without fusion, those of the front, and the curve.
std::vector<NamedBytes> files_of(const report::FusionReport& report, const Cascade& cascade,
                                 const Architecture& architecture, const fusion::Answer& answer) {
    std::vector<NamedBytes> files{
        {kMappingFile, native::write_fused_mapping(answer.fused->mapping, cascade, architecture)},
        {kFusedFile, report.mapping}};
    if (answer.unfused) files.emplace_back("unfused.fused", to_text(answer.unfused->mapping, cascade, architecture));
    for (std::size_t i = 0; i < report.front.size(); ++i)
        files.emplace_back(fmt::format("front/{}.fused", i + 1), report.front[i].mapping);
    if (const std::optional<views::Figure> figure = report::buffers_figure(report)) {
        files.emplace_back("buffers.svg", plot::svg(figure->chart));
        files.emplace_back("buffers.csv", report::buffers_csv(report));
    }
    return files;
}

// Beside the report; and where the user asked for it. `json`: "" where there is nothing to certify.
void add_certificate(const std::string& json, const std::string& certificate, const OutputOptions& output,
                     std::vector<NamedBytes>& files) {
    if (json.empty()) {
        if (!certificate.empty()) leave_no_certificate(certificate);
        return;
    }
    if (!output.directory.empty()) files.emplace_back(kCertificateFile, json);
    if (!certificate.empty()) files.emplace_back(std::filesystem::absolute(certificate), json);
}

void describe(report::FusionReport& report, const Inputs& inputs, const Fusing& fusing, const SearchPlan& plan,
              const std::vector<std::int64_t>& sizes, const std::vector<std::string>& bits) {
    report.notes = inputs.notes();
    if (!fusing.roles.empty()) report.notes.push_back(fusing.roles);
    report.provenance = provenance("map", inputs.read());
    report.provenance.options = {{"fuse", "true"}, {"objective", report.objective}};
    if (plan.time_limit_seconds)
        report.provenance.options.emplace_back("time-limit", fmt::format("{}", *plan.time_limit_seconds));
    if (!bits.empty()) report.provenance.options.emplace_back("bits", fmt::format("{}", fmt::join(bits, ",")));
    std::string all;
    for (const std::int64_t size : sizes) all += (all.empty() ? "" : ",") + std::to_string(size);
    if (!all.empty()) report.provenance.options.emplace_back("buffers", all);
}

// The best so far and the bound of all: "17 groups, 16.55 mJ, 31,217,670 cycles, bound 1.355e+17".
std::vector<std::string> progress_parts(const FusedProgress& now) {
    if (!now.found) return {"no plan yet"};
    std::vector<std::string> parts{fmt::format("{} groups", now.groups), energy_text(now.energy_pj),
                                   count_text(now.cycles) + " cycles"};
    if (now.bound > 0.0) parts.push_back("bound " + figure_text(now.bound));
    return parts;
}

// The options of the search, and how it goes; refused in the words of the command line.
Fusing settle(Inputs& inputs, const Cascade& cascade, const Architecture& architecture,
              const tilewright::FusedOptions& options) {
    return in_the_words_of(
        "map",
        [&] {
            return fusing_for(cascade, architecture, options,
                              [&](const Einsum& einsum) { return inputs.constraints(architecture, einsum); });
        },
        "--fuse: ");
}

FusedAnswer search(const Cascade& cascade, const Architecture& architecture, const Fusing& fusing,
                   const tilewright::FusedOptions& options, const StopSource& stop, bool quiet) {
    StatusLine line(!quiet);
    line.show("the first plan", true);
    return tilewright::search_fused(cascade, architecture, fusing, options,
                                    {&stop, [&](const FusedProgress& now) { line.show(progress_parts(now), true); }});
}

}  // namespace

void FusionOptions::declare(Options& options) {
    options.flag("fuse", 0, "the best fused mapping of a cascade, with proof", &fuse);
    options.value("buffers", 0, "SIZES",
                  "with --fuse: the fewest DRAM words for buffers of so many words, with proof: 16Ki,64Ki,1Mi",
                  &buffers);
    options
        .value(
            "fused-mapping", 0, "FILE",
            "with --fuse: loops and stores of this fused mapping as they are, and the best mapping of every leaf that "
            "it leaves open; of several side by side",
            &trees)
        .completes = "file";
}

const std::vector<std::string>& options_of_fusion() {
    static const std::vector<std::string> kKnown = {
        "arch",      "net",           "einsum",    "extents",    "dim",           "phase",       "cascade",
        "set",       "strict",        "objective", "quiet",      "jinja",         "dense",       "html",
        "estimator", "csv",           "json",      "reestimate", "largest-input", "unnamed",     "bits",
        "output",    "fused-mapping", "buffers",   "what-if",    "time-limit",    "certificate", "density",
        "uneven",    "mapper",        "factors",   "refine",     "latency"};
    return kKnown;
}

Cascade cascade_to_fuse(const std::string& verb, Inputs& inputs) {
    if (!inputs.has_cascade())
        fail_usage(verb,
                   "--fuse takes one cascade: --net FILE.cascade, a language model, an ONNX file, or "
                   "--einsum \"B[m,k] += ...; C[m,n] += ...\"");
    return inputs.cascade();
}

ExitStatus search_fused(InputOptions input, const SearchPlan& plan, const FusionOptions& fusion,
                        const std::string& certificate, const OutputOptions& output) {
    const bool front = plan.objective == "pareto" && fusion.trees.empty();
    const Objective objective =
        front ? Objective{.kind = ObjectiveKind::pareto}
              : one_objective("map", plan.objective, fusion.trees.empty() ? "" : " with --fused-mapping");
    const std::vector<std::int64_t> sizes = sizes_of(fusion.buffers);
    input.cascade = !input.nets.empty();  // a network is meant as one workload here
    Inputs inputs("map", input);
    const Cascade cascade = cascade_to_fuse("map", inputs);
    const Architecture architecture = with_room_for(cascade, inputs.architecture());
    std::vector<Capability> together = capabilities_of(architecture);
    together.push_back(Capability::fusion);
    if (const std::string why = refusal(together); !why.empty()) fail_usage("map", why);
    const PartialBits partial = read_partial_sums("map", input.bits, cascade);
    if (!partial.empty() && !(fusion.trees.empty() && sizes.empty() && certificate.empty()))
        fail_usage("map",
                   "--fuse with partial sums of another width takes no --fused-mapping, --buffers or --certificate: "
                   "these are of one width for each tensor");
    if (!fusion.trees.empty()) return fill_trees(inputs, fusion.trees, objective, plan.time_limit_seconds, output);
    const tilewright::FusedOptions options{.objective = objective,
                                           .time_limit_seconds = plan.time_limit_seconds,
                                           .buffers = sizes,
                                           .partial = partial,
                                           .dashes = "--"};
    const Fusing fusing = settle(inputs, cascade, architecture, options);
    prepare(output);
    if (!certificate.empty()) check_target(certificate);
    StopSource stop;
    const Interrupt interrupt(stop);
    auto [answer, report] = search(cascade, architecture, fusing, options, stop, output.quiet);
    if (!answer.fused) {
        inputs.tell_notes();
        print_error(answer.stopped ? "error: stopped before a mapping was found"
                                   : "error: no mapping of '" + cascade.name + "' fits into the buffer");
        return interrupt.happened() ? ExitStatus::interrupted : ExitStatus::no_answer;
    }
    describe(report, inputs, fusing, plan, sizes, input.bits);
    std::vector<NamedBytes> files;
    if (!output.directory.empty()) files = files_of(report, cascade, architecture, answer);
    if (!(output.directory.empty() && certificate.empty())) {
        if (!partial.empty()) print_error("note: no certificate: partial sums have a width of their own");
        if (front) print_error("note: no certificate: one of fused mappings is of one number");
        add_certificate(partial.empty() && !front ? fused_certificate_json(cascade, architecture, objective, answer,
                                                                           report.provenance.tool_version)
                                                  : "",
                        certificate, output, files);
    }
    const std::string text = report::fusion_text(report);
    std::string shown = report::fusion_summary(report);
    if (output.directory.empty()) shown += "\nits loops and stores: -o DIR writes them (mapping.fused, report.txt)\n";
    write_forms({report::fusion_json(report), text, report::fusion_csv(report), shown, {}}, output, std::move(files));
    return interrupt.happened() ? ExitStatus::interrupted : ExitStatus::done;
}

}  // namespace tilewright::cli
