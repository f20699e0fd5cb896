// Keeps: which memories keep which tensors.
//
// Every tensor chooses by itself, and what it costs at least depends on its own choice only: one look at the choices of
// each tensor bounds all their combinations.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "mapper/optimal/geometry/charges.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::optimal {

/// Bit l: memory l keeps the tensor.
using Keepers = std::uint32_t;

void keep(TilingPoint& point, int tensor, Keepers keepers);

/// By memory: bit t: it keeps tensor t.
using KeptTensors = std::array<std::uint8_t, kMaxMemories>;
static_assert(kMaxTensors <= 8);

KeptTensors kept_tensors(const TilingPoint& point);
void keep(TilingPoint& point, const KeptTensors& kept);

class Keeps {
   public:
    explicit Keeps(const Mapspace& mapspace);

    int tensor_count() const { return static_cast<int>(choices_.size()); }
    /// At least one memory each.
    const std::vector<Keepers>& choices(int tensor) const { return choices_[tensor]; }
    /// Gives every tensor its first choice.
    void choose_first(TilingPoint& point) const;
    /// There is nothing to choose.
    bool are_fixed() const {
        return std::ranges::all_of(choices_, [](const auto& choices) { return choices.size() == 1; });
    }

   private:
    std::vector<std::vector<Keepers>> choices_;
};

/// What one tensor costs at least, whatever the others do. No tile is looked at: every word is delivered once.
struct KeepCost {
    std::vector<double> pj;                        ///< by choice
    std::array<double, 2 * kMaxMemories> words{};  ///< read and written by memory, least of all choices
};

/// Where all factors divide: what a tensor costs is decided by those that move it and by how many instances there are
/// otherwise. So most of 10^5 choices of spatial factors cost it what another one does. Several threads may ask.
class KeepCosts {
   public:
    /// Refers to both.
    KeepCosts(const lean::Setup& setup, const Keeps& keeps) : setup_(setup), keeps_(keeps) {}

    const lean::Setup& setup() const { return setup_; }
    const Keeps& keeps() const { return keeps_; }
    /// `spatial`: its kept tensors are not looked at.
    const KeepCost& of(int tensor, const TilingPoint& spatial);

   private:
    using Key = std::vector<std::int32_t>;

    Key key(int tensor, const TilingPoint& spatial) const;
    KeepCost measured(int tensor, TilingPoint point) const;

    const lean::Setup& setup_;
    const Keeps& keeps_;
    std::mutex mutex_;
    std::array<std::map<Key, KeepCost>, kMaxTensors> known_;
};

/// Bounds for one choice of spatial factors. No tile is looked at: every word is delivered once.
class KeepBounds {
   public:
    /// `spatial`: its kept tensors are not looked at. All factors divide.
    KeepBounds(KeepCosts& costs, const TilingPoint& spatial);
    /// Spatial factors may leave remainders.
    KeepBounds(const Mapspace& mapspace, const lean::Setup& setup, const Keeps& keeps, const TilingPoint& spatial);
    KeepBounds(const KeepBounds&) = delete;
    KeepBounds& operator=(const KeepBounds&) = delete;

    /// Without leakage, whatever is kept.
    double least_pj() const { return compute_pj_ + outside_pj_.back(); }
    double least_cycles() const;
    double leak_pj_per_cycle() const { return leak_pj_per_cycle_; }

    /// `pruned`: whether nests of at least so much energy are of no interest.
    using Pruned = std::function<bool(double energy_pj)>;
    /// A combination of choices, and the least energy of its nests.
    using Visit = std::function<void(const TilingPoint& point, double energy_pj)>;
    /// All combinations that are not pruned.
    void visit(const Pruned& pruned, const Visit& visit) const;

   private:
    void look_at_choices(const Mapspace& mapspace);
    void add_up();
    void visit_from(int tensor, double energy_pj, TilingPoint& point, const Pruned& pruned, const Visit& visit) const;

    const lean::Setup& setup_;
    const Keeps& keeps_;
    TilingPoint spatial_;
    double compute_pj_;
    double leak_pj_per_cycle_ = 0.0;
    double steps_ = 1.0;
    std::array<const KeepCost*, kMaxTensors> costs_{};
    std::array<KeepCost, kMaxTensors> own_;         ///< where nothing is to be chosen, or factors may leave remainders
    std::vector<double> outside_pj_;                ///< least of the tensors before
    std::array<double, 2 * kMaxMemories> words_{};  ///< least of all choices
};

}  // namespace tilewright::optimal
