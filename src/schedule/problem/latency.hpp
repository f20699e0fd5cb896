// Core latency of one operation as an expression over its tile sizes (docs/schedule.md).
//
//     ceil(ic / 32) * ceil(oc / 32) * ow * oh * kw * kh + max(ow, 10)
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
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

// Core latency of an operation by the best mapping of its tile on a described core.
//
// The mapper is in the `run` room (run/schedule/tile_latency.hpp); a written schedule lists its tiles' cycles
// (ListedCycles), so that its judge needs no mapper.

/// Cycles of tiles. Called from any thread.
class TileCycles {
   public:
    virtual ~TileCycles() = default;
    /// At least 1. Throws InputError for a tile without any.
    virtual std::int64_t cycles(const TileShape& tile) const = 0;
    /// Lower bound of cycles(), without mapping.
    virtual std::int64_t at_least(const TileShape& tile) const = 0;
};

class ListedCycles : public TileCycles {
   public:
    explicit ListedCycles(std::map<TileShape, std::int64_t> list) : list_(std::move(list)) {}
    /// Throws InputError(bad_value) for an unlisted tile.
    std::int64_t cycles(const TileShape& tile) const override;
    std::int64_t at_least(const TileShape& tile) const override { return cycles(tile); }

   private:
    std::map<TileShape, std::int64_t> list_;
};

/// The core to map tiles on, and its cycles; or none. Equal for equal cores.
class MappedLatency {
   public:
    MappedLatency() = default;
    /// `core`: its name and a distinguishing mark such as a hash. `source` may be missing as yet.
    explicit MappedLatency(std::string core, std::shared_ptr<const TileCycles> source = nullptr)
        : core_(std::move(core)), source_(std::move(source)) {}

    bool given() const { return !core_.empty(); }
    const std::string& core() const { return core_; }
    /// Requires a source.
    const TileCycles& source() const { return *source_; }

    bool operator==(const MappedLatency& other) const { return core_ == other.core_; }

   private:
    std::string core_;
    std::shared_ptr<const TileCycles> source_;
};

}  // namespace tilewright::schedule
