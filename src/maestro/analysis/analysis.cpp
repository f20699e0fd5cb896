#include "maestro/analysis/analysis.hpp"

#include <algorithm>
#include <utility>

#include "maestro/analysis/evaluator.hpp"
#include "maestro/analysis/motion.hpp"

namespace tilewright::dataflow {

std::string not_covered(const CompleteLayer& problem, const std::vector<Level>& levels, const Hardware& hardware) {
    Evaluator evaluator(problem, levels, false);
    return evaluator.run(hardware) ? "" : evaluator.problem();
}

std::optional<Counts> analyze(const CompleteLayer& problem, const std::vector<Level>& levels,
                              const Hardware& hardware) {
    Evaluator evaluator(problem, levels, true);
    if (!evaluator.run(hardware)) return std::nullopt;
    const Evaluated& evaluated = evaluator.result();
    Counts counts;
    counts.levels.assign(evaluated.levels.begin(),
                         evaluated.levels.begin() + static_cast<std::ptrdiff_t>(levels.size()));
    counts.operations = evaluated.operations;
    counts.runtime_cycles = evaluated.cycles;
    return counts;
}

struct Plan::State {
    State(CompleteLayer of, std::vector<Level> with)
        : problem(std::move(of)), levels(std::move(with)), lean(problem, levels, false), whole(problem, levels, true) {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    CompleteLayer problem;
    std::vector<Level> levels;
    Evaluator lean;
    Evaluator whole;  // for networks without multicast
};

Plan::Plan(CompleteLayer problem, std::vector<Level> levels)
    : state_(std::make_unique<State>(std::move(problem), std::move(levels))) {}
Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;

const std::vector<Level>& Plan::levels() const { return state_->levels; }

void Plan::set_map(std::size_t level, std::size_t map, std::int64_t size, std::int64_t offset) {
    const Axis axis = state_->levels[level].maps[map].axis;
    state_->levels[level].maps[map].inherited = false;
    for (std::size_t i = level; i < state_->levels.size(); ++i)
        for (Map& changed : state_->levels[i].maps) {
            if (changed.axis != axis) continue;
            if (i > level && !changed.inherited) return;
            changed.size = size;
            changed.offset = offset;
        }
}

void Plan::set_clusters(std::size_t level, std::int64_t clusters) { state_->levels[level].clusters = clusters; }

std::optional<Estimate> Plan::evaluate(const Hardware& hardware) {
    Evaluator& evaluator = hardware.multicast ? state_->lean : state_->whole;
    if (!evaluator.run(hardware)) return std::nullopt;
    const Evaluated& evaluated = evaluator.result();
    const LevelCounts& top = evaluated.levels[0];
    return Estimate{evaluated.cycles, evaluated.operations, top.input.multicast, top.filter.multicast,
                    top.output_change};
}

namespace {

class LegalityJudge {
   public:
    LegalityJudge(const CompleteLayer& problem, const std::vector<Level>& levels)
        : problem_(problem), levels_(levels) {}

    std::vector<Finding> run() {
        for (level_ = 0; level_ < levels_.size(); ++level_) {
            for (const Map& map : levels_[level_].maps) check_map(map);
            check_spatial();
        }
        return std::move(findings_);
    }

   private:
    const Level& level() const { return levels_[level_]; }

    void find(Condition condition, const Map& map, const std::string& text) {
        findings_.push_back({condition, level_, to_text(map) + ": " + text, map.where});
    }

    std::int64_t positions(const Map& map) const {
        return walk_of(map, level().extents[map.axis], level().clusters).positions;
    }

    const Map& map_of(Axis axis) const {
        return *std::find_if(level().maps.begin(), level().maps.end(),
                             [&](const Map& map) { return map.axis == axis; });
    }

    void check_map(const Map& map) {
        const std::int64_t extent = level().extents[map.axis];
        const std::string name(name_of(map.axis));
        if (map.size > extent && !map.inherited)
            find(Condition::bound, map,
                 "maps " + std::to_string(map.size) + " elements of " + name + ", which has " + std::to_string(extent));
        if (problem_.windows && (map.axis == Axis::Y || map.axis == Axis::X)) return check_image(map);
        if (extent <= map.size) return;
        if (map.offset > map.size) find(Condition::coverage, map, "skips elements of " + name);
        if (map.offset < map.size) find(Condition::redundancy, map, "repeats elements of " + name);
    }

    // A tile's outputs must equal the distance to the next tile.
    void check_image(const Map& map) {
        const Map& filter = map_of(filter_along(map.axis));
        const std::int64_t window = std::min(filter.size, level().extents[filter.axis]);
        const std::int64_t reach = (window - 1) * problem_.dilation[filter.axis] + 1;
        const std::int64_t size = std::min(map.size, level().extents[map.axis]);
        const std::string name(name_of(map.axis == Axis::Y ? Axis::out_y : Axis::out_x));
        const bool moves = positions(filter) > 1;
        if (moves && map.spatial && filter.spatial) return check_diagonal(map, filter);
        if (moves && level_ > 0)
            return find(Condition::redundancy, map,
                        "the filter moves apart from the image inside a cluster, which makes outputs of other tiles");
        if (moves && level().extents[filter.axis] % filter.size != 0)
            return find(
                Condition::redundancy, map,
                "the last tile of the moving filter is smaller, and the image's tile makes more outputs with it");
        if (size < reach)
            return find(Condition::coverage, map,
                        "makes no output: the filter's tile reaches over " + std::to_string(reach) +
                            " elements, the map's over " + std::to_string(size));
        const std::int64_t extent = level().extents[map.axis];
        if (positions(map) == 1) {
            const std::int64_t step = problem_.stride[map.axis];
            if ((extent - reach) / step > (size - reach) / step)
                find(Condition::coverage, map, "skips elements of " + name);
            return;
        }
        const std::int64_t stride = moves ? 1 : problem_.stride[map.axis];
        const std::int64_t made = ((size - reach) / stride + 1) * stride;
        if (map.offset > made) find(Condition::coverage, map, "skips elements of " + name);
        if (map.offset < made) find(Condition::redundancy, map, "makes elements of " + name + " more than once");
    }

    // Image and filter move together, like rows in row-stationary dataflows: all units work on the same outputs.
    void check_diagonal(const Map& image, const Map& filter) {
        const std::int64_t dilation = problem_.dilation[filter.axis];
        const std::int64_t reach = (level().extents[filter.axis] - 1) * dilation + 1;
        const bool along = image.offset == filter.offset * dilation && positions(image) == positions(filter) &&
                           filter.size == filter.offset && image.size == (filter.size - 1) * dilation + 1 &&
                           level().extents[image.axis] <= reach && positions(filter) <= level().clusters &&
                           level().extents[filter.axis] % filter.size == 0;
        if (!along)
            find(Condition::coverage, image,
                 "moves with the filter, which is complete only where the tile is one window, both advance alike, and "
                 "there is a sub-cluster for each place");
    }

    void check_spatial() {
        std::vector<const Map*> moving;
        const Map* still = nullptr;
        for (const Map& map : level().maps) {
            if (!map.spatial) continue;
            if (positions(map) > 1)
                moving.push_back(&map);
            else
                still = &map;
        }
        if (moving.empty() && still == nullptr && level().clusters > 1)
            findings_.push_back({Condition::redundancy,
                                 level_,
                                 "no SpatialMap: all " + std::to_string(level().clusters) + " sub-clusters do the same",
                                 {}});
        if (!moving.empty() && still != nullptr)
            find(Condition::coverage, *still, "has one tile, for the first sub-cluster only; the others have none");
        if (moving.size() < 2) return;
        const bool diagonal =
            moving.size() == 2 && problem_.windows &&
            (window_of(moving[0]->axis) == moving[1]->axis || window_of(moving[1]->axis) == moving[0]->axis);
        if (!diagonal)
            find(Condition::coverage, *moving[1],
                 "moves together with " + to_text(*moving[0]) + ": only pairs on the diagonal meet");
    }

    const CompleteLayer& problem_;
    const std::vector<Level>& levels_;
    std::size_t level_ = 0;
    std::vector<Finding> findings_;
};

}  // namespace

std::string_view name_of(Condition condition) {
    switch (condition) {
        case Condition::bound: return "bound";
        case Condition::coverage: return "coverage";
        case Condition::redundancy: return "redundancy";
    }
    return "";
}

std::vector<Finding> findings(const CompleteLayer& problem, const std::vector<Level>& levels) {
    return LegalityJudge(problem, levels).run();
}

}  // namespace tilewright::dataflow
