#include "model/sparse/steps.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "mapping/tile.hpp"
#include "mapping/uneven.hpp"
#include "model/exact/traffic.hpp"

namespace tilewright::sparse {
namespace {

constexpr std::int64_t kMostOffsets = std::int64_t{1} << 22;

// Such a tensor's tiles are no products of what its ranks touch. A dimension of one value moves nothing.
void refuse_diagonals(const Nest& nest, const Tensor& tensor) {
    for (int d = 0; d < nest.einsum->dimension_count(); ++d) {
        if (nest.einsum->dimensions[d].extent == 1) continue;
        const auto moved = std::count_if(tensor.ranks.begin(), tensor.ranks.end(), [&](const Rank& rank) {
            return std::any_of(rank.terms.begin(), rank.terms.end(),
                               [&](const Term& term) { return term.dimension == d; });
        });
        if (moved > 1)
            throw Uncounted("'" + nest.einsum->dimensions[d].name + "' moves two ranks of '" + tensor.name + "'");
    }
}

std::int64_t iterations(const Nest& nest, const Rank& rank, LoopSet set) {
    std::int64_t count = 1;
    for (int k = 0; k < static_cast<int>(nest.loops.size()); ++k)
        if ((set & loop_bit(k)) != 0 && nest.shift(k, rank) != 0) count = checked_mul(count, nest.loops[k].extent);
    return count;
}

}  // namespace

std::vector<Nest> nests_of(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping) {
    std::vector<Nest> nests = flatten_by_tensor(einsum, architecture, mapping);
    if (is_even(mapping, architecture.memory_count())) return nests;
    const std::vector<Extents> inside = extents_inside(einsum, mapping);
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        const std::vector<int> stores = store_positions(mapping, architecture.memory_count(), t);
        Nest& nest = nests[t];
        nest.loops.clear();
        std::size_t m = 0;
        for (std::size_t i = 0; i <= mapping.nodes.size(); ++i) {
            for (; m < stores.size() && stores[m] <= static_cast<int>(i); ++m)
                nest.levels[m].first = static_cast<int>(nest.loops.size());
            const Loop* loop = i < mapping.nodes.size() ? std::get_if<Loop>(&mapping.nodes[i]) : nullptr;
            if (loop != nullptr && loop->extent > 1)
                nest.loops.push_back(
                    {loop->dimension, loop->extent, loop->remainder, inside[i][loop->dimension], loop->kind});
        }
    }
    return nests;
}

LoopSet loops_from(const Nest& nest, int first) {
    LoopSet set = 0;
    for (int k = first; k < static_cast<int>(nest.loops.size()); ++k) set |= loop_bit(k);
    return set;
}

LoopSet loops_moving(const Nest& nest, int tensor) {
    LoopSet set = 0;
    for (int k = 0; k < static_cast<int>(nest.loops.size()); ++k)
        if (nest.moves(k, nest.einsum->tensors[tensor])) set |= loop_bit(k);
    return set;
}

LoopSet temporal_loops(const Nest& nest) {
    LoopSet set = 0;
    for (int k = 0; k < static_cast<int>(nest.loops.size()); ++k)
        if (!nest.loops[k].is_spatial()) set |= loop_bit(k);
    return set;
}

std::vector<std::int64_t> offsets_along(const Nest& nest, const Rank& rank, LoopSet set) {
    if (iterations(nest, rank, set) > kMostOffsets) throw Uncounted("a tile is too long");
    std::vector<std::int64_t> offsets{0};
    for (int k = 0; k < static_cast<int>(nest.loops.size()); ++k) {
        const std::int64_t shift = nest.shift(k, rank);
        if ((set & loop_bit(k)) == 0 || shift == 0) continue;
        const std::vector<std::int64_t> before = offsets;
        for (std::int64_t i = 1; i < nest.loops[k].extent; ++i)
            for (const std::int64_t offset : before) offsets.push_back(offset + i * shift);
    }
    std::sort(offsets.begin(), offsets.end());
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    return offsets;
}

std::int64_t touched(const Nest& nest, int tensor, LoopSet set) {
    const Tensor& one = nest.einsum->tensors[tensor];
    refuse_diagonals(nest, one);
    std::int64_t count = 1;
    for (const Rank& rank : one.ranks) {
        const bool alone = !is_window(*nest.einsum, rank);
        count = checked_mul(count, alone ? iterations(nest, rank, set)
                                         : static_cast<std::int64_t>(offsets_along(nest, rank, set).size()));
    }
    return count;
}

bool is_window(const Einsum& einsum, const Rank& rank) {
    return std::ranges::count_if(rank.terms,
                                 [&](const Term& term) { return einsum.dimensions[term.dimension].extent > 1; }) > 1;
}

bool is_plain(const Einsum& einsum, int tensor) {
    return std::ranges::none_of(einsum.tensors[tensor].ranks,
                                [&](const Rank& rank) { return is_window(einsum, rank); });
}

Access access_of(const Nest& nest, const std::vector<bool>& keeps, int tensor, int source, LoopSet once) {
    Access access{tensor, source, asking_level(keeps, source)};
    const LoopSet moving = loops_moving(nest, tensor);
    const int begin = begin_of(nest, access);
    access.covered = loops_from(nest, begin);
    for (int k = nest.levels[source].first; k < begin; ++k)
        if (nest.loops[k].is_spatial() && (moving & loop_bit(k)) == 0) access.covered |= loop_bit(k);
    if (serves_computes(nest, access)) return access;
    for (int k = begin - 1; k >= 0; --k) {
        if (nest.loops[k].is_spatial() || (once & moving & loop_bit(k)) != 0) continue;
        if ((moving & loop_bit(k)) != 0) break;
        access.covered |= loop_bit(k);
    }
    return access;
}

AccessTable accesses_of(const std::vector<Nest>& nests, const std::vector<std::vector<bool>>& keeps) {
    AccessTable accesses(nests.size());
    for (std::size_t t = 0; t < nests.size(); ++t) {
        accesses[t].resize(keeps[t].size());
        for (std::size_t m = 0; m < keeps[t].size(); ++m)
            if (keeps[t][m]) accesses[t][m] = access_of(nests[t], keeps[t], static_cast<int>(t), static_cast<int>(m));
    }
    return accesses;
}

bool serves_computes(const Nest& nest, const Access& access) { return access.child == nest.level_count(); }

int begin_of(const Nest& nest, const Access& access) {
    return serves_computes(nest, access) ? static_cast<int>(nest.loops.size()) : nest.levels[access.child].first;
}

}  // namespace tilewright::sparse
