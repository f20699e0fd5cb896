// Dominance between two labels at one node. Internal to certificate/; argument in nests.hpp.
#pragma once

#include "certificate/common/charges.hpp"
#include "certificate/common/stages.hpp"
#include "certificate/perfect/label.hpp"
#include "certificate/perfect/open.hpp"

namespace tilewright::certificate {

class Dominance {
   public:
    Dominance(const Charges& charges, OpenDeliveries& open, bool timed)
        : charges_(charges), open_(open), timed_(timed) {}

    /// The stage of the labels, and the dimensions needing a loop of its memory.
    void enter(const Stage& stage, std::uint32_t required) {
        stage_ = &stage;
        required_ = required;
    }

    /// Any completion of `b` is legal for `a`, and no dearer.
    bool replaces(int point, const Label& a, const Label& b);

   private:
    bool may_go_on_like(const Label& a, const Label& b) const;
    bool replaces_loads(int point, const Label& a, const Label& b) const;

    const Charges& charges_;
    OpenDeliveries& open_;
    const bool timed_;
    const Stage* stage_ = nullptr;
    std::uint32_t required_ = 0;
};

}  // namespace tilewright::certificate
