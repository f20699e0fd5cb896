// Prices of counts: energy and cycles of memories and links, as pure functions of plain numbers.
//
// Shared by the full evaluation (model.hpp) and the lean one of the searches (lean.hpp). Rules: docs/model.md
// ("Energy"). "Per instance" means per instance in use.
#pragma once

#include <algorithm>
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

/// A memory's inputs to energy and cycles, without names and sources.
struct MemoryRates {
    double read_pj = 0.0;  ///< of one vector access, as in MemoryEnergy
    double fill_pj = 0.0;
    double update_pj = 0.0;
    double address_pj = 0.0;  ///< of one address generation
    double leak_pj_per_cycle = 0.0;
    std::int64_t clusters = 1;  ///< groups of instances sharing one vector access
    double read_words_per_cycle = std::numeric_limits<double>::infinity();
    double write_words_per_cycle = std::numeric_limits<double>::infinity();
    double shared_words_per_cycle = std::numeric_limits<double>::infinity();
    double write_stall_cycles = 0.0;

    bool may_throttle() const {
        constexpr double kNever = std::numeric_limits<double>::infinity();
        return read_words_per_cycle < kNever || write_words_per_cycle < kNever || shared_words_per_cycle < kNever ||
               write_stall_cycles > 0.0;
    }
};

/// Cycles of a run in which an instance reads and writes so many words, on whose writes the units wait.
inline double port_cycles(const MemoryRates& rates, double compute_cycles, double reads, double writes) {
    double cycles = reads / rates.read_words_per_cycle;
    cycles = std::max({cycles, writes / rates.write_words_per_cycle, (reads + writes) / rates.shared_words_per_cycle});
    if (rates.write_stall_cycles == 0.0) return cycles;
    return std::max(cycles, compute_cycles + writes * rates.write_stall_cycles);
}

MemoryRates rates_of(const Memory& memory);

/// A memory's rows for one tensor: a vector access moves a row.
struct Rows {
    double words = 1.0;     ///< of the tensor in a row; below 1 if a word takes several rows (words_per_access)
    double per_word = 1.0;  ///< 1 / words if exact (a power of two, or several rows), else 0
};

Rows rows_of(const Memory& memory, const Tensor& tensor);

/// Words of one tensor at one instance, over the whole run. Whole numbers.
struct Accesses {
    double reads = 0.0;
    double fills = 0.0;
    double updates = 0.0;
};

inline double vectors(double words, const Rows& rows) {
    if (rows.words == 1.0) return words;
    return fast_ceil(rows.per_word > 0.0 ? words * rows.per_word : words / rows.words);
}

/// Energy of reads, fills and updates over all instances. `spread`: instances addressed by the outer spatial loops (X *
/// Y); `instances`: those in use, fewer only with remainders. Up to cluster_size instances share one vector access, so
/// each instance's count is charged once per cluster.
inline double access_energy_pj(const MemoryRates& rates, const Rows& rows, const Accesses& accesses,
                               std::int64_t spread, double instances) {
    const double cluster_pj = vectors(accesses.reads, rows) * rates.read_pj +
                              vectors(accesses.fills, rows) * rates.fill_pj +
                              vectors(accesses.updates, rows) * rates.update_pj;
    if (spread <= rates.clusters) return cluster_pj * instances;
    return cluster_pj / (static_cast<double>(spread) / static_cast<double>(rates.clusters)) * instances;
}

/// Mean number of running address generators: one per instance in use, or per cluster of them.
inline double address_generators(const MemoryRates& rates, std::int64_t spread, double instances) {
    if (spread <= rates.clusters) return instances;
    return instances / (static_cast<double>(spread) / static_cast<double>(rates.clusters));
}

/// Addresses per generator: results are addressed when written, operands when read or filled.
inline double address_generations(const Accesses& accesses, bool written) {
    return (written ? accesses.updates : accesses.reads) + accesses.fills;
}

/// Words per cycle of one unthrottled instance.
struct Demand {
    double read = 0.0;
    double write = 0.0;
};

/// One tensor's demand. `ratio`: spread / instances (1 for perfect factors); `scale`: the tensor's bandwidth_share().
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
    if (rates.write_stall_cycles > 0.0)  // waiting and computing add up
        limit(1.0, 1.0 + demand.write * rates.write_stall_cycles, Bound::write_bandwidth);
    return result;
}

/// Whole cycles. The slowdown is a quotient of sums of quotients: an excess within rounding is dropped.
inline std::int64_t throttled_cycles(std::int64_t compute_cycles, double slowdown) {
    constexpr double kRounding = 1.0 - 1e-12;
    return static_cast<std::int64_t>(fast_ceil(static_cast<double>(compute_cycles) / slowdown * kRounding));
}

/// Leaking instances of memory `index`, with `used[i]` instances of memory i in use: those in use or, under a power
/// gate of fewer instances, all below the gates in use.
double leaking_instances(const Architecture& architecture, int index, std::span<const double> used);

// ---------------------------------------------------------------- links

/// Area of one tile inside memory i (the span of its link), outermost memory first; last the compute unit's.
std::vector<double> inner_tile_areas_um2(const Architecture& architecture);

/// A link's inputs to energy. Keeps a reference to its Link.
struct LinkRates {
    NetworkKind kind = NetworkKind::legacy;
    double hop_pj = 0.0;
    double router_pj = 0.0;
    double adder_pj = 0.0;
    const std::map<std::int64_t, double>* multicast_pj = nullptr;  ///< of the tensor: for_tensor()
    const Link* by_tensor = nullptr;                               ///< set if each tensor has its own
    bool has_passages = false;                                     ///< paid beside link_cost()

    /// No event on the link costs energy.
    bool is_free() const { return !has_passages && wires_are_free(); }
    bool wires_are_free() const;
    LinkRates for_tensor(const std::string& name) const {
        LinkRates rates = *this;
        if (by_tensor != nullptr) rates.multicast_pj = &by_tensor->multicast_energy_of(name);
        return rates;
    }
};

/// `inner_tile_um2`: entry of inner_tile_areas_um2; the tile's side is the default length of a hop.
LinkRates rates_of(const Link& link, double inner_tile_um2);

/// Deliveries with the same multicast factor: `groups` sets of `copies` children each receive the same words.
struct Deliveries {
    std::int64_t copies = 1;
    std::int64_t groups = 1;
    double words = 0.0;  ///< accesses of one instance of the memory, a multicast once
    double hops = 0.0;   ///< word-hops of one instance
};

/// A link's traffic: operands inwards, results outwards, or both on a single one.
enum class LinkDirection { operands, results, both };

struct LinkCost {
    double words = 0.0;
    double hops = 0.0;
    double spatial_reductions = 0.0;
    double energy_pj = 0.0;  ///< all instances, without passages
};

/// Cost of one tensor on one link, with its rates, below a memory with `instances` in use. `read_back_less`: words
/// whose first arrival needs no read (the partition), set if the tensor is written and the memory cannot reduce, so
/// that old values travel back; empty otherwise (see reads_back). Deliveries in ascending order of `copies`.
LinkCost link_cost(const LinkRates& rates, LinkDirection direction, std::span<const Deliveries> deliveries,
                   bool written, std::optional<double> read_back_less, double instances);

/// Words that pass a link's passages, of one instance: a passage costs the same for words of any width.
double passing_words(std::span<const Deliveries> deliveries);

/// Partial sums of a written tensor travel back over this link to be added to.
inline bool reads_back(const Memory& memory, LinkDirection direction) {
    return !memory.reduces && direction != LinkDirection::operands;
}

/// Cycles added by the links below `memory` at start and end of the run.
std::int64_t link_latency_cycles(const Memory& memory);

/// Hops of one word multicast to the children at the given linear positions (ascending) of a grid: position k lies at x
/// = k mod grid.x, y = k div grid.x; the word enters at x = 0 in the middle row, runs along the row and branches into
/// the columns. Requires columns.size() >= grid.x; it is scratch space.
struct ColumnSpan {
    std::int64_t low = 0;
    std::int64_t high = -1;  ///< empty if below low
};
double group_hops(std::span<const std::int64_t> positions, const Mesh& grid, std::span<ColumnSpan> columns);

}  // namespace tilewright
