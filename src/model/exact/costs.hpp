// What counts cost: energy and cycles of memories and links, as pure functions of plain numbers.
//
// The full evaluation (model.hpp) and the lean one of the searches (lean.hpp) call the same functions, so that they
// cannot drift apart. The rules are those of docs/model.md ("Energy"). "Per instance" means per instance in use.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "arch/architecture.hpp"
#include "arch/widths.hpp"
#include "model/evaluation.hpp"

namespace tilewright {

/// Smallest whole number >= value. Requires 0 <= value < 2^63. (Cheaper than std::ceil without SSE4.1.)
inline double fast_ceil(double value) {
    const double whole = static_cast<double>(static_cast<std::int64_t>(value));
    return whole + (whole < value ? 1.0 : 0.0);
}

/// Largest whole number <= value. Requires value >= 0. (Doubles of 2^53 and more are whole.)
inline double fast_floor(double value) {
    return value < 0x1.0p53 ? static_cast<double>(static_cast<std::int64_t>(value)) : value;
}

/// The numbers of a memory that energy and cycles depend on, without names and sources.
struct MemoryRates {
    double read_pj = 0.0;  ///< of one vector access, as in MemoryEnergy
    double fill_pj = 0.0;
    double update_pj = 0.0;
    double address_pj = 0.0;  ///< of one address generation
    double leak_pj_per_cycle = 0.0;
    std::int64_t clusters = 1;  ///< groups of instances that share one vector access
    double read_words_per_cycle = std::numeric_limits<double>::infinity();
    double write_words_per_cycle = std::numeric_limits<double>::infinity();
    double shared_words_per_cycle = std::numeric_limits<double>::infinity();

    bool may_throttle() const {
        constexpr double kNever = std::numeric_limits<double>::infinity();
        return read_words_per_cycle < kNever || write_words_per_cycle < kNever || shared_words_per_cycle < kNever;
    }
};

MemoryRates rates_of(const Memory& memory);

/// The rows of a memory as one tensor sees them: a vector access moves a row.
struct Rows {
    double words = 1.0;     ///< of the tensor in a row; below 1 where a word takes several rows (words_per_access)
    double per_word = 1.0;  ///< 1 / words when that is exact (a power of two, or several rows), else 0
};

Rows rows_of(const Memory& memory, const Tensor& tensor);

/// Words of one tensor at one instance, over the whole run. Whole numbers.
struct Accesses {
    double reads = 0.0;
    double fills = 0.0;
    double updates = 0.0;
};

/// Rows that hold `words`.
inline double vectors(double words, const Rows& rows) {
    if (rows.words == 1.0) return words;
    return fast_ceil(rows.per_word > 0.0 ? words * rows.per_word : words / rows.words);
}

/// Energy of reads, fills and updates over all instances. `spread` is the number of instances the spatial loops outside
/// address (X * Y), `instances` how many of them are in use: equal unless factors are imperfect. Up to cluster_size
/// instances share one vector access, so each instance's count is charged once per cluster.
inline double access_energy_pj(const MemoryRates& rates, const Rows& rows, const Accesses& accesses,
                               std::int64_t spread, double instances) {
    const double cluster_pj = vectors(accesses.reads, rows) * rates.read_pj +
                              vectors(accesses.fills, rows) * rates.fill_pj +
                              vectors(accesses.updates, rows) * rates.update_pj;
    if (spread <= rates.clusters) return cluster_pj * instances;
    return cluster_pj / (static_cast<double>(spread) / static_cast<double>(rates.clusters)) * instances;
}

/// Address generators that run, on average: one for every instance in use, or for every cluster of them. `spread` and
/// `instances` as above.
inline double address_generators(const MemoryRates& rates, std::int64_t spread, double instances) {
    if (spread <= rates.clusters) return instances;
    return instances / (static_cast<double>(spread) / static_cast<double>(rates.clusters));
}

/// Addresses that each generates: results are addressed when they are written, operands when they are read or filled.
inline double address_generations(const Accesses& accesses, bool written) {
    return (written ? accesses.updates : accesses.reads) + accesses.fills;
}

/// Words per cycle that one instance would move if nothing throttled it.
struct Demand {
    double read = 0.0;
    double write = 0.0;
};

/// What one tensor adds to the demand. `ratio` is spread / instances (1 when factors are perfect), `scale` the tensor's
/// bandwidth_share().
inline Demand demand_of(const Accesses& accesses, double ratio, std::int64_t compute_cycles, double scale) {
    const auto per_cycle = [&](double words) {
        return fast_ceil(words / ratio) / static_cast<double>(compute_cycles) * scale;
    };
    return {per_cycle(accesses.reads), per_cycle(accesses.fills + accesses.updates)};
}

struct Throttle {
    double slowdown = 1.0;  ///< <= 1
    Bound bound = Bound::compute;
};

inline Throttle throttle(const MemoryRates& rates, const Demand& demand) {
    Throttle result;
    const auto limit = [&result](double supply, double asked, Bound bound) {
        if (!(supply < asked)) return;
        const double slowdown = supply / asked;
        if (slowdown < result.slowdown) result = {slowdown, bound};
    };
    limit(rates.read_words_per_cycle, demand.read, Bound::read_bandwidth);
    limit(rates.write_words_per_cycle, demand.write, Bound::write_bandwidth);
    limit(rates.shared_words_per_cycle, demand.write + demand.read, Bound::shared_bandwidth);
    return result;
}

/// Whole cycles. The slowdown is a quotient of sums of quotients: what lies above a whole number by no more than their
/// rounding is that number.
inline std::int64_t throttled_cycles(std::int64_t compute_cycles, double slowdown) {
    constexpr double kRounding = 1.0 - 1e-12;
    return static_cast<std::int64_t>(fast_ceil(static_cast<double>(compute_cycles) / slowdown * kRounding));
}

/// How many instances of memory `index` leak when `used[i]` instances of memory i are in use: those in use, or, under a
/// power gate of fewer instances, all that hang under the gates in use.
double leaking_instances(const Architecture& architecture, int index, std::span<const double> used);

// ---------------------------------------------------------------- links

/// Area of one tile inside memory i (what its link spans), outermost memory first: the compute unit for the innermost
/// memory.
std::vector<double> inner_tile_areas_um2(const Architecture& architecture);

/// The numbers of a link that its energy depends on. Refers to the Link it was made from.
struct LinkRates {
    NetworkKind kind = NetworkKind::legacy;
    double hop_pj = 0.0;
    double router_pj = 0.0;
    double adder_pj = 0.0;
    const std::map<std::int64_t, double>* multicast_pj = nullptr;  ///< of the tensor: for_tensor()
    const Link* by_tensor = nullptr;                               ///< set when each tensor has its own

    /// True when nothing that happens on the link costs energy.
    bool is_free() const;
    /// What the tensor of that name pays.
    LinkRates for_tensor(const std::string& name) const {
        LinkRates rates = *this;
        if (by_tensor != nullptr) rates.multicast_pj = &by_tensor->multicast_energy_of(name);
        return rates;
    }
};

/// `inner_tile_um2` is the entry of inner_tile_areas_um2: the side of a tile is the length of a hop when none is given.
LinkRates rates_of(const Link& link, double inner_tile_um2);

/// Deliveries with the same multicast factor: `groups` sets of `copies` children each receive the same words.
struct Deliveries {
    std::int64_t copies = 1;
    std::int64_t groups = 1;
    double words = 0.0;  ///< accesses of one instance of the memory, a multicast once
    double hops = 0.0;   ///< word-hops of one instance
};

/// What a link carries: operands inwards, results outwards, or both when there is only one.
enum class LinkDirection { operands, results, both };

struct LinkCost {
    double words = 0.0;
    double hops = 0.0;
    double spatial_reductions = 0.0;
    double energy_pj = 0.0;  ///< all instances
};

/// Cost of one tensor on one link, with its rates, below a memory of which `instances` are in use. `read_back_less`:
/// set to the words whose first arrival needs no read (the partition) when the tensor is written and the memory cannot
/// reduce, so that old values travel back; empty otherwise (see reads_back). Deliveries in ascending order of `copies`.
LinkCost link_cost(const LinkRates& rates, LinkDirection direction, std::span<const Deliveries> deliveries,
                   bool written, std::optional<double> read_back_less, double instances);

/// True when partial sums of a written tensor travel back over this link to be added to.
inline bool reads_back(const Memory& memory, LinkDirection direction) {
    return !memory.reduces && direction != LinkDirection::operands;
}

/// Cycles the links below `memory` add at start and end of the run.
std::int64_t link_latency_cycles(const Memory& memory);

/// Hops of one word multicast to the children at the given linear positions (ascending) of a grid: position k lies at
/// x = k mod grid.x, y = k div grid.x; the word enters at x = 0 in the middle row, runs along the row and branches into
/// the columns. Requires columns.size() >= grid.x; it is scratch space.
struct ColumnSpan {
    std::int64_t low = 0;
    std::int64_t high = -1;  ///< empty when below low
};
double group_hops(std::span<const std::int64_t> positions, const Mesh& grid, std::span<ColumnSpan> columns);

}  // namespace tilewright
