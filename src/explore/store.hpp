// A store of an exploration's rows: a queue of chunks of points, with their results.
//
// A chunk is claimed by one worker, evaluated, and committed: rows and completion are one transaction. A worker dying
// at any moment loses only its claim; the chunk is claimed again. A chunk committed by another worker meanwhile is not
// committed twice. So every point has one row, whoever worked and died.
//
// Three deaths on a chunk are no accident: the chunk is cut until the fatal point is alone. After three deaths on it,
// it is tried once more after everything else, and then given up (poison). A later opening of the exploration gives
// such points one more try: the workers may have been at fault.
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

/// Everything determining the rows of an exploration: equal ones have equal rows.
struct Specification {
    Space space;
    std::vector<Metric> metrics;
    std::vector<Condition> limits;
    /// Networks, machines, options, versions: by name, in any order.
    std::vector<std::pair<std::string, std::string>> given;
    /// Only rows non-dominated in these metrics count, and dominated ones need not be measured; empty: all rows count.
    std::vector<std::size_t> front_only;
};

/// The specification as names and texts: the basis of comparison and hash.
std::vector<std::pair<std::string, std::string>> identity(const Specification& specification);

/// First difference of another specification by identity: "its 'option' is one, not two", or "".
std::string first_difference(const Specification& specification, std::map<std::string, std::string> theirs);

/// A worker's instructions for the same points elsewhere: the exploration's command, and the files it read.
struct WorkOrder {
    struct File {
        std::string name;  ///< as read: relative to `folder`, or absolute
        std::string bytes;

        bool operator==(const File&) const = default;
    };
    std::vector<std::string> arguments;  ///< of `tilewright explore`, without options on storing or showing rows
    std::string folder;                  ///< the command's folder, absolute
    std::vector<File> files;

    bool operator==(const WorkOrder&) const = default;
};

struct Plan {
    Specification specification;
    std::int64_t chunk_points = 1;   ///< of one chunk
    std::vector<std::size_t> front;  ///< the metrics of the view `pareto`
    WorkOrder order;
    /// Chunks are claimed in an order unrelated to their points: designs measured against the incumbent need a good one
    /// soon, and ranges tend to begin with the smallest machine.
    bool shuffled = false;
    std::optional<std::pair<Point, Point>> part{};  ///< measures the points from first to second - 1 only (SQLite)
};

/// Points lo to hi - 1.
struct Chunk {
    std::int64_t id = 0;
    Point lo = 0;
    Point hi = 0;
};

/// Number of points by treatment. explored = evaluated + skipped.
struct Counts {
    std::int64_t explored = 0;
    std::int64_t evaluated = 0;   ///< measured one by one
    std::int64_t skipped = 0;     ///< ruled out together: beyond a limit, or proven worse
    std::int64_t valid = 0;       ///< of those evaluated, within all limits
    std::int64_t over_limit = 0;  ///< of those evaluated, beyond a limit
    std::int64_t failed = 0;      ///< could not be measured

    void add(const Counts& other);
    bool operator==(const Counts&) const = default;
};

/// Result of a chunk, or of its first `counts.explored` points.
struct Batch {
    std::vector<Row> rows;  ///< by point; the kept ones
    Counts counts;
    std::vector<Point> incumbents;  ///< of these rows, comparison values for others
};

/// Claims of a chunk ended by a worker's death before it is cut; a single point then goes last.
inline constexpr std::int64_t kMostAttempts = 3;
/// The same for a single point, before it is given up.
inline constexpr std::int64_t kMostAttemptsAlone = kMostAttempts + 1;

/// Whether this many deaths cut a chunk or give it up.
bool is_exhausted(const Chunk& chunk, std::int64_t attempts);

/// Points per piece of a fatal chunk.
std::int64_t piece_points(const Chunk& chunk);

Row poisoned(Point point);

/// A store's current activity, for observers (and for tests, which kill it).
enum class Moment { claimed, before_commit, committed };
using Observer = std::function<void(Moment)>;

class Store {
   public:
    virtual ~Store() = default;

    /// A free chunk; empty if all are done or held by live workers.
    virtual std::optional<Chunk> claim() = 0;
    /// Rows and completion at once. False, without writing, if the chunk is no longer this worker's. The points after a
    /// partial batch become a free chunk.
    virtual bool commit(const Chunk& chunk, const Batch& batch) = 0;
    /// Gives a chunk back undone.
    virtual void release(const Chunk& chunk) = 0;
    virtual bool is_complete() = 0;
    /// Returns soon, after a possible change by others.
    virtual void wait() = 0;
    /// Whether all workers are to stop: no claims until this is withdrawn.
    virtual bool is_stopped() = 0;
    virtual void set_stopped(bool stopped) = 0;
    /// Incumbent rows committed since the last call; at first all of them.
    virtual std::vector<Row> fresh_incumbents() = 0;
    /// Of the finished chunks.
    virtual Counts counts() = 0;
    /// Every row, by point. Throws InputError(bad_value) at the first difference from the rows written
    /// (explore/audit.hpp).
    virtual void for_each_row(const std::function<void(const Row&)>& take) = 0;
};

/// Contents of a store. Its specification has no places, and `given` is empty.
struct Recorded {
    std::string name;  ///< of the store, without secrets
    Specification specification;
    std::vector<std::size_t> front;  ///< the metrics of its view `pareto`
    std::unique_ptr<Store> store;
};

/// A hash of all rows, independent of workers and order.
std::string hash_of_rows(Store& store);
std::string hash_of_rows(const std::vector<Row>& rows);

/// Of rows by point, the counting ones (Specification::front_only), by point.
std::vector<Row> rows_that_count(std::vector<Row> rows, const Specification& specification);

/// All rows, by point.
std::vector<Row> all_rows(Store& store);

}  // namespace tilewright::explore
