#include "account/zigzag/lean_movement.hpp"

#include "account/zigzag/lean_tile.hpp"

namespace tilewright::zigzag::lean {
namespace {

Role role(const Operand& operand, const Nest& nest, int position) { return operand.step[nest.order[position]].role; }

// The first position from `start` outwards that is not irrelevant to the operand.
std::uint8_t after_reuse(const Operand& operand, const Nest& nest, int start) {
    const int size = static_cast<int>(nest.order.size());
    while (start < size && role(operand, nest, start) == Role::reuse) ++start;
    return static_cast<std::uint8_t>(start);
}

// How often the tile below position `position` is exchanged.
double count_outside(const Nest& nest, int position) { return nest.outside[position]; }

double stream_energy(const Stream& stream, const Move& move, double instances) {
    if (move.elements == 0.0 || move.bits == 0.0) return 0.0;
    const double granules = ceiling(move.elements * move.bits / stream.granule_bits);
    return whole_part(granules * stream.word_fraction * move.count * instances) * stream.energy_pj;
}

double level_energy(const Operand& operand, int level, const Moves& moves) {
    const double instances = operand.fractional.unit_count[level + 1];
    PerDirection<double> energy;
    for (int d = 0; d < kDirections; ++d)
        energy.values[d] = stream_energy(operand.stream[level].values[d], moves.values[d], instances);
    return (energy[Direction::read_up] + energy[Direction::read_down]) +
           (energy[Direction::write_from_above] + energy[Direction::write_from_below]);
}

}  // namespace

void sink(const Setup& setup, Nest& nest) {
    const std::uint8_t size = static_cast<std::uint8_t>(nest.order.size());
    for (int o = 0; o < setup.operands; ++o) {
        const Operand& operand = setup.operand[o];
        nest.idle[o] = after_reuse(operand, nest, 0);
        for (int l = 0; l + 1 < operand.levels; ++l)
            nest.sunk.end[o][l] = after_reuse(operand, nest, nest.cuts.end[o][l]);
        nest.sunk.end[o][operand.levels - 1] = size;
    }
}

void size_levels(const Setup& setup, const Spatial& spatial, int o, const Nest& nest, Sizes& sizes) {
    const Operand& operand = setup.operand[o];
    Tile tile(operand);
    double elements = 1.0;
    int position = 0;
    sizes.elements[0] = 1.0;
    for (int l = 0; l < operand.levels; ++l) {
        double here = 1.0;
        for (; position < nest.sunk.end[o][l]; ++position) {
            const std::uint8_t kind = nest.order[position];
            here = tile.grown(here, operand.step[kind], setup.factor[kind]);
        }
        for (int i = spatial.begin[l]; i < spatial.begin[l + 1]; ++i)
            here = tile.grown(here, spatial.spreads[i].step, spatial.spreads[i].factor);
        elements *= here;
        sizes.elements[l + 1] = round_half_even(elements);
    }
}

void follow_sums(const Setup& setup, const Spatial& spatial, const Nest& nest, Sums& sums) {
    const Operand& output = setup.operand[0];
    // reuse[a]: the product of the irrelevant loops at architecture level a, spatial ones of level a included.
    std::array<double, kLevels + 2> reuse;
    int position = 0;
    int outermost = -1;
    for (int a = 0; a <= output.levels; ++a) {
        reuse[a] = 1.0;
        for (; a > 0 && position < nest.sunk.end[0][a - 1]; ++position)
            if (role(output, nest, position) == Role::reuse && setup.factor[nest.order[position]] > 1.0) {
                reuse[a] *= setup.factor[nest.order[position]];
                outermost = a;
            }
        for (int i = spatial.begin[a]; i < spatial.begin[a + 1]; ++i)
            if (spatial.spreads[i].step.role == Role::reuse) reuse[a] *= spatial.spreads[i].factor;
    }
    for (int a = 0; a <= output.levels + 1; ++a) {
        double above = 1.0;
        for (int b = a; b <= output.levels; ++b) above *= reuse[b];
        sums.back[a] = whole_part(output.elements * (above - 1.0)) != 0.0;
    }
    for (int a = 0; a < output.levels; ++a) sums.partial[a] = outermost > a || spatial.reuse_from[a + 1];
    sums.partial[output.levels] = false;
}

void moves_of(const Setup& setup, const Spatial& spatial, int o, int level, const Nest& nest, const Sizes& sizes,
              const Sums& sums, Moves& moves) {
    const Operand& operand = setup.operand[o];
    const bool is_top = level == operand.levels - 1;
    const int below = level > 0 ? nest.sunk.end[o][level - 1] : (o == 0 ? 0 : nest.idle[o]);
    Move down{sizes.elements[level] * spatial.boost[level], operand.bits, count_outside(nest, below)};
    Move up{sizes.elements[level + 1], operand.bits, count_outside(nest, nest.sunk.end[o][level])};
    moves = Moves{};
    if (o != 0) {
        moves[Direction::read_down] = down;
        if (!is_top) moves[Direction::write_from_above] = up;
        return;
    }
    // Outputs go up finished or not, and come down again only as partial sums.
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
    return energy + setup.mac_energy_pj;
}

}  // namespace tilewright::zigzag::lean
