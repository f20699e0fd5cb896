#include "fused_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "base/numbers/number_text.hpp"
#include "fusion/optimize.hpp"
#include "interrupt.hpp"
#include "mapping/fused/text.hpp"
#include "verb.hpp"

namespace tilewright::cli {
namespace {

bool is_free(const LoopConstraint& loops) {
    return loops.inner.empty() && loops.outer.empty() && !loops.split && !loops.remainders &&
           std::ranges::all_of(loops.factors, [](const FactorConstraint& one) { return one == FactorConstraint{}; });
}

// A proof over all mappings would not be one over those that meet constraints.
void refuse_constraints(Inputs& inputs, const Architecture& architecture, const Cascade& cascade) {
    for (const CascadeEinsum& one : cascade.einsums) {
        const Constraints given = inputs.constraints(architecture, one.einsum);
        bool free = given.min_parallelism == 0.0;
        for (std::size_t level = 0; level < given.levels.size(); ++level) {
            const LevelConstraint& at = given.levels[level];
            free = free && is_free(at.temporal) && is_free(at.spatial) && at.must_bypass.empty() &&
                   (level == 0 || at.must_keep.empty());
        }
        if (!free) fail_usage("map", "--fuse knows no constraints on mappings, and the machine's files have some");
    }
}

// Requests a stop when the time is over.
class TimeLimit {
   public:
    TimeLimit(StopSource& stop, std::optional<double> seconds) {
        if (seconds && *seconds <= 0.0) stop.request();  // before anything, whatever the clock does
        if (!seconds || *seconds <= 0.0) return;
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
    const std::string& begin = cascade.einsums[static_cast<std::size_t>(first)].name;
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

const std::set<std::string>& options_of_fusion() {
    static const std::set<std::string> kKnown = {
        "fuse",   "arch",      "net",        "einsum", "extents", "dim",       "phase", "cascade",    "set",
        "strict", "objective", "time-limit", "quiet",  "jinja",   "estimator", "dense", "reestimate", "largest-input"};
    return kKnown;
}

// What the search would not look at must not look as if it did.
ExitStatus search_fused(const std::vector<std::string>& others, InputOptions input, const SearchPlan& plan,
                        bool quiet) {
    if (!others.empty())
        fail_usage("map", "--fuse does not take " + others.front().substr(0, others.front().find('=')) +
                              ": it is a search of its own over all of a cascade, and prints text");
    const std::optional<Objective> objective = parse_objective(plan.objective.empty() ? "edp" : plan.objective);
    if (!objective) fail_usage("map", "unknown objective '" + plan.objective + "'");
    input.cascade = !input.nets.empty();  // a network is meant as one workload here
    Inputs inputs("map", input);
    if (!inputs.has_cascade())
        fail_usage("map",
                   "--fuse takes one cascade: --net FILE.cascade, a language model, an ONNX file, or "
                   "--einsum \"B[m,k] += ...; C[m,n] += ...\"");
    const Cascade cascade = inputs.cascade();
    const Architecture architecture = inputs.architecture();
    inputs.tell_notes();
    if (const std::string problem = fusion::problem_with(cascade, architecture, *objective); !problem.empty())
        fail_usage("map", "--fuse: " + problem);
    refuse_constraints(inputs, architecture, cascade);
    StopSource stop;
    const Interrupt interrupt(stop);
    const TimeLimit limit(stop, plan.time_limit_seconds);
    const fusion::Answer answer = fusion::optimize(cascade, architecture, *objective, &stop);
    if (!answer.fused) {
        print_error(answer.stopped ? "error: stopped before a mapping was found"
                                   : "error: no mapping of '" + cascade.name + "' fits into the buffer");
        return interrupt.happened() ? ExitStatus::interrupted : ExitStatus::no_answer;
    }
    if (!quiet)
        print(text_of(cascade, architecture, *objective, answer) + "\n" +
              to_text(answer.fused->mapping, cascade, architecture));
    return interrupt.happened() ? ExitStatus::interrupted : ExitStatus::done;
}

}  // namespace tilewright::cli
