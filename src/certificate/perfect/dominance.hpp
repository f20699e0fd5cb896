// Dominance: which of two labels at the same place need not be followed. Internal to certificate/; nests.hpp has the
// argument.
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

    /// The stage that the labels are in, and the dimensions that need a loop of its memory.
    void enter(const Stage& stage, std::uint32_t required) {
        stage_ = &stage;
        required_ = required;
    }

    /// Whatever follows `b` may follow `a`, and is no dearer then.
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
