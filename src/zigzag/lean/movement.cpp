#include "zigzag/lean/movement.hpp"

#include <algorithm>
#include <bit>

#include "zigzag/accounting/array.hpp"
#include "zigzag/lean/tile.hpp"

namespace tilewright::zigzag::lean {
namespace {

// The first relevant position from `start` outwards.
std::uint8_t after_reuse(const Sequence& sequence, int o, int start) {
    const std::uint64_t others = start < 64 ? ~sequence.reuse[o] >> start << start : 0;
    const int position = others == 0 ? 64 : std::countr_zero(others);
    return static_cast<std::uint8_t>(std::min(position, sequence.size()));
}

double level_energy(const Operand& operand, int level, const Moves& moves) {
    const double instances = operand.fractional.unit_count[level + 1];
    PerDirection<double> energy;
    for (int d = 0; d < kDirections; ++d)
        energy.values[d] = stream_energy(operand.stream[level].values[d], moves.values[d], instances);
    return (energy[Direction::read_up] + energy[Direction::read_down]) +
           (energy[Direction::write_from_above] + energy[Direction::write_from_below]);
}

double precharging_of(const Setup& setup, const Nest& nest) {
    if (setup.weights < 0) return 0.0;
    const int own = nest.cuts.end[setup.weights][0];  // loops in the cells' level
    double stationary = 1.0;
    double reused = 1.0;
    for (int p = 0; p < nest.idle[setup.weights]; ++p) {
        stationary *= setup.factor[nest.sequence.order[p]];
        if (p < own) reused = stationary;
    }
    return precharging_pj(setup.precharge_pj, setup.macs, stationary, reused);
}

// ZigZag rounds the product of the per-loop growth ratios of the tile.
void multiply_levels(const Setup& setup, const Spatial& spatial, int o, const Nest& nest, Sizes& sizes) {
    const Operand& operand = setup.operand[o];
    GrowingTile tile(operand);
    double elements = 1.0;
    int position = 0;
    sizes.elements[0] = 1.0;
    for (int l = 0; l < operand.levels; ++l) {
        double here = 1.0;
        for (; position < nest.end[o][l]; ++position) {
            const std::uint8_t kind = nest.sequence.order[position];
            here = tile.grown(here, operand.step[kind], setup.factor[kind]);
        }
        for (int i = spatial.begin[l]; i < spatial.begin[l + 1]; ++i)
            here = tile.grown(here, spatial.spreads[i].step, spatial.spreads[i].factor);
        elements *= here;
        sizes.elements[l + 1] = round_half_even(elements);
    }
}

}  // namespace

double stream_energy(const Stream& stream, const Move& move, double instances) {
    if (move.elements == 0.0 || move.bits == 0.0) return 0.0;
    const double granules = ceiling(move.elements * move.bits / stream.granule_bits);
    return whole_part(granules * stream.word_fraction * move.count * instances) * stream.energy_pj;
}

void sink(const Setup& setup, Nest& nest) {
    const std::uint8_t size = static_cast<std::uint8_t>(nest.sequence.size());
    for (int o = 0; o < setup.operands; ++o) {
        const Operand& operand = setup.operand[o];
        nest.idle[o] = after_reuse(nest.sequence, o, 0);
        for (int l = 0; l + 1 < operand.levels; ++l)
            nest.end[o][l] = after_reuse(nest.sequence, o, nest.cuts.end[o][l]);
        nest.end[o][operand.levels - 1] = size;
    }
    const int outermost = 63 - std::countl_zero(nest.sequence.reuse[0]);  // -1: none
    nest.outermost_reuse = 0;
    if (outermost < 0 || setup.factor[nest.sequence.order[outermost]] <= 1.0) return;
    while (nest.end[0][nest.outermost_reuse] <= outermost) ++nest.outermost_reuse;
    ++nest.outermost_reuse;
}

void size_levels(const Setup& setup, const Spatial& spatial, int o, const Nest& nest, Sizes& sizes) {
    const Operand& operand = setup.operand[o];
    if (!operand.tabulated) return multiply_levels(setup, spatial, o, nest, sizes);
    sizes.elements[0] = 1.0;
    for (int l = 0; l < operand.levels; ++l)
        sizes.elements[l + 1] = round_half_even(spatial.elements[l][nest.cuts.index[o][l]]);
}

void follow_sums(const Setup& setup, const Spatial& spatial, const Nest& nest, Sums& sums) {
    const int levels = setup.operand[0].levels;
    for (int a = 0; a < levels; ++a) sums.partial[a] = nest.outermost_reuse > a || spatial.reuse_from[a + 1];
    sums.partial[levels] = false;
    for (int a = 0; a <= levels + 1; ++a)
        sums.back[a] = (nest.outermost_reuse >= a && nest.outermost_reuse > 0) || spatial.back_from[a];
}

void moves_of(const Setup& setup, const Spatial& spatial, int o, int level, const Nest& nest, const Sizes& sizes,
              const Sums& sums, Moves& moves) {
    const Operand& operand = setup.operand[o];
    const bool is_top = level == operand.levels - 1;
    const int below = level > 0 ? nest.end[o][level - 1] : (o == 0 ? 0 : nest.idle[o]);
    Move down{sizes.elements[level] * spatial.boost[level], operand.bits, nest.sequence.outside[below]};
    Move up{sizes.elements[level + 1], operand.bits, nest.sequence.outside[nest.end[o][level]]};
    moves = Moves{};
    if (o != 0) {
        moves[Direction::read_down] = down;
        if (!is_top) moves[Direction::write_from_above] = up;
        return;
    }
    // Outputs go up partial or final, and come down only as partial sums.
    down.bits = sums.back[level + 1] ? operand.bits : operand.final_bits;
    up.bits = sums.back[level + 2] ? operand.bits : operand.final_bits;
    moves[Direction::write_from_below] = down;
    if (sums.partial[level]) {
        moves[Direction::read_down] = down;
        if (!sums.back[level + 1]) moves[Direction::read_down].bits = 0.0;
    }
    if (is_top) return;
    moves[Direction::read_up] = up;
    if (sums.partial[level + 1]) {
        moves[Direction::write_from_above] = up;
        if (!sums.back[level + 2]) moves[Direction::write_from_above].bits = 0.0;
    }
}

double energy_of(const Setup& setup, const Nest& nest) {
    Sums sums;
    follow_sums(setup, setup.operand[0].fractional, nest, sums);
    double energy = 0.0;
    for (int o = 0; o < setup.operands; ++o) {
        const Operand& operand = setup.operand[o];
        Sizes sizes;
        size_levels(setup, operand.fractional, o, nest, sizes);
        for (int l = 0; l < operand.levels; ++l) {
            Moves moves;
            moves_of(setup, operand.fractional, o, l, nest, sizes, sums, moves);
            energy += level_energy(operand, l, moves);
        }
    }
    return energy + (setup.mac_energy_pj + precharging_of(setup, nest));
}

}  // namespace tilewright::zigzag::lean
