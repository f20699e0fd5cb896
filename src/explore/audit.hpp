// Whether a store still holds what was written. Every row and every finished chunk carries a checksum, what the store
// says of itself a seal, and a reader counts: a disk, a copy or a hand that changed anything is found out before a row
// is shown.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "explore/store.hpp"

namespace tilewright::explore {

/// Of all that a row says. 0 and -0 are one value: databases may not tell them apart.
std::int64_t checksum_of(const Row& row);

/// A chunk that is done, or of which only the points count.
struct ChunkRecord {
    Chunk chunk;
    bool done = false;
    Counts counts;          ///< explored is left 0
    std::int64_t rows = 0;  ///< that are kept of it
};
std::int64_t checksum_of(const ChunkRecord& record);

/// Of what a store says about itself: the texts of its specification, its space and metrics.
std::string seal_of(const std::map<std::string, std::string>& entries, const Space& space,
                    const std::vector<Metric>& metrics, const std::vector<std::size_t>& front);
std::string seal_of(const Specification& specification, const std::vector<std::size_t>& front);
std::string seal_of(const WorkOrder& order);

/// Throws InputError(bad_value) at `store`: what it holds is not what was written.
[[noreturn]] void fail_damaged(const std::string& store, const std::string& what);

/// Reads along: all chunks by their points, then all rows by their points, then finish(). Each throws InputError
/// (bad_value) at the store where something is not as it was written.
class Audit {
   public:
    Audit(std::string store, Point points) : store_(std::move(store)), points_(points) {}

    void take(const ChunkRecord& record, std::int64_t checksum);
    void take(const Row& row, std::int64_t checksum);
    void finish() const;

   private:
    std::string store_;
    Point points_;
    Point next_chunk_ = 0;
    Point next_row_ = 0;
    std::int64_t expected_ = 0;
    std::int64_t rows_ = 0;
};

}  // namespace tilewright::explore
