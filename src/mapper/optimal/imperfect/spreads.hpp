// Spreads: all ways to share the dimensions out to fan-outs where that may leave remainders, less those that cannot be
// better than what is known.
//
// There are up to 10^8 of them on an array of a thousand units. They are listed dimension by dimension, and what is
// decided so far is bounded for all that may follow: the dimensions that are left take at most the room that is left.
// No tile is looked at, every word is delivered once; wires are free until all is decided (docs/optimal.md).
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

/// Whatever is kept, in whatever layout.
struct SpreadBound {
    double leak_pj_per_cycle = 0.0;
    double energy_pj = 0.0;  ///< without leakage
    double cycles = 0.0;
};

class Spreads {
   public:
    /// Refers to all of them. `stop` is asked now and then.
    Spreads(const Mapspace& mapspace, const lean::Setup& setup, const Keeps& keeps, std::function<bool()> stop);

    using Pruned = std::function<bool(const SpreadBound&)>;
    using Visit = std::function<bool(const TilingPoint&)>;
    /// Those that are not pruned, each in the first of its layouts, with the tensors kept that must be, until `visit`
    /// has seen enough (false) or `stop` says so: then false.
    bool visit(const Pruned& pruned, const Visit& visit) const;

    /// Of one of them alone.
    SpreadBound bound_of(const TilingPoint& spatial) const;
    /// Of all.
    SpreadBound least() const { return bound_of(nothing()); }

   private:
    using ByTensor = std::array<double, kMaxTensors>;
    using Factors = std::vector<std::int32_t>;  ///< of one dimension, by memory
    /// What is decided so far, by fan-out or memory.
    struct Decided {
        std::array<double, kMaxMemories> spread{};             ///< neighbours
        std::array<double, kMaxMemories> room{};               ///< for so many more
        std::array<double, kMaxMemories + 1> instances{};      ///< that work at least
        std::array<std::uint32_t, kMaxMemories> dimensions{};  ///< that are spread
        std::array<ByTensor, kMaxMemories> others{};   ///< neighbours that differ in what does not move the tensor
        std::array<ByTensor, kMaxMemories> sharing{};  ///< those of them that share a word, on average at most
        std::array<ByTensor, kMaxMemories> movers{};   ///< neighbours that differ in what moves it
        std::array<ByTensor, kMaxMemories> most{};     ///< along one of those dimensions
        std::array<ByTensor, kMaxMemories> copies{};   ///< instances at least that differ in what does not move it
        std::array<Extents, kMaxMemories> factors{};
        double steps = 1.0;
        std::uint32_t open = 0;   ///< dimensions that are left
        double operations = 1.0;  ///< of those
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
    std::vector<int> order_;                     ///< of dimensions: those with the most choices first
    ByTensor distinct_{};                        ///< words of a tensor
    ByTensor whole_{};                           ///< of its box
    bool all_listed_ = true;
};

}  // namespace tilewright::optimal
