#include "run/fused/search_cascade.hpp"

#include <fmt/format.h>

#include "base/deadline.hpp"
#include "base/error.hpp"
#include "run/fused/map_fused.hpp"

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

}  // namespace

Fusing fusing_for(const Cascade& cascade, const Architecture& architecture, const FusedOptions& options,
                  const ConstraintsOf& constraints) {
    if (!options.partial.empty() && !options.buffers.empty())
        refuse_fusing(
            fmt::format("{}buffers is for tensors of one width each, without partial sums of another", options.dashes));
    Fusing fusing = fusing_of(cascade, architecture, options.objective, constraints);
    if (!fusing.problem.empty()) refuse_fusing(fusing.problem);
    if (fusing.inside && !options.buffers.empty())
        refuse_fusing(fmt::format("{}buffers is for machines of a DRAM, a buffer and units with a register of one word",
                                  options.dashes));
    return fusing;
}

FusedAnswer search_fused(const Cascade& cascade, const Architecture& architecture, const Fusing& fusing,
                         const FusedOptions& options, const FusedControl& control) {
    FusedAnswer found;
    {
        StopSource stop;
        const TimeLimit limit(stop, options.time_limit_seconds, control.stop);
        fusion::TellProgress tell;
        if (control.progress)
            tell = [&](const fusion::Mapped* best, double bound) { control.progress(progress_of(best, bound)); };
        found.answer = fuse(cascade, architecture, fusing, options.objective, &stop, tell, options.partial);
    }
    report::FusionReport& report = found.report;
    if (found.answer.fused) {
        report = fusion_report(cascade, architecture, options.objective, found.answer, fusing);
        report.buffers = buffers_of(cascade, architecture, options, control.stop);
    }
    report.interrupted = found.answer.stopped;
    return found;
}

}  // namespace tilewright
