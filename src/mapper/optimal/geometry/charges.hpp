// Charges: what deliveries cost once the spatial factors and the kept tensors are fixed.
//
// With those fixed, every cost of an even mapping is a sum over (tensor, memory) of a function of the words that one
// instance of that memory is sent over the run (docs/optimal.md). Charges holds those functions and all that does not
// depend on the temporal loops.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "mapping/tiling_point.hpp"
#include "model/lean/nest.hpp"

namespace tilewright::optimal {

using Extents = std::array<double, kMaxDimensions>;

/// What one tensor moves at one memory; the charges of a delivery go to the memory that is sent words, to the next one
/// outside that keeps the tensor, and to the wires on the way.
struct Delivery {
    bool keeps = false;     ///< the memory holds what it is sent; else nothing is sent to it, but may pass it by
    int parent = -1;        ///< the next memory outside that keeps the tensor
    double groups = 1.0;    ///< sets of neighbours that share words, over all fan-outs up to the parent that are static
    double hop_pj = 0.0;    ///< per word sent, all instances, on the wires inside the innermost fan-out that is not
    double wire_pj = 0.0;   ///< per word sent, of costs that count words and not hops
    double relevant = 1.0;  ///< spatial factors that move the tensor, up to the parent
    bool dynamic = false;   ///< some fan-out up to the parent has groups that depend on tile sizes
};

/// Words of a result that one delivery brings for the first time.
struct FirstWords {
    double held = 0.0;      ///< distinct words in the tiles of one instance of the memory that is sent words
    double arriving = 0.0;  ///< distinct words in all those tiles inside one instance of the next memory outside
};

/// Cycles that one instance of a memory needs for so many words.
double cycles_for(const MemoryRates& rates, double reads, double writes);

class Charges {
   public:
    /// `assignment`: spatial factors, axes, orders and kept tensors; temporal factors are not looked at. `links`: how
    /// far words travel, from one assignment to the next; may be null, else it stays alive and belongs to one thread.
    Charges(const lean::Setup& setup, const TilingPoint& assignment, lean::LinkCache* links = nullptr);

    /// As if it had been made so. Requires the same spatial factors and layout.
    void keep_as_in(const TilingPoint& assignment);

    const lean::Setup& setup() const { return setup_; }
    const TilingPoint& assignment() const { return assignment_; }
    int level_count() const { return levels_; }
    int dimension_count() const { return dimensions_; }
    int tensor_count() const { return tensors_; }

    /// Iterations that are left to temporal loops, by dimension, and their product.
    const Extents& rest() const { return rest_; }
    double steps() const { return steps_; }
    /// Spatial factors at and inside memory `level`, by dimension.
    const Extents& inner(int level) const { return inner_[level]; }
    double used(int level) const { return used_[level]; }

    /// Deliveries to memory `level`; level_count() stands for the compute units.
    const Delivery& delivery(int tensor, int level) const { return deliveries_[tensor][level]; }
    int outermost(int tensor) const { return outermost_[tensor]; }
    /// Words of the tensor, or of any, are sent to memory `level`.
    bool delivers(int tensor, int level) const {
        return level > outermost_[tensor] && deliveries_[tensor][level].keeps;
    }
    bool delivers(int level) const {
        for (int t = 0; t < tensors_; ++t)
            if (delivers(t, level)) return true;
        return false;
    }
    /// Groups below memory `level` depend on the tile inside.
    bool is_dynamic(int tensor, int level) const { return dynamic_[tensor] >> level & 1U; }
    /// Those groups, and the energy of a word sent over the wires there, for the tile just inside the fan-out.
    double groups(int tensor, int level, const Extents& tile) const;
    double hop_pj(int tensor, int level, const Extents& tile) const;
    /// Adds a fan-out and its wires to the dynamic parts of a delivery to memory `level`, for the tile just inside the
    /// fan-out. Those further in are added before.
    void cross(int tensor, int level, int fanout, const Extents& tile, double& groups, double& hop_pj) const;

    /// Of a result: distinct words in the tiles of one instance of `level` over the run, when its tile has `loops`
    /// inside. They are not filled, and the parent need not read them first. Where tiles overlap: no more than so many
    /// (first_words.hpp has them).
    double distinct(int tensor, int level, const Extents& loops) const;

    /// Energy when one instance of `level` is sent so many words, `first` of them for the first time (results only).
    /// `groups` and `hop_pj` are the dynamic parts. Never falls when `sent` grows.
    double energy_pj(int tensor, int level, double sent, const FirstWords& first, double groups = 1.0,
                     double hop_pj = 0.0) const;
    /// The same where tiles do not overlap.
    double energy_pj(int tensor, int level, double sent, double distinct) const {
        return energy_pj(tensor, level, sent, {distinct, distinct * deliveries_[tensor][level].relevant});
    }

    /// Energy at most, if so many words fewer came for the first time.
    double refetch_pj(int tensor, int level, double held, double arriving) const;
    void add_refetched(int tensor, int level, double held, double arriving, std::span<double> words) const;

    /// Adds reads and writes (scaled by the tensor's share of the bandwidth) per instance to words[2 l], words[2 l +
    /// 1].
    void add_words(int tensor, int level, double sent, const FirstWords& first, double groups,
                   std::span<double> words) const;
    void add_words(int tensor, int level, double sent, double distinct, std::span<double> words) const {
        add_words(tensor, level, sent, {distinct, distinct * deliveries_[tensor][level].relevant}, 1.0, words);
    }
    /// Cycles that memory `level` needs for so many words read and written per instance.
    double cycles_for(int level, double reads, double writes) const {
        return optimal::cycles_for(setup_.levels[level].rates, reads, writes);
    }

    /// Energy of the computation and of the accesses of the compute units, where those are static; without leakage.
    double fixed_pj() const;
    /// The accesses of one tensor's operands or results.
    double fixed_pj(int tensor) const { return units_pj_[tensor]; }
    double leak_pj_per_cycle() const { return leak_pj_per_cycle_; }
    /// The same sums as the cost model; false: a lower bound in some term.
    bool exact() const { return inexact_ == 0; }

   private:
    void set_geometry();
    void set_dynamic();
    void set_sharing();
    void set_tensor(int tensor);
    void set_delivery(int tensor, int level);
    void set_wires(int tensor, int level, Delivery& delivery);
    void set_leakage();
    /// What words cost where the setup has prices of its own.
    const lean::TensorPrices& prices(int tensor, int level) const { return (*setup_.levels[level].prices)[tensor]; }
    double priced_pj(int tensor, int level, double fills, double reads, double updates) const;
    double vectors_pj(int tensor, int level, double words, double pj) const {
        return vectors(words, setup_.levels[level].rows[tensor]) * pj * charged_[level];
    }
    bool spreads_unevenly(int tensor, int level) const;
    lean::Nest nest_at(const Extents& tile, int level) const;
    double probe_wires(int tensor, int level, const Extents& tile, double words, double sent) const;

    const lean::Setup& setup_;
    lean::LinkCache* links_;
    TilingPoint assignment_;
    int levels_;
    int dimensions_;
    int tensors_;
    Extents rest_{};
    double steps_ = 1.0;
    std::array<Extents, kMaxMemories + 1> inner_;
    std::array<double, kMaxMemories + 1> used_{};
    std::array<std::uint32_t, kMaxMemories> spread_{};  ///< by fan-out: bit d: a spatial loop over d
    std::array<double, kMaxMemories + 1> charged_{};    ///< instances whose accesses cost (clusters share them)
    std::array<std::array<Delivery, kMaxMemories + 1>, kMaxTensors> deliveries_;
    std::array<int, kMaxTensors> outermost_{};
    std::array<std::uint32_t, kMaxTensors> dynamic_{};
    /// By fan-out: neighbours that differ in what moves the tensor.
    std::array<std::array<double, kMaxMemories>, kMaxTensors> moving_{};
    std::array<std::array<double, kMaxMemories>, kMaxTensors> groups_{};  ///< by fan-out, where they are static
    std::array<double, kMaxTensors> units_pj_{};
    double leak_pj_per_cycle_ = 0.0;
    std::uint32_t inexact_ = 0;  ///< tensors
};

}  // namespace tilewright::optimal
