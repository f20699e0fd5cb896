#include "fused.hpp"

#include <fmt/format.h>

#include "base/files/file.hpp"
#include "base/numbers/number_text.hpp"
#include "mapping/fused/text.hpp"
#include "model/fused/model.hpp"
#include "native/fused_mapping.hpp"
#include "report/fused/fused_report.hpp"
#include "report/json_parts.hpp"
#include "report/parts/table.hpp"
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

PlacedFusedMapping read_mapping(const std::string& file, const yaml::Node& root, const Cascade& cascade,
                                const Architecture& architecture) {
    if (!is_yaml(file)) return parse_fused_mapping(read_file(file), cascade, architecture, file);
    if (is_looptree(root)) return timeloop::read_looptree_mapping(root.at("mapping"), cascade, architecture);
    root.expect_keys({"fused_mapping"});
    return native::read_fused_mapping(root.at("fused_mapping"), cascade, architecture);
}

// Of a mapping of another tool: in its own file, or in one beside it.
yaml::Node with_problem(const yaml::Node& root, Inputs& inputs, const char* whose) {
    if (root.has("problem")) return root;
    if (inputs.root().has("problem")) return inputs.root();
    fail_usage("evaluate", fmt::format("{}'s mapping needs its problem: give its file, too", whose));
}

// --- TileFlow ---

struct TileflowRun {
    std::string machine;
    tileflow::Problem problem;
    tileflow::Counts counts;
};

std::string tileflow_text(const TileflowRun& run) {
    const std::string title = "mapping on " + run.machine + ", as TileFlow counts";
    std::string text = title + "\n" + std::string(title.size(), '=') + "\n" +
                       fmt::format("  cycles      {}\n  operations  {}\n\n", count_text(run.counts.cycles),
                                   count_text(static_cast<std::int64_t>(run.counts.operations)));
    report::Table table({"memory", "tensor", "reads", "fills", "updates"}, "llrrr");
    for (const tileflow::MemoryCounts& memory : run.counts.memories)
        for (std::size_t t = 0; t < memory.tensors.size(); ++t) {
            const tileflow::TensorCounts& one = memory.tensors[t];
            if (one.reads + one.fills + one.updates == 0.0) continue;
            const auto words = [](double count) { return count_text(static_cast<std::int64_t>(count)); };
            table.add(
                {memory.memory, run.problem.tensors[t].name, words(one.reads), words(one.fills), words(one.updates)});
        }
    return text + table.text() + "  words of one instance of each memory\n";
}

std::string tileflow_json(const TileflowRun& run, const report::Provenance& provenance) {
    report::Json json = report::document("tilewright-tileflow/1", provenance);
    json["machine"] = run.machine;
    json["cycles"] = run.counts.cycles;
    json["operations"] = run.counts.operations;
    json["memories"] = report::Json::array();
    for (const tileflow::MemoryCounts& memory : run.counts.memories) {
        report::Json one{{"name", memory.memory},
                         {"accesses", memory.accesses},
                         {"slow_down", memory.slow_down},
                         {"capacity_share", memory.capacity_share},
                         {"instances_share", memory.instances_share},
                         {"tensors", report::Json::array()}};
        for (std::size_t t = 0; t < memory.tensors.size(); ++t)
            one["tensors"].push_back({{"name", run.problem.tensors[t].name},
                                      {"read_words", memory.tensors[t].reads},
                                      {"fill_words", memory.tensors[t].fills},
                                      {"update_words", memory.tensors[t].updates}});
        json["memories"].push_back(std::move(one));
    }
    return report::dumped(json);
}

ExitStatus evaluate_tileflow(Inputs& inputs, const yaml::Node& root, const FusedOptions& fused,
                             const OutputOptions& output) {
    const Architecture architecture = inputs.architecture();
    TileflowRun run{architecture.name, tileflow::read_problem(with_problem(root, inputs, "TileFlow")), {}};
    std::vector<std::int64_t> found;
    if (!fused.found.empty()) found = tileflow::read_found_factors(read_file(fused.found), fused.found);
    run.counts =
        tileflow::count(run.problem, tileflow::read_tree(root, run.problem, architecture, found), architecture);
    prepare("evaluate", output);
    write_text_and_json(tileflow_text(run), tileflow_json(run, provenance("evaluate", inputs.read())), output);
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

ExitStatus evaluate_fused(const InputOptions& options, const FusedOptions& fused, const OutputOptions& output) {
    if (!output.csv.empty()) fail_usage("evaluate", "--csv is not for --fused-mapping; --json is");
    report::FusedReport report;
    Inputs inputs("evaluate", options);
    const yaml::Node root = is_yaml(fused.file) ? yaml::parse_file(fused.file) : yaml::Node{};
    if (tileflow::is_tree(root)) return evaluate_tileflow(inputs, root, fused, output);
    if (!fused.found.empty()) fail_usage("evaluate", "--found-factors is for TileFlow's mappings");
    report.cascade = is_looptree(root)
                         ? timeloop::read_looptree_problem(with_problem(root, inputs, "LoopTree").at("problem"))
                         : cascade_of(inputs);
    report.architecture = inputs.architecture();
    const PlacedFusedMapping placed = read_mapping(fused.file, root, report.cascade, report.architecture);
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
