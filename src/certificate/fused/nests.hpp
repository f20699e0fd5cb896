// What one einsum costs at least on a box of its iterations, by words of the buffer that its own tiles may take: all
// nests of a leaf (docs/fusion.md, "The space"), each counted by closed forms.
//
// Memos; not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "certificate/fused/loop_orders.hpp"
#include "certificate/fused/prices.hpp"
#include "workload/einsum.hpp"

namespace tilewright::certificate::fused_proof {

struct BoxOfLeaf {
    std::vector<std::int64_t> extents;  ///< by dimension
    std::uint32_t held = 0;             ///< operands that lie in the buffer, as bits
    std::int64_t resumed = 0;           ///< calls after the first one, by the same nest, that go on with its sums

    auto operator<=>(const BoxOfLeaf&) const = default;
};

struct Point {
    std::int64_t words = 0;
    double value = 0.0;
};
/// Ascending words, descending value.
using Front = std::vector<Point>;

/// Words of an operand that iterations 0 to extent - 1 of every dimension reach: of the box around them.
double words_of_tile(const Tensor& tensor, const std::vector<std::int64_t>& extents);
std::int64_t largest_factor_up_to(std::int64_t most, std::int64_t extent);

/// Where more is asked for than before, room for the next times: what is asked for is found anew a few times only.
inline double with_room(double most, double floor) { return most + 0.5 * std::max(0.0, most - floor); }

/// Of the box where it is made `times` times.
Front scaled(Front front, double times);
/// Of both: values add up, the words are the larger ones.
Front both(const Front& a, const Front& b);

class Nests {
   public:
    /// Keeps references. Extents of the einsum are the largest that its boxes may have.
    Nests(const Einsum& einsum, const Prices& prices, const Weights& weights);

    /// What costs less than `most`, and maybe more.
    const Front& front(const BoxOfLeaf& box, double most);
    /// No nest of the box is below this, whatever its tiles.
    double floor(const BoxOfLeaf& box);
    /// Of one point of iterations in any box: energy of the operation and its words between buffer and array; cycles of
    /// the units, or of the buffer that feeds them.
    struct PerPoint {
        double energy_pj = 0.0;
        double cycles = 0.0;
    };
    /// `is_driven`: dimensions of which boxes may have any part; of the others they have factors of the extents.
    PerPoint least_per_point(const std::vector<bool>& is_driven);

    /// Words of operands that units next to each other need, those that they share once; how many units there are.
    struct Sharing {
        double units = 1.0;
        std::array<double, kMaxTensors> words{};
        double all_words = 0.0;
        double written_words = 0.0;
    };

    /// Through the array.
    struct Way {
        double reads = 0.0;
        double updates = 0.0;
        double units = 1.0;
        int kept = -1;  ///< operand whose words come as often as the loops around the tile say; -1: none
        double kept_words = 0.0;
    };

   private:
    friend class BoxNests;

    struct KnownFront {
        double most = 0.0;  // up to which it has all
        Front front;
    };

    /// No way of any tile of such a box moves fewer words and has more units than all of these.
    const std::vector<Way>& least_ways(const std::vector<std::int64_t>& extents);
    std::vector<Way> find_least_ways(const std::vector<std::int64_t>& extents);
    void add_way(const Way& way, std::vector<Way>& ways) const;
    bool is_no_worse(const Way& a, const Way& b) const;
    /// Calls `visit` with one dimension along each axis of the array, and how often: those spreads that can be best.
    template <typename Visit>
    void each_spread(const std::vector<std::int64_t>& extents, const Visit& visit);
    LoopOrders& orders(std::vector<std::uint32_t> moves, std::uint32_t held);
    Moved moved_a_point(const Sharing& shared, int kept, double points) const;
    const Sharing& sharing(int x, std::int64_t along_x, int y, std::int64_t along_y);
    bool moves(int dimension, int operand) const { return (movers_[dimension] >> operand & 1U) != 0; }

    const Einsum& einsum_;
    const Prices& prices_;
    Weights weights_;
    std::vector<std::uint32_t> movers_;  // by dimension: operands, as bits
    std::vector<bool> may_be_cut_;       // by dimension
    std::vector<int> in_register_;       // operands that may be, and -1
    std::vector<std::int64_t> along_x_;  // by dimension, of the extents at hand
    std::vector<std::int64_t> along_y_;
    std::unordered_map<std::uint64_t, Sharing> sharing_;
    std::map<BoxOfLeaf, KnownFront> fronts_;
    std::map<BoxOfLeaf, double> floors_;
    std::map<std::vector<std::int64_t>, std::vector<Way>> least_ways_;  // by extents
    std::map<std::pair<std::vector<std::uint32_t>, std::uint32_t>, LoopOrders> orders_;
};

// One more dimension along an axis that has none is never worse: there are more units, those next to each other share
// no less of what they need, and the registers hold no less. So an axis stays without one only where none is left for
// it. Where both axes are equally long they may change places.
template <typename Visit>
void Nests::each_spread(const std::vector<std::int64_t>& extents, const Visit& visit) {
    const auto count = static_cast<int>(extents.size());
    const bool is_square = prices_.array.x == prices_.array.y;
    along_x_.clear();
    along_y_.clear();
    for (const std::int64_t extent : extents) {
        along_x_.push_back(largest_factor_up_to(prices_.array.x, extent));
        along_y_.push_back(is_square ? along_x_.back() : largest_factor_up_to(prices_.array.y, extent));
    }
    const auto spread = [](std::int64_t along) { return along > 1; };
    const auto xs = std::ranges::count_if(along_x_, spread);
    const auto ys = std::ranges::count_if(along_y_, spread);
    if (xs == 0 && ys == 0) visit(-1, std::int64_t{1}, -1, std::int64_t{1});
    for (int d = 0; d < count; ++d) {
        const bool on_x = along_x_[d] > 1;
        const bool on_y = along_y_[d] > 1;
        if (on_x && ys == (on_y ? 1 : 0)) visit(d, along_x_[d], -1, std::int64_t{1});
        if (on_y && xs == (on_x ? 1 : 0) && !is_square) visit(-1, std::int64_t{1}, d, along_y_[d]);
        if (!on_x) continue;
        for (int y = is_square ? d + 1 : 0; y < count; ++y)
            if (y != d && along_y_[y] > 1) visit(d, along_x_[d], y, along_y_[y]);
    }
}

}  // namespace tilewright::certificate::fused_proof
