#include <algorithm>

#include "mapper/optimal/engine/reconstruction.hpp"
#include "mapper/optimal/perfect/labels.hpp"

namespace tilewright::optimal {

std::vector<Nesting> Labels::run(const Pruned& pruned, const CompletionBound& completion) {
    delivery_.look_for(pruned, completion);
    walk_.run();
    std::vector<Nesting> all;
    if (stopped() || walk_.last().empty()) return all;
    for (const PerfectDelivery::Entry& entry : walk_.last().buckets.back())
        all.push_back(nesting(delivery_.labels()[entry.label]));
    return all;
}

TilingPoint Labels::even_point(const Label& label) const {
    NestBuilder nest(mapspace_, charges_.assignment());
    Extents left = charges_.rest();
    for (const Label* step : history(delivery_.labels(), label)) {
        if (step->factor == 1) continue;
        nest.add_loop(step->level, step->dimension, step->factor);
        left[step->dimension] /= step->factor;
    }
    for (int d = 0; d < charges_.dimension_count(); ++d)
        if (left[d] > 1.0) nest.add_loop(0, d, static_cast<std::int32_t>(left[d]));
    return nest.point();
}

Nesting Labels::nesting(const Label& label) const {
    if (stages_.are_even()) return {even_point(label), std::nullopt, label.energy.lo, delivery_.cycles_of(label)};
    return {charges_.assignment(), uneven_mapping(label), label.energy.lo, delivery_.cycles_of(label)};
}

namespace {

class NodeList {
   public:
    void store(int memory, TensorSet tensors) {
        Store* const last = nodes_.empty() ? nullptr : std::get_if<Store>(&nodes_.back());
        if (last != nullptr && last->memory == memory) {
            last->tensors = TensorSet::from_bits(last->tensors.bits() | tensors.bits());
        } else {
            nodes_.emplace_back(Store{memory, tensors});
        }
        block_ = nodes_.size();
    }

    /// A second loop of a dimension between two stores enlarges the first.
    void loop(int dimension, std::int64_t extent, LoopKind kind) {
        for (std::size_t i = block_; i < nodes_.size(); ++i) {
            Loop& other = std::get<Loop>(nodes_[i]);
            if (other.dimension != dimension || other.kind != kind) continue;
            other.extent *= extent;
            other.remainder = other.extent;
            return;
        }
        nodes_.emplace_back(Loop{dimension, extent, extent, kind});
    }

    Mapping take() {
        std::reverse(nodes_.begin(), nodes_.end());
        return {std::move(nodes_), {}};
    }

   private:
    std::vector<Node> nodes_;
    std::size_t block_ = 0;  ///< first node after the last store
};

void add_fanout(const TilingPoint& assignment, int level, NodeList& nodes) {
    visit_spatial_loops(
        assignment[level], assignment.dimension_count(), [&](const SpatialLoop& loop, std::int32_t extent) {
            nodes.loop(loop.dimension, extent, loop.along_y ? LoopKind::spatial_y : LoopKind::spatial_x);
        });
}

}  // namespace

// Follows the stages again for the crossings of fan-outs.
Mapping Labels::uneven_mapping(const Label& label) const {
    NodeList nodes;
    Extents left = charges_.rest();
    const std::vector<Stage>& stages = stages_.all();
    const Stage* stage = &stages.front();
    int crossed = charges_.level_count();
    const auto cross = [&] {
        while (crossed > stage->crossed) add_fanout(charges_.assignment(), --crossed, nodes);
    };
    cross();
    for (const Label* step : history(delivery_.labels(), label)) {
        if (step->factor > 1) {
            nodes.loop(step->dimension, step->factor, LoopKind::temporal);
            left[step->dimension] /= step->factor;
            continue;
        }
        const auto made = [&](const Placing& p) {
            return p.memory == step->level && p.tensors.bits() == step->tensors;
        };
        const auto placing = std::find_if(stage->next.begin(), stage->next.end(), made);
        if (step->level == 0)
            for (int d = 0; d < charges_.dimension_count(); ++d)
                if (left[d] > 1.0) nodes.loop(d, static_cast<std::int64_t>(left[d]), LoopKind::temporal);
        nodes.store(step->level, placing->tensors);
        stage = &stages[placing->to];
        cross();
    }
    return nodes.take();
}

}  // namespace tilewright::optimal
