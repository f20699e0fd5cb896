// What one einsum costs at least on a box of its iterations, whatever the nest: of all even nests of a leaf
// (docs/fusion.md, "The space").
//
// A nest spreads dimensions over the two axes of the array, several along one axis if it likes. The registers hold
// words of one operand, or of several where narrow words have room side by side; these come once at least. Every other
// operand is asked for in each step, in the buffer or, if it does not lie there, in the DRAM: a word once for all units
// that need it. What no store holds comes from the DRAM once at least. Nothing is said of tiles.
//
// Memos; not thread-safe.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "certificate/fused/prices.hpp"
#include "workload/einsum.hpp"

namespace tilewright::certificate::fused_proof {

struct BoxOfLeaf {
    std::vector<std::int64_t> extents;  ///< by dimension
    std::uint32_t held = 0;             ///< operands that lie in the buffer, as bits
    std::int64_t resumed = 0;           ///< calls after the first one, by the same nest, that go on with its sums

    auto operator<=>(const BoxOfLeaf&) const = default;
};

/// Words of an operand that iterations 0 to extent - 1 of every dimension reach, or fewer.
double words_reached(const Tensor& tensor, const std::vector<std::int64_t>& extents);

class Nests {
   public:
    /// Keeps references. Extents of the einsum are the largest that its boxes may have.
    Nests(const Einsum& einsum, const Prices& prices, const Weights& weights);

    /// No nest of the box costs less.
    double floor(const BoxOfLeaf& box);

    /// The same wherever its operands are, but for what is `paid`: by operand, words of a point of iterations whose way
    /// from or to the DRAM is counted elsewhere; below 0 where the buffer is sure to hold it.
    using Paid = std::vector<double>;
    double floor_inside(const std::vector<std::int64_t>& extents, const Paid& paid);

    /// Of one point of iterations in any box, each by itself.
    struct PerPoint {
        double energy_pj = 0.0;
        double cycles = 0.0;
        double value = 0.0;
    };
    /// `is_driven`: dimensions of which boxes may have any part; of the others they have factors of the extents.
    PerPoint least_per_point(const std::vector<bool>& is_driven, const Paid& paid);

   private:
    /// Units, and words that pass between them and each operand's memory, of all points together.
    struct Way {
        double steps = 0.0;
        std::array<double, kMaxTensors> words{};
    };
    struct Source {
        bool may_pass = false;   // the DRAM may be asked instead of the buffer
        bool is_counted = true;  // what comes from the DRAM
        double once = 0.0;
        double paid = 0.0;
    };
    using Sources = std::array<Source, kMaxTensors>;
    /// Dimensions that the same operands follow one word at a time, and no other dimension with them.
    struct Bundle {
        std::vector<int> dimensions;
        std::int64_t extent = 1;
        bool is_plain = true;
        bool is_driven = false;
    };
    using Factors = std::vector<std::int64_t>;

    const std::vector<Way>& ways(const std::vector<std::int64_t>& extents);
    std::vector<Way> find_ways(const std::vector<std::int64_t>& extents, const std::vector<bool>* is_driven);
    std::vector<Bundle> bundles(const std::vector<std::int64_t>& extents, const std::vector<bool>* is_driven) const;
    Way spread(const std::vector<Bundle>& bundles, const Factors& factors, const std::vector<std::int64_t>& extents,
               bool any_box) const;
    static void keep(const Way& way, std::vector<Way>& ways);
    bool has_room(std::uint32_t registers) const;
    template <typename Visit>
    void each_cost(const std::vector<Way>& ways, const Sources& sources, double points, bool is_call,
                   std::int64_t resumed, const Visit& visit) const;
    Sources sources_of(const std::vector<std::int64_t>& extents, const Paid& paid, double points) const;

    const Einsum& einsum_;
    const Prices& prices_;
    Weights weights_;
    std::vector<std::uint32_t> movers_;  // by dimension: operands, as bits
    std::vector<Share> shares_;          // by operand, of DRAM and buffer, whose words are of one width
    std::map<std::vector<std::int64_t>, std::vector<Way>> ways_;
    std::map<BoxOfLeaf, double> floors_;
    std::map<std::pair<std::vector<std::int64_t>, Paid>, double> inside_;
    std::vector<Way> ways_of_a_point_;
};

}  // namespace tilewright::certificate::fused_proof
