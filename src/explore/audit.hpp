// Integrity of a store. Every row and finished chunk has a checksum, the store's description a seal, and a reader
// counts: any change by disk, copy or hand is found before a row is shown.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "explore/store.hpp"

namespace tilewright::explore {

/// Of all of a row's values. 0 and -0 are one value: databases may not tell them apart.
std::int64_t checksum_of(const Row& row);

/// A finished chunk, or one with only its points counted.
struct ChunkRecord {
    Chunk chunk;
    bool done = false;
    Counts counts;          ///< explored is left 0
    std::int64_t rows = 0;  ///< kept ones
};
std::int64_t checksum_of(const ChunkRecord& record);

/// Of a store's description: the texts of its specification, space and metrics.
std::string seal_of(const std::map<std::string, std::string>& entries, const Space& space,
                    const std::vector<Metric>& metrics, const std::vector<std::size_t>& front);
std::string seal_of(const Specification& specification, const std::vector<std::size_t>& front);
std::string seal_of(const WorkOrder& order);

/// Throws InputError(bad_value) at `store`: its contents differ from those written.
[[noreturn]] void fail_damaged(const std::string& store, const std::string& what);

/// Checks along: all chunks by points, then all rows by points, then finish(). Each throws InputError (bad_value) at
/// the store on a difference.
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
