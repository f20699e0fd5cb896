// Energy of the links below a memory in nests with remainders, for machines with wire energy only.
#include <bit>

#include "model/lean/blocks.hpp"
#include "model/lean/tally.hpp"

namespace tilewright::lean {
namespace {

Mesh grid_below(const Setup& setup, const ImperfectNest& nest, int level) {
    const Mesh& hardware = setup.levels[level].fanout;
    return {std::max(hardware.x, static_cast<std::int64_t>(nest.used_x[level + 1] / nest.used_x[level])),
            std::max(hardware.y, static_cast<std::int64_t>(nest.used_y[level + 1] / nest.used_y[level]))};
}

SpreadBlock block_of(const Setup& setup, const ImperfectNest& nest, int level, int tensor) {
    const TensorForm& form = setup.tensors[tensor];
    SpreadBlock block;
    for (int j = nest.outside[level + 1]; j < nest.temporal[level]; ++j) {
        const ImperfectLoop& loop = nest.loops[j];
        block.add(static_cast<std::int32_t>(loop.extent), form.key[loop.dimension] * (form.plain ? 1.0 : loop.step));
    }
    block.finish();
    block.grid = grid_below(setup, nest, level);
    return block;
}

// One word of the tensor for every unit in a step; equal words are shared.
Multicasts one_word_each(const Surroundings& around, LastMask last, MulticastTally& tally) {
    std::array<Position, kMaxNeighbours> words;
    std::array<int, kMaxNeighbours> sets;
    int different = 0;
    int count = 0;
    for (const std::int64_t size = around.size(around[0]); count < size; ++count) {
        const Neighbour neighbour = around.neighbour(around[0], last, count);
        if (!neighbour.exists) break;
        const Position word = around.offset(around[0], neighbour);
        int set = 0;
        while (set < different && words[set] != word) ++set;
        if (set == different) words[different++] = word;
        sets[count] = set;
    }
    tally.begin(different);
    for (int n = 0; n < count; ++n) tally.send(n, sets[n], 1.0);
    return tally.end();
}

}  // namespace

// Of all moments of the block, exactly one per dimension is the last one, with fewer neighbours.
std::optional<Multicasts> operand_multicasts(const Setup& setup, const ImperfectNest& nest, int tensor) {
    const int level = static_cast<int>(setup.levels.size()) - 1;
    const Mesh grid = grid_below(setup, nest, level);
    if (grid.x > MulticastTally::kMaxColumns) return std::nullopt;
    MulticastTally tally(grid);
    Multicasts all;
    const Surroundings around(setup, nest, level + 1, tensor);
    if (around.size(around[0]) > kMaxNeighbours) return std::nullopt;
    double moments = setup.operations;
    LastMask spread = 0;
    std::array<double, kMaxDimensions> full_moments{};  // by spread dimension
    for (int j = 0; j < nest.temporal[level]; ++j) {
        const ImperfectLoop& loop = nest.loops[j];
        spread |= 1U << loop.dimension;
        moments /= setup.extents[loop.dimension];
        full_moments[loop.dimension] = fast_ceil(setup.extents[loop.dimension] / loop.extent) - 1.0;
    }
    LastMask last = spread;
    for (bool more = true; more; last = (last - 1) & spread) {
        more = last != 0;  // all subsets, the empty one last
        double times = moments;
        for (LastMask left = spread & ~last; left != 0; left &= left - 1)
            times *= full_moments[static_cast<std::size_t>(std::countr_zero(left))];
        if (times > 0.0) all.add(one_word_each(around, last, tally), times);
    }
    if (all.is_overfull()) return std::nullopt;
    return all;
}

bool neighbours_are_alike(const ImperfectNest& nest, int level) {
    for (int j = nest.outside[level + 1]; j < nest.temporal[level]; ++j) {
        const ImperfectLoop& loop = nest.loops[j];
        if (loop.remainder != loop.extent) return false;
        if (nest.full[level + 1][loop.dimension] != nest.last[level + 1][loop.dimension]) return false;
    }
    return true;
}

std::optional<Multicasts> alike_multicasts(const Setup& setup, const ImperfectNest& nest, int level, int tensor,
                                           double words, LinkCache* cache) {
    Multicasts all;
    if (nest.outside[level + 1] == nest.temporal[level]) {  // one neighbour, in the first row of the first column
        const double hops = static_cast<double>(setup.levels[level].fanout.y - 1) / 2.0;
        all.add(Multicasts::Part{1, words, hops * words});
        return all;
    }
    const SpreadBlock block = block_of(setup, nest, level, tensor);
    const auto share_out = [&](const std::vector<Deliveries>& groups) {
        double count = 0.0;
        for (const Deliveries& alike : groups) count += static_cast<double>(alike.groups);
        const double each = words / count;
        for (const Deliveries& alike : groups)
            all.add(Multicasts::Part{alike.copies, each * static_cast<double>(alike.groups), each * alike.hops});
    };
    share_out(cache != nullptr ? cache->multicasts_of(block) : multicasts_of(block));
    return all.is_overfull() ? std::nullopt : std::optional(all);
}

std::optional<Multicasts> joint_multicasts(const Setup& setup, const ImperfectNest& nest, int level, int tensor) {
    const Mesh grid = grid_below(setup, nest, level);
    if (grid.x > MulticastTally::kMaxColumns) return std::nullopt;
    return joint_multicasts(setup, nest, level, tensor, MulticastTally(grid));
}

double imperfect_link_energy_pj(const Setup& setup, const ImperfectNest& nest, int level, int tensor,
                                const Multicasts& multicasts, double arriving) {
    const LevelForm& form = setup.levels[level];
    const Memory& memory = setup.architecture.memories[level];
    const bool written = setup.tensors[tensor].written;
    const double instances = nest.in_use[level];
    std::array<Deliveries, Multicasts::kMost> deliveries;
    for (int i = 0; i < multicasts.count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const Multicasts::Part& part = multicasts.parts[at];
        deliveries[at] = {part.copies, 1, part.words / instances, part.hops / instances};
    }
    const std::string& name = setup.einsum.tensors[tensor].name;
    const auto on_link = [&](const LinkRates& rates, double share, LinkDirection direction) {
        std::optional<double> read_back_less;
        if (written && reads_back(memory, direction)) read_back_less = arriving / instances;
        return share * link_cost(rates.for_tensor(name), direction,
                                 {deliveries.data(), static_cast<std::size_t>(multicasts.count)}, written,
                                 read_back_less, instances)
                           .energy_pj;
    };
    const double passages_pj =
        form.passage_pj[tensor] == 0.0
            ? 0.0
            : form.passage_pj[tensor] * passing_words({deliveries.data(), static_cast<std::size_t>(multicasts.count)}) *
                  instances;
    if (!form.has_update_link) return passages_pj + on_link(form.link, form.link_share[tensor], LinkDirection::both);
    const double operands_pj = passages_pj + on_link(form.link, form.link_share[tensor], LinkDirection::operands);
    return written ? operands_pj + on_link(form.update_link, form.update_link_share[tensor], LinkDirection::results)
                   : operands_pj;
}

}  // namespace tilewright::lean
