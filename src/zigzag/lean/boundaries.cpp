#include "zigzag/lean/boundaries.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "zigzag/lean/movement.hpp"
#include "zigzag/lean/tile.hpp"

namespace tilewright::zigzag::lean {
namespace {

// Relative error of products rounded on the way.
constexpr double kRounding = 1e-11;

bool is_fraction(double x) { return x != std::floor(x); }

bool shapes_tiles(const Operand& operand, int kind) {
    return operand.step[kind].role == Role::relevant || operand.step[kind].role == Role::partial;
}

}  // namespace

Boundaries::Boundaries(const Setup& setup, std::span<const int> repeats) : setup_(setup) {
    std::copy(repeats.begin(), repeats.end(), repeats_.begin());
    number_prefixes();
    for (int o = 0; o < setup_.operands; ++o) {
        number_tiles(o);
        fill_elements(o);
        exact_[o] = setup_.operand[o].tabulated && grows_slowly(o);
    }
    const Spatial& results = setup_.operand[0].fractional;
    const bool partial_sums = reuse_remains(0) || results.reuse_from[1];
    const bool back = reuse_remains(0) || results.back_from[1];
    const double bits = back ? setup_.operand[0].bits : setup_.operand[0].final_bits;
    fixed_pj_ = setup_.mac_energy_pj +
                stream_pj(0, 0, Direction::write_from_below, results.boost[0], bits, outside(0)) +
                (partial_sums && back ? stream_pj(0, 0, Direction::read_down, results.boost[0], bits, outside(0)) : 0);
}

void Boundaries::number_prefixes() {
    std::size_t size = 1;
    for (int k = 0; k < setup_.kinds; ++k) {
        step_[k] = static_cast<Prefix>(size);
        size *= std::size_t{repeats_[k]} + 1;
        if (size > kMostPrefixes)
            throw InputError(
                ErrorCode::unsupported, {},
                "there are more than " + std::to_string(kMostPrefixes) + " sets of inner loops to consider");
    }
    outside_.assign(size, 1.0);
    reuse_remains_.assign(size, 0);
    for (Prefix prefix = static_cast<Prefix>(size) - 1; prefix-- > 0;) {
        for (int k = 0; k < setup_.kinds; ++k) {
            if (!has_more(prefix, k)) continue;
            outside_[prefix] = outside_[prefix + step_[k]] * setup_.factor[k];
            if (reuse_remains_[prefix + step_[k]] != 0 || (setup_.is_reuse[k][0] != 0 && setup_.factor[k] > 1.0))
                reuse_remains_[prefix] = 1;
        }
    }
}

// Irrelevant loops leave a tile's number unchanged.
void Boundaries::number_tiles(int o) {
    std::uint32_t size = 1;
    for (int k = 0; k < setup_.kinds; ++k) {
        if (!shapes_tiles(setup_.operand[o], k)) continue;
        stride_[o][k] = size;
        size *= repeats_[k] + 1;
    }
    tiles_[o] = size;
    tile_[o].assign(prefixes(), 0);
    for (Prefix prefix = 0; prefix < prefixes(); ++prefix)
        for (int k = 0; k < setup_.kinds; ++k)
            tile_[o][prefix] += stride_[o][k] * (prefix / step_[k] % (repeats_[k] + 1));
}

// Products of fractional unrollings depend on the order by a rounding: a slight underestimate is taken.
void Boundaries::fill_elements(int o) {
    const Operand& operand = setup_.operand[o];
    for (int l = 0; l < operand.levels; ++l) {
        elements_[o][l].resize(tiles_[o]);
        for (std::uint32_t index = 0; index < tiles_[o]; ++index) {
            GrowingTile tile(operand);
            for (int i = 0; i < operand.fractional.begin[l + 1]; ++i)
                tile.grow(operand.fractional.spreads[i].step, operand.fractional.spreads[i].factor);
            for (int k = 0; k < setup_.kinds; ++k) {
                if (!shapes_tiles(operand, k)) continue;
                const std::uint32_t loops = index / stride_[o][k] % (repeats_[k] + 1);
                for (std::uint32_t i = 0; i < loops; ++i) tile.grow(operand.step[k], setup_.factor[k]);
            }
            for (int i = 0; i < operand.fractional.begin[l + 1] && !operand.tabulated; ++i)
                if (is_fraction(operand.fractional.spreads[i].factor))
                    tile.grow(operand.fractional.spreads[i].step, 1.0 - kRounding);
            elements_[o][l][index] = tile.elements();
        }
    }
}

bool Boundaries::grows_slowly(int o) const {
    for (int l = 0; l < setup_.operand[o].levels; ++l)
        for (std::uint32_t index = 0; index < tiles_[o]; ++index)
            for (int k = 0; k < setup_.kinds; ++k) {
                const std::uint32_t loops = stride_[o][k] == 0 ? 0 : index / stride_[o][k];
                if (stride_[o][k] == 0 || loops % (repeats_[k] + 1) == repeats_[k]) continue;
                const std::vector<double>& elements = elements_[o][l];
                if (elements[index + stride_[o][k]] > setup_.factor[k] * elements[index]) return false;
            }
    return true;
}

double Boundaries::stream_pj(int o, int level, Direction direction, double elements, double bits, double count) const {
    const Operand& operand = setup_.operand[o];
    const Move move{elements, bits, count};
    return stream_energy(operand.stream[level][direction], move, operand.fractional.unit_count[level + 1]);
}

double Boundaries::idle_pj(int o, Prefix prefix) const {
    const Operand& operand = setup_.operand[o];
    return stream_pj(o, 0, Direction::read_down, operand.fractional.boost[0], operand.bits, outside(prefix));
}

double Boundaries::boundary_pj(int o, int level, Prefix prefix) const {
    const Operand& operand = setup_.operand[o];
    const Spatial& spatial = operand.fractional;
    const double elements = round_half_even(elements_[o][level][tile_[o][prefix]]);
    const double below = elements * spatial.boost[level + 1];  // as delivered by the level above
    const double count = outside(prefix);
    const auto stream = [&](int at, Direction direction, double moved, double bits) {
        return stream_pj(o, at, direction, moved, bits, count);
    };
    if (o != 0)
        return stream(level, Direction::write_from_above, elements, operand.bits) +
               stream(level + 1, Direction::read_down, below, operand.bits);
    const bool partial_sums = reuse_remains(prefix) || spatial.reuse_from[level + 2];
    const bool back = reuse_remains(prefix) || spatial.back_from[level + 2];
    const double bits = back ? operand.bits : operand.final_bits;
    double energy =
        stream(level, Direction::read_up, elements, bits) + stream(level + 1, Direction::write_from_below, below, bits);
    if (partial_sums && back)
        energy += stream(level, Direction::write_from_above, elements, bits) +
                  stream(level + 1, Direction::read_down, below, bits);
    return energy;
}

}  // namespace tilewright::zigzag::lean
