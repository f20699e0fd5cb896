#include "explore/sqlite_store.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <thread>

#include "base/error.hpp"
#include "explore/audit.hpp"
#include "explore/sqlite.hpp"
#include "explore/sqlite_schema.hpp"

namespace tilewright::explore {
namespace {

using sqlite::Connection;
using sqlite::Statement;
using sqlite::Transaction;

// States of a chunk.
constexpr std::int64_t kClaimed = 1;
constexpr std::int64_t kDone = 2;

class SqliteStore : public Store {
   public:
    SqliteStore(Connection connection, const Specification& specification, Observer observer)
        : connection_(std::move(connection)),
          metrics_(specification.metrics.size()),
          points_(specification.space.size()),
          part_(0, points_),
          me_(this_process()),
          observer_(observer ? std::move(observer) : [](Moment) {}) {}

    std::optional<Chunk> claim() override;
    bool commit(const Chunk& chunk, const Batch& batch) override;
    void release(const Chunk& chunk) override;
    bool is_complete() override;
    void wait() override;
    bool is_stopped() override;
    void set_stopped(bool stopped) override;
    std::vector<Row> fresh_incumbents() override;
    Counts counts() override;
    void for_each_row(const std::function<void(const Row&)>& take) override;

    /// Claims these points only: lo to hi - 1.
    void keep_to(Point lo, Point hi);
    /// Chunks done there and not here, with their rows; returns the points.
    std::int64_t take_from(SqliteStore& other);

   private:
    struct Candidate {
        Chunk chunk;
        std::int64_t attempts = 0;
    };
    std::optional<Candidate> free_chunk();
    void cut(const Chunk& chunk);
    void cut_at(Point point, bool also_claimed);
    std::int64_t points_done(Point lo, Point hi);
    Batch batch_of(Point lo, Point hi);
    void take_chunk(SqliteStore& other, ChunkRecord record);
    void give_up(const Candidate& candidate);
    /// Of a free chunk, or this worker's.
    void finish(const ChunkRecord& record);
    void audit_chunks(Audit& audit);
    void write_rows(const Batch& batch);
    /// From `first` on, `count` at a time, while possible.
    void write_results(const std::vector<Row>& rows, std::size_t first, std::size_t count);

    Row row_in(const Statement& statement, int first) const;

    Connection connection_;
    std::size_t metrics_;
    Point points_;
    std::pair<Point, Point> part_;  ///< this worker's part of the space
    std::int64_t last_incumbent_ = 0;
    std::string me_;
    Observer observer_;
};

// A free one; else one with a dead owner, those fatal to most workers last.
std::optional<SqliteStore::Candidate> SqliteStore::free_chunk() {
    const auto of = [](const Statement& row) {
        return Candidate{{row.whole(0), row.whole(1), row.whole(2)}, row.whole(3)};
    };
    Statement fresh(connection_,
                    "SELECT id, lo, hi, attempts FROM chunk WHERE state = 0 AND lo < ? AND hi > ? ORDER BY id LIMIT 1");
    fresh.bind(0, part_.second).bind(1, part_.first);
    if (fresh.step()) return of(fresh);
    Statement claimed(connection_,
                      "SELECT id, lo, hi, attempts, owner FROM chunk WHERE state = 1 AND lo < ? AND hi > ? "
                      "ORDER BY attempts, id");
    claimed.bind(0, part_.second).bind(1, part_.first);
    while (claimed.step())
        if (!is_alive(claimed.text(4))) return of(claimed);
    return std::nullopt;
}

// Into untried pieces.
void SqliteStore::cut(const Chunk& chunk) {
    const std::int64_t points = piece_points(chunk);
    Statement first(connection_, "UPDATE chunk SET hi = ?, state = 0, owner = NULL, attempts = 0 WHERE id = ?");
    first.bind(0, chunk.lo + points).bind(1, chunk.id).run();
    add_chunks(connection_, chunk.lo + points, chunk.hi, points);
}

// Splits an unfinished one in two; another worker's only if that no longer matters.
void SqliteStore::cut_at(Point point, bool also_claimed) {
    Statement find(connection_, "SELECT id, hi, owner FROM chunk WHERE state < 2 AND lo < ? AND hi > ?");
    find.bind(0, point).bind(1, point);
    if (!find.step()) return;
    if (!also_claimed && !find.is_null(2) && is_alive(find.text(2))) return;
    const std::int64_t id = find.whole(0);
    const Point hi = find.whole(1);
    Statement first(connection_, "UPDATE chunk SET hi = ?, state = 0, owner = NULL, attempts = 0 WHERE id = ?");
    first.bind(0, point).bind(1, id).run();
    sqlite::add_chunks(connection_, point, hi, hi - point);
}

void SqliteStore::keep_to(Point lo, Point hi) {
    Transaction transaction(connection_);
    part_ = {lo, hi};
    for (const Point point : {lo, hi}) cut_at(point, false);
    transaction.commit();
}

void SqliteStore::finish(const ChunkRecord& record) {
    Statement done(connection_,
                   "UPDATE chunk SET state = ?, hi = ?, evaluated = ?, skipped = ?, valid = ?, over_limit = ?, "
                   "failed = ?, rows = ?, checksum = ? WHERE id = ?");
    const Counts& counts = record.counts;
    done.bind(0, kDone).bind(1, record.chunk.hi).bind(2, counts.evaluated).bind(3, counts.skipped);
    done.bind(4, counts.valid).bind(5, counts.over_limit).bind(6, counts.failed).bind(7, record.rows);
    done.bind(8, checksum_of(record)).bind(9, record.chunk.id).run();
}

void SqliteStore::give_up(const Candidate& candidate) {
    const Point point = candidate.chunk.lo;
    Counts counts;
    counts.evaluated = counts.failed = 1;
    finish({candidate.chunk, true, counts, 1});
    Statement poison(connection_, "INSERT INTO poison VALUES(?, ?)");
    poison.bind(0, point).bind(1, candidate.attempts).run();
    write_rows({{poisoned(point)}, {}, {}});
}

std::optional<Chunk> SqliteStore::claim() {
    Transaction transaction(connection_);
    std::optional<Candidate> found;
    if (connection_.number("SELECT stopped FROM control") != 0) return std::nullopt;
    while ((found = free_chunk()) && is_exhausted(found->chunk, found->attempts))
        found->chunk.hi - found->chunk.lo > 1 ? cut(found->chunk) : give_up(*found);
    if (found) {
        Statement update(connection_, "UPDATE chunk SET state = ?, owner = ?, attempts = attempts + 1 WHERE id = ?");
        update.bind(0, kClaimed).bind(1, me_).bind(2, found->chunk.id).run();
    }
    transaction.commit();
    if (!found) return std::nullopt;
    observer_(Moment::claimed);
    return found->chunk;
}

void SqliteStore::write_results(const std::vector<Row>& rows, std::size_t first, std::size_t count) {
    std::string row = "(?, ?, ?";
    for (std::size_t i = 0; i < metrics_; ++i) row += ", ?";
    std::string sql = "INSERT INTO result VALUES";
    for (std::size_t i = 0; i < count; ++i) sql += (i == 0 ? "" : ", ") + row + ")";
    Statement insert(connection_, sql);
    const std::size_t end = first + (rows.size() - first) / count * count;
    while (first < end) {
        int place = 0;
        for (const std::size_t stop = first + count; first < stop; ++first) {
            insert.bind(place, rows[first].point).bind(place + 1, static_cast<std::int64_t>(rows[first].status));
            place += 2;
            for (std::size_t i = 0; i < metrics_; ++i, ++place)
                if (rows[first].status == Status::failed)
                    insert.bind_null(place);
                else
                    insert.bind(place, rows[first].values[i]);
            insert.bind(place++, checksum_of(rows[first]));
        }
        insert.run();
    }
}

// Several rows a statement: a step of SQLite costs as much as a few rows.
void SqliteStore::write_rows(const Batch& batch) {
    constexpr std::size_t kTogether = 32;
    write_results(batch.rows, 0, kTogether);
    write_results(batch.rows, batch.rows.size() / kTogether * kTogether, 1);
    Statement failure(connection_, "INSERT INTO failure VALUES(?, ?)");
    for (const Row& row : batch.rows)
        if (row.status == Status::failed) failure.bind(0, row.point).bind(1, row.message).run();
    Statement incumbent(connection_, "INSERT INTO incumbent(point) VALUES(?)");
    for (const Point point : batch.incumbents) incumbent.bind(0, point).run();
}

bool SqliteStore::commit(const Chunk& chunk, const Batch& batch) {
    Transaction transaction(connection_);
    Statement mine(connection_, "SELECT 1 FROM chunk WHERE id = ? AND state = ? AND owner = ?");
    mine.bind(0, chunk.id).bind(1, kClaimed).bind(2, me_);
    if (!mine.step()) return false;  // another process took this one for dead
    const Chunk known{chunk.id, chunk.lo, chunk.lo + batch.counts.explored};
    finish({known, true, batch.counts, static_cast<std::int64_t>(batch.rows.size())});
    sqlite::add_chunks(connection_, known.hi, chunk.hi, chunk.hi - known.hi);
    write_rows(batch);
    observer_(Moment::before_commit);
    transaction.commit();
    observer_(Moment::committed);
    return true;
}

void SqliteStore::release(const Chunk& chunk) {
    Statement update(connection_,
                     "UPDATE chunk SET state = 0, owner = NULL, attempts = attempts - 1 "
                     "WHERE id = ? AND state = 1 AND owner = ?");
    update.bind(0, chunk.id).bind(1, me_).run();
}

bool SqliteStore::is_complete() {
    Statement open(connection_, "SELECT 1 FROM chunk WHERE state < 2 AND lo < ? AND hi > ? LIMIT 1");
    return !open.bind(0, part_.second).bind(1, part_.first).step();
}

void SqliteStore::wait() {
    constexpr std::chrono::milliseconds kPatience(100);
    std::this_thread::sleep_for(kPatience);
}

bool SqliteStore::is_stopped() { return connection_.number("SELECT stopped FROM control") != 0; }

void SqliteStore::set_stopped(bool stopped) {
    Statement update(connection_, "UPDATE control SET stopped = ?");
    update.bind(0, std::int64_t{stopped}).run();
}

Counts SqliteStore::counts() {
    Statement sums(connection_,
                   "SELECT total(hi - lo), total(evaluated), total(skipped), total(valid), total(over_limit), "
                   "total(failed) FROM chunk WHERE state = 2");
    sums.step();
    const Counts counts{sums.whole(0), sums.whole(1), sums.whole(2), sums.whole(3), sums.whole(4), sums.whole(5)};
    sums.reset();
    return counts;
}

// Columns from `first` on: point, status, metrics.
Row SqliteStore::row_in(const Statement& statement, int first) const {
    Row row{statement.whole(first), static_cast<Status>(statement.whole(first + 1)), {}, {}};
    if (row.status == Status::failed) return row;
    for (int i = 0; i < static_cast<int>(metrics_); ++i) row.values.push_back(statement.real(first + 2 + i));
    return row;
}

std::vector<Row> SqliteStore::fresh_incumbents() {
    Statement rows(connection_,
                   "SELECT incumbent.id, result.* FROM incumbent JOIN result ON result.point = incumbent.point "
                   "WHERE incumbent.id > ? ORDER BY incumbent.id");
    rows.bind(0, last_incumbent_);
    std::vector<Row> fresh;
    while (rows.step()) {
        last_incumbent_ = rows.whole(0);
        fresh.push_back(row_in(rows, 1));
        if (rows.whole(static_cast<int>(metrics_) + 3) != checksum_of(fresh.back()))
            fail_damaged(connection_.file(), "a row that others are measured against is not what was written");
    }
    return fresh;
}

void SqliteStore::audit_chunks(Audit& audit) {
    Statement chunks(connection_,
                     "SELECT id, lo, hi, state, evaluated, skipped, valid, over_limit, failed, rows, checksum "
                     "FROM chunk ORDER BY lo");
    while (chunks.step()) {
        ChunkRecord record{{chunks.whole(0), chunks.whole(1), chunks.whole(2)}, chunks.whole(3) == kDone, {}, 0};
        record.counts = {0, chunks.whole(4), chunks.whole(5), chunks.whole(6), chunks.whole(7), chunks.whole(8)};
        record.rows = chunks.whole(9);
        audit.take(record, chunks.whole(10));
    }
}

void SqliteStore::for_each_row(const std::function<void(const Row&)>& take) {
    const Transaction all_at_one_moment(connection_, Transaction::Wants::to_read);
    Audit audit(connection_.file(), points_);
    audit_chunks(audit);
    Statement rows(connection_,
                   "SELECT result.*, failure.message FROM result LEFT JOIN failure USING(point) ORDER BY point");
    while (rows.step()) {
        Row row = row_in(rows, 0);
        const int checksum = static_cast<int>(metrics_) + 2;
        if (!rows.is_null(checksum + 1)) row.message = rows.text(checksum + 1);
        audit.take(row, rows.whole(checksum));
        take(row);
    }
    audit.finish();
}

std::int64_t SqliteStore::points_done(Point lo, Point hi) {
    Statement done(connection_,
                   "SELECT sum(min(hi, ?2) - max(lo, ?1)) FROM chunk WHERE state = 2 AND lo < ?2 AND hi > ?1");
    return done.bind(0, lo).bind(1, hi).step() ? done.whole(0) : 0;
}

Batch SqliteStore::batch_of(Point lo, Point hi) {
    Batch batch;
    Statement rows(connection_,
                   "SELECT result.*, failure.message FROM result LEFT JOIN failure USING(point) "
                   "WHERE point >= ? AND point < ? ORDER BY point");
    rows.bind(0, lo).bind(1, hi);
    while (rows.step()) {
        batch.rows.push_back(row_in(rows, 0));
        batch.rows.back().message = rows.text(static_cast<int>(metrics_) + 3);  // "" if absent
    }
    Statement incumbents(connection_, "SELECT point FROM incumbent WHERE point >= ? AND point < ? ORDER BY id");
    incumbents.bind(0, lo).bind(1, hi);
    while (incumbents.step()) batch.incumbents.push_back(incumbents.whole(0));
    return batch;
}

void SqliteStore::take_chunk(SqliteStore& other, ChunkRecord record) {
    const auto [lo, hi] = std::pair(record.chunk.lo, record.chunk.hi);
    for (const Point point : {lo, hi}) cut_at(point, true);
    Statement gone(connection_, "DELETE FROM chunk WHERE lo >= ? AND hi <= ?");
    gone.bind(0, lo).bind(1, hi).run();
    sqlite::add_chunks(connection_, lo, hi, hi - lo);
    record.chunk.id = sqlite3_last_insert_rowid(connection_.handle());
    finish(record);
    write_rows(other.batch_of(lo, hi));
    Statement given_up(other.connection_, "SELECT point, attempts FROM poison WHERE point >= ? AND point < ?");
    given_up.bind(0, lo).bind(1, hi);
    Statement poison(connection_, "INSERT INTO poison VALUES(?, ?)");
    while (given_up.step()) poison.bind(0, given_up.whole(0)).bind(1, given_up.whole(1)).run();
}

std::int64_t SqliteStore::take_from(SqliteStore& other) {
    const Transaction as_it_is(other.connection_, Transaction::Wants::to_read);
    Transaction transaction(connection_);
    std::int64_t taken = 0;
    Statement chunks(other.connection_,
                     "SELECT lo, hi, evaluated, skipped, valid, over_limit, failed, rows FROM chunk WHERE state = 2 "
                     "ORDER BY lo");
    while (chunks.step()) {
        ChunkRecord record{{0, chunks.whole(0), chunks.whole(1)}, true, {}, chunks.whole(7)};
        record.counts = {0, chunks.whole(2), chunks.whole(3), chunks.whole(4), chunks.whole(5), chunks.whole(6)};
        const std::int64_t points = record.chunk.hi - record.chunk.lo;
        const std::int64_t there = points_done(record.chunk.lo, record.chunk.hi);
        if (there == points) continue;
        if (there > 0)
            throw InputError(ErrorCode::bad_value, {other.connection_.file()},
                             "some of its points " + std::to_string(record.chunk.lo) + " to " +
                                 std::to_string(record.chunk.hi - 1) +
                                 ", which were kept together, are in the other store already: stores that are put "
                                 "together share no points, or whole chunks of them");
        take_chunk(other, record);
        taken += points;
    }
    transaction.commit();
    return taken;
}

}  // namespace

std::unique_ptr<Store> open_sqlite(const std::string& file, const Plan& plan, Observer observer) {
    Connection connection(file, Connection::Access::make);
    {
        // Before writing to another program's file. Another process may be making the tables.
        const Transaction look(connection, Transaction::Wants::to_read);
        static_cast<void>(sqlite::is_new(connection));
    }
    connection.use_write_ahead_log();
    connection.run("PRAGMA synchronous = NORMAL");
    Transaction transaction(connection);
    if (sqlite::is_new(connection))
        sqlite::make_schema(connection, plan);
    else
        sqlite::refuse_other(connection, plan.specification);
    sqlite::open_given_up(connection);
    transaction.commit();
    auto store = std::make_unique<SqliteStore>(std::move(connection), plan.specification, std::move(observer));
    if (plan.part) store->keep_to(plan.part->first, plan.part->second);
    return store;
}

namespace {

Connection open_begun(const std::string& file, Connection::Access access) {
    Connection connection(file, access);
    {
        const Transaction look(connection, Transaction::Wants::to_read);
        if (sqlite::is_new(connection)) throw InputError(ErrorCode::bad_value, {file}, "holds no exploration");
    }
    return connection;
}

}  // namespace

std::unique_ptr<Store> join_sqlite(const std::string& file, const Specification& specification, Observer observer) {
    Connection connection = open_begun(file, Connection::Access::write);
    connection.run("PRAGMA synchronous = NORMAL");
    sqlite::refuse_other(connection, specification);
    return std::make_unique<SqliteStore>(std::move(connection), specification, std::move(observer));
}

Recorded read_sqlite(const std::string& file, bool to_write) {
    Connection connection = open_begun(file, to_write ? Connection::Access::write : Connection::Access::read);
    Recorded recorded;
    recorded.name = file;
    recorded.specification = sqlite::read_specification(connection);
    recorded.front = sqlite::read_front(connection, recorded.specification.metrics);
    recorded.store = std::make_unique<SqliteStore>(std::move(connection), recorded.specification, Observer());
    return recorded;
}

namespace {

struct Opened {
    Specification specification;
    std::map<std::string, std::string> entries;
    std::unique_ptr<SqliteStore> store;
};

Opened opened(const std::string& file, Connection::Access access) {
    Connection connection = open_begun(file, access);
    Opened one{sqlite::read_specification(connection), sqlite::entries_of(connection), nullptr};
    one.store = std::make_unique<SqliteStore>(std::move(connection), one.specification, Observer());
    return one;
}

void refuse_unlike(const std::string& part, const Opened& theirs, const std::string& file, const Opened& ours) {
    for (const auto& [key, value] : ours.entries) {
        const auto found = theirs.entries.find(key);
        if (found == theirs.entries.end() || found->second != value)
            throw InputError(ErrorCode::bad_value, {part},
                             "holds another exploration than " + file + ": its '" + key + "' is " +
                                 (found == theirs.entries.end() ? "not there" : found->second) + ", not " + value);
    }
    if (theirs.entries.size() != ours.entries.size())
        throw InputError(ErrorCode::bad_value, {part}, "holds another exploration than " + file);
}

void audit_all(const std::string& file) {
    read_sqlite(file).store->for_each_row([](const Row&) {});
    static_cast<void>(order_in_sqlite(file));
}

}  // namespace

std::int64_t merge_sqlite(const std::string& file, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) audit_all(part);
    std::error_code unknown;
    std::int64_t taken = 0;
    if (!std::filesystem::exists(file, unknown)) {
        Connection first = open_begun(parts.front(), Connection::Access::read);
        Statement copy(first, "VACUUM INTO ?");
        copy.bind(0, std::string_view(file)).run();
        taken = read_sqlite(file).store->counts().explored;
    }
    const Opened whole = opened(file, Connection::Access::write);
    for (const std::string& part : parts) {
        if (std::filesystem::equivalent(part, file, unknown)) continue;
        const Opened one = opened(part, Connection::Access::read);
        refuse_unlike(part, one, file, whole);
        taken += whole.store->take_from(*one.store);
    }
    return taken;
}

WorkOrder order_in_sqlite(const std::string& file) {
    Connection connection = open_begun(file, Connection::Access::read);
    return sqlite::read_order(connection);
}

}  // namespace tilewright::explore
