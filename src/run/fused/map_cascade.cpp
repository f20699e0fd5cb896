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

namespace tilewright {
namespace {

report::FusionReport searched(const Cascade& cascade, const Machine& machine, const FusedOptions& options,
                              const FusedControl& control) {
    machine.refuse_zeros();
    const Architecture architecture = with_room_for(cascade, machine.architecture());
    const Fusing fusing = fusing_for(cascade, architecture, options, machine.constraints());
    report::FusionReport report = search_fused(cascade, architecture, fusing, options, control).report;
    report.notes = machine.notes();
    if (!fusing.roles.empty()) report.notes.push_back(fusing.roles);
    return report;
}

}  // namespace

report::FusionReport map_fused(const Cascade& cascade, const Machine& machine, const FusedOptions& options,
                               const FusedControl& control) {
    require_threads(options.threads);
    if (options.time_limit_seconds && !(*options.time_limit_seconds >= 0.0))
        throw InputError(ErrorCode::usage, {}, "a time limit is a number and not negative");
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
