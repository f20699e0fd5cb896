// Keeps: which memories keep which tensors.
//
// Every tensor chooses by itself, and what it costs at least depends on its own choice only: one look at the choices of
// each tensor bounds all their combinations.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "mapper/optimal/perfect/charges.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::optimal {

/// Bit l: memory l keeps the tensor.
using Keepers = std::uint32_t;

void keep(PerfectPoint& point, int tensor, Keepers keepers);

/// By memory: bit t: it keeps tensor t.
using KeptTensors = std::array<std::uint8_t, kMaxMemories>;
static_assert(kMaxTensors <= 8);

KeptTensors kept_tensors(const PerfectPoint& point);
void keep(PerfectPoint& point, const KeptTensors& kept);

class Keeps {
   public:
    explicit Keeps(const Mapspace& mapspace);

    int tensor_count() const { return static_cast<int>(choices_.size()); }
    /// At least one memory each.
    const std::vector<Keepers>& choices(int tensor) const { return choices_[static_cast<std::size_t>(tensor)]; }
    /// Gives every tensor its first choice.
    void choose_first(PerfectPoint& point) const;
    /// There is nothing to choose.
    bool are_fixed() const {
        return std::ranges::all_of(choices_, [](const auto& choices) { return choices.size() == 1; });
    }

   private:
    std::vector<std::vector<Keepers>> choices_;
};

/// Bounds for one choice of spatial factors. No tile is looked at: every word is delivered once.
class KeepBounds {
   public:
    /// `spatial`: its kept tensors are not looked at. All factors divide.
    KeepBounds(const lean::Setup& setup, const Keeps& keeps, const PerfectPoint& spatial);
    /// Spatial factors may leave remainders.
    KeepBounds(const Mapspace& mapspace, const lean::Setup& setup, const Keeps& keeps, const PerfectPoint& spatial);

    /// Without leakage, whatever is kept.
    double least_pj() const { return compute_pj_ + outside_pj_.back(); }
    double least_cycles() const;
    double leak_pj_per_cycle() const { return leak_pj_per_cycle_; }

    /// `pruned`: whether nests of at least so much energy are of no interest.
    using Pruned = std::function<bool(double energy_pj)>;
    /// A combination of choices, and the least energy of its nests.
    using Visit = std::function<void(const PerfectPoint& point, double energy_pj)>;
    /// All combinations that are not pruned.
    void visit(const Pruned& pruned, const Visit& visit) const;

   private:
    /// What one choice of every tensor costs each of them at least.
    struct Least {
        double leak_pj_per_cycle = 0.0;
        double steps = 1.0;
        std::array<double, kMaxTensors> pj{};
        std::array<std::array<double, 2 * kMaxMemories>, kMaxTensors> words{};
    };
    template <class Look>
    void look_at_choices(Look look);
    void visit_from(int tensor, double energy_pj, PerfectPoint& point, const Pruned& pruned, const Visit& visit) const;

    const lean::Setup& setup_;
    const Keeps& keeps_;
    PerfectPoint spatial_;
    double compute_pj_;
    double leak_pj_per_cycle_ = 0.0;
    double steps_ = 1.0;
    std::array<std::vector<double>, kMaxTensors> pj_;  ///< by choice
    std::vector<double> outside_pj_;                   ///< least of the tensors before
    std::array<double, 2 * kMaxMemories> words_{};     ///< read and written by memory, least of all choices
};

}  // namespace tilewright::optimal
