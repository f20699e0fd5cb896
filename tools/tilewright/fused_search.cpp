#include "fused_search.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "base/files/file.hpp"
#include "base/numbers/number_text.hpp"
#include "fusion/optimize.hpp"
#include "interrupt.hpp"
#include "mapping/fused/text.hpp"
#include "verb.hpp"
#include "workload/cascade/text.hpp"
#include "workload/zoo/cascades.hpp"

namespace tilewright::cli {
namespace {

// "m=64"
std::pair<std::string, std::int64_t> size_of(const std::string& option, const std::string& text) {
    const std::size_t equals = text.find('=');
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const char* const begin = equals == std::string::npos ? end : text.data() + equals + 1;
    const auto [stopped, error] = std::from_chars(begin, end, value);
    if (equals == 0 || begin == end || error != std::errc{} || stopped != end || value < 1)
        fail_usage("map", option + " takes NAME=EXTENT with an extent of at least 1, found '" + text + "'");
    return {text.substr(0, equals), value};
}

std::vector<std::pair<std::string, std::int64_t>> sizes_of(const std::vector<std::string>& texts) {
    std::vector<std::pair<std::string, std::int64_t>> sizes;
    for (const std::string& text : texts) sizes.push_back(size_of("--extents", text));
    return sizes;
}

Cascade cascade_of(const InputOptions& options) {
    if (!options.einsum.empty()) return parse_cascade(options.einsum, sizes_of(options.extents), "cascade");
    if (options.nets.size() != 1)
        fail_usage("map",
                   "--fuse takes one cascade: --net FILE.cascade, a language model, or --einsum \"B[m,k] += ...\"");
    const std::string& net = options.nets.front();
    if (net.ends_with(".cascade"))
        return parse_cascade(read_file(net), sizes_of(options.extents), std::filesystem::path(net).stem().string(),
                             net);
    std::map<std::string, std::int64_t> extents;
    for (const std::string& dim : options.dims) extents.insert(size_of("--dim", dim));
    return zoo_cascade(net, extents);
}

// What the search would not look at must not look as if it did.
void refuse_others(const InputOptions& input, const SearchPlan& plan, const OutputOptions& output) {
    if (!plan.mapper.empty() || !plan.factors.empty())
        fail_usage("map", "--fuse has a search of its own: --mapper and --factors are for single layers");
    if (!output.csv.empty() || output.json || !output.directory.empty())
        fail_usage("map", "--fuse prints text only, so far: --json, --csv and -o are for single layers");
    if (!input.layers.empty() || !input.bits.empty() || !input.rename.empty())
        fail_usage("map", "--fuse maps all of a cascade as it is: --layers, --bits and --rename are for single layers");
}

// Requests a stop when the time is over.
class TimeLimit {
   public:
    TimeLimit(StopSource& stop, std::optional<double> seconds) {
        if (!seconds) return;
        waiter_ = std::jthread([&stop, seconds = *seconds, this](const std::stop_token& done) {
            std::unique_lock lock(mutex_);
            const auto limit = std::chrono::duration<double>(std::min(seconds, 1e8));
            if (!over_.wait_for(lock, done, limit, [&] { return done.stop_requested(); })) stop.request();
        });
    }

   private:
    std::mutex mutex_;
    std::condition_variable_any over_;
    std::jthread waiter_;
};

std::string names_text(const Cascade& cascade, int first, int last) {
    const std::string begin = cascade.einsums[static_cast<std::size_t>(first)].name;
    if (first == last) return begin;
    return begin + " .. " + cascade.einsums[static_cast<std::size_t>(last)].name;
}

std::string loops_text(const Cascade& cascade, const fusion::GroupPlan& group) {
    const Einsum& last = cascade.einsums[static_cast<std::size_t>(group.last)].einsum;
    std::string text;
    for (std::size_t k = 0; k < 2; ++k) {
        if (group.marching[k] < 0) continue;
        const Dimension& dimension = last.dimensions[static_cast<std::size_t>(group.marching[k])];
        if (group.tile[k] == dimension.extent) continue;
        text += fmt::format("{}{} by {}", text.empty() ? "" : ", ", dimension.name, group.tile[k]);
    }
    for (const fusion::SegmentPlan& segment : group.segments)
        if (segment.slices > 1)
            text += fmt::format("{}{} slices up to {}", text.empty() ? "" : ", ", segment.slices,
                                cascade.einsums[static_cast<std::size_t>(segment.last)].name);
    return text.empty() ? "in one step" : text;
}

std::string costs_text(const std::string& name, const fused::Evaluation& costs) {
    const double dram = costs.memories.front().energy_pj;
    return fmt::format("  {:<10}{:>12}{:>20} cycles{:>14} pJ*cycles   DRAM {}\n", name, energy_text(costs.energy_pj),
                       count_text(costs.cycles), figure_text(costs.edp_pj_cycles()), energy_text(dram));
}

double value_of(const Objective& objective, const fused::Evaluation& costs) {
    return objective.score(costs.energy_pj, costs.cycles).value;
}

std::string worth_text(const fusion::Answer& answer, const Objective& objective) {
    const std::string name(objective_name(objective.kind));
    const double value = value_of(objective, answer.fused->evaluation);
    if (answer.proven)
        return fmt::format(
            "proven: no fused mapping of the space has a lower {} ({} proofs, {} rounds, {} kinds of leaves)\n", name,
            answer.statistics.proofs, answer.statistics.rounds, answer.statistics.leaves);
    return fmt::format("{} in [{}, {}]: {}\n", name, figure_text(answer.bound), figure_text(value),
                       answer.stopped ? "stopped before it was proven" : "rounding leaves a gap");
}

std::string text_of(const Cascade& cascade, const Architecture& architecture, const Objective& objective,
                    const fusion::Answer& answer) {
    const fusion::Mapped& best = *answer.fused;
    std::string text = fmt::format("{} on {}: {} einsums in {} groups\n", cascade.name, architecture.name,
                                   cascade.einsum_count(), best.plan.groups.size());
    for (const fusion::GroupPlan& group : best.plan.groups)
        text += fmt::format("  {:<58}{:>12}{:>18} cycles   {}\n", names_text(cascade, group.first, group.last),
                            energy_text(group.energy_pj), count_text(static_cast<std::int64_t>(group.cycles)),
                            loops_text(cascade, group));
    if (answer.unfused) text += costs_text("unfused", answer.unfused->evaluation);
    text += costs_text("fused", best.evaluation);
    return text + worth_text(answer, objective);
}

}  // namespace

ExitStatus search_fused(const InputOptions& input, const SearchPlan& plan, const OutputOptions& output) {
    refuse_others(input, plan, output);
    const std::optional<Objective> objective = parse_objective(plan.objective.empty() ? "edp" : plan.objective);
    if (!objective) fail_usage("map", "unknown objective '" + plan.objective + "'");
    const Cascade cascade = cascade_of(input);
    InputOptions machine = input;
    machine.nets.clear();
    machine.einsum.clear();
    machine.extents.clear();
    machine.dims.clear();
    Inputs inputs("map", machine);
    const Architecture architecture = inputs.architecture();
    inputs.tell_notes();
    if (const std::string problem = fusion::problem_with(cascade, architecture, *objective); !problem.empty())
        fail_usage("map", "--fuse: " + problem);
    StopSource stop;
    const Interrupt interrupt(stop);
    const TimeLimit limit(stop, plan.time_limit_seconds);
    const fusion::Answer answer = fusion::optimize(cascade, architecture, *objective, &stop);
    if (!answer.fused) {
        print_error(answer.stopped ? "error: stopped before a mapping was found"
                                   : "error: no mapping of '" + cascade.name + "' fits into the buffer");
        return answer.stopped ? ExitStatus::interrupted : ExitStatus::no_answer;
    }
    if (!output.quiet) print(text_of(cascade, architecture, *objective, answer));
    if (!output.quiet && answer.fused) print("\n" + to_text(answer.fused->mapping, cascade, architecture));
    return interrupt.happened() ? ExitStatus::interrupted : ExitStatus::done;
}

}  // namespace tilewright::cli
