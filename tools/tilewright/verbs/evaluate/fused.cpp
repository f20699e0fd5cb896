#include "verbs/evaluate/fused.hpp"

#include <fmt/format.h>

#include "base/files/file.hpp"
#include "mapping/fused/text.hpp"
#include "model/fused/model.hpp"
#include "native/fused_mapping.hpp"
#include "options/width_options.hpp"
#include "report/fused/fused_report.hpp"
#include "report/peers/tileflow_report.hpp"
#include "timeloop/looptree/looptree.hpp"
#include "timeloop/tileflow/account.hpp"

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

bool is_looptree(const yaml::Node& root) {
    const yaml::Node* mapping = root.is_map() ? root.find("mapping") : nullptr;
    return mapping != nullptr && mapping->is_map() && mapping->has("type") && mapping->has("nodes");
}

PlacedFusedMapping read_own(const std::string& file, const yaml::Node& root, const Cascade& cascade,
                            const Architecture& architecture) {
    if (!is_yaml(file)) return parse_fused_mapping(read_file(file), cascade, architecture, file);
    return native::read_fused_mapping(root, cascade, architecture);
}

PlacedFusedMapping read_mapping(const std::string& file, const yaml::Node& root, const Cascade& cascade,
                                const Architecture& architecture) {
    if (is_yaml(file) && is_looptree(root))
        return timeloop::read_looptree_mapping(root.at("mapping"), cascade, architecture);
    return read_own(file, root, cascade, architecture);
}

// One message for all leaves that no mapping was given for.
void tell_open(const FusedMapping& mapping, const Cascade& cascade, const PlacedFusedMapping& placed,
               const std::vector<FusedViolation>& violations) {
    std::vector<std::string> names;
    int first = -1;
    for (const FusedViolation& violation : violations) {
        if (!violation.left_open) continue;
        if (first < 0) first = violation.node;
        names.push_back("'" + cascade.einsums[std::get<FusedLeaf>(mapping.nodes[violation.node].what).einsum].name +
                        "'");
    }
    if (first < 0) return;
    print_error("error: " + placed_text({fmt::format("no mapping is given for {} {}: tilewright map --fuse "
                                                     "--fused-mapping FILE finds the best of what is left open",
                                                     names.size() == 1 ? "leaf" : "leaves", list_words(names)),
                                         first},
                                        placed));
}

// Of a mapping of another tool: in its own file, or in one beside it.
yaml::Node with_problem(const yaml::Node& root, Inputs& inputs, const char* whose) {
    if (root.has("problem")) return root;
    if (inputs.root().has("problem")) return inputs.root();
    fail_usage("evaluate", fmt::format("{}'s mapping needs its problem: give its file, too", whose));
}

// --- TileFlow ---

ExitStatus evaluate_tileflow(Inputs& inputs, const yaml::Node& root, const FusedOptions& fused,
                             const OutputOptions& output) {
    const Architecture architecture = inputs.architecture();
    const yaml::Node* macros = tileflow::macros_of(root);
    if (macros == nullptr) macros = tileflow::macros_of(inputs.root());
    const tileflow::Problem problem = tileflow::read_problem(with_problem(root, inputs, "TileFlow"), macros);
    std::vector<std::int64_t> found;
    if (!fused.found.empty()) found = tileflow::read_found_factors(read_file(fused.found), fused.found);
    const tileflow::Counts counts =
        tileflow::count(problem, tileflow::read_tree(root, problem, architecture, found, macros), architecture);
    prepare(output);
    const report::TileflowReport report =
        report::tileflow_report(provenance("evaluate", inputs.read()), architecture.name, problem, counts);
    write_text_and_json(report::tileflow_text(report), report::tileflow_json(report), output);
    return ExitStatus::done;
}

}  // namespace

void FusedOptions::declare(Options& options) {
    options.group("Mapping");
    options
        .value("fused-mapping", 0, "FILE",
               "what a fused mapping of a network costs: shared loops, stores and branches, as YAML or text; also of "
               "LoopTree and TileFlow",
               &file)
        .completes = "file";
    options
        .value("found-factors", 0, "FILE", "factors that TileFlow's mapping leaves open, as TileFlow printed them",
               &found)
        .completes = "file";
}

PlacedFusedMapping read_fused(const std::string& file, const Cascade& cascade, const Architecture& architecture) {
    return read_own(file, is_yaml(file) ? yaml::parse_file(file) : yaml::Node{}, cascade, architecture);
}

ExitStatus evaluate_fused(const InputOptions& options, const FusedOptions& fused, const OutputOptions& output) {
    report::FusedReport report;
    Inputs inputs("evaluate", options);
    const yaml::Node root = is_yaml(fused.file) ? yaml::parse_file(fused.file) : yaml::Node{};
    if (tileflow::is_tree(root)) return evaluate_tileflow(inputs, root, fused, output);
    if (!fused.found.empty()) fail_usage("evaluate", "--found-factors is for TileFlow's mappings");
    report.cascade = is_looptree(root)
                         ? timeloop::read_looptree_problem(with_problem(root, inputs, "LoopTree").at("problem"))
                         : cascade_of(inputs);
    report.architecture = inputs.architecture();
    const std::string why = fused::problem_with(report.architecture);
    refuse_for("evaluate", why.empty() ? "" : "--fused-mapping: " + why);
    const PartialBits partial = read_partial_sums("evaluate", options.bits, report.cascade);
    const PlacedFusedMapping placed = read_mapping(fused.file, root, report.cascade, report.architecture);
    prepare(output);
    report.mapping = placed.mapping;
    report.notes = inputs.notes();
    report.provenance = provenance("evaluate", inputs.read());
    const fused::Answer answer = fused::evaluate(report.cascade, report.architecture, report.mapping, nullptr, partial);
    tell_open(report.mapping, report.cascade, placed, answer.violations);
    for (const FusedViolation& violation : answer.violations)
        if (!violation.left_open) print_error("error: " + placed_text(violation, placed));
    if (!answer.evaluation) return ExitStatus::no_answer;
    report.evaluation = *answer.evaluation;
    write_text_and_json(report::fused_text(report), report::fused_json(report), output);
    return ExitStatus::done;
}

}  // namespace tilewright::cli
