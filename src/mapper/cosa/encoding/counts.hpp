// The encoding by counts: one integer for all equal factors at a place, one binary per pattern of rest.
#pragma once

#include <vector>

#include "mapper/cosa/encoding/encoding.hpp"
#include "mapper/cosa/encoding/stationarity.hpp"

namespace tilewright::cosa {

class Counts : public Encoding {
   public:
    Counts(const Layout& layout, std::vector<OrderedPlace> ordered, mip::Program& problem);

    mip::Expression iterations(int index) const override { return iterations_[index]; }
    std::vector<int> order(int index, const std::vector<double>& values) const override;

   private:
    struct Patterns {
        std::vector<Chain> chains;
        std::vector<int> chosen;  ///< binary variable by chain; empty without a choice
    };

    void add_counts();
    void add_patterns(const OrderedPlace& ordered);
    mip::Expression group_iterations(const OrderedPlace& ordered, const Patterns& patterns, int group, double all);

    std::vector<OrderedPlace> ordered_;
    std::vector<Patterns> patterns_;
    std::vector<mip::Expression> iterations_;
};

}  // namespace tilewright::cosa
