#include "mapspace/roles/role_rules.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright {
namespace {

// Extents no rule has by chance: a factor equal to one is the whole dimension.
constexpr std::int64_t kWhole = 1'000'003;

class Translation {
   public:
    Translation(const Einsum& layer, const Einsum& einsum, const LayerRoles& roles, const Architecture& architecture,
                std::string& problem)
        : layer_(layer), einsum_(einsum), roles_(roles), architecture_(architecture), problem_(problem) {}

    Constraints of(const Constraints& layer) const {
        Constraints own;
        own.min_parallelism = layer.min_parallelism;
        constexpr std::int64_t kAnyNumber = kWhole;
        for (std::size_t m = 0; m < layer.levels.size(); ++m) {
            const LevelConstraint& level = layer.levels[m];
            own.levels.push_back({loops(level.temporal, {kAnyNumber, 1}),
                                  loops(level.spatial, architecture_.fanout(static_cast<int>(m))),
                                  roles_.operands_of(level.must_keep), roles_.operands_of(level.must_bypass)});
        }
        return own;
    }

   private:
    std::vector<int> dimensions(const std::vector<int>& parts) const {
        std::vector<int> own;
        for (const int part : parts)
            for (const int d : roles_.dimensions_of(part)) own.push_back(d);
        return own;
    }

    // `room`: limit of all factors together.
    LoopConstraint loops(const LoopConstraint& layer, Mesh room) const {
        LoopConstraint own;
        own.inner = dimensions(layer.inner);
        own.outer = dimensions(layer.outer);
        if (layer.split) own.split = split(layer);
        own.remainders = layer.remainders;
        if (layer.factors.empty()) return own;
        own.factors.resize(einsum_.dimensions.size());
        for (int part = 0; part < static_cast<int>(layer.factors.size()); ++part)
            set(layer.factors[part], part, room_of(part, layer, room), own);
        return own;
    }

    // Of all dimensions of a part together: one axis if its place in the order decides, else both.
    static std::int64_t room_of(int part, const LoopConstraint& layer, Mesh room) {
        if (!layer.split) return room.size();
        const auto inner = std::ranges::find(layer.inner, part) - layer.inner.begin();
        if (inner < std::ssize(layer.inner)) return inner < *layer.split ? room.x : room.y;
        const auto outer = std::ranges::find(layer.outer, part) - layer.outer.begin();
        if (outer == std::ssize(layer.outer)) return room.size();
        const auto place = std::ssize(kPartNames) - std::ssize(layer.outer) + outer;
        return place < *layer.split ? room.x : room.y;
    }

    // The first dimensions of the order go to X.
    int split(const LoopConstraint& layer) const {
        std::vector<int> order = layer.inner;
        for (int part = 0; part < static_cast<int>(kPartNames.size()); ++part)
            if (std::ranges::find(layer.inner, part) == layer.inner.end() &&
                std::ranges::find(layer.outer, part) == layer.outer.end())
                order.push_back(part);
        order.insert(order.end(), layer.outer.begin(), layer.outer.end());
        if (*layer.split >= static_cast<int>(order.size())) return einsum_.dimension_count();
        order.resize(static_cast<std::size_t>(*layer.split));
        return static_cast<int>(dimensions(order).size());
    }

    void set(const FactorConstraint& factor, int part, std::int64_t room, LoopConstraint& own) const {
        if (factor == FactorConstraint{}) return;
        std::vector<int> dimensions = roles_.dimensions_of(part);
        std::erase_if(dimensions, [&](int d) { return einsum_.dimensions[d].extent == 1; });
        FactorConstraint each = factor;
        if (each.exactly == layer_.dimensions[part].extent) each.exactly = 0;
        if (each.at_most && *each.at_most >= room) each.at_most.reset();
        const bool is_any_number = each.exactly.value_or(0) <= 1 && each.at_least <= 1 && each.at_most.value_or(1) <= 1;
        if (dimensions.size() > 1 && !is_any_number)
            problem_ = "it bounds " + std::string(kPartNames.at(static_cast<std::size_t>(part))) +
                       ", which several dimensions of '" + einsum_.name + "' are";
        for (const int d : dimensions) own.factors[d] = each;
    }

    const Einsum& layer_;
    const Einsum& einsum_;
    const LayerRoles& roles_;
    const Architecture& architecture_;
    std::string& problem_;
};

}  // namespace

Einsum layer_of_parts(bool two_operands) {
    Einsum layer{"layer", {}, {}};
    for (const char* part : kPartNames) layer.dimensions.push_back({part, kWhole});
    const auto tensor = [&](const char* name, const std::vector<std::vector<const char*>>& ranks, bool written) {
        Tensor made{name, {}, written};
        for (const std::vector<const char*>& parts : ranks) {
            Rank rank;
            for (const char* part : parts) rank.terms.push_back({part_named(part), 1});
            made.ranks.push_back(rank);
        }
        layer.tensors.push_back(made);
    };
    if (two_operands)
        tensor(kOperandNames[0], {{"G"}, {"C"}, {"K"}, {"R"}, {"S"}}, false);
    else
        tensor(kOperandNames[0], {}, false);
    tensor(kOperandNames[1], {{"N"}, {"G"}, {"C"}, {"R", "P"}, {"S", "Q"}}, false);
    tensor(kOperandNames[2], {{"N"}, {"G"}, {"K"}, {"Q"}, {"P"}}, true);
    return layer;
}

Einsum layer_like(const Einsum& einsum, const LayerRoles& roles) {
    Einsum layer = layer_of_parts(!roles.operands_of(TensorSet::of(static_cast<int>(OperandRole::weights))).empty());
    layer.name = einsum.name;
    for (Dimension& part : layer.dimensions) part.extent = 1;
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        std::int64_t& extent = layer.dimensions[roles.parts[d]].extent;
        extent = checked_mul(extent, einsum.dimensions[d].extent);
    }
    return layer;
}

Constraints rules_by_role(const Constraints& of_layer, const Einsum& layer, const Einsum& einsum,
                          const LayerRoles& roles, const Architecture& architecture, std::string& problem) {
    return Translation(layer, einsum, roles, architecture, problem).of(of_layer);
}

Constraints rules_on(const Constraints& rules, const std::vector<std::int64_t>& extents) {
    Constraints own = rules;
    const auto resolve = [&](LoopConstraint& loops) {
        for (std::size_t d = 0; d < loops.factors.size(); ++d) {
            FactorConstraint& factor = loops.factors[d];
            if (factor.exactly)
                factor.exactly = *factor.exactly == 0 ? extents[d] : std::min(*factor.exactly, extents[d]);
            factor.at_least = std::min(factor.at_least, extents[d]);
        }
    };
    for (LevelConstraint& level : own.levels) {
        resolve(level.temporal);
        resolve(level.spatial);
    }
    return own;
}

}  // namespace tilewright
