// Keeps: choices of the memories keeping each tensor (B2).
//
// A tensor's bound depends on its own choice only: one pass over each tensor's choices bounds all combinations.
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
    void choose_first(TilingPoint& point) const;
    bool are_fixed() const {
        return std::ranges::all_of(choices_, [](const auto& choices) { return choices.size() == 1; });
    }

   private:
    std::vector<std::vector<Keepers>> choices_;
};

/// Lower bound of one tensor, for any choices of the others: every word is delivered once.
struct KeepCost {
    std::vector<double> pj;                        ///< by choice
    std::array<double, 2 * kMaxMemories> words{};  ///< read and written by memory, minimum over choices
};

/// Perfect factors: a tensor's cost depends on the relevant factors and the number of other instances, so most of 10^5
/// choices of spatial factors share one entry. Thread-safe.
class KeepCosts {
   public:
    /// Keeps references to both.
    KeepCosts(const lean::Setup& setup, const Keeps& keeps) : setup_(setup), keeps_(keeps) {}

    const lean::Setup& setup() const { return setup_; }
    const Keeps& keeps() const { return keeps_; }
    /// Ignores the kept tensors of `spatial`.
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

/// Bounds of one choice of spatial factors: every word is delivered once.
class KeepBounds {
   public:
    /// Ignores the kept tensors of `spatial`. Requires perfect factors.
    KeepBounds(KeepCosts& costs, const TilingPoint& spatial);
    /// With spatial remainders.
    KeepBounds(const Mapspace& mapspace, const lean::Setup& setup, const Keeps& keeps, const TilingPoint& spatial);
    KeepBounds(const KeepBounds&) = delete;
    KeepBounds& operator=(const KeepBounds&) = delete;

    /// Without leakage, minimum over choices.
    double least_pj() const { return compute_pj_ + outside_pj_.back(); }
    double least_cycles() const;
    double leak_pj_per_cycle() const { return leak_pj_per_cycle_; }

    /// True if nests of at least this energy are of no interest.
    using Pruned = std::function<bool(double energy_pj)>;
    using Visit = std::function<void(const TilingPoint& point, double energy_pj)>;
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
    std::array<KeepCost, kMaxTensors> own_;         ///< for fixed choices, or with remainders
    std::vector<double> outside_pj_;                ///< minimum of the tensors before
    std::array<double, 2 * kMaxMemories> words_{};  ///< minimum over choices
};

}  // namespace tilewright::optimal
