// A layer and a machine in the lean form: numbers in arrays instead of names and lists, prepared once, read by the lean
// evaluators and by searches building their own nests (mapper/optimal). Not part of the public API.
//
// Example: lean::Setup setup(einsum, architecture); lean::words_in(setup.tensors[t], setup.extents) are the words of
// tensor t. Immutable once built: threads may share one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/tiling_point.hpp"
#include "model/exact/costs.hpp"
#include "model/lean/prices.hpp"
#include "workload/einsum.hpp"

namespace tilewright::lean {

struct Term {
    int dimension = 0;
    double reach = 1.0;  ///< |coefficient|
};

/// A tensor's ranks, their terms in one list.
struct TensorForm {
    std::vector<Term> terms;     ///< rank after rank
    std::vector<int> rank_ends;  ///< index into terms after the last term of each rank
    std::uint32_t relevant = 0;  ///< bit d: moving along dimension d moves the tensor
    bool written = false;
    /// Every dimension moves at most one rank and every rank has at most one term: tiles never overlap.
    bool plain = true;
    /// A dimension moves several ranks.
    bool tangled = false;
    /// Every word of a tile's box is touched, for any tile.
    bool gapless = true;
    /// A move of one step along a dimension, all ranks in one number: moves are equal exactly if their keys are.
    std::array<double, kMaxDimensions> key{};
};

struct LevelForm {
    /// Capacity taken by words of the tensor.
    double room(int tensor, double words) const {
        const auto t = static_cast<std::size_t>(tensor);
        const double units = (prices == nullptr ? words : (*prices)[t].words_held(words)) * room_per_word[t];
        return rounds_rooms ? std::ceil(units / room_multiple[t]) * room_multiple[t] : units;
    }

    /// The memory's rules permit tiles of these extents for the tensors (bits).
    template <typename Extents>
    bool allows(std::uint32_t tensors, const Extents& tile) const {
        return std::ranges::all_of(tile_bounds, [&](const TileBound& bound) {
            return bound.allows(TensorSet::from_bits(tensors), static_cast<std::int64_t>(tile[bound.dimension]));
        });
    }

    MemoryRates rates;
    bool throttles = false;
    double capacity = 0.0;   ///< in the units of capacity_of(); infinity if unlimited
    double least_use = 0.0;  ///< from min_utilization, likewise
    std::array<double, kMaxTensors> room_per_word{};
    bool rounds_rooms = false;                        ///< to multiples: Memory::alignment_words
    std::array<double, kMaxTensors> room_multiple{};  ///< units, by tensor
    std::vector<TileBound> tile_bounds;
    std::array<Rows, kMaxTensors> rows{};  ///< by tensor
    double mesh_x = 1.0;
    double mesh_y = 1.0;
    double instances = 1.0;
    bool stores = true;                                 ///< may keep tensors
    bool spreads = true;                                ///< more than one inner neighbour
    std::array<double, kMaxTensors> bandwidth_share{};  ///< of words read
    std::array<double, kMaxTensors> fill_share{};       ///< the same of fills and of updates
    std::array<double, kMaxTensors> update_share{};
    std::array<double, kMaxTensors> read_written_share{};  ///< of the bandwidth of writes taken by a read: prices' own
    /// By tensor, replacing the rates' energies and the rows; null: none.
    const std::array<TensorPrices, kMaxTensors>* prices = nullptr;
    int gate = 0;             ///< the memory whose use decides the number of leaking instances
    double under_gate = 1.0;  ///< instances per gate
    LinkRates link;
    LinkRates update_link;
    std::array<double, kMaxTensors> link_share{};
    std::array<double, kMaxTensors> update_link_share{};
    std::array<double, kMaxTensors> passage_pj{};  ///< of a word out of one instance: the link's passages
    bool has_update_link = false;
    bool link_is_free = true;
    bool wires_are_free = true;  ///< passages alone cost
    Mesh fanout;
};

struct Setup {
    Einsum einsum;
    Architecture architecture;
    std::vector<TensorForm> tensors;
    std::vector<LevelForm> levels;
    std::array<double, kMaxDimensions> extents{};
    double compute_mesh_x = 1.0;
    double compute_mesh_y = 1.0;
    double compute_instances = 1.0;
    double compute_energy_pj = 0.0;
    double compute_leak_pj_per_cycle = 0.0;
    bool leaks = false;
    bool links_cost = false;
    std::int64_t link_latency_cycles = 0;
    double operations = 0.0;
    std::shared_ptr<const Prices> prices;  ///< null: rows at the memories' prices
    double busy = 1.0;  ///< share of the time steps that take a cycle; rates are words for each time step

    Setup(const Einsum& the_einsum, const Architecture& the_architecture,
          std::shared_ptr<const Prices> the_prices = nullptr);
    Setup(const Setup&) = delete;  // link rates refer to the architecture
    Setup& operator=(const Setup&) = delete;
};

/// Copies of the pieces so far, each shifted by `stride`.
struct Repeat {
    double stride = 0.0;
    double times = 1.0;
};

/// Length of the union of intervals of `width`, repeated again and again, smallest stride first.
double union_length(double width, std::span<const Repeat> repeats);

/// Words of a tensor in a box of iterations.
double words_in(const TensorForm& tensor, const std::array<double, kMaxDimensions>& extents);

}  // namespace tilewright::lean
