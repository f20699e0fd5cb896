// Spreads: all spatial factors with remainders, pruned by the best mapping (B7).
//
// There are up to 10^8 on an array of a thousand units. They are listed dimension by dimension, with a bound on all
// completions: undecided dimensions take at most the room left. Every word is delivered once; wires are free until all
// is decided (docs/optimal.md).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "mapper/optimal/imperfect/keeps.hpp"
#include "mapper/optimal/wires/hops.hpp"
#include "mapspace/mapspace.hpp"
#include "model/lean/problem.hpp"

namespace tilewright::optimal {

/// Minimum over kept tensors and layouts.
struct SpreadBound {
    double leak_pj_per_cycle = 0.0;
    double energy_pj = 0.0;  ///< without leakage
    double cycles = 0.0;
};

class Spreads {
   public:
    /// Keeps references. Polls `stop`.
    Spreads(const Mapspace& mapspace, const lean::Setup& setup, const Keeps& keeps, std::function<bool()> stop);

    using Pruned = std::function<bool(const SpreadBound&)>;
    using Visit = std::function<bool(const TilingPoint&)>;
    /// Unpruned factors, in their first layout with compulsory kept tensors, until `visit` is false or `stop` true:
    /// false.
    bool visit(const Pruned& pruned, const Visit& visit) const;

    SpreadBound bound_of(const TilingPoint& spatial) const;
    SpreadBound least() const { return bound_of(nothing()); }

   private:
    using ByTensor = std::array<double, kMaxTensors>;
    using Factors = std::vector<std::int32_t>;  ///< of one dimension, by memory
    struct Decided {
        std::array<double, kMaxMemories> spread{};             ///< neighbours
        std::array<double, kMaxMemories> room{};               ///< for more neighbours
        std::array<double, kMaxMemories + 1> instances{};      ///< lower bound of instances at work
        std::array<std::uint32_t, kMaxMemories> dimensions{};  ///< spread
        std::array<ByTensor, kMaxMemories> others{};           ///< neighbours with different irrelevant indices
        std::array<ByTensor, kMaxMemories> sharing{};  ///< upper bound of the mean number of them sharing a word
        std::array<ByTensor, kMaxMemories> movers{};   ///< neighbours with different relevant indices
        std::array<ByTensor, kMaxMemories> most{};     ///< along one of those dimensions
        std::array<ByTensor, kMaxMemories> copies{};   ///< lower bound of the instances with different irrelevant
                                                       ///< indices
        std::array<Extents, kMaxMemories> factors{};
        double steps = 1.0;
        std::uint32_t open = 0;   ///< undecided dimensions
        double operations = 1.0;  ///< of undecided ones
    };
    using Words = std::array<double, 2 * kMaxMemories>;  ///< read and written by one instance of a memory
    struct Cost {
        double pj = 0.0;
        Words words{};
    };

    Decided nothing() const;
    void decide(int dimension, const Factors& factors, Decided& decided) const;
    bool visit_from(std::size_t place, const Decided& decided, TilingPoint& point, const Pruned& pruned,
                    const Visit& visit) const;
    bool lay_out(TilingPoint& point) const;
    SpreadBound bound_of(const Decided& decided) const;
    double more(const Decided& decided, int tensor, int level) const;
    double sharing(const Decided& decided, int tensor, int level) const;
    double most_first_words(const Decided& decided, int tensor, int level) const;
    double vector_share(const Decided& decided, int level) const;
    Cost cost_of(const Decided& decided, int tensor, Keepers keepers) const;
    double least_hops(const Decided& decided, int tensor, int level) const;
    double wires_pj(const Decided& decided, int tensor, Keepers keepers) const;

    const Mapspace& mapspace_;
    const lean::Setup& setup_;
    const Keeps& keeps_;
    std::function<bool()> stop_;
    int levels_;
    std::vector<std::vector<Factors>> factors_;  ///< by dimension
    std::vector<Hops> hops_;                     ///< by fan-out
    std::vector<int> order_;                     ///< of dimensions, most choices first
    ByTensor distinct_{};                        ///< words of a tensor
    ByTensor whole_{};                           ///< of its box
    bool all_listed_ = true;
};

}  // namespace tilewright::optimal
