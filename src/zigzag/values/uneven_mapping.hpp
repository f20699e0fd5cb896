// An uneven mapping: per operand, the temporal loops of each memory level.
//
// All operands share one nest; each cuts it into levels independently. Loops are innermost first, as in ZigZag.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewright::zigzag {

struct TemporalLoop {
    int dimension = 0;
    std::int64_t size = 1;

    bool operator==(const TemporalLoop&) const = default;
};

/// One memory level's loops, innermost first.
using LevelLoops = std::vector<TemporalLoop>;

/// operands[operand][level], as Layer::operands and Accelerator::levels.
struct UnevenMapping {
    std::vector<std::vector<LevelLoops>> operands;

    bool operator==(const UnevenMapping&) const = default;
};

}  // namespace tilewright::zigzag
