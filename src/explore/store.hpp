// Where an exploration keeps its rows: a queue of chunks of points, and what came of them.
//
// A chunk is claimed by one worker, evaluated, and committed: its rows and the fact that it is done are one
// transaction. A worker that dies at any moment loses what it had claimed and nothing else; its chunk is claimed again.
// A chunk that another worker committed meanwhile is not committed twice. So every point has one row, whoever worked
// and died.
//
// A worker that dies on a chunk, and the next, and a third, are no accident: the chunk is cut until the point that
// kills them is alone. When three died on that, too, it is tried once more after everything else, and then given up
// (poison). Whoever opens the exploration later gives such points one more try: it may have been the workers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
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
    /// Only rows that no other beats in all of these metrics count, and what is worse need not be measured; empty: all
    /// rows count.
    std::vector<std::size_t> front_only;
};

/// The specification as names and texts: what is compared, and what its hash is of.
std::vector<std::pair<std::string, std::string>> identity(const Specification& specification);

/// How another specification differs from this one, by its identity: "its 'option' is one, not two"; "" when it does
/// not.
std::string first_difference(const Specification& specification, std::map<std::string, std::string> theirs);

/// What a worker needs to measure the same points elsewhere: the command that began the exploration, and the files that
/// it read.
struct WorkOrder {
    struct File {
        std::string name;  ///< as it was read: relative to `folder`, or absolute
        std::string bytes;

        bool operator==(const File&) const = default;
    };
    std::vector<std::string> arguments;  ///< of `tilewright explore`; where rows are kept or shown is not among them
    std::string folder;                  ///< where the command was given, absolute
    std::vector<File> files;

    bool operator==(const WorkOrder&) const = default;
};

/// An exploration to be begun.
struct Plan {
    Specification specification;
    std::int64_t chunk_points = 1;   ///< of one chunk
    std::vector<std::size_t> front;  ///< the metrics of the view `pareto`
    WorkOrder order;
    /// Chunks are claimed in an order that has nothing to do with their points: where designs are measured against the
    /// best so far, that should be a good one soon, and ranges tend to begin with the smallest machine.
    bool shuffled = false;
    std::optional<std::pair<Point, Point>> part{};  ///< measures the points from first to second - 1 only (SQLite)
};

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

/// What came of a chunk, or of its first `counts.explored` points.
struct Batch {
    std::vector<Row> rows;  ///< by point; those that are kept
    Counts counts;
    std::vector<Point> incumbents;  ///< of these rows, those that others should measure designs against
};

/// Claims of a chunk that its workers did not live to commit or give back, before it is cut; a point alone is put last
/// then.
inline constexpr std::int64_t kMostAttempts = 3;
/// The same of a point alone, before it is given up.
inline constexpr std::int64_t kMostAttemptsAlone = kMostAttempts + 1;

/// Whether so many died on a chunk that it is cut or given up.
bool is_exhausted(const Chunk& chunk, std::int64_t attempts);

/// How a chunk that kills workers is cut: into pieces of this many points.
std::int64_t piece_points(const Chunk& chunk);

/// The row of a point that is given up.
Row poisoned(Point point);

/// What a store does just now, for those who watch it (and for tests, which pull the plug).
enum class Moment { claimed, before_commit, committed };
using Observer = std::function<void(Moment)>;

class Store {
   public:
    virtual ~Store() = default;

    /// A chunk that is free; nothing when all are done or in the hands of workers that live.
    virtual std::optional<Chunk> claim() = 0;
    /// Rows and completion at once. False, and nothing is written, when the chunk is no longer this worker's. Of a
    /// batch that is the first points of the chunk, the others become a free chunk.
    virtual bool commit(const Chunk& chunk, const Batch& batch) = 0;
    /// Gives a chunk back undone.
    virtual void release(const Chunk& chunk) = 0;
    /// Whether every chunk is done.
    virtual bool is_complete() = 0;
    /// Returns when something may have changed that others do: soon.
    virtual void wait() = 0;
    /// Whether all workers are to stop: none claims any more until that is taken back.
    virtual bool is_stopped() = 0;
    virtual void set_stopped(bool stopped) = 0;
    /// Rows of incumbents that were committed since the last call; the first call: all of them.
    virtual std::vector<Row> fresh_incumbents() = 0;
    /// Of the chunks that are done.
    virtual Counts counts() = 0;
    /// Every row, by point. Throws InputError(bad_value) as soon as something is found that is not as it was written
    /// (explore/audit.hpp).
    virtual void for_each_row(const std::function<void(const Row&)>& take) = 0;
};

/// What a store holds. Its specification has no places, and of what was given nothing.
struct Recorded {
    std::string name;  ///< of the store, without secrets
    Specification specification;
    std::vector<std::size_t> front;  ///< the metrics of its view `pareto`
    std::unique_ptr<Store> store;
};

/// One name for all rows: equal for equal rows, whoever computed them in whatever order.
std::string hash_of_rows(Store& store);
std::string hash_of_rows(const std::vector<Row>& rows);

/// Of rows by point, those that count (Specification::front_only), by point.
std::vector<Row> rows_that_count(std::vector<Row> rows, const Specification& specification);

/// All rows, by point.
std::vector<Row> all_rows(Store& store);

}  // namespace tilewright::explore
