#include "verbs/evaluate/fused_leaves.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/deadline.hpp"
#include "base/numbers/number_text.hpp"
#include "fusion/hierarchy/open_leaves.hpp"
#include "inputs/file_names.hpp"
#include "mapping/fused/text.hpp"
#include "native/fused_mapping.hpp"
#include "options/verb.hpp"
#include "report/fused/fused_report.hpp"
#include "report/parts/table.hpp"
#include "run/fused/fusing.hpp"
#include "run/fused/outermost.hpp"
#include "terminal/interrupt.hpp"
#include "verbs/evaluate/fused.hpp"

namespace tilewright::cli {
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
