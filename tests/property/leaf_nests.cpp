#include "leaf_nests.hpp"

#include "fusion/hierarchy/roles.hpp"
#include "mapping/fused/leaf_mapping.hpp"
#include "mapping/tile.hpp"
#include "mapping/validity.hpp"
#include "mapspace/mapspace.hpp"
#include "model/exact/model.hpp"

namespace tilewright::property {
namespace {

constexpr int kBuffer = 1;

}  // namespace

LeafNests::LeafNests(const Cascade& cascade, const Architecture& architecture, const std::vector<Constraints>& demands,
                     std::uint64_t most)
    : cascade_(cascade), open_(architecture), demands_(demands), most_(most) {
    open_.memories[kBuffer].capacity_words.reset();
}

std::vector<fusion::LeafPoint> LeafNests::list(int e, const fusion::LeafQuestion& question) {
    std::vector<fusion::LeafPoint> points;
    if (is_too_much()) return points;
    const Einsum box = on_box(cascade_.einsums[e].einsum, question.extents);
    Constraints demands = rules_on(demands_[e], question.extents);
    demands.levels.resize(open_.memories.size());
    const TensorSet held = question.held;
    if ((held.bits() & demands.levels[kBuffer].must_bypass.bits()) != 0) return points;  // it may not lie there
    demands.levels[kBuffer].must_keep = TensorSet::from_bits(demands.levels[kBuffer].must_keep.bits() & ~held.bits());
    demands.levels[kBuffer].must_bypass =
        TensorSet::from_bits(demands.levels[kBuffer].must_bypass.bits() | held.bits());
    const Mapspace mapspace(box, open_, demands);
    if (!mapspace.problem().empty()) return points;
    mapspace.enumerate([&](const TilingPoint& point) {
        if (const auto mapping = mapping_of(point, box)) add(box, *mapping, question, points);
        return !is_too_much();
    });
    return points;
}

void LeafNests::add(const Einsum& box, const Mapping& found, const fusion::LeafQuestion& question,
                    std::vector<fusion::LeafPoint>& points) {
    ++nests_;
    std::vector<int> held_in;
    TensorSet results;
    for (int t = 0; t < box.tensor_count(); ++t) {
        held_in.push_back(question.held.has(t) ? kBuffer : 0);
        if (box.tensors[t].written) results.add(t);
    }
    const LeafNest nest = leaf_nest(found, held_in);
    const Mapping mapping = mapping_on(nest, question.extents, held_in, open_.memory_count());
    if (!check(box, open_, mapping).empty()) return;
    const Evaluation once = evaluate(box, open_, mapping);
    fusion::LeafPoint point{0, once.energy_pj, static_cast<double>(once.cycles)};
    if (question.resumed > 0) {
        const Evaluation again = evaluate(box, open_, mapping, nullptr, results);
        point.energy_pj += static_cast<double>(question.resumed) * again.energy_pj;
        point.cycles += static_cast<double>(question.resumed) * static_cast<double>(again.cycles);
    }
    for (int t = 0; t < box.tensor_count(); ++t)
        if (once.memories[kBuffer].tensors[t].kept && !question.held.has(t))
            point.words += once.memories[kBuffer].tensors[t].tile_words *
                           (box.tensors[t].bits > 0 ? box.tensors[t].bits : open_.memories[kBuffer].word_bits);
    points.push_back(point);
}

}  // namespace tilewright::property
