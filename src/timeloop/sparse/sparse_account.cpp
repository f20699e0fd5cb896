#include "timeloop/sparse/sparse_account.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "base/numbers/checked.hpp"
#include "sparse/models.hpp"
#include "sparse/occupancy.hpp"
#include "timeloop/sparse/state.hpp"

namespace tilewright::account {

using sparse::Outcome;
using sparse::Outer;
using sparse::Tile;
namespace {

// Densities as counted by Timeloop, faults included (docs/timeloop.md). Its files know fixed_structured, hypergeometric
// and banded; for Tilewright's own (N:M, measured) the exact distribution.

/// Requires sparse::problem_with(density, tensor) == "".
std::unique_ptr<sparse::Occupancy> peer_occupancy(const sparse::Density& density, const sparse::Tile& tensor);

/// The least share of a tile by integer division.
class PeerUniform : public sparse::Uniform {
   public:
    using Uniform::Uniform;

    double least_share(const Tile& tile) const override {
        const std::int64_t words = sparse::elements(tile);
        if (words <= all() - marked()) return 0.0;
        const std::int64_t share = (words - all() + marked()) / words;
        return static_cast<double>(share);
    }

    double expected(const Tile& tile) const override {
        double sum = 0.0;
        for (const Outcome& one : outcomes(tile)) sum += one.probability * static_cast<double>(one.occupied);
        return sum;
    }
};

struct Corner {
    std::int64_t row = 0;
    std::int64_t column = 0;
};

/// Rows of tiles form groups: those at the matrix's end count as those at its beginning, and the first row crossed by
/// the band from edge to edge stands for all in between.
class PeerBanded : public sparse::Occupancy {
   public:
    PeerBanded(std::int64_t half_width, const Tile& tensor) : width_(half_width), extent_(tensor[0]) {
        std::int64_t occupied = extent_;
        // Subtracts missing diagonals of a band wider than the matrix.
        occupied = checked_add(occupied, checked_mul(width_, 2 * extent_ - width_ - 1));
        density_ = static_cast<double>(occupied) / static_cast<double>(sparse::elements(tensor));
    }

    std::string name() const override { return "banded-" + std::to_string(width_); }

    std::vector<Outcome> outcomes(const Tile& tile) const override {
        std::vector<Outcome> outcomes;
        for (const auto& [occupied, chance] : distribution(tile))
            if (chance != 0.0) outcomes.push_back({occupied, chance});
        return outcomes;
    }

    double probability(const Tile& tile, std::int64_t occupied) const override {
        if (sparse::elements(tile) == 0) return occupied == 0 ? 1.0 : 0.0;
        const auto all = distribution(tile);
        const auto found = all.find(occupied);
        return found == all.end() ? 0.0 : found->second;
    }

    /// The outer tile's offset is added twice to the lower corner of its tiles.
    double probability_within(const Tile& tile, std::int64_t, const Outer& outer) const override {
        if (sparse::elements(tile) == 0) return 1.0;
        const std::optional<Corner> found = first_with(outer.tile, outer.occupied);
        if (!found) return std::numeric_limits<double>::quiet_NaN();
        const std::int64_t rows = outer.tile[0] / tile[0];
        const std::int64_t columns = outer.tile[1] / tile[1];
        std::int64_t empty = 0;
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j) {
                const Corner at{found->row + i * tile[0], found->column + j * tile[1]};
                const std::int64_t held =
                    occupied({found->row + at.row, found->column + at.column}, {tile[0] + at.row, tile[1] + at.column});
                empty += held == 0 ? 1 : 0;
            }
        return static_cast<double>(empty) / static_cast<double>(rows * columns);
    }

    std::int64_t most(const Tile& tile) const override {
        return sparse::elements(tile) == 0 ? 0 : distribution(tile).rbegin()->first;
    }

    double least_share(const Tile& tile) const override {
        const std::int64_t words = sparse::elements(tile);
        return words == 0 ? 0.0 : static_cast<double>(distribution(tile).begin()->first) / static_cast<double>(words);
    }

    double expected(const Tile& tile) const override { return static_cast<double>(sparse::elements(tile)) * density_; }

   private:
    /// Band elements from corner `low` to before corner `high`.
    std::int64_t occupied(Corner low, Corner high) const {
        std::int64_t sum = 0;
        for (std::int64_t row = low.row; row < high.row; ++row) {
            const std::int64_t first = std::max({low.column, row - width_, std::int64_t{0}});
            sum += std::max<std::int64_t>(0, std::min(high.column, row + width_ + 1) - first);
        }
        return sum;
    }

    struct Rows {
        std::int64_t all;
        std::int64_t columns;
        std::int64_t edge;    ///< rows of tiles before a full crossing of the band
        std::int64_t listed;  ///< rows examined
        std::int64_t weight(std::int64_t group) const {
            if (group >= edge) return std::max<std::int64_t>(all - 2 * edge, 0);
            return edge != all ? 2 : 1;
        }
    };

    Rows rows_of(const Tile& tile) const {
        Rows rows{extent_ / tile[0], extent_ / tile[1], 0, 0};
        rows.edge = static_cast<std::int64_t>(std::ceil(static_cast<double>(width_) / static_cast<double>(tile[0])));
        rows.listed = std::min(rows.edge + 1, rows.all);
        return rows;
    }

    std::map<std::int64_t, double> distribution(const Tile& tile) const {
        const Rows rows = rows_of(tile);
        std::map<std::int64_t, std::int64_t> counts{{0, 0}};
        for (std::int64_t group = 0; group < rows.listed; ++group) {
            const std::int64_t row = group * tile[0];
            for (std::int64_t j = 0; j < rows.columns; ++j) {
                const std::int64_t column = j * tile[1];
                if (column > row + tile[0] - 1 + width_) {
                    counts[0] += (rows.columns - j) * rows.weight(group);
                    break;
                }
                counts[occupied({row, column}, {row + tile[0], column + tile[1]})] += rows.weight(group);
            }
        }
        std::map<std::int64_t, double> distribution;
        for (const auto& [held, count] : counts)
            distribution[held] = static_cast<double>(count) / static_cast<double>(rows.all * rows.columns);
        return distribution;
    }

    std::optional<Corner> first_with(const Tile& tile, std::int64_t wanted) const {
        const Rows rows = rows_of(tile);
        for (std::int64_t group = 0; group < rows.listed; ++group) {
            const std::int64_t row = group * tile[0];
            for (std::int64_t j = 0; j < rows.columns; ++j) {
                const std::int64_t column = j * tile[1];
                if (column > row + tile[0] - 1 + width_) {
                    if (wanted == 0) return Corner{row, column};
                    break;
                }
                if (occupied({row, column}, {row + tile[0], column + tile[1]}) == wanted) return Corner{row, column};
            }
        }
        return std::nullopt;
    }

    std::int64_t width_;
    std::int64_t extent_;
    double density_ = 0.0;
};

std::unique_ptr<sparse::Occupancy> peer_occupancy(const sparse::Density& density, const Tile& tensor) {
    if (const auto* uniform = std::get_if<sparse::UniformRandom>(&density))
        return std::make_unique<PeerUniform>(uniform->density, sparse::elements(tensor));
    if (const auto* banded = std::get_if<sparse::Banded>(&density))
        return std::make_unique<PeerBanded>(banded->half_width, tensor);
    return sparse::occupancy_of(density, tensor);
}

Mesh expansion_of(const DenseCounts& dense, int storage) { return dense.nest.storages[storage].expansion; }

/// The dense counts, before sparsity.
SparseTensor dense_tensor(const DenseCounts& dense, int tensor, int storage, const sparse::MemoryDesign& built) {
    SparseTensor level;
    level.dense = dense.tensors[tensor][storage];
    level.expected_words = static_cast<double>(level.dense.tile_words);
    level.instances = level.dense.replication;
    level.expansion = expansion_of(dense, storage);
    level.reductions = level.dense.temporal_reductions;
    const auto& format = built.formats[tensor];
    if (format && level.kept()) {
        level.format = &*format;
        level.compressed = format->is_compressed();
    }
    for (const Operation operation : kOperations) level.data[kActual][operation] = level.dense_words(operation);
    return level;
}

void connect(std::vector<SparseTensor>& levels) {
    int outside = -1;
    for (int s = static_cast<int>(levels.size()) - 1; s >= 0; --s) {
        if (!levels[s].kept()) continue;
        levels[s].parent = outside;
        if (outside >= 0) levels[outside].child = s;
        outside = s;
    }
}

void set_tiles(SparseState& state) {
    const Extents& all = state.loops.back().back().box;
    for (int t = 0; t < state.tensor_count(); ++t) {
        state.occupancy.push_back(peer_occupancy(state.design.densities[t], state.tile(t, all)));
        for (int s = 0; s < state.storages(); ++s) {
            SparseTensor& level = state.tensors[t][s];
            level.tile = level.kept() ? state.tile(t, state.loops[s].back().box)
                                      : sparse::Tile(state.einsum.tensors[t].ranks.size(), 0);
        }
    }
}

class SparseAccountant {
   public:
    SparseAccountant(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                     const sparse::Design& design, const LoopOrders& orders, DenseCounts dense)
        : dense_(std::move(dense)),
          counted_{einsum, architecture, dense_.nest, dense_.tensors},
          state_{einsum, architecture, design, dense_.nest, {}, {}, {}, {}, {}, {}, {}, {}} {
        state_.loops = full_nest(einsum, architecture, mapping, orders);
        state_.replication = static_cast<double>(dense_.compute_instances);
        state_.computes = dense_.computes_per_instance * state_.replication;
        state_.compute.expansion = dense_.nest.compute_expansion;
        state_.compute.instances = state_.replication;
        state_.compute.algorithmic = state_.compute.counts.actual = static_cast<std::int64_t>(state_.computes);
        add_tensors();
        set_tiles(state_);
    }

    SparseResult run() {
        result_.common.refusal = format_refusal(state_);
        if (!result_.common.refusal && state_.design.acts()) analyse();
        if (!result_.common.refusal) evaluate();
        return std::move(result_);
    }

   private:
    void add_tensors() {
        for (int t = 0; t < state_.tensor_count(); ++t) {
            std::vector<SparseTensor> levels;
            for (int s = 0; s < state_.storages(); ++s) levels.push_back(dense_tensor(dense_, t, s, state_.built(s)));
            connect(levels);
            state_.tensors.push_back(std::move(levels));
            state_.avoided.emplace_back(static_cast<std::size_t>(state_.storages()));
        }
    }

    /// As in Timeloop's sparse-analysis.cpp, step by step.
    void analyse() {
        assign_ranks(state_);
        expect_occupancy(state_);
        choose_avoided(state_);
        skip_instances(state_);
        combine(state_);
        count_computes(state_);
    }

    TimeloopResult& common() { return result_.common; }

    void evaluate() {
        count_compute();
        if (common().refusal) return;
        add_costs();
        for (int s = 0; s < state_.storages() && !common().refusal; ++s)
            common().refusal = sparse_storage_refusal(state_, s, result_.costs.memories[s]);
        if (common().refusal) return;
        for (int s = 0; s < state_.storages(); ++s) {
            common().memories.push_back(
                evaluate_sparse_memory(state_, s, result_.costs.memories[s], common().compute_cycles));
            common().cycles = std::max(common().cycles, common().memories.back().cycles);
        }
        add_leakage_and_networks();
        add_up();
        std::reverse(common().memories.begin(), common().memories.end());
        std::reverse(common().networks.begin(), common().networks.end());
        std::reverse(result_.costs.memories.begin(), result_.costs.memories.end());
        common().undefined = dense_.guard.problem();
    }

    void count_compute() {
        const SparseCompute& compute = state_.compute;
        const Compute& units = state_.architecture.compute;
        result_.costs.algorithmic_computes = compute.algorithmic;
        result_.costs.computes = compute.counts;
        result_.compute_instances = compute.instances;
        common().computes = compute.counts.actual;
        const double busy =
            std::ceil(quotient(static_cast<double>(compute.counts.actual + compute.counts.gated), compute.instances));
        common().compute_cycles = dense_.nest.imperfect ? dense_.nest.temporal_iterations : counted(busy);
        common().compute_units_used = compute.expansion.size();
        common().compute_energy_pj = static_cast<double>(compute.counts.actual) * units.energy_pj.value +
                                     static_cast<double>(compute.counts.gated) * state_.design.gated_compute_pj +
                                     static_cast<double>(compute.counts.skipped) * state_.design.skipped_compute_pj;
        common().cycles = common().compute_cycles;
        common().refusal = too_many(compute.expansion, static_cast<double>(compute.expansion.size()), units.mesh,
                                    units.instances, units.name);
    }

    void add_costs() {
        for (int s = 0; s < state_.storages(); ++s) {
            sparse::MemoryCosts memory{state_.memory(s).name, {}};
            for (int t = 0; t < state_.tensor_count(); ++t) memory.tensors.push_back(sparse_costs(state_, t, s));
            result_.costs.memories.push_back(std::move(memory));
        }
    }

    void add_leakage_and_networks() {
        for (int s = 0; s < state_.storages(); ++s) {
            common().memories[s].leakage_pj = sparse_leakage_pj(state_, s, common().cycles);
            for (TimeloopNetwork& network : evaluate_networks(counted_, s, dense_.guard))
                common().networks.push_back(std::move(network));
            common().network_latency_cycles += network_latency(counted_, s);
        }
        common().cycles = checked_add(common().cycles, common().network_latency_cycles);
    }

    void add_up() {
        double energy = common().compute_energy_pj;
        for (const TimeloopMemory& memory : common().memories) energy += memory_energy_pj(memory);
        for (const TimeloopNetwork& network : common().networks)
            for (const TimeloopFlow& flow : network.tensors) energy += flow.energy_pj;
        common().energy_pj = energy;
        const sparse::Counts& computes = state_.compute.counts;
        common().utilization = quotient(static_cast<double>(computes.actual + computes.gated) /
                                            static_cast<double>(state_.architecture.compute.instances),
                                        static_cast<double>(common().cycles));
        common().area_um2 = total_area_um2(state_.architecture);
    }

    DenseCounts dense_;
    Counted counted_;
    SparseState state_;
    SparseResult result_;
};

SparseResult refused(Violation violation) {
    SparseResult result;
    result.common.refusal = std::move(violation);
    return result;
}

}  // namespace

double memory_energy_pj(const TimeloopMemory& memory) {
    double energy = 0.0;
    for (const TimeloopTensor& tensor : memory.tensors)
        energy += tensor.energy_pj + tensor.address_energy_pj +
                  memory.leakage_pj / static_cast<double>(memory.tensors.size());
    return energy;
}

SparseResult sparse_timeloop(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                             const sparse::Design& design, const LoopOrders& orders, const TimeloopOptions& options) {
    if (options.dearest_action) {
        TimeloopOptions others = options;
        others.dearest_action = false;
        return sparse_timeloop(einsum, with_dearest_actions(architecture), mapping, design, orders, others);
    }
    // Spatial skipping is for mappings short of units unless some tiles are empty.
    const bool skips_instances = std::ranges::any_of(
        design.memories, [](const sparse::MemoryDesign& memory) { return !memory.spatial_skipping.empty(); });
    DenseCounts dense = dense_counts(einsum, architecture, mapping, options, skips_instances);
    if (dense.refusal) return refused(*dense.refusal);
    try {
        return SparseAccountant(einsum, architecture, mapping, design, orders, std::move(dense)).run();
    } catch (const SparseRefusal& refusal) {
        return refused(refusal.violation());
    }
}

}  // namespace tilewright::account
