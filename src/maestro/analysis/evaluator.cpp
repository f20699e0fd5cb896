#include "maestro/analysis/evaluator.hpp"

#include <algorithm>

#include "maestro/analysis/delivery.hpp"

namespace tilewright::dataflow {
namespace {

// The tensor of a flow: 0 input, 1 filter, 2 output.
constexpr std::array<std::size_t, kFlows> kTensor{0, 1, 2, 0, 1, 0, 1};
constexpr std::array<Counting, kFlows> kCounting{Counting::multicast, Counting::multicast, Counting::multicast,
                                                 Counting::unicast,   Counting::unicast,   Counting::array,
                                                 Counting::array};

// Marks a tile behind the window's last position, at an axis unused by tiles.
constexpr auto kNoOutput = static_cast<std::size_t>(Axis::out_y);

std::size_t at(Axis axis) { return static_cast<std::size_t>(axis); }

}  // namespace

Evaluator::Evaluator(const CompleteLayer& problem, const std::vector<Level>& levels, bool whole)
    : problem_(problem), levels_(levels), flows_(whole ? kFlows : kLeanFlows) {
    for (const Axis axis : problem.input) depends_[0][at(axis)] = true;
    for (const Axis axis : problem.filter) depends_[1][at(axis)] = true;
    for (const Axis axis : problem.output) depends_[2][at(axis)] = true;
}

bool Evaluator::refuse(const std::string& reason) {
    refusal_ = reason;
    return false;
}

bool Evaluator::run(const Hardware& hardware) {
    hardware_ = &hardware;
    refusal_.clear();
    if (levels_.size() > kMostLevels) return refuse("there are more than 8 cluster levels");
    for (std::size_t i = 0; i < levels_.size(); ++i) {
        if (levels_[i].maps.size() > kMostMaps) return refuse("a cluster level has more than 12 maps");
        known_[i].clear();
        on_chip_[i] = is_on_chip(levels_, i);
    }
    check_magnitude();
    TileExtents tile{};
    for (const Axis axis : problem_.coupled) tile[at(axis)] = problem_.extents[axis];
    return evaluate(0, tile, result_);
}

// Upper bound of a level's counts: tiles of its sub-clusters, over all steps of all levels above, times their elements.
void Evaluator::check_magnitude() const {
    double tiles = 1.0;
    for (const Level& level : levels_) {
        double elements = 1.0;
        bool spatial = false;
        for (const Map& map : level.maps) {
            const std::int64_t extent = std::max<std::int64_t>(level.extents[map.axis], 1);
            spatial = spatial || map.spatial;
            tiles *= static_cast<double>(walk_of(map, extent, 1).positions);
            elements *= static_cast<double>(std::min(map.size, extent));
        }
        if (!spatial) tiles *= static_cast<double>(level.clusters);
        if (tiles * elements > 4e18) throw OverflowError();
    }
}

bool Evaluator::known(std::size_t level, const TileExtents& tile, Evaluated& result) {
    for (const auto& [of, counts] : known_[level])
        if (of == tile) return result = counts, true;
    if (!evaluate(level, tile, result)) return false;
    known_[level].emplace_back(tile, result);
    return true;
}

bool Evaluator::evaluate(std::size_t level, const TileExtents& tile, Evaluated& result) {
    result = Evaluated{};
    Setting setting;
    if (!set_up(level, tile, setting)) return false;
    Case first;
    first.first = true;
    first.moved = setting.first[0];
    for (std::size_t i = 0; i < setting.maps; ++i)
        if (setting.walks[i].steps == 1) first.last |= 1U << i;
    if (!add(level, setting, first, tile, result)) return false;
    Prefix prefix;
    prefix.product.fill(1);
    if (!moves_from(0, level, setting, prefix, tile, result)) return false;
    if (flows_ == kFlows) {
        result.levels[level].input.array -= idle_words(level, setting, kInputArray);
        result.levels[level].filter.array -= idle_words(level, setting, kFilterArray);
    }
    return true;
}

// Array words of the last folds held by idle sub-clusters from the fold before: its last tile along the inner maps. An
// inner map meets each once, counted for every position of those between.
std::int64_t Evaluator::idle_words(std::size_t level, const Setting& setting, Flow flow) const {
    if (setting.spatial < 0 || (problem_.filter.empty() && kTensor[flow] == 1)) return 0;
    const auto spatial = static_cast<std::size_t>(setting.spatial);
    const std::vector<Map>& maps = levels_[level].maps;
    const Walk& folds = setting.walks[spatial];
    if (folds.steps == 1 || folds.active == setting.clusters) return 0;
    std::int64_t folded = 1;
    std::int64_t met = 0;
    for (std::size_t i = 0; i < setting.maps; ++i) {
        const Walk& walk = setting.walks[i];
        const bool depends = depends_[kTensor[flow]][at(maps[i].axis)];
        if (i < spatial) {
            folded *= depends ? (walk.steps - 1) * walk.full + walk.last : walk.steps;
        } else if (i == spatial) {
            folded *= depends ? std::max<std::int64_t>(walk.full - maps[i].offset, 0) : 1;
        } else {
            const Motion& motion = setting.motions[flow][i];
            met += folded * (motion.size[1] - motion.again) * setting.again[i + 1][flow];
            folded *= depends ? overlaps_with_last(maps[i], walk) : walk.steps;
        }
    }
    return met;
}

bool Evaluator::set_up(std::size_t level, const TileExtents& tile, Setting& setting) {
    const Level& of = levels_[level];
    setting.maps = of.maps.size();
    setting.clusters = of.clusters;
    setting.no_output = tile[kNoOutput] != 0;
    int spatial = 0;
    std::int64_t together = of.clusters;
    bool folds = false;
    for (std::size_t i = 0; i < setting.maps; ++i) {
        setting.walks[i] = walk_of(of.maps[i], tile[at(of.maps[i].axis)], of.clusters);
        if (!of.maps[i].spatial) continue;
        setting.spatial = static_cast<int>(i);
        ++spatial;
        folds = folds || setting.walks[i].steps > 1;
        together = std::min(together, setting.walks[i].positions);
    }
    if (spatial > 1 && folds) return refuse("spatial maps that move together are folded");
    if (spatial > 1) setting.lockstep = together;
    if (problem_.windows &&
        !(check_window(level, setting, tile, Axis::Y) && check_window(level, setting, tile, Axis::X)))
        return false;
    set_motions(level, setting);
    return true;
}

// A tile's output follows from the image tile alone if the filter's is stationary or moves along with it.
bool Evaluator::check_window(std::size_t level, Setting& setting, const TileExtents& tile, Axis image) {
    const Axis filter = filter_along(image);
    const std::vector<Map>& maps = levels_[level].maps;
    std::size_t i = 0;
    std::size_t j = 0;
    for (std::size_t map = 0; map < maps.size(); ++map) {
        if (maps[map].axis == image) i = map;
        if (maps[map].axis == filter) j = map;
    }
    const Walk& rows = setting.walks[i];
    const Walk& weights = setting.walks[j];
    const std::int64_t reached = (weights.positions - 1) * maps[j].offset + weights.last;
    if (weights.positions > 1) {
        const bool along = maps[i].spatial && maps[j].spatial &&
                           maps[i].offset == maps[j].offset * problem_.dilation[filter] && rows.last == rows.full &&
                           weights.last == weights.full && setting.lockstep == weights.positions;
        if (along) return true;
        if (!is_behind_last_window(level, setting, i, j, tile)) return refuse("the filter moves apart from the image");
        return setting.no_output = true;
    }
    if (rows.positions > 1 && maps[i].offset % problem_.stride[image] != 0)
        return refuse("an offset of the image is no whole number of strides");
    if (reached == tile[at(filter)]) return true;
    return refuse("a part of the filter is never used");
}

// The rest of the image behind the window's last position: fewer rows than the filter's, each met by one of them. Only
// the top level cuts the image, so only there is the end certain.
bool Evaluator::is_behind_last_window(std::size_t level, const Setting& setting, std::size_t image, std::size_t filter,
                                      const TileExtents& tile) const {
    const Map& rows = levels_[level].maps[image];
    const Map& weights = levels_[level].maps[filter];
    const std::int64_t reach = (problem_.extents[weights.axis] - 1) * problem_.dilation[weights.axis] + 1;
    std::int64_t cut = 0;  // size of the top level's tiles
    for (std::size_t i = 0; i < level; ++i)
        for (const Map& map : levels_[i].maps) {
            if (map.axis != rows.axis) continue;
            if (i == 0) cut = map.size;
            if (map.size < cut || cut < reach) return false;
        }
    return level > 0 && tile[at(rows.axis)] < reach && tile[at(weights.axis)] == problem_.extents[weights.axis] &&
           rows.spatial && weights.spatial && setting.walks[filter].steps == 1 &&
           rows.offset == weights.offset * problem_.dilation[weights.axis];
}

void Evaluator::set_motions(std::size_t level, Setting& setting) const {
    const std::vector<Map>& maps = levels_[level].maps;
    for (std::size_t flow = 0; flow < flows_; ++flow) {
        for (std::size_t i = 0; i < setting.maps; ++i) {
            Motion& motion = setting.motions[flow][i];
            const bool depends = depends_[kTensor[flow]][at(maps[i].axis)];
            if (!depends)
                motion = motion_past(maps[i], setting.walks[i], setting.clusters, kCounting[flow]);
            else if (flow == kOutputUnion)
                motion = output_motion(level, setting, i);
            else
                motion = motion_along(maps[i], setting.walks[i], setting.clusters, kCounting[flow]);
        }
    }
    if (setting.lockstep > 0) set_lockstep(level, setting);
    for (std::size_t flow = 0; flow < flows_; ++flow) {
        // Without a spatial map all sub-clusters get the same.
        const bool alike = setting.spatial < 0 && kCounting[flow] == Counting::unicast;
        setting.first[setting.maps][flow] = setting.again[setting.maps][flow] = alike ? setting.clusters : 1;
        for (std::size_t i = setting.maps; i-- > 0;) {
            setting.first[i][flow] = setting.first[i + 1][flow] * setting.motions[flow][i].first;
            setting.again[i][flow] = setting.again[i + 1][flow] * setting.motions[flow][i].again;
        }
        if ((problem_.filter.empty() && kTensor[flow] == 1) || (setting.no_output && flow == kOutputUnion))
            for (std::size_t i = 0; i <= setting.maps; ++i) setting.first[i][flow] = setting.again[i][flow] = 0;
    }
    setting.output_moves[setting.maps] = false;
    for (std::size_t i = setting.maps; i-- > 0;)
        setting.output_moves[i] =
            setting.output_moves[i + 1] || (depends_[2][at(maps[i].axis)] && setting.walks[i].steps > 1);
}

// Output rows move like input rows, in units of the stride.
Motion Evaluator::output_motion(std::size_t level, const Setting& setting, std::size_t map) const {
    Map outputs = levels_[level].maps[map];
    Walk walk = setting.walks[map];
    if (problem_.windows && window_of(outputs.axis)) {
        const Axis filter = filter_along(outputs.axis);
        std::int64_t window = 1;
        for (std::size_t i = 0; i < setting.maps; ++i)
            if (levels_[level].maps[i].axis == filter) window = setting.walks[i].full;
        walk.full = outputs_along(outputs.axis, walk.full, window);
        walk.last = outputs_along(outputs.axis, walk.last, window);
        outputs.offset /= problem_.stride[outputs.axis];
    }
    return motion_along(outputs, walk, setting.clusters, Counting::multicast);
}

void Evaluator::set_lockstep(std::size_t level, Setting& setting) const {
    bool placed = false;
    for (std::size_t i = 0; i < setting.maps; ++i) {
        if (!levels_[level].maps[i].spatial) continue;
        for (std::size_t flow = 0; flow < flows_; ++flow)
            setting.motions[flow][i] = placed ? Motion::still(1) : together(level, setting, static_cast<Flow>(flow));
        placed = true;
    }
}

// Several spatial maps without folds: the tiles lie on a diagonal, and each shares with its neighbour only.
Motion Evaluator::together(std::size_t level, const Setting& setting, Flow flow) const {
    std::int64_t full = 1;
    std::int64_t last = 1;
    std::int64_t shared = 1;
    for (std::size_t i = 0; i < setting.maps; ++i) {
        const Map& map = levels_[level].maps[i];
        if (!map.spatial || !depends_[kTensor[flow]][at(map.axis)]) continue;
        const Walk& walk = setting.walks[i];
        std::int64_t length = walk.full;
        std::int64_t at_end = setting.lockstep == walk.positions ? walk.last : walk.full;
        std::int64_t offset = map.offset;
        if (flow == kOutputUnion && problem_.windows && window_of(map.axis)) {
            const Axis filter = filter_along(map.axis);
            for (std::size_t j = 0; j < setting.maps; ++j) {
                if (levels_[level].maps[j].axis != filter) continue;
                length = outputs_along(map.axis, length, setting.walks[j].full);
                at_end = outputs_along(map.axis, at_end, setting.walks[j].full);
                offset = setting.walks[j].positions > 1 ? 0 : offset / problem_.stride[map.axis];
            }
        }
        full *= length;
        last *= at_end;
        shared *= std::min(at_end, std::max<std::int64_t>(length - offset, 0));
    }
    const std::int64_t others = setting.lockstep - 1;
    if (kCounting[flow] == Counting::unicast) return Motion::still(others * full + last);
    std::int64_t whole = 1;  // shared by two full neighbours
    for (std::size_t i = 0; i < setting.maps; ++i) {
        const Map& map = levels_[level].maps[i];
        if (!map.spatial || !depends_[kTensor[flow]][at(map.axis)]) continue;
        whole *= std::max<std::int64_t>(setting.walks[i].full - map.offset, 0);
    }
    if (flow == kOutputUnion) whole = shared;
    if (others == 0) return Motion::still(last);
    return Motion::still(others * full + last - (others - 1) * whole - shared);
}

std::int64_t Evaluator::outputs_along(Axis image, std::int64_t length, std::int64_t window) const {
    const std::int64_t reach = (window - 1) * problem_.dilation[filter_along(image)] + 1;
    return length < reach ? 0 : (length - reach) / problem_.stride[image] + 1;
}

// Cases with `map` or an inner one advancing, the outer maps as in the prefix.
bool Evaluator::moves_from(std::size_t map, std::size_t level, const Setting& setting, const Prefix& prefix,
                           const TileExtents& tile, Evaluated& result) {
    if (map == setting.maps) return true;
    const Walk& walk = setting.walks[map];
    if (walk.steps > 1 && !moves_at(map, level, setting, prefix, tile, result)) return false;
    const bool only = walk.steps == 1 || walk.one_kind;
    for (std::size_t kind = walk.steps == 1 ? 1 : 0; kind < (only && walk.steps > 1 ? 1U : 2U); ++kind) {
        Prefix next = prefix;
        if (kind == 1) next.last |= 1U << map;
        next.times *= kind == 1 ? 1 : walk.steps - (only ? 0 : 1);
        for (std::size_t flow = 0; flow < flows_; ++flow) next.product[flow] *= setting.motions[flow][map].size[kind];
        if (!moves_from(map + 1, level, setting, next, tile, result)) return false;
    }
    return true;
}

// `map` advances; the inner ones restart.
bool Evaluator::moves_at(std::size_t map, std::size_t level, const Setting& setting, const Prefix& prefix,
                         const TileExtents& tile, Evaluated& result) {
    const Walk& walk = setting.walks[map];
    for (std::size_t kind = 0; kind < (walk.one_kind ? 1U : 2U); ++kind) {
        Case one;
        one.times = prefix.times * (kind == 1 ? 1 : walk.steps - (walk.one_kind ? 1 : 2));
        if (one.times == 0) continue;
        one.last = prefix.last;
        if (kind == 1) one.last |= 1U << map;
        for (std::size_t i = map + 1; i < setting.maps; ++i)
            if (setting.walks[i].steps == 1) one.last |= 1U << i;
        for (std::size_t flow = 0; flow < flows_; ++flow) {
            const Motion& motion = setting.motions[flow][map];
            const std::int64_t now = motion.size[kind] * setting.first[map + 1][flow];
            const std::int64_t kept = flow == kOutputUnion ? 0 : motion.kept[kind] * setting.again[map + 1][flow];
            one.moved[flow] = prefix.product[flow] * (now - kept);
        }
        one.output_changes = setting.output_moves[map];
        if (!add(level, setting, one, tile, result)) return false;
    }
    return true;
}

void Evaluator::add_report(const Case& one, const StepTraffic& traffic, std::int64_t compute_time,
                           LevelCounts& counts) const {
    std::int64_t& input = one.first ? counts.input.first : counts.input.later;
    std::int64_t& filter = one.first ? counts.filter.first : counts.filter.later;
    input = std::max(input, traffic.input);
    filter = std::max(filter, traffic.filter);
    counts.output_most = std::max(counts.output_most, traffic.output);
    if (one.first) return;
    counts.bytes_per_cycle =
        std::max(counts.bytes_per_cycle, needed_bytes_per_cycle(traffic, compute_time, *hardware_, problem_.density));
}

bool Evaluator::add(std::size_t level, const Setting& setting, const Case& one, const TileExtents& tile,
                    Evaluated& result) {
    std::int64_t compute_time = 0;
    if (!compute(level, setting, one, tile, compute_time, result)) return false;
    LevelCounts& counts = result.levels[level];
    counts.steps += one.times;
    counts.input.multicast += one.times * one.moved[kInputMulticast];
    counts.filter.multicast += one.times * one.moved[kFilterMulticast];
    counts.output_each += one.times * one.moved[kOutputUnion];
    if (one.output_changes) counts.output_change += one.times * one.moved[kOutputUnion];
    StepTraffic traffic{one.moved[kInputMulticast], one.moved[kFilterMulticast], one.moved[kOutputUnion], 0};
    if (flows_ == kFlows) {
        add_report(one, traffic, compute_time, counts);
        counts.input.unicast += one.times * one.moved[kInputUnicast];
        counts.filter.unicast += one.times * one.moved[kFilterUnicast];
        counts.input.array += one.times * one.moved[kInputArray];
        counts.filter.array += one.times * one.moved[kFilterArray];
        traffic.forwarded = one.moved[kInputUnicast] - one.moved[kInputMulticast] + one.moved[kFilterUnicast] -
                            one.moved[kFilterMulticast];
    }
    result.cycles +=
        one.times * step_cycles(traffic, compute_time, one.first, on_chip_[level], *hardware_, problem_.density);
    return true;
}

// The slowest sub-cluster's time. Only the last active one may have smaller tiles along spatial maps.
bool Evaluator::compute(std::size_t level, const Setting& setting, const Case& one, const TileExtents& tile,
                        std::int64_t& cycles, Evaluated& result) {
    std::int64_t active = setting.clusters;
    bool smaller = false;
    if (setting.lockstep > 0) {
        active = setting.lockstep;
        for (std::size_t i = 0; i < setting.maps; ++i)
            smaller = smaller || (levels_[level].maps[i].spatial && setting.walks[i].positions == active &&
                                  setting.walks[i].last < setting.walks[i].full);
    } else if (setting.spatial >= 0) {
        const Walk& walk = setting.walks[setting.spatial];
        const bool last = (one.last >> setting.spatial & 1U) != 0;
        active = last ? walk.active : setting.clusters;
        smaller = last && walk.last < walk.full;
    }
    const std::int64_t usual = active - (smaller ? 1 : 0);
    if (usual > 0 &&
        !run_tile(level, tile_of(level, setting, one.last, false, tile), one.times * usual, cycles, result))
        return false;
    return !smaller || run_tile(level, tile_of(level, setting, one.last, true, tile), one.times, cycles, result);
}

bool Evaluator::run_tile(std::size_t level, const TileExtents& tile, std::int64_t times, std::int64_t& cycles,
                         Evaluated& result) {
    if (level + 1 == levels_.size()) {
        const std::int64_t operations = tile[kNoOutput] != 0 ? 0 : operations_in(tile);
        result.operations += times * operations;
        cycles = std::max(cycles, compute_cycles(operations, *hardware_, problem_.density));
        return true;
    }
    Evaluated inside;
    if (!known(level + 1, tile, inside)) return false;
    cycles = std::max(cycles, inside.cycles);
    result.operations += times * inside.operations;
    if (flows_ == kLeanFlows) return true;
    for (std::size_t i = level + 1; i < levels_.size(); ++i) {
        LevelCounts& all = result.levels[i];
        const LevelCounts& more = inside.levels[i];
        all.steps += times * more.steps;
        for (const auto& [to, from] : {std::pair{&all.input, &more.input}, std::pair{&all.filter, &more.filter}}) {
            to->multicast += times * from->multicast;
            to->unicast += times * from->unicast;
            to->array += times * from->array;
            to->first = std::max(to->first, from->first);
            to->later = std::max(to->later, from->later);
        }
        all.output_each += times * more.output_each;
        all.output_change += times * more.output_change;
        all.output_most = std::max(all.output_most, more.output_most);
        all.bytes_per_cycle = std::max(all.bytes_per_cycle, more.bytes_per_cycle);
    }
    return true;
}

Evaluator::TileExtents Evaluator::tile_of(std::size_t level, const Setting& setting, std::uint32_t last,
                                          bool last_cluster, const TileExtents& tile) const {
    TileExtents part = tile;
    part[kNoOutput] = setting.no_output ? 1 : 0;
    for (std::size_t i = 0; i < setting.maps; ++i) {
        const Map& map = levels_[level].maps[i];
        const Walk& walk = setting.walks[i];
        bool smaller = (last >> i & 1U) != 0;
        if (map.spatial) smaller = last_cluster && (setting.lockstep == 0 || walk.positions == setting.lockstep);
        part[at(map.axis)] = smaller ? walk.last : walk.full;
    }
    return part;
}

std::int64_t Evaluator::operations_in(const TileExtents& tile) const {
    std::int64_t operations = 1;
    for (const Axis axis : problem_.coupled) {
        const std::int64_t length = tile[at(axis)];
        operations *= problem_.windows && (axis == Axis::Y || axis == Axis::X)
                          ? outputs_along(axis, length, tile[at(filter_along(axis))])
                          : length;
    }
    return operations;
}

}  // namespace tilewright::dataflow
