// Core latency of one operation as an expression over its tile sizes (docs/schedule.md).
//
//     ceil(ic / 32) * ceil(oc / 32) * ow * oh * kw * kh + max(ow, 10)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedule/problem/tile_shape.hpp"

namespace tilewright::schedule {

class LatencyExpression {
   public:
    /// None: the core array's formula holds.
    LatencyExpression() = default;
    /// Numbers, the names ow oh ic oc kw kh, + - * /, parentheses, ceil(x), floor(x), min(x, y), max(x, y), on reals.
    /// Throws InputError(bad_value) with the expectation and the position.
    explicit LatencyExpression(std::string text);

    bool given() const { return !steps_.empty(); }
    const std::string& text() const { return text_; }

    /// Integer cycles, rounded up. Throws InputError(bad_value) outside 1 to 2^53.
    std::int64_t cycles(const TileShape& tile) const;

    bool operator==(const LatencyExpression& other) const { return text_ == other.text_; }

   private:
    friend class LatencyParser;
    enum class Kind { number, name, plus, minus, times, over, negate, ceil, floor, least, most };
    struct Instruction {
        Kind kind = Kind::number;
        double number = 0.0;
        std::size_t name = 0;  ///< among kNames
    };
    double value(const TileShape& tile) const;

    std::string text_;
    std::vector<Instruction> steps_;  ///< in postfix order
};

}  // namespace tilewright::schedule
