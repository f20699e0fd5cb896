#include "fused.hpp"

#include <charconv>
#include <filesystem>

#include "base/files/file.hpp"
#include "mapping/fused/text.hpp"
#include "model/fused/model.hpp"
#include "native/fused_mapping.hpp"
#include "report/fused/fused_report.hpp"
#include "workload/cascade/text.hpp"

namespace tilewright::cli {
namespace {

bool is_yaml(const std::string& name) {
    return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

// "m=64"
std::vector<std::pair<std::string, std::int64_t>> sizes_of(const std::vector<std::string>& texts) {
    std::vector<std::pair<std::string, std::int64_t>> sizes;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        std::int64_t value = 0;
        const char* const end = text.data() + text.size();
        const char* const begin = equals == std::string::npos ? end : text.data() + equals + 1;
        const auto [stopped, error] = std::from_chars(begin, end, value);
        if (equals == 0 || begin == end || error != std::errc{} || stopped != end || value < 1)
            fail_usage("evaluate", "--extents takes NAME=EXTENT with an extent of at least 1, found '" + text + "'");
        sizes.emplace_back(text.substr(0, equals), value);
    }
    return sizes;
}

Cascade cascade_of(const InputOptions& options) {
    if (!options.einsum.empty()) return parse_cascade(options.einsum, sizes_of(options.extents), "cascade");
    if (options.nets.size() != 1 || !options.nets.front().ends_with(".cascade"))
        fail_usage("evaluate",
                   "--fused-mapping needs a cascade: --net FILE.cascade, or --einsum \"B[m,k] += ...; C[m,n] += ...\"");
    const std::string& file = options.nets.front();
    return parse_cascade(read_file(file), sizes_of(options.extents), std::filesystem::path(file).stem().string(), file);
}

// The machine alone: its network is the cascade.
Inputs machine_of(InputOptions options) {
    options.nets.clear();
    options.einsum.clear();
    options.extents.clear();
    return {"evaluate", std::move(options)};
}

PlacedFusedMapping read_mapping(const std::string& file, const Cascade& cascade, const Architecture& architecture) {
    if (!is_yaml(file)) return parse_fused_mapping(read_file(file), cascade, architecture, file);
    const yaml::Node root = yaml::parse_file(file);
    root.expect_keys({"fused_mapping"});
    return native::read_fused_mapping(root.at("fused_mapping"), cascade, architecture);
}

}  // namespace

void FusedOptions::declare(Options& options) {
    options.group("Mapping");
    options
        .value("fused-mapping", 0, "FILE",
               "what a fused mapping of a network costs: shared loops, stores and branches, as YAML or text", &file)
        .completes = "file";
}

ExitStatus evaluate_fused(const InputOptions& options, const FusedOptions& fused, const OutputOptions& output) {
    if (!output.csv.empty()) fail_usage("evaluate", "--csv is not for --fused-mapping; --json is");
    report::FusedReport report;
    report.cascade = cascade_of(options);
    Inputs inputs = machine_of(options);
    report.architecture = inputs.architecture();
    const PlacedFusedMapping placed = read_mapping(fused.file, report.cascade, report.architecture);
    prepare("evaluate", output);
    report.mapping = placed.mapping;
    report.notes = inputs.notes();
    report.provenance = provenance("evaluate", inputs.read());
    const fused::Answer answer = fused::evaluate(report.cascade, report.architecture, report.mapping);
    for (const FusedViolation& violation : answer.violations) print_error("error: " + placed_text(violation, placed));
    if (!answer.evaluation) return ExitStatus::no_answer;
    report.evaluation = *answer.evaluation;
    write_text_and_json(report::fused_text(report), report::fused_json(report), output);
    return ExitStatus::done;
}

}  // namespace tilewright::cli
