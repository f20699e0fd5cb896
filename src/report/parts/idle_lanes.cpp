#include "report/parts/idle_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mapping/uneven.hpp"

namespace tilewright::report {
namespace {

// Of the spatial loops at one memory, those along one axis.
IdleLanes axis_of(const Einsum& einsum, const std::vector<Loop>& spatial, LoopKind axis) {
    IdleLanes found;
    found.along_x = axis == LoopKind::spatial_x;
    for (const Loop& loop : spatial) {
        if (loop.kind != axis || loop.extent == 1) continue;
        found.filled *= loop.extent;
        if (!found.loops.empty()) found.loops += " x ";
        found.loops += fmt::format("{}={}", einsum.dimensions[loop.dimension].name, loop.extent);
        if (!loop.is_perfect()) found.loops += fmt::format(",{}", loop.remainder);
    }
    return found;
}

}  // namespace

std::vector<IdleLanes> idle_lanes(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping) {
    const std::vector<MappingLevel> levels = owned_levels(mapping, architecture.memory_count());
    std::vector<IdleLanes> all;
    for (int m = 0; m < architecture.memory_count(); ++m) {
        const Mesh fanout = architecture.fanout(m);
        for (const LoopKind axis : {LoopKind::spatial_x, LoopKind::spatial_y}) {
            IdleLanes found = axis_of(einsum, levels[m].spatial, axis);
            found.lanes = found.along_x ? fanout.x : fanout.y;
            found.memory = architecture.memories[m].name;
            if (found.filled < found.lanes) all.push_back(std::move(found));
        }
    }
    std::ranges::stable_sort(all, [](const IdleLanes& a, const IdleLanes& b) { return a.share() < b.share(); });
    return all;
}

std::string idle_text(const IdleLanes& idle) {
    const char* const lanes = idle.along_x ? "columns" : "rows";
    if (idle.loops.empty())
        return fmt::format("nothing spreads over the {} {} below {}", idle.lanes, lanes, idle.memory);
    return fmt::format("{} fills {} of {} {} below {}", idle.loops, idle.filled, idle.lanes, lanes, idle.memory);
}

}  // namespace tilewright::report
