#include "maestro/analysis/motion.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::dataflow {
namespace {

std::int64_t at_least_zero(std::int64_t value) { return std::max<std::int64_t>(value, 0); }

Motion temporal_motion(const Map& map, const Walk& walk) {
    const std::int64_t shared = at_least_zero(walk.full - map.offset);
    const std::int64_t first = walk.steps > 1 ? walk.full : walk.last;
    const std::int64_t again =
        walk.steps > 1 ? at_least_zero(walk.full - (walk.positions - 1) * map.offset) : walk.last;
    return {{walk.full, walk.last}, {shared, shared}, first, again};
}

// Multicast: a sub-cluster idle in the last fold keeps its tile of the fold before. At a restart of the map, the active
// ones hold tiles `folds - 1` folds on, the idle ones `folds - 2`.
std::int64_t multicast_again(const Map& map, const Walk& walk, std::int64_t clusters, std::int64_t first) {
    const std::int64_t fold = clusters * map.offset;
    const std::int64_t from_active = std::min(walk.full, (walk.steps - 1) * fold);
    const std::int64_t from_idle = std::min(walk.full, (walk.steps - 2) * fold);
    const std::int64_t idle = clusters - walk.active;
    if (map.offset >= walk.full) return first - walk.active * from_active - idle * from_idle;
    std::int64_t end = (walk.active - 1) * map.offset + from_active;
    if (idle > 0 && from_idle > 0) end = std::max(end, (clusters - 1) * map.offset + from_idle);
    return first - end;
}

std::int64_t unicast_again(const Map& map, const Walk& walk, std::int64_t clusters) {
    const std::int64_t fold = clusters * map.offset;
    return walk.active * at_least_zero(walk.full - (walk.steps - 1) * fold) +
           (clusters - walk.active) * at_least_zero(walk.full - (walk.steps - 2) * fold);
}

// Array: the held elements are the last fold and, of the fold before, the tiles of now idle sub-clusters: positions
// from `held` on, an interval unless there are gaps between tiles.
std::int64_t array_again(const Map& map, const Walk& walk, std::int64_t clusters) {
    const std::int64_t idle = clusters - walk.active;
    const std::int64_t held = (walk.steps - 1) * clusters - idle;
    if (map.offset > walk.full) return at_least_zero(clusters - held) * walk.full;
    return at_least_zero((clusters - 1 - held) * map.offset + walk.full);
}

Motion spatial_motion(const Map& map, const Walk& walk, std::int64_t clusters, Counting counting) {
    const std::int64_t folded = at_least_zero(walk.full - clusters * map.offset);
    Motion motion;
    if (counting == Counting::unicast) {
        motion.size = {clusters * walk.full, (walk.active - 1) * walk.full + walk.last};
        motion.kept = {clusters * folded, walk.active * folded};
    } else {
        motion.size = {union_of(clusters, map.offset, walk.full, walk.full),
                       union_of(walk.active, map.offset, walk.full, walk.last)};
        const std::int64_t shared = counting == Counting::array ? at_least_zero(walk.full - map.offset) : folded;
        motion.kept = {shared, shared};
    }
    motion.first = walk.steps > 1 ? motion.size[0] : motion.size[1];
    motion.again = walk.steps == 1                   ? motion.first
                   : counting == Counting::multicast ? multicast_again(map, walk, clusters, motion.first)
                   : counting == Counting::unicast   ? unicast_again(map, walk, clusters)
                                                     : array_again(map, walk, clusters);
    return motion;
}

}  // namespace

Walk walk_of(const Map& map, std::int64_t extent, std::int64_t clusters) {
    Walk walk;
    walk.full = walk.last = std::min(map.size, extent);
    if (extent > map.size) {
        walk.positions = ceil_div(extent - map.size, map.offset) + 1;
        // With gaps between tiles the last one may begin behind the end.
        if ((walk.positions - 1) * map.offset >= extent) walk.positions = ceil_div(extent, map.offset);
        walk.last = std::min(map.size, extent - (walk.positions - 1) * map.offset);
    }
    walk.steps = map.spatial ? ceil_div(walk.positions, clusters) : walk.positions;
    walk.active = map.spatial ? walk.positions - (walk.steps - 1) * clusters : 1;
    walk.one_kind = walk.last == walk.full && (!map.spatial || walk.active == clusters);
    return walk;
}

std::int64_t union_of(std::int64_t count, std::int64_t pitch, std::int64_t length, std::int64_t last) {
    if (pitch >= length || count == 1) return (count - 1) * length + last;
    return std::max((count - 2) * pitch + length, (count - 1) * pitch + last);
}

Motion motion_past(const Map& map, const Walk& walk, std::int64_t clusters, Counting counting) {
    if (!map.spatial || counting != Counting::unicast) return Motion::still(1);
    const std::int64_t first = walk.steps > 1 ? clusters : walk.active;
    return {{clusters, walk.active}, {clusters, walk.active}, first, first};
}

Motion motion_along(const Map& map, const Walk& walk, std::int64_t clusters, Counting counting) {
    return map.spatial ? spatial_motion(map, walk, clusters, counting) : temporal_motion(map, walk);
}

std::int64_t overlaps_with_last(const Map& map, const Walk& walk) {
    const std::int64_t count = std::min(walk.positions - 1, (walk.full - 1) / map.offset);
    return walk.last + count * walk.full - map.offset * (count * (count + 1) / 2);
}

}  // namespace tilewright::dataflow
