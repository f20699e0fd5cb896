// Where an exploration keeps its rows: a queue of chunks of points, and what came of them.
//
// A chunk is claimed by one worker, evaluated, and committed: its rows and the fact that it is done are one
// transaction. A worker that dies at any moment loses what it had claimed and nothing else; its chunk is claimed again.
// A chunk that somebody else committed meanwhile is not committed twice. So every point has one row, whoever worked and
// died.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explore/metrics.hpp"
#include "explore/space.hpp"

namespace tilewright::explore {

/// All that decides the rows of an exploration, and nothing else: two that are equal have equal rows.
struct Specification {
    Space space;
    std::vector<Metric> metrics;
    std::vector<Condition> limits;
    /// Networks, machines, options, versions: by name, in any order.
    std::vector<std::pair<std::string, std::string>> given;
};

/// The specification as names and texts: what is compared, and what its hash is of.
std::vector<std::pair<std::string, std::string>> identity(const Specification& specification);

/// Points lo to hi - 1.
struct Chunk {
    std::int64_t id = 0;
    Point lo = 0;
    Point hi = 0;
};

/// How many points, by what was done about them. explored = evaluated + skipped.
struct Counts {
    std::int64_t explored = 0;
    std::int64_t evaluated = 0;   ///< measured one by one
    std::int64_t skipped = 0;     ///< ruled out together with others: beyond a limit, or proven to be worse
    std::int64_t valid = 0;       ///< of those evaluated, within all limits
    std::int64_t over_limit = 0;  ///< of those evaluated, beyond a limit
    std::int64_t failed = 0;      ///< could not be measured

    void add(const Counts& other);
    bool operator==(const Counts&) const = default;
};

/// What came of a chunk.
struct Batch {
    std::vector<Row> rows;  ///< by point; those that are kept
    Counts counts;
};

class Store {
   public:
    virtual ~Store() = default;

    /// A chunk that nobody has; nothing when all are done or in the hands of workers that live.
    virtual std::optional<Chunk> claim() = 0;
    /// Rows and completion at once. False, and nothing is written, when the chunk is no longer this worker's.
    virtual bool commit(const Chunk& chunk, const Batch& batch) = 0;
    /// Gives a chunk back undone.
    virtual void release(const Chunk& chunk) = 0;
    /// Whether every chunk is done.
    virtual bool is_complete() = 0;
    /// Of the chunks that are done.
    virtual Counts counts() = 0;
    /// Every row, by point.
    virtual void for_each_row(const std::function<void(const Row&)>& take) = 0;
};

/// One name for all rows: equal for equal rows, whoever computed them in whatever order.
std::string hash_of_rows(Store& store);

/// All rows, by point.
std::vector<Row> all_rows(Store& store);

}  // namespace tilewright::explore
