// How long a core takes for one operation when the best mapping of its tile on a described core says so.
//
// Who maps is not known here: the `run` room does (run/schedule/tile_latency.hpp), and a written schedule lists the
// cycles of the tiles it has (ListedCycles), so that its judge needs no mapper.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "schedule/problem/tile_shape.hpp"

namespace tilewright::schedule {

/// Cycles of tiles. Called from any thread.
class TileCycles {
   public:
    virtual ~TileCycles() = default;
    /// At least 1. Throws InputError for a tile that has none.
    virtual std::int64_t cycles(const TileShape& tile) const = 0;
    /// No more than cycles(), without mapping anything.
    virtual std::int64_t at_least(const TileShape& tile) const = 0;
};

/// Those that a file lists.
class ListedCycles : public TileCycles {
   public:
    explicit ListedCycles(std::map<TileShape, std::int64_t> list) : list_(std::move(list)) {}
    /// Throws InputError(bad_value) for a tile that is not in the list.
    std::int64_t cycles(const TileShape& tile) const override;
    std::int64_t at_least(const TileShape& tile) const override { return cycles(tile); }

   private:
    std::map<TileShape, std::int64_t> list_;
};

/// The core that tiles are mapped on, and what their cycles are; or none. Equal when the cores are.
class MappedLatency {
   public:
    MappedLatency() = default;
    /// `core`: its name and what tells it from others of that name, such as a hash. `source` may still be missing.
    explicit MappedLatency(std::string core, std::shared_ptr<const TileCycles> source = nullptr)
        : core_(std::move(core)), source_(std::move(source)) {}

    bool given() const { return !core_.empty(); }
    const std::string& core() const { return core_; }
    /// Requires a source.
    const TileCycles& source() const { return *source_; }
    bool has_source() const { return source_ != nullptr; }

    bool operator==(const MappedLatency& other) const { return core_ == other.core_; }

   private:
    std::string core_;
    std::shared_ptr<const TileCycles> source_;
};

}  // namespace tilewright::schedule
