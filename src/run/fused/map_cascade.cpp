#include "run/fused/map_cascade.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/task_arena.h>

#include "base/deadline.hpp"
#include "base/error.hpp"
#include "base/threads.hpp"
#include "base/version.hpp"
#include "run/fused/fusing.hpp"
#include "run/fused/map_fused.hpp"
#include "run/fused/outermost.hpp"

namespace tilewright {
namespace {

[[noreturn]] void refuse_fusing(const std::string& why) { throw InputError(ErrorCode::usage, {}, why); }

FusedProgress progress_of(const fusion::Mapped* best, double bound) {
    if (best == nullptr) return {.bound = bound};
    return {true, static_cast<std::int64_t>(best->plan.groups.size()), best->evaluation.energy_pj,
            static_cast<std::int64_t>(best->evaluation.cycles), bound};
}

// The time limit is for each size, as it is for the search itself.
std::vector<report::FusionBuffer> buffers_of(const Cascade& cascade, const Architecture& architecture,
                                             const FusedOptions& options, const StopSource* stop) {
    std::vector<report::FusionBuffer> all;
    for (const std::int64_t size : options.buffers) {
        StopSource stop_of_size;
        const TimeLimit limit(stop_of_size, options.time_limit_seconds, stop);
        const std::vector<report::FusionBuffer> one =
            dram_words_by_buffer(cascade, architecture, {size}, [&](std::size_t) { return &stop_of_size; });
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

report::FusionReport searched(const Cascade& cascade, const Machine& machine, const FusedOptions& options,
                              const FusedControl& control) {
    machine.refuse_zeros();
    const Architecture architecture = with_room_for(cascade, machine.architecture());
    const Fusing fusing = fusing_of(cascade, architecture, options.objective, machine.constraints());
    if (!fusing.problem.empty()) refuse_fusing(fusing.problem);
    if (fusing.inside && !options.buffers.empty())
        refuse_fusing("buffers is for machines of a DRAM, a buffer and units with a register of one word");
    fusion::Answer answer;
    {
        StopSource stop;
        const TimeLimit limit(stop, options.time_limit_seconds, control.stop);
        fusion::TellProgress tell;
        if (control.progress)
            tell = [&](const fusion::Mapped* best, double bound) { control.progress(progress_of(best, bound)); };
        answer = fuse(cascade, architecture, fusing, options.objective, &stop, tell);
    }
    report::FusionReport report;
    if (answer.fused) report = fusion_report(cascade, architecture, options.objective, answer, fusing);
    report.interrupted = answer.stopped;
    report.notes = machine.notes();
    if (!fusing.roles.empty()) report.notes.push_back(fusing.roles);
    if (answer.fused) report.buffers = buffers_of(cascade, architecture, options, control.stop);
    return report;
}

}  // namespace

report::FusionReport map_fused(const Cascade& cascade, const Machine& machine, const FusedOptions& options,
                               const FusedControl& control) {
    require_threads(options.threads);
    if (options.time_limit_seconds && !(*options.time_limit_seconds >= 0.0))
        refuse_fusing("a time limit is a number and not negative");
    tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
    report::FusionReport report;
    arena.execute([&] { report = searched(cascade, machine, options, control); });
    report::Provenance& provenance = report.provenance;
    provenance.tool_version = version();
    provenance.command = "map";
    provenance.inputs = machine.inputs();
    provenance.options = {{"fuse", "true"}, {"objective", std::string(objective_name(options.objective.kind))}};
    if (options.time_limit_seconds)
        provenance.options.emplace_back("time-limit", fmt::format("{}", *options.time_limit_seconds));
    if (!options.buffers.empty())
        provenance.options.emplace_back("buffers", fmt::format("{}", fmt::join(options.buffers, ",")));
    return report;
}

}  // namespace tilewright
