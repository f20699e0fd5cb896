// An uneven mapping: for every operand of its own, which temporal loops run at each of its memory levels.
//
// All operands see the same nest; each cuts it into levels where it likes. Loops are innermost first, as everywhere in
// ZigZag.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewright::zigzag {

struct TemporalLoop {
    int dimension = 0;
    std::int64_t size = 1;

    bool operator==(const TemporalLoop&) const = default;
};

/// The loops of one memory level, innermost first.
using LevelLoops = std::vector<TemporalLoop>;

/// operands[operand][level], as Layer::operands and Accelerator::levels.
struct UnevenMapping {
    std::vector<std::vector<LevelLoops>> operands;

    bool operator==(const UnevenMapping&) const = default;
};

}  // namespace tilewright::zigzag
