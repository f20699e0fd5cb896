#include "maestro/walk/walk.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "maestro/analysis/delivery.hpp"

namespace tilewright::dataflow {
namespace {

struct Interval {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t size() const { return std::max<std::int64_t>(end - begin, 0); }
};

using Box = AxisTable<Interval>;
using Elements = std::vector<std::int64_t>;  // sorted numbers of elements

Elements minus(const Elements& a, const Elements& b) {
    Elements rest;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
    return rest;
}

Elements union_of(const Elements& a, const Elements& b) {
    Elements all;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
    return all;
}

std::int64_t size_of(const Elements& elements) { return static_cast<std::int64_t>(elements.size()); }

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

// Operand elements held by each sub-cluster; idle ones keep theirs.
using Held = std::vector<Elements>;

Elements held_by_any(const Held& held) {
    Elements all;
    for (const Elements& tile : held) all = union_of(all, tile);
    return all;
}

class Walker {
   public:
    Walker(const CompleteLayer& problem, const std::vector<Level>& levels, const Hardware& hardware)
        : problem_(problem), levels_(levels), hardware_(hardware) {
        walked_.counts.levels.resize(levels.size());
    }

    Walked run() {
        Box box;
        for (const Axis axis : all_axes()) box[axis] = {0, problem_.extents[axis]};
        walked_.counts.runtime_cycles = evaluate(0, box);
        walked_.distinct_operations = static_cast<std::int64_t>(done_.size());
        walked_.touched_input = static_cast<std::int64_t>(touched_input_.size());
        walked_.touched_filter = static_cast<std::int64_t>(touched_filter_.size());
        return walked_;
    }

   private:
    // One evaluation of a level: its maps as an odometer, innermost fastest.
    std::int64_t evaluate(std::size_t index, const Box& box) {
        const Level& level = levels_[index];
        std::vector<std::int64_t> positions;
        std::vector<std::int64_t> steps;
        for (const Map& map : level.maps) {
            positions.push_back(position_count(map, box[map.axis].size()));
            steps.push_back(map.spatial ? ceil_div(positions.back(), level.clusters) : positions.back());
        }
        Held input(level.clusters);
        Held filter(level.clusters);
        Elements output;
        std::vector<std::int64_t> now(level.maps.size(), 0);
        std::int64_t cycles = 0;
        bool first = true;
        do {
            cycles += step(index, box, positions, now, first, input, filter, output);
            first = false;
        } while (advance(now, steps));
        return cycles;
    }

    static std::int64_t position_count(const Map& map, std::int64_t extent) {
        std::int64_t count = extent > map.size ? ceil_div(extent - map.size, map.offset) + 1 : 1;
        while (count > 1 && (count - 1) * map.offset >= extent) --count;
        return count;
    }

    static bool advance(std::vector<std::int64_t>& now, const std::vector<std::int64_t>& steps) {
        for (std::size_t i = now.size(); i-- > 0;) {
            if (++now[i] < steps[i]) return true;
            now[i] = 0;
        }
        return false;
    }

    std::int64_t step(std::size_t index, const Box& box, const std::vector<std::int64_t>& positions,
                      const std::vector<std::int64_t>& now, bool first, Held& input, Held& filter, Elements& output) {
        LevelCounts& counts = walked_.counts.levels[index];
        std::int64_t compute = 0;
        Elements produced;
        Moved in;
        Moved weights;
        in.there = held_by_any(input);
        weights.there = held_by_any(filter);
        for (std::int64_t cluster = 0; cluster < levels_[index].clusters; ++cluster) {
            Box tile;
            if (!tile_of(index, box, positions, now, cluster, tile)) continue;
            move(elements_of(tile, problem_.input), cluster, input, in);
            move(elements_of(tile, problem_.filter), cluster, filter, weights);
            produced = union_of(produced, outputs_of(tile));
            compute = std::max(compute, run(index, tile));
        }
        ++counts.steps;
        if (index == 0) {
            touched_input_.insert(in.present.begin(), in.present.end());
            touched_filter_.insert(weights.present.begin(), weights.present.end());
        }
        finish(in, first, counts.input);
        finish(weights, first, counts.filter);
        counts.output_each += size_of(produced);
        if (produced != output) counts.output_change += size_of(produced);
        output = produced;
        const StepTraffic traffic{size_of(in.sent), size_of(weights.sent), size_of(produced),
                                  in.copies - size_of(in.sent) + weights.copies - size_of(weights.sent)};
        counts.output_most = std::max(counts.output_most, size_of(produced));
        if (!first)
            counts.bytes_per_cycle =
                std::max(counts.bytes_per_cycle, needed_bytes_per_cycle(traffic, compute, hardware_, problem_.density));
        return step_cycles(traffic, compute, first, is_on_chip(levels_, index), hardware_, problem_.density);
    }

    // An operand's words in one step.
    struct Moved {
        Elements there;  // before the step, at any sub-cluster
        Elements sent;
        Elements present;
        std::int64_t copies = 0;
    };

    static void move(Elements tile, std::int64_t cluster, Held& held, Moved& moved) {
        const Elements fresh = minus(tile, held[cluster]);
        moved.copies += size_of(fresh);
        moved.sent = union_of(moved.sent, fresh);
        moved.present = union_of(moved.present, tile);
        held[cluster] = std::move(tile);
    }

    static void finish(const Moved& moved, bool first, Sent& sent) {
        std::int64_t& most = first ? sent.first : sent.later;
        most = std::max(most, size_of(moved.sent));
        sent.multicast += size_of(moved.sent);
        sent.unicast += moved.copies;
        sent.array += size_of(minus(moved.present, moved.there));
    }

    // False: the sub-cluster is idle.
    bool tile_of(std::size_t index, const Box& box, const std::vector<std::int64_t>& positions,
                 const std::vector<std::int64_t>& now, std::int64_t cluster, Box& tile) const {
        const Level& level = levels_[index];
        for (std::size_t i = 0; i < level.maps.size(); ++i) {
            const Map& map = level.maps[i];
            const std::int64_t position = map.spatial ? now[i] * level.clusters + cluster : now[i];
            if (position >= positions[i]) return false;
            const std::int64_t begin = box[map.axis].begin + position * map.offset;
            tile[map.axis] = {begin, std::min(begin + map.size, box[map.axis].end)};
        }
        return true;
    }

    // Output rows or columns with their windows, as far as the tile has them, inside the tile.
    Interval outputs_along(Axis axis, const Box& tile) const {
        if (!problem_.windows || !window_of(axis)) return tile[axis];
        const Axis window = filter_along(axis);
        const std::int64_t stride = problem_.stride[axis];
        const std::int64_t dilation = problem_.dilation[window];
        const std::int64_t lowest = -floor_div(-(tile[axis].begin - tile[window].begin * dilation), stride);
        const std::int64_t highest = floor_div(tile[axis].end - 1 - (tile[window].end - 1) * dilation, stride);
        const std::int64_t all = problem_.extents[axis == Axis::Y ? Axis::out_y : Axis::out_x];
        return {std::max<std::int64_t>(lowest, 0), std::min(highest + 1, all)};
    }

    Box output_box(const Box& tile) const {
        Box box = tile;
        for (const Axis axis : {Axis::Y, Axis::X})
            if (problem_.extents[axis] > 0) box[axis] = outputs_along(axis, tile);
        return box;
    }

    std::int64_t operations_in(const Box& outputs) const {
        std::int64_t operations = 1;
        for (const Axis axis : problem_.coupled) operations *= outputs[axis].size();
        return operations;
    }

    Elements elements_of(const Box& box, const std::vector<Axis>& axes) const {
        if (axes.empty()) return {};
        Elements elements{0};
        for (const Axis axis : axes) {
            Elements longer;
            for (const std::int64_t element : elements)
                for (std::int64_t i = box[axis].begin; i < box[axis].end; ++i)
                    longer.push_back(element * (problem_.extents[axis] + 1) + i);
            elements = std::move(longer);
        }
        return elements;
    }

    Elements outputs_of(const Box& tile) const {
        const Box outputs = output_box(tile);
        return operations_in(outputs) > 0 ? elements_of(outputs, problem_.output) : Elements{};
    }

    // Cycles of a sub-cluster on its tile.
    std::int64_t run(std::size_t index, const Box& tile) {
        if (index + 1 < levels_.size()) return evaluate(index + 1, tile);
        const Box outputs = output_box(tile);
        const std::int64_t operations = operations_in(outputs);
        walked_.counts.operations += operations;
        for (const std::int64_t one : elements_of(outputs, problem_.coupled)) done_.insert(one);
        return compute_cycles(operations, hardware_, problem_.density);
    }

    const CompleteLayer& problem_;
    const std::vector<Level>& levels_;
    const Hardware& hardware_;
    Walked walked_;
    std::set<std::int64_t> done_;
    std::set<std::int64_t> touched_input_;
    std::set<std::int64_t> touched_filter_;
};

}  // namespace

Walked walk(const CompleteLayer& problem, const std::vector<Level>& levels, const Hardware& hardware) {
    return Walker(problem, levels, hardware).run();
}

}  // namespace tilewright::dataflow
