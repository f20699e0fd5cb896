// Charges: prices of deliveries for fixed spatial factors and kept tensors.
//
// Every cost of an even mapping is then a sum over (tensor, memory) of a function of the words sent to one instance
// over the run (docs/optimal.md). Charges has those functions and all numbers independent of temporal loops.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "mapping/tiling_point.hpp"
#include "model/lean/nest.hpp"

namespace tilewright::optimal {

using Extents = std::array<double, kMaxDimensions>;

/// The delivery of one tensor to one memory; charged to that memory, its parent, and the wires between.
struct Delivery {
    bool keeps = false;     ///< the memory stores the words; otherwise it has no delivery, but may pass words by
    int parent = -1;        ///< the next outer memory keeping the tensor
    double groups = 1.0;    ///< sets of neighbours sharing words, over all static fan-outs up to the parent
    double hop_pj = 0.0;    ///< per word sent, all instances, on wires inside the innermost dynamic fan-out
    double wire_pj = 0.0;   ///< per word sent, for prices per word (passages) instead of per hop
    double relevant = 1.0;  ///< relevant spatial factors up to the parent
    bool dynamic = false;   ///< some fan-out up to the parent has tile-dependent groups
};

/// Words of a result brought for the first time by one delivery.
struct FirstWords {
    double held = 0.0;      ///< distinct words in the tiles of one receiving instance
    double arriving = 0.0;  ///< distinct words in all those tiles inside one instance of the next outer memory
};

class Charges {
   public:
    /// `assignment`: spatial factors, axes, orders, kept tensors; temporal factors are ignored. `links`: cache of wire
    /// lengths between assignments; null, or outlives this object and belongs to one thread.
    Charges(const lean::Setup& setup, const TilingPoint& assignment, lean::LinkCache* links = nullptr);

    /// Takes over another assignment's kept tensors. Requires the same spatial factors and layout.
    void keep_as_in(const TilingPoint& assignment);

    const lean::Setup& setup() const { return setup_; }
    const TilingPoint& assignment() const { return assignment_; }
    int level_count() const { return levels_; }
    int dimension_count() const { return dimensions_; }
    int tensor_count() const { return tensors_; }

    /// Iterations left to temporal loops, by dimension, and their product.
    const Extents& rest() const { return rest_; }
    double steps() const { return steps_; }
    const Extents& inner(int level) const { return inner_[level]; }
    double used(int level) const { return used_[level]; }

    /// Deliveries to memory `level`; level_count() stands for the compute units.
    const Delivery& delivery(int tensor, int level) const { return deliveries_[tensor][level]; }
    int outermost(int tensor) const { return outermost_[tensor]; }
    bool delivers(int tensor, int level) const {
        return level > outermost_[tensor] && deliveries_[tensor][level].keeps;
    }
    bool delivers(int level) const {
        for (int t = 0; t < tensors_; ++t)
            if (delivers(t, level)) return true;
        return false;
    }
    bool is_dynamic(int tensor, int level) const { return dynamic_[tensor] >> level & 1U; }
    /// Those groups, and a word's wire energy, for the tile just inside the fan-out.
    double groups(int tensor, int level, const Extents& tile) const;
    double hop_pj(int tensor, int level, const Extents& tile) const;
    /// Of a word on its way out of one instance of memory `level`, all instances: its passages.
    double passage_pj(int tensor, int level) const { return setup_.levels[level].passage_pj[tensor] * used_[level]; }
    /// Adds a fan-out and its wires to the dynamic parts of a delivery to memory `level`, for the tile just inside it.
    /// Inner fan-outs are added first.
    void cross(int tensor, int level, int fanout, const Extents& tile, double& groups, double& hop_pj) const;

    /// Results: distinct words in the tiles of one instance of `level` over the run, for a tile of `loops`. They are
    /// not filled, and need no read at the parent. An upper bound for overlapping tiles (first_words.hpp has those).
    double distinct(int tensor, int level, const Extents& loops) const;

    /// Energy of `sent` words to one instance of `level`, `first` of them for the first time (results only). `groups`
    /// and `hop_pj`: the dynamic parts. Never falls as `sent` grows.
    double energy_pj(int tensor, int level, double sent, const FirstWords& first, double groups = 1.0,
                     double hop_pj = 0.0) const;
    /// The same for tiles without overlap.
    double energy_pj(int tensor, int level, double sent, double distinct) const {
        return energy_pj(tensor, level, sent, {distinct, distinct * deliveries_[tensor][level].relevant});
    }

    /// Maximum additional energy if so many words fewer were first arrivals.
    double refetch_pj(int tensor, int level, double held, double arriving) const;
    void add_refetched(int tensor, int level, double held, double arriving, std::span<double> words) const;

    /// Adds reads and writes per instance (scaled by the tensor's share of bandwidth) to words[2 l], words[2 l + 1].
    void add_words(int tensor, int level, double sent, const FirstWords& first, double groups,
                   std::span<double> words) const;
    void add_words(int tensor, int level, double sent, double distinct, std::span<double> words) const {
        add_words(tensor, level, sent, {distinct, distinct * deliveries_[tensor][level].relevant}, 1.0, words);
    }
    double cycles_for(int level, double reads, double writes) const {
        return port_cycles(setup_.levels[level].rates, steps_, reads, writes);
    }

    /// Energy of the computation and of the compute units' static accesses, without leakage.
    double fixed_pj() const;
    double fixed_pj(int tensor) const { return units_pj_[tensor]; }
    double leak_pj_per_cycle() const { return leak_pj_per_cycle_; }
    /// Sums equal the cost model's; false: some term is a lower bound.
    bool exact() const { return inexact_ == 0; }

   private:
    void set_geometry();
    void set_dynamic();
    void set_sharing();
    void set_tensor(int tensor);
    void set_delivery(int tensor, int level);
    void set_wires(int tensor, int level, Delivery& delivery);
    void set_leakage();
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
    std::array<double, kMaxMemories + 1> charged_{};    ///< instances with paid accesses (clusters share them)
    std::array<std::array<Delivery, kMaxMemories + 1>, kMaxTensors> deliveries_;
    std::array<int, kMaxTensors> outermost_{};
    std::array<std::uint32_t, kMaxTensors> dynamic_{};
    /// By fan-out: neighbours with different relevant indices.
    std::array<std::array<double, kMaxMemories>, kMaxTensors> moving_{};
    std::array<std::array<double, kMaxMemories>, kMaxTensors> groups_{};  ///< by fan-out, if static
    std::array<double, kMaxTensors> units_pj_{};
    double leak_pj_per_cycle_ = 0.0;
    std::uint32_t inexact_ = 0;  ///< tensors
};

}  // namespace tilewright::optimal
