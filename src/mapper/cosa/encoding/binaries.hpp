// The paper's encoding: a binary X per prime factor and place, a rank for each at an ordered place (9), iterations (10)
// as linearised products of Y and X.
//
// Two additions change no optimum: copies of an equal prime are placed in order, and ranks are used from the inside
// without gaps. For relevant factors (A) Y is 1 wherever X is, so the product is X itself; only the others need a
// variable. Spatial factors take no rank: nothing depends on it.
#pragma once

#include <vector>

#include "mapper/cosa/encoding/encoding.hpp"

namespace tilewright::cosa {

class Binaries : public Encoding {
   public:
    Binaries(const Layout& layout, std::vector<OrderedPlace> ordered, mip::Program& problem);

    mip::Expression iterations(int index) const override { return iterations_[index]; }
    std::vector<int> order(int index, const std::vector<double>& values) const override;

   private:
    /// One prime factor. By place, or by rank at an ordered one: variable, -1 if not allowed.
    struct Factor {
        int group = 0;
        std::vector<int> at_place;
        std::vector<std::vector<int>> at_rank;  ///< [ordered place][rank]
    };

    int ordered_index(int place) const;
    void add_factors(int rank_count);
    void place_once(Factor& factor);
    void break_symmetry(const Factor& a, const Factor& b);
    mip::Expression position(const Factor& factor) const;
    void add_ranks(int index, int rank_count);
    mip::Expression iterations_of(int index, int tensor, int rank_count);
    mip::Expression moving(int index, int rank, std::uint32_t tensor_bit, bool relevant, bool logs) const;

    std::vector<OrderedPlace> ordered_;
    std::vector<Factor> factors_;
    std::vector<mip::Expression> iterations_;
};

}  // namespace tilewright::cosa
