// An independent judge of what passing operands cost (docs/model.md, rule 6): goes through the steps of a nest one by
// one and writes down who asks for which words. Shares nothing with the model nor with its oracle: tiles are sets of
// words, instances are told apart by the list of their places, and there are no tiles of memories that keep nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "nest.hpp"

namespace tilewright::property {

/// Of one tensor at one memory that keeps it (`passed`: at any), all instances together.
struct StepCounts {
    std::int64_t reads = 0;
    std::int64_t fills = 0;
    std::int64_t updates = 0;
    std::int64_t sent = 0;    ///< words that leave for the inside, or come from there; a multicast once
    std::int64_t copies = 0;  ///< neighbours that they are sent to
    std::int64_t passed =
        0;  ///< words that cross this level, kept there or not; equal requests of neighbours below once

    bool operator==(const StepCounts&) const = default;
};

struct StepWalk {
    std::vector<std::vector<StepCounts>> counts;  ///< [memory][tensor]; zero where a memory does not keep it
    bool passes = false;  ///< some tensor passes by a memory inside one that keeps it, over a fan-out
    bool uneven = false;  ///< words of one are shared by more neighbours in some steps than in others
};

/// Requires an even mapping.
StepWalk walk_steps(const Nest& nest);

}  // namespace tilewright::property
