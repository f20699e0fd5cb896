#include "multicore/leaves.hpp"

#include "base/numbers/checked.hpp"

namespace tilewright::multicore {

LeafCost leaf_on_lanes(const Problem& problem, int einsum, const package::CoreKind& kind, const Extents& extents) {
    const CascadeEinsum& one = problem.cascade().einsums[einsum];
    LeafCost cost{1, 0.0, 1, 0, 0};
    std::vector<std::int64_t> turns;
    for (std::size_t d = 0; d < extents.size(); ++d) {
        const auto lanes = kind.lanes.find(one.einsum.dimensions[d].name);
        turns.push_back(ceil_div(extents[d], lanes == kind.lanes.end() ? 1 : lanes->second));
        cost.cycles *= turns.back();
        cost.operations *= extents[d];
    }
    for (const Reading& reading : problem.worker(einsum).reads) {
        std::vector<bool> moves(extents.size(), false);
        for (const Coordinate& at : one.accesses[reading.operand].coordinates)
            for (const Term& term : at.terms) moves[term.dimension] = true;
        std::int64_t reads = 1;
        for (std::size_t d = 0; d < extents.size(); ++d) reads *= moves[d] ? extents[d] : turns[d];
        cost.reads += reads;
    }
    std::int64_t words = 1;
    for (const int dimension : problem.worker(einsum).axes) words *= extents[dimension];
    cost.writes = words * static_cast<std::int64_t>(problem.worker(einsum).results.size());
    cost.energy_pj = static_cast<double>(cost.operations) * kind.operation_pj +
                     static_cast<double>(cost.reads) * kind.read_pj + static_cast<double>(cost.writes) * kind.write_pj;
    return cost;
}

Extents whole_of(const Problem& problem, int einsum) {
    Extents extents;
    for (const Dimension& dimension : problem.cascade().einsums[einsum].einsum.dimensions)
        extents.push_back(dimension.extent);
    return extents;
}

}  // namespace tilewright::multicore
