#include "random_dataflow.hpp"

#include <algorithm>

#include "maestro/analysis/motion.hpp"

namespace tilewright::property {
namespace {

using dataflow::Axis;
using dataflow::Directive;
using dataflow::DirectiveKind;
using dataflow::Size;

constexpr std::int64_t kMostOperations = 4000;

void random_extents(Random& random, dataflow::Layer& layer) {
    const dataflow::AxisRules rules = axis_rules(layer.type);
    const auto add = [&](Axis axis) {
        const bool image = axis == Axis::Y || axis == Axis::X;
        layer.extents[axis] = random.between(1, image ? 9 : axis == Axis::R || axis == Axis::S ? 3 : 5);
    };
    for (const Axis axis : rules.required) add(axis);
    for (const Axis axis : rules.optional)
        if (random.chance(0.3)) add(axis);
}

dataflow::Layer random_layer(Random& random) {
    while (true) {
        dataflow::Layer layer;
        layer.name = "random";
        layer.type = static_cast<dataflow::LayerType>(random.below(8));
        random_extents(random, layer);
        const bool windows = layer.type != dataflow::LayerType::gemm && layer.type != dataflow::LayerType::lstm;
        if (windows && random.chance(0.3)) layer.stride[Axis::Y] = layer.stride[Axis::X] = random.between(1, 3);
        if (windows && random.chance(0.15)) layer.dilation[Axis::R] = layer.dilation[Axis::S] = 2;
        if (!windows) layer.extents[Axis::R] = layer.extents[Axis::S] = layer.extents[Axis::Y] = 0;
        if (random.chance(0.1)) layer.density.input.density = 0.375;
        const dataflow::Extents extents = complete_extents(layer);
        if (windows && (extents[Axis::out_y] < 1 || extents[Axis::out_x] < 1)) continue;
        if (operations_of(problem_of(layer)) <= kMostOperations) return layer;
    }
}

// A tile of the axis: mostly sensible, sometimes not.
Directive random_map(Random& random, const dataflow::CompleteLayer& problem, Axis axis, bool spatial) {
    Directive map;
    map.kind = spatial ? DirectiveKind::spatial : DirectiveKind::temporal;
    map.axis = axis;
    const std::int64_t extent = problem.extents[axis];
    std::int64_t size = random.between(1, extent + (random.chance(0.1) ? 2 : 0));
    std::int64_t offset = size;
    const auto window = dataflow::window_of(axis);
    const bool filter = axis == Axis::R || axis == Axis::S;
    if (problem.windows && window && random.chance(0.8)) {
        const std::int64_t reach = (problem.extents[*window] - 1) * problem.dilation[*window] + 1;
        const std::int64_t outputs = random.between(1, 3);
        size = (outputs - 1) * problem.stride[axis] + reach;
        offset = outputs * problem.stride[axis];
    } else if (problem.windows && filter && random.chance(0.8)) {
        size = offset = extent;
    }
    if (random.chance(0.1)) offset = random.between(1, size + 1);
    map.size = Size::number(size);
    map.offset = Size::number(offset);
    return map;
}

void add_level(Random& random, const dataflow::CompleteLayer& problem, dataflow::Dataflow& flow) {
    std::vector<Axis> axes = problem.coupled;
    for (std::size_t i = axes.size(); i > 1; --i) std::swap(axes[i - 1], axes[random.below(i)]);
    axes.resize(random.below(axes.size() + 1));
    int spatial = random.chance(0.8) ? 1 : random.chance(0.5) ? 2 : 0;
    for (const Axis axis : axes) {
        const bool here = spatial > 0 && random.chance(0.4);
        if (here) --spatial;
        flow.directives.push_back(random_map(random, problem, axis, here));
    }
    if (!problem.windows || !random.chance(0.1)) return;
    // Rows of the image and of the filter move together, as in row-stationary dataflows.
    for (const Axis axis : {Axis::Y, Axis::R})
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) {
            Directive map = random_map(random, problem, axis, true);
            map.size = Size::number(1);
            map.offset = Size::number(axis == Axis::Y ? problem.dilation[Axis::R] : 1);
            flow.directives.push_back(map);
        }
}

}  // namespace

RandomDataflow random_dataflow(std::uint64_t seed) {
    Random random(seed);
    RandomDataflow made;
    made.layer = random_layer(random);
    made.problem = problem_of(made.layer);
    const std::int64_t levels = random.between(1, 3);
    made.hardware.units = 1;
    for (std::int64_t i = 0; i < levels; ++i) {
        const std::int64_t clusters = random.between(1, 4);
        if (i > 0) {
            Directive cluster;
            cluster.kind = DirectiveKind::cluster;
            cluster.size = Size::number(clusters);
            cluster.cluster = random.chance(0.7) ? dataflow::ClusterKind::physical : dataflow::ClusterKind::logical;
            made.flow.directives.push_back(cluster);
        }
        made.hardware.units *= clusters;
        add_level(random, made.problem, made.flow);
    }
    made.hardware.noc_bytes_per_cycle = random.between(1, 16);
    made.hardware.noc_latency_cycles = random.between(0, 3);
    made.hardware.vector_width = random.between(1, 2);
    made.hardware.sum_bytes = random.between(1, 2);
    made.hardware.multicast = random.chance(0.8);
    made.levels = levels_of(made.flow, {}, request_for(made.problem, made.hardware.units));
    return made;
}

bool definitions_differ(const dataflow::Level& top) {
    for (const dataflow::Map& map : top.maps) {
        const dataflow::Walk walk = walk_of(map, top.extents[map.axis], 1);
        if (walk.positions == 1) continue;
        if ((walk.positions - 1) * map.offset < map.size || (map.spatial && map.offset < map.size)) return true;
    }
    return false;
}

std::string to_text(const RandomDataflow& random) {
    std::string text = std::string(name_of(random.layer.type));
    for (const Axis axis : dataflow::all_axes())
        if (random.problem.extents[axis] > 0)
            text += " " + std::string(dataflow::name_of(axis)) + "=" + std::to_string(random.problem.extents[axis]);
    text += "; stride " + std::to_string(random.layer.stride[Axis::Y]) + ", dilation " +
            std::to_string(random.layer.dilation[Axis::R]) + "\n";
    for (const dataflow::Level& level : random.levels.levels) {
        text += "  " + std::to_string(level.clusters) + " sub-clusters:";
        for (const dataflow::Map& map : level.maps) text += " " + to_text(map) + (map.inherited ? "*" : "");
        text += "\n";
    }
    return text;
}

}  // namespace tilewright::property
