// Dominance: which of two states at the same place need not be followed. Internal to certificate/; nests.hpp has the
// argument.
#pragma once

#include "certificate/common/flows.hpp"
#include "certificate/common/sections.hpp"
#include "certificate/perfect/open.hpp"
#include "certificate/perfect/state.hpp"

namespace tilewright::certificate {

class Dominance {
   public:
    Dominance(const Flows& flows, OpenDeliveries& open, bool timed) : flows_(flows), open_(open), timed_(timed) {}

    /// The section that the states are in, and the dimensions that need a loop of its memory.
    void enter(const Section& section, std::uint32_t required) {
        section_ = &section;
        required_ = required;
    }

    /// Whatever follows `b` may follow `a`, and is no dearer then.
    bool replaces(int point, const State& a, const State& b);

   private:
    bool may_go_on_like(const State& a, const State& b) const;
    bool replaces_loads(int point, const State& a, const State& b) const;

    const Flows& flows_;
    OpenDeliveries& open_;
    const bool timed_;
    const Section* section_ = nullptr;
    std::uint32_t required_ = 0;
};

}  // namespace tilewright::certificate
