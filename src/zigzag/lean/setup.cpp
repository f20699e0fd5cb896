#include "zigzag/lean/setup.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "zigzag/accounting/array.hpp"
#include "zigzag/lean/tile.hpp"

namespace tilewright::zigzag::lean {
namespace {

constexpr double kLargestWhole = 0x1.0p53;
constexpr std::size_t kTiles = std::size_t{1} << 16;  // table entries per operand and level at most

void require(bool fits, std::string_view what, int most) {
    if (!fits)
        throw InputError(ErrorCode::unsupported, {},
                         "searches over loop orders know at most " + std::to_string(most) + " " + std::string(what));
}

// Positions of the layer's dimensions in one operand's tile.
struct Slots {
    std::array<int, kMaxDimensions> relevant;
    std::array<int, kMaxDimensions> partial;
};

int slot_of_partial(Slots& slots, int dimension, int& count) {
    int& slot = slots.partial[dimension];
    if (slot < 0) slot = count++;
    return slot;
}

// Relevant dimensions in ZigZag's order of multiplication.
Slots fill_sizes(const zigzag::Layer& layer, const zigzag::Operand& from, Operand& to) {
    Slots slots;
    slots.relevant.fill(-1);
    slots.partial.fill(-1);
    for (const int dimension : from.relevant_axes)
        if (slots.relevant[dimension] < 0) slots.relevant[dimension] = to.relevant_slots++;
    if (from.windowed) {
        require(layer.windows.size() <= kRelations, "sliding windows", kRelations);
        for (const DimensionRelation& window : layer.windows) {
            const std::int64_t common = std::gcd(window.first_step, window.second_step);
            Relation& relation = to.relation[to.relations++];
            relation.a = static_cast<std::uint8_t>(slot_of_partial(slots, window.first, to.partial_slots));
            relation.b = static_cast<std::uint8_t>(slot_of_partial(slots, window.second, to.partial_slots));
            relation.a_step = window.first_step / common;
            relation.b_step = window.second_step / common;
            relation.most = window.size;
        }
    }
    require(to.relevant_slots <= kSlots && to.partial_slots <= kSlots, "dimensions of an operand", kSlots);
    return slots;
}

LoopEffect effect_of(const zigzag::Operand& operand, const Slots& slots, int dimension) {
    if (operand.irrelevant.has(dimension)) return {Role::reuse, 0};
    if (slots.relevant[dimension] >= 0) return {Role::relevant, static_cast<std::uint8_t>(slots.relevant[dimension])};
    if (slots.partial[dimension] >= 0) return {Role::partial, static_cast<std::uint8_t>(slots.partial[dimension])};
    return {};
}

void fill_spatial(const Layer& layer, const zigzag::Operand& operand, const Slots& slots,
                  const std::vector<std::vector<ParallelLoop>>& levels, Spatial& spatial) {
    int count = 0;
    for (std::size_t l = 0; l < levels.size(); ++l) {
        spatial.begin[l] = static_cast<std::uint8_t>(count);
        for (const ParallelLoop& loop : levels[l]) {
            require(count < kSpreads, "parallel loops", kSpreads);
            if (loop.size < 1.0)
                throw InputError(ErrorCode::unsupported, {}, "a dimension is spread over less than one unit");
            spatial.spreads[count++] = {effect_of(operand, slots, loop.dimension), loop.size};
        }
        spatial.begin[l + 1] = static_cast<std::uint8_t>(count);
    }
    double above = 1.0;
    for (int l = static_cast<int>(levels.size()) - 1; l >= 0; --l) {
        spatial.reuse_from[l] = spatial.reuse_from[l + 1];
        for (const ParallelLoop& loop : levels[l]) {
            if (!operand.irrelevant.has(loop.dimension)) continue;
            above *= loop.size;
            spatial.reuse_from[l] = spatial.reuse_from[l] || loop.size > 1.0;
        }
        spatial.back_from[l] = std::trunc(static_cast<double>(operand.elements) * (above - 1.0)) != 0.0;
    }
    const UnitCounts counts = unit_counts(layer, operand, levels);
    for (std::size_t a = 0; a < levels.size(); ++a) {
        spatial.unit_count[a] = static_cast<double>(counts.units[a]);
        spatial.boost[a] = static_cast<double>(counts.boost[a]);
    }
}

Stream stream_of(const SharedMemory& memory, MemoryOperand operand, Direction direction) {
    Stream stream;
    const zigzag::Port* port = memory.port_for(operand, direction);
    if (port == nullptr) return stream;
    stream.granule_bits = static_cast<double>(port->bandwidth_min_bits);
    stream.word_bits = static_cast<double>(port->bandwidth_max_bits);
    stream.word_fraction = stream.granule_bits / stream.word_bits;
    const bool reads = direction == Direction::read_down || direction == Direction::read_up;
    stream.energy_pj = reads ? memory.read_pj : memory.write_pj;
    return stream;
}

// Bits after the binary point; more than a double's if endless.
int fraction_bits(double x) {
    int bits = 0;
    for (; x != std::floor(x) && bits < 60; ++bits) x *= 2.0;
    return bits;
}

// All loop products are exact, and element counts of an operand with windows are integers at every step.
bool has_exact_tiles(const Operand& operand, const std::array<int, kKinds>& repeats,
                     const std::array<double, kKinds>& factor, int kinds) {
    double bits = 0.0;
    for (int i = 0; i < operand.fractional.begin[operand.levels + 1]; ++i) {
        const Spread& spread = operand.fractional.spreads[i];
        const int fraction = fraction_bits(spread.factor);
        if (fraction > 0 && operand.relations > 0 && spread.step.role == Role::relevant) return false;
        bits += fraction + std::log2(std::max(1.0, spread.factor));
    }
    for (int k = 0; k < kinds; ++k) bits += repeats[k] * std::log2(factor[k]);
    return bits < 52.0;
}

// Loops of a kind are one digit of the index.
std::size_t number_tiles(Operand& operand, const std::array<int, kKinds>& repeats, int kinds) {
    std::size_t size = 1;
    for (int k = 0; k < kinds; ++k) {
        const Role role = operand.step[k].role;
        if (role != Role::relevant && role != Role::partial) continue;
        operand.stride[k] = static_cast<std::uint32_t>(size);
        size *= static_cast<std::size_t>(repeats[k]) + 1;
        if (size > kTiles) break;
    }
    return size;
}

void tabulate(const Operand& operand, const std::array<int, kKinds>& repeats, const std::array<double, kKinds>& factor,
              int kinds, std::size_t size, Spatial& spatial) {
    for (int l = 0; l < operand.levels; ++l) {
        spatial.elements[l].resize(size);
        for (std::size_t index = 0; index < size; ++index) {
            GrowingTile tile(operand);
            for (int i = 0; i < spatial.begin[l + 1]; ++i)
                tile.grow(spatial.spreads[i].step, spatial.spreads[i].factor);
            for (int k = 0; k < kinds; ++k) {
                if (operand.stride[k] == 0) continue;
                const std::size_t loops = index / operand.stride[k] % (static_cast<std::size_t>(repeats[k]) + 1);
                for (std::size_t i = 0; i < loops; ++i) tile.grow(operand.step[k], factor[k]);
            }
            spatial.elements[l][index] = tile.elements();
        }
    }
}

void tabulate(const Setup& setup, const std::array<int, kKinds>& repeats, Operand& operand) {
    if (!has_exact_tiles(operand, repeats, setup.factor, setup.kinds)) return;
    const std::size_t size = number_tiles(operand, repeats, setup.kinds);
    operand.tabulated = size <= kTiles;
    if (!operand.tabulated) return;
    tabulate(operand, repeats, setup.factor, setup.kinds, size, operand.fractional);
    tabulate(operand, repeats, setup.factor, setup.kinds, size, operand.whole);
}

Operand make_operand(const Accelerator& accelerator, const Layer& layer, const zigzag::Operand& from,
                     const std::vector<std::vector<ParallelLoop>>& fractional,
                     const std::vector<std::vector<ParallelLoop>>& whole, std::span<const TemporalLoop> kinds) {
    Operand to;
    to.levels = accelerator.level_count(from.memory);
    require(to.levels <= kLevels, "memories of one operand", kLevels);
    const Slots slots = fill_sizes(layer, from, to);
    for (std::size_t k = 0; k < kinds.size(); ++k) to.step[k] = effect_of(from, slots, kinds[k].dimension);
    fill_spatial(layer, from, slots, fractional, to.fractional);
    fill_spatial(layer, from, slots, whole, to.whole);
    for (int l = to.levels; l >= 0; --l)
        to.names_reuse_from[l] = to.names_reuse_from[l + 1] ||
                                 std::any_of(fractional[l].begin(), fractional[l].end(), [&](const ParallelLoop& loop) {
                                     return from.irrelevant.has(loop.dimension);
                                 });
    to.bits = static_cast<double>(from.precision_bits);
    to.final_bits = static_cast<double>(from.is_result() ? from.final_precision_bits : from.precision_bits);
    to.elements = static_cast<double>(from.elements);
    for (int l = 0; l < to.levels; ++l) {
        const SharedMemory& memory = accelerator.memory_at(from.memory, l);
        to.capacity_bits[l] = static_cast<double>(memory.size_bits);
        to.memory[l] = static_cast<std::uint8_t>(accelerator.levels_of(from.memory)[l]);
        for (int d = 0; d < kDirections; ++d)
            to.stream[l].values[d] = stream_of(memory, from.memory, static_cast<Direction>(d));
    }
    return to;
}

// Upper bound on a tile's bits: all loops together, widest windows.
double most_bits(const Operand& operand, const Setup& setup, const std::array<int, kKinds>& repeats) {
    double most = std::max(operand.bits, operand.final_bits);
    for (int k = 0; k < setup.kinds; ++k)
        if (operand.step[k].role == Role::relevant) most *= std::pow(setup.factor[k], repeats[k]);
    for (int i = 0; i < operand.fractional.begin[operand.levels + 1]; ++i) {
        const Spread& spread = operand.fractional.spreads[i];
        if (spread.step.role == Role::relevant) most *= std::max(1.0, spread.factor);
    }
    for (int i = 0; i < operand.relations; ++i) most *= static_cast<double>(operand.relation[i].most);
    return most * (1.0 + 1e-9);
}

void fill_memories(const Accelerator& accelerator, const Layer& layer, const std::array<int, kKinds>& repeats,
                   Setup& setup) {
    for (const int m : accelerator.allocation_order) {
        const SharedMemory& from = accelerator.memories[m];
        setup.shares_memory[m] = from.operands.size() > 1;
        Memory to;
        to.index = static_cast<std::uint8_t>(m);
        to.capacity_bits = static_cast<double>(from.size_bits);
        double most = 0.0;
        for (const MemoryOperand held : from.operands) {
            const int operand = find_operand(layer, held);
            if (operand < 0) continue;
            const int level = from.level_of(held);
            to.resident[to.residents++] = {static_cast<std::uint8_t>(operand), static_cast<std::uint8_t>(level),
                                           level + 1 == setup.operand[operand].levels};
            most += most_bits(setup.operand[operand], setup, repeats);
        }
        to.roomy = most <= to.capacity_bits;
        if (to.residents > 0) setup.memory[setup.memories++] = to;
    }
}

void fill_port(const Layer& layer, const SharedMemory& memory, std::size_t p, Port& port) {
    port.word_bits = static_cast<double>(memory.ports[p].bandwidth_max_bits);
    bool serves_i1 = false;
    bool serves_i2 = false;
    for (const PortUse& use : memory.served_by[p]) {
        serves_i1 = serves_i1 || use.operand == MemoryOperand::i1;
        serves_i2 = serves_i2 || use.operand == MemoryOperand::i2;
        const int operand = find_operand(layer, use.operand);
        if (operand < 0) continue;
        require(port.users < kUsers, "streams through one port", kUsers);
        port.user[port.users++] = {static_cast<std::uint8_t>(operand),
                                   static_cast<std::uint8_t>(memory.level_of(use.operand)), use.direction};
    }
    port.serves_both_inputs = serves_i1 && serves_i2;
}

void fill_ports(const Accelerator& accelerator, const Layer& layer, Setup& setup) {
    for (const SharedMemory& memory : accelerator.memories)
        for (std::size_t p = 0; p < memory.ports.size(); ++p) {
            require(setup.ports < kPorts, "ports", kPorts);
            fill_port(layer, memory, p, setup.port[setup.ports++]);
        }
}

std::array<int, kKinds> count_kinds(std::span<const TemporalLoop> kinds, std::span<const TemporalLoop> loops) {
    std::array<int, kKinds> repeats{};
    for (std::size_t k = 0; k < kinds.size(); ++k)
        repeats[k] = static_cast<int>(std::count(loops.begin(), loops.end(), kinds[k]));
    return repeats;
}

void check_counts(std::span<const TemporalLoop> loops) {
    require(loops.size() <= kLoops, "loops", kLoops);
    double iterations = 1.0;
    for (const TemporalLoop& loop : loops) iterations *= static_cast<double>(loop.size);
    if (iterations >= kLargestWhole) throw OverflowError();
}

void fill_array(const Accelerator& accelerator, const Layer& layer, const ArrayUnrolling& unrolling, Setup& setup) {
    if (std::string problem = problem_with_array(accelerator); !problem.empty())
        throw InputError(ErrorCode::unsupported, {}, problem);
    setup.mac_energy_pj = operations_energy(accelerator, layer, unrolling).pj.total();
    setup.precharge_pj = precharge_pj(accelerator);
    if (setup.precharge_pj > 0.0) setup.weights = find_operand(layer, MemoryOperand::i2);
}

}  // namespace

Setup make_setup(const Accelerator& accelerator, const Layer& layer, const SpatialMapping& fractional,
                 const SpatialMapping& whole, std::span<const TemporalLoop> kinds, std::span<const TemporalLoop> loops,
                 Evenness evenness, const ArrayUnrolling& unrolling) {
    check_counts(loops);
    Setup setup;
    setup.even = evenness == Evenness::even;
    setup.kinds = static_cast<int>(kinds.size());
    for (std::size_t k = 0; k < kinds.size(); ++k) setup.factor[k] = static_cast<double>(kinds[k].size);
    setup.operands = layer.operand_count();
    for (int o = 0; o < setup.operands; ++o)
        setup.operand[o] =
            make_operand(accelerator, layer, layer.operands[o], fractional.loops[o], whole.loops[o], kinds);
    const std::array<int, kKinds> repeats = count_kinds(kinds, loops);
    for (int o = 0; o < setup.operands; ++o) {
        tabulate(setup, repeats, setup.operand[o]);
        for (int k = 0; k < setup.kinds; ++k)
            setup.is_reuse[k][o] = setup.operand[o].step[k].role == Role::reuse ? 1 : 0;
    }
    fill_memories(accelerator, layer, repeats, setup);
    fill_ports(accelerator, layer, setup);
    setup.mac_energy_pj = accelerator.unit_energy_pj * static_cast<double>(layer.operations);
    if (accelerator.in_memory) fill_array(accelerator, layer, unrolling, setup);
    setup.cycles_per_operation = static_cast<double>(accelerator.cycles_per_operation);
    setup.macs = static_cast<double>(layer.operations);
    setup.units = static_cast<double>(accelerator.units);
    return setup;
}

}  // namespace tilewright::zigzag::lean
