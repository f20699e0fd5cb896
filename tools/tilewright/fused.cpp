#include "fused.hpp"

#include "base/files/file.hpp"
#include "mapping/fused/text.hpp"
#include "model/fused/model.hpp"
#include "native/fused_mapping.hpp"
#include "report/fused/fused_report.hpp"

namespace tilewright::cli {
namespace {

bool is_yaml(const std::string& name) {
    return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

Cascade cascade_of(Inputs& inputs) {
    if (!inputs.has_cascade())
        fail_usage(
            "evaluate",
            "--fused-mapping needs a cascade: --net FILE.cascade, a language model, an ONNX file with --cascade, "
            "or --einsum \"B[m,k] += ...; C[m,n] += ...\"");
    return inputs.cascade();
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
    Inputs inputs("evaluate", options);
    report.cascade = cascade_of(inputs);
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
