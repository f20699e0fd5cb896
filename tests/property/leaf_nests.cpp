#include "leaf_nests.hpp"

#include <utility>

#include "fusion/hierarchy/roles.hpp"
#include "mapping/fused/fused_mapping.hpp"
#include "mapping/tile.hpp"
#include "mapping/validity.hpp"
#include "mapspace/mapspace.hpp"
#include "model/exact/model.hpp"
#include "model/exact/partial_sums.hpp"

namespace tilewright::property {
namespace {

constexpr int kBuffer = 1;

}  // namespace

LeafNests::LeafNests(const Cascade& cascade, const Architecture& architecture, const std::vector<Constraints>& demands,
                     std::uint64_t most, PartialBits partial)
    : cascade_(cascade), open_(architecture), demands_(demands), most_(most), partial_(std::move(partial)) {
    partial_.resize(cascade.tensors.size(), 0);
    open_.memories[kBuffer].capacity_words.reset();
}

std::vector<fusion::LeafPoint> LeafNests::list(int e, const fusion::LeafQuestion& question, bool finished) {
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
        if (const auto mapping = mapping_of(point, box)) add(e, box, *mapping, question, finished, points);
        return !is_too_much();
    });
    return points;
}

void LeafNests::add(int e, const Einsum& box, const Mapping& found, const fusion::LeafQuestion& question, bool finished,
                    std::vector<fusion::LeafPoint>& points) {
    ++nests_;
    std::vector<int> held_in;
    PartialBits bits;
    TensorSet results;
    for (int t = 0; t < box.tensor_count(); ++t) {
        held_in.push_back(question.held.has(t) ? kBuffer : 0);
        if (box.tensors[t].written) results.add(t);
        bits.push_back(box.tensors[t].written ? partial_[cascade_.einsums[e].accesses[t].tensor] : 0);
    }
    const LeafNest nest = leaf_nest(found, held_in);
    const Mapping mapping = mapping_on(nest, question.extents, held_in, open_.memory_count());
    const bool goes_on = question.resumed > 0;
    const PartOfSums first{{}, goes_on ? results : TensorSet{}};
    if (!check(box, open_, mapping, bits, first).empty()) return;
    fusion::LeafPoint point;
    const auto run = [&](const PartOfSums& part, std::int64_t times) {
        const PartEvaluation one = evaluate_part(box, open_, mapping, bits, part);
        point.energy_pj += static_cast<double>(times) * one.evaluation.energy_pj;
        point.cycles += static_cast<double>(times) * static_cast<double>(one.evaluation.cycles);
        return one;
    };
    const PartEvaluation once = run(first, 1);
    if (goes_on) {
        run({results, results}, question.resumed - 1);
        run({results, {}}, 1);
    }
    for (int t = 0; t < box.tensor_count(); ++t) {
        const bool is_partial = once.partial[kBuffer].has(t);
        if (finished && is_partial && question.held.has(t)) return;
        if (!once.evaluation.memories[kBuffer].tensors[t].kept || question.held.has(t)) continue;
        const std::int64_t width = is_partial ? bits[t] : box.tensors[t].bits;
        point.words += once.evaluation.memories[kBuffer].tensors[t].tile_words *
                       (width > 0 ? width : open_.memories[kBuffer].word_bits);
    }
    points.push_back(point);
}

}  // namespace tilewright::property
