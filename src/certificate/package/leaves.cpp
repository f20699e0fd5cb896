#include "certificate/package/leaves.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/numbers/checked.hpp"

namespace tilewright::certificate::package_proof {
namespace {

constexpr double kLeafRounding = 1e-12;

bool have_one_form(const Einsum& a, const Einsum& b) {
    if (a.dimensions.size() != b.dimensions.size() || a.tensors.size() != b.tensors.size()) return false;
    for (std::size_t t = 0; t < a.tensors.size(); ++t)
        if (a.tensors[t].ranks != b.tensors[t].ranks || a.tensors[t].written != b.tensors[t].written ||
            a.tensors[t].bits != b.tensors[t].bits)
            return false;
    return true;
}

std::int64_t operations_of(const Extents& extents) {
    std::int64_t operations = 1;
    for (const std::int64_t extent : extents) operations = checked_mul(operations, extent);
    return operations;
}

// Distinct ones of an operand, or fewer.
std::int64_t words_of(const Tensor& tensor, const Region& box) {
    std::vector<Coordinate> axes;
    std::vector<std::int64_t> shape;
    for (const Rank& rank : tensor.ranks) {
        Coordinate at{rank.terms, 0};
        std::int64_t reach = 1;
        for (const Term& term : rank.terms) {
            const std::int64_t of_term = term.coefficient * (box[term.dimension].size() - 1);
            reach += std::abs(of_term);
            at.offset -= std::min<std::int64_t>(of_term, 0);
        }
        axes.push_back(std::move(at));
        shape.push_back(reach);
    }
    return least_reached(axes, shape, box);
}

Extents extents_of_box(const Einsum& einsum) {
    Extents extents;
    for (const Dimension& dimension : einsum.dimensions) extents.push_back(dimension.extent);
    return extents;
}

}  // namespace

Einsum box_of(const CascadeEinsum& einsum, const Extents& extents) {
    Einsum box = einsum.einsum;
    for (std::size_t d = 0; d < extents.size(); ++d) box.dimensions[d].extent = extents[d];
    return box;
}

Leaves::Leaves(const Reading& reading, std::vector<Leaf>& leaves, bool is_energy)
    : reading_(reading), leaves_(leaves), is_energy_(is_energy) {
    for (int e = 0; e < reading.count(); ++e) {
        int first = 0;
        while (!have_one_form(reading.einsum(first).einsum, reading.einsum(e).einsum)) ++first;
        forms_.push_back(first);
    }
}

// Turns of each dimension; an operand is read again in each turn of what does not address it.
LeafCost Leaves::on_lanes(int einsum, int kind, const Extents& extents) const {
    const package::CoreKind& core = reading_.package().kinds[kind];
    const CascadeEinsum& one = reading_.einsum(einsum);
    std::int64_t turns = 1;
    std::int64_t results = 1;
    std::vector<std::int64_t> of_dimension;
    for (std::size_t d = 0; d < extents.size(); ++d) {
        const auto lanes = core.lanes.find(one.einsum.dimensions[d].name);
        of_dimension.push_back(lanes == core.lanes.end() ? extents[d] : ceil_div(extents[d], lanes->second));
        turns *= of_dimension.back();
        if (!reading_.is_summed(einsum, static_cast<int>(d))) results *= extents[d];
    }
    double energy_pj =
        static_cast<double>(operations_of(extents)) * core.operation_pj +
        static_cast<double>(results * static_cast<std::int64_t>(reading_.results(einsum).size())) * core.write_pj;
    for (const Operand& operand : reading_.operands(einsum)) {
        std::vector<std::int64_t> reads = of_dimension;
        for (const Coordinate& at : one.accesses[operand.operand].coordinates)
            for (const Term& term : at.terms) reads[term.dimension] = extents[term.dimension];
        energy_pj += static_cast<double>(operations_of(reads)) * core.read_pj;
    }
    return {energy_pj, turns, true};
}

// Every operation once, all units at work; every word of an operand leaves the buffer once. Words of widths of their
// own may leave it together.
LeafCost Leaves::floor(int einsum, int kind, const Extents& extents) const {
    const package::CoreKind& core = reading_.package().kinds[kind];
    const std::int64_t operations = operations_of(extents);
    double energy_pj = static_cast<double>(operations) * core.architecture->compute.energy_pj.value;
    const CascadeEinsum& one = reading_.einsum(einsum);
    Region box;
    for (const std::int64_t extent : extents) box.push_back({0, extent});
    for (const Operand& operand : reading_.operands(einsum))
        if (one.einsum.tensors[operand.operand].bits == 0)
            energy_pj += static_cast<double>(words_of(one.einsum.tensors[operand.operand], box)) * core.read_pj;
    return {energy_pj * (1.0 - kLeafRounding),
            ceil_div(operations, std::max<std::int64_t>(1, core.architecture->compute.instances)), false};
}

const Leaf* Leaves::find(int einsum, int kind, const Extents& extents) {
    for (; indexed_ < leaves_.size(); ++indexed_) {
        const Leaf& leaf = leaves_[indexed_];
        index_.emplace(Key{forms_[leaf.einsum], leaf.kind, extents_of_box(leaf.claim.einsum)}, indexed_);
    }
    const auto found = index_.find({forms_[einsum], kind, extents});
    return found == index_.end() ? nullptr : &leaves_[found->second];
}

LeafCost Leaves::spent(int einsum, int kind, const Extents& extents) {
    if (!reading_.package().kinds[kind].architecture) return on_lanes(einsum, kind, extents);
    const Leaf* leaf = find(einsum, kind, extents);
    if (leaf == nullptr || leaf->claim.answers.empty()) return floor(einsum, kind, extents);
    const Cost& cost = leaf->claim.answers.front().cost;
    return {cost.energy_pj, static_cast<std::int64_t>(cost.cycles), true};
}

LeafCost Leaves::least(int einsum, int kind, const Extents& extents) {
    if (!reading_.package().kinds[kind].architecture) return on_lanes(einsum, kind, extents);
    const auto [known, is_new] = floors_.try_emplace({forms_[einsum], kind, extents});
    if (is_new) known->second = floor(einsum, kind, extents);
    LeafCost least = known->second;
    const Leaf* leaf = find(einsum, kind, extents);
    if (leaf == nullptr || !leaf->has_bound()) return least;
    least.is_known = true;
    if (is_energy_)
        least.energy_pj = std::max(least.energy_pj, leaf->claim.bound);
    else
        least.cycles = std::max(least.cycles, static_cast<std::int64_t>(leaf->claim.bound));
    return least;
}

// Turns of parts are no fewer than those of the whole; parts touch all words that the whole does.
LeafCost Leaves::least_in_sum(int einsum, int kind) {
    const Extents whole = extents_of_box(reading_.einsum(einsum).einsum);
    return reading_.package().kinds[kind].architecture ? floor(einsum, kind, whole) : on_lanes(einsum, kind, whole);
}

bool Leaves::ask(int einsum, int kind, const Extents& extents) {
    if (!more_) return false;
    return more_(einsum, kind, extents, leaves_);
}

}  // namespace tilewright::certificate::package_proof
