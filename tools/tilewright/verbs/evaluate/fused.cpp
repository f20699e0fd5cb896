#include "verbs/evaluate/fused.hpp"

#include <fmt/format.h>
#include <filesystem>
#include <utility>

#include "base/deadline.hpp"
#include "base/files/file.hpp"
#include "base/numbers/number_text.hpp"
#include "fusion/hierarchy/open_leaves.hpp"
#include "inputs/file_names.hpp"
#include "mapping/fused/text.hpp"
#include "model/fused/model.hpp"
#include "native/fused_mapping.hpp"
#include "options/machine_options.hpp"
#include "options/verb.hpp"
#include "report/fused/fused_report.hpp"
#include "report/parts/table.hpp"
#include "report/peers/tileflow_report.hpp"
#include "run/fused/fusing.hpp"
#include "terminal/interrupt.hpp"
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

namespace {

struct Tree {
    std::string name;
    PlacedFusedMapping placed;
};

std::vector<Tree> read_trees(const std::vector<std::string>& files, const Cascade& cascade,
                             const Architecture& architecture) {
    std::vector<Tree> trees;
    FileNames names;
    for (const std::string& file : files)
        trees.push_back(
            {names.apart(std::filesystem::path(file).stem().string()), read_fused(file, cascade, architecture)});
    return trees;
}

report::FusedReport report_of(const Inputs& inputs, const Cascade& cascade, const Architecture& architecture,
                              const Fusing& fusing, const Objective& objective, const fusion::FilledTree& filled) {
    report::FusedReport report;
    report.cascade = cascade;
    report.architecture = architecture;
    report.mapping = filled.mapping;
    report.evaluation = *filled.evaluation;
    const double value = objective.score(filled.evaluation->energy_pj, filled.evaluation->cycles).value;
    if (filled.open > 0)
        report.filled = {
            std::string(objective_name(objective.kind)), value, filled.bound, filled.proven, filled.open, filled.boxes};
    report.notes = inputs.notes();
    if (!fusing.roles.empty()) report.notes.push_back(fusing.roles);
    report.provenance = provenance("map", inputs.read());
    report.provenance.options = {{"fuse", "true"}, {"objective", std::string(objective_name(objective.kind))}};
    return report;
}

// For the -o directory, if there is one.
std::vector<NamedBytes> mappings_of(const report::FusedReport& report, const OutputOptions& output) {
    if (output.directory.empty()) return {};
    return {{kMappingFile, native::write_fused_mapping(report.mapping, report.cascade, report.architecture)},
            {"mapping.fused", to_text(report.mapping, report.cascade, report.architecture)}};
}

void tell(const fusion::FilledTree& filled, const PlacedFusedMapping& placed) {
    for (const FusedViolation& violation : filled.violations) print_error("error: " + placed_text(violation, placed));
}

}  // namespace

ExitStatus fill_trees(Inputs& inputs, const std::vector<std::string>& files, const Objective& objective,
                      std::optional<double> time_limit_seconds, const OutputOptions& output) {
    const bool is_one = files.size() == 1;
    if (!is_one && output.json) fail_usage("map", "--json is of one fused mapping; -o DIR writes a directory for each");
    const Cascade cascade = inputs.cascade();
    const Architecture architecture = with_room_for(cascade, inputs.architecture());
    const Fusing fusing = fusing_of(cascade, architecture, objective,
                                    [&](const Einsum& einsum) { return inputs.constraints(architecture, einsum); });
    refuse_for("map", fusing.problem.empty() ? "" : "--fuse: " + fusing.problem);
    const std::vector<Tree> trees = read_trees(files, cascade, architecture);
    prepare(output);
    StopSource stop;
    const Interrupt interrupt(stop);
    StopSource stop_of_search;
    const TimeLimit limit(stop_of_search, time_limit_seconds, &stop);
    fusion::OpenLeaves leaves(cascade, architecture, fusing.demands, &stop_of_search);
    report::Table table({"mapping", "energy", "cycles", "pJ*cycles", "made again", "at least"}, "lrrrrr");
    ExitStatus status = ExitStatus::done;
    for (const Tree& tree : trees) {
        fusion::FilledTree filled;
        try {
            filled = leaves.fill(tree.placed.mapping, objective);
        } catch (const Stopped&) {
            print_error("error: stopped before the leaves of '" + tree.name + "' were mapped");
            status = interrupt.happened() ? ExitStatus::interrupted : ExitStatus::no_answer;
            break;
        }
        tell(filled, tree.placed);
        if (!filled.evaluation) {
            status = ExitStatus::no_answer;
            table.add({tree.name, "does not fit", "", "", "", ""});
            continue;
        }
        const report::FusedReport report = report_of(inputs, cascade, architecture, fusing, objective, filled);
        if (is_one) {
            write_text_and_json(report::fused_text(report), report::fused_json(report), output,
                                mappings_of(report, output));
            return status;
        }
        table.add({tree.name, energy_text(report.evaluation.energy_pj), count_text(report.evaluation.cycles),
                   fmt::format("{:.4g}", report.evaluation.edp_pj_cycles()),
                   count_text(report.evaluation.recomputed_operations),
                   filled.proven ? "proven" : fmt::format("{:.4g}", filled.bound)});
        if (output.directory.empty()) continue;
        OutputOptions own = output;
        own.directory = (std::filesystem::path(output.directory) / tree.name).string();
        own.quiet = true;
        prepare(own);
        write_text_and_json(report::fused_text(report), report::fused_json(report), own, mappings_of(report, own));
    }
    if (!is_one && !output.quiet) print(table.text());
    return status;
}

}  // namespace tilewright::cli
