#include "same_spaces.hpp"

#include <algorithm>
#include <array>

#include "run/codesign/machine_subject.hpp"
#include "same_parts.hpp"

namespace tilewright::property {
namespace {

explore::Point point_of(const explore::Space& space, const std::vector<std::size_t>& positions) {
    explore::Point point = 0;
    for (std::size_t knob = 0; knob < positions.size(); ++knob)
        point += static_cast<std::int64_t>(positions[knob]) * space.stride(knob);
    return point;
}

std::vector<int> as_they_are(std::size_t count) {
    std::vector<int> order;
    for (std::size_t i = 0; i < count; ++i) order.push_back(static_cast<int>(i));
    return order;
}

std::optional<LayerRewriting> of_layers(SpaceRewriting rewriting) {
    switch (rewriting) {
        case SpaceRewriting::dimensions: return LayerRewriting::dimensions;
        case SpaceRewriting::operands: return LayerRewriting::operands;
        case SpaceRewriting::one_value: return LayerRewriting::one_value;
        case SpaceRewriting::axes: return LayerRewriting::axes;
        case SpaceRewriting::energies: return LayerRewriting::energies;
        case SpaceRewriting::capacity: return LayerRewriting::capacity;
        default: return std::nullopt;
    }
}

std::optional<Relation> split_repeats(NetworkProblem& network) {
    for (std::size_t i = 0; i < network.shapes.size(); ++i) {
        if (network.shapes[i].repeats < 2) continue;
        ShapeProblem other = network.shapes[i];
        other.names = {"the others"};
        other.repeats -= 1;
        network.shapes[i].repeats = 1;
        network.shapes.push_back(std::move(other));
        return Relation{};
    }
    return std::nullopt;
}

}  // namespace

std::string_view name_of(SpaceRewriting rewriting) {
    static constexpr std::array<std::string_view, kSpaceRewritings> kNames{
        "knobs",    "values",  "layers", "repeats", "dimensions", "operands", "one value", "axes of the array",
        "energies", "capacity"};
    return kNames[static_cast<std::size_t>(rewriting)];
}

SpaceInOtherWords::SpaceInOtherWords(RandomSpace& base, SpaceRewriting rewriting, std::uint64_t seed)
    : base_(base), rewriting_(rewriting), seed_(seed), roles_(base.roles()) {
    Random random(seed);
    std::vector<explore::Knob> knobs = base.space().knobs();
    knobs_ = rewriting == SpaceRewriting::knobs ? random_order(random, knobs.size()) : as_they_are(knobs.size());
    for (explore::Knob& knob : knobs) {
        values_.push_back(rewriting == SpaceRewriting::values ? random_order(random, knob.values.size())
                                                              : as_they_are(knob.values.size()));
        reorder(knob.values, values_.back());
    }
    reorder(knobs, knobs_);
    reorder(roles_, knobs_);
    space_ = explore::Space(std::move(knobs));
}

Design SpaceInOtherWords::design(explore::Point point) {
    std::vector<std::size_t> positions;
    for (std::size_t knob = 0; knob < knobs_.size(); ++knob) {
        const std::size_t moved = space_.position(point, knobs_[knob]);
        const auto& order = values_[knob];
        positions.push_back(std::ranges::find(order, static_cast<int>(moved)) - order.begin());
    }
    Design design = base_.design(point_of(base_.space(), positions));
    design.point = point;
    rewrite(design);
    return design;
}

std::optional<Relation> SpaceInOtherWords::relation() {
    Design design = base_.design(0);
    return rewrite(design);
}

std::optional<Relation> SpaceInOtherWords::rewrite(Design& design) const {
    std::vector<ShapeProblem>& shapes = design.problem.shapes;
    if (rewriting_ == SpaceRewriting::repeats) return split_repeats(design.problem);
    if (rewriting_ == SpaceRewriting::layers) std::ranges::reverse(shapes);
    const std::optional<LayerRewriting> what = of_layers(rewriting_);
    if (!what) return Relation{};
    std::optional<Relation> relation;
    for (ShapeProblem& shape : shapes) {
        Random random(seed_);
        LayerCase layer{shape.layer.einsum, design.architecture, shape.layer.constraints};
        relation = property::rewrite(*what, random, layer);
        if (!relation) return std::nullopt;
        shape.layer = {layer.einsum, layer.architecture, layer.constraints};
    }
    design.architecture = shapes.front().layer.architecture;
    return relation;
}

Best best_of(DesignSource& designs, const explore::Space& space, const std::vector<codesign::Role>& roles) {
    explore::Specification specification;
    specification.space = space;
    specification.metrics = mapping_metrics();
    const Objective& objective = designs.options().objective;
    const std::size_t metric = explore::metric_named(specification.metrics, objective_text(objective), {});
    AnswerCache cache;
    const StopSource stop;
    MachineSubject subject(designs, {specification, roles, metric}, cache, stop);
    const codesign::Answer answer = codesign::search(subject, space, {.threads = 1}, stop);
    Best best;
    if (answer.best) best.score = Score{answer.best->value, 0.0};
    best.proven = answer.proven;
    best.bound = answer.bound;
    return best;
}

}  // namespace tilewright::property
