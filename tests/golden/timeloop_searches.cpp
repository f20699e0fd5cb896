// timeloop_searches: our runs of Timeloop's searches beside the recorded runs of timeloop-mapper itself, step for step.
//
//     timeloop_searches [--only hybrid] [--skip-absent] [-v] ../shared/golden/timeloop/mapper
//
// A recorded run says of each of its threads how many mappings it tried, how many of them were valid, had no room on a
// fan-out or in a memory, and what the best of all costs. Ours has to say the same. Threads that were cut off by a
// limit of processor time are cut off after as many mappings here; which of the threads is which, the records do not
// say. Exit status 0: all equal; 1: some are not; 2: bad usage.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "arch/estimation/estimate.hpp"
#include "command_line/command_line.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/files/search_options.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/problem/problem.hpp"
#include "timeloop_runs.hpp"

namespace {

using namespace tilewright;
using golden::SearchRun;

struct Arguments {
    std::string folder;
    std::string only;
    bool verbose = false;
    bool skip_absent = false;
};

// Counts of the record, and where its own limits did not end it.
SearchRun run_of(const nlohmann::json& record, const std::filesystem::path& inputs) {
    const yaml::Node root = timeloop::load({(inputs / "arch.yaml").string(), (inputs / "problem.yaml").string(),
                                            (inputs / "mapspace.yaml").string(), (inputs / "mapper.yaml").string()});
    SearchRun run;
    run.name = record["id"];
    run.einsum = timeloop::read_problem(root);
    run.architecture = timeloop::read_architecture(root);
    estimate(run.architecture, Estimator::timeloop_pat);
    run.constraints = timeloop::read_constraints(root, run.architecture, run.einsum);
    run.algorithm = record["algorithm"];
    run.metric = record["metric"];
    const timeloop::SearchOptions options = timeloop::read_search_options(root);
    run.search_size = options.search_size.value_or(0);
    run.victory = options.victory_condition.value_or(0);
    run.timeout = record["timeout"];
    for (std::size_t t = 0; t < record["threads_stats"].size(); ++t) {
        const nlohmann::json& stats = record["threads_stats"][t];
        const std::string stop = record["stop"][t];
        run.streams.push_back({stats["total"], stats["valid"], stats["fail_construct"],
                               stats["fail_precheck"].get<std::int64_t>() + stats["fail_eval"].get<std::int64_t>(),
                               stop.starts_with("harness")});
    }
    if (record.contains("best") && record["best"].is_object())
        run.best = {record["best"]["energy_pj"], record["best"]["cycles"]};
    return run;
}

int check_folder(const Arguments& arguments) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(arguments.folder))
        if (entry.path().extension() == ".json" && entry.path().stem() != "summary") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    int equal = 0;
    int different = 0;
    int skipped = 0;
    for (const std::filesystem::path& file : files) {
        const std::string name = file.stem().string();
        if (name.find(arguments.only) == std::string::npos) continue;
        std::ifstream text(file);
        const nlohmann::json record = nlohmann::json::parse(text);
        if (record["mapspace"] != "uber" || record["rc"] != 0) {
            ++skipped;
            continue;
        }
        const std::string difference =
            golden::difference(run_of(record, std::filesystem::path(arguments.folder) / "inputs" / name));
        ++(difference.empty() ? equal : different);
        if (arguments.verbose || !difference.empty())
            fmt::print("{}: {}\n", name, difference.empty() ? "equal" : difference);
    }
    fmt::print("{} equal, {} different, {} skipped: imperfect factors or a run without an end\n", equal, different,
               skipped);
    return different > 0 || equal == 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments;
    CommandLine line("Our runs of Timeloop's searches beside recorded ones");
    line.option("folder", &arguments.folder, "", {.required = true});
    line.option("--only", &arguments.only, "runs whose name contains this");
    line.option("-v,--verbose", &arguments.verbose);
    line.option("--skip-absent", &arguments.skip_absent);
    if (const std::optional<int> status = line.parse(argc, argv)) return *status;
    if (!std::filesystem::is_directory(arguments.folder)) {
        fmt::print("skipped: there is no folder {}\n", arguments.folder);
        return arguments.skip_absent ? 0 : 2;
    }
    return check_folder(arguments);
}
