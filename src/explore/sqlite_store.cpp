#include "explore/sqlite_store.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "explore/process.hpp"
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
    SqliteStore(Connection connection, std::size_t metrics)
        : connection_(std::move(connection)), metrics_(metrics), me_(this_process()) {}

    std::optional<Chunk> claim() override;
    bool commit(const Chunk& chunk, const Batch& batch) override;
    void release(const Chunk& chunk) override;
    bool is_complete() override;
    Counts counts() override;
    void for_each_row(const std::function<void(const Row&)>& take) override;

   private:
    std::optional<Chunk> free_chunk();
    void write_rows(const Batch& batch);

    Connection connection_;
    std::size_t metrics_;
    std::string me_;
};

// One that nobody had; else one whose owner is dead.
std::optional<Chunk> SqliteStore::free_chunk() {
    Statement fresh(connection_, "SELECT id, lo, hi FROM chunk WHERE state = 0 ORDER BY id LIMIT 1");
    if (fresh.step()) return Chunk{fresh.whole(0), fresh.whole(1), fresh.whole(2)};
    Statement claimed(connection_, "SELECT id, lo, hi, owner FROM chunk WHERE state = 1 ORDER BY id");
    while (claimed.step())
        if (!is_alive(claimed.text(3))) return Chunk{claimed.whole(0), claimed.whole(1), claimed.whole(2)};
    return std::nullopt;
}

std::optional<Chunk> SqliteStore::claim() {
    Transaction transaction(connection_);
    const std::optional<Chunk> chunk = free_chunk();
    if (!chunk) return std::nullopt;
    Statement update(connection_, "UPDATE chunk SET state = ?, owner = ?, attempts = attempts + 1 WHERE id = ?");
    update.bind(0, kClaimed).bind(1, me_).bind(2, chunk->id).run();
    transaction.commit();
    return chunk;
}

void SqliteStore::write_rows(const Batch& batch) {
    std::string places = "?, ?";
    for (std::size_t i = 0; i < metrics_; ++i) places += ", ?";
    Statement result(connection_, "INSERT INTO result VALUES(" + places + ")");
    Statement failed(connection_, "INSERT INTO result(point, status) VALUES(?, ?)");
    Statement failure(connection_, "INSERT INTO failure VALUES(?, ?)");
    for (const Row& row : batch.rows) {
        const auto status = static_cast<std::int64_t>(row.status);
        if (row.status == Status::failed) {
            failed.bind(0, row.point).bind(1, status).run();
            failure.bind(0, row.point).bind(1, row.message).run();
            continue;
        }
        result.bind(0, row.point).bind(1, status);
        for (std::size_t i = 0; i < metrics_; ++i) result.bind(static_cast<int>(i) + 2, row.values[i]);
        result.run();
    }
}

bool SqliteStore::commit(const Chunk& chunk, const Batch& batch) {
    Transaction transaction(connection_);
    Statement done(connection_,
                   "UPDATE chunk SET state = ?, evaluated = ?, skipped = ?, valid = ?, over_limit = ?, failed = ? "
                   "WHERE id = ? AND state = ? AND owner = ?");
    done.bind(0, kDone).bind(1, batch.counts.evaluated).bind(2, batch.counts.skipped).bind(3, batch.counts.valid);
    done.bind(4, batch.counts.over_limit).bind(5, batch.counts.failed).bind(6, chunk.id).bind(7, kClaimed);
    done.bind(8, me_).run();
    if (connection_.changes() == 0) return false;  // somebody thought that this process was dead
    write_rows(batch);
    transaction.commit();
    return true;
}

void SqliteStore::release(const Chunk& chunk) {
    Statement update(connection_, "UPDATE chunk SET state = 0, owner = NULL WHERE id = ? AND state = 1 AND owner = ?");
    update.bind(0, chunk.id).bind(1, me_).run();
}

bool SqliteStore::is_complete() {
    return connection_.number("SELECT count(*) FROM (SELECT 1 FROM chunk WHERE state < 2 LIMIT 1)") == 0;
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

void SqliteStore::for_each_row(const std::function<void(const Row&)>& take) {
    Statement rows(connection_,
                   "SELECT result.*, failure.message FROM result LEFT JOIN failure USING(point) ORDER BY point");
    while (rows.step()) {
        Row row{rows.whole(0), static_cast<Status>(rows.whole(1)), {}, {}};
        const auto message = static_cast<int>(metrics_) + 2;
        if (row.status == Status::failed)
            row.message = rows.text(message);
        else
            for (int i = 2; i < message; ++i) row.values.push_back(rows.real(i));
        take(row);
    }
}

}  // namespace

std::unique_ptr<Store> open_sqlite(const std::string& file, const Specification& specification,
                                   std::int64_t chunk_points, const std::vector<std::size_t>& front) {
    Connection connection(file, true);
    {
        // Before anything is written to what is somebody else's. Another process may be making the tables.
        const Transaction look(connection, Transaction::Wants::to_read);
        static_cast<void>(sqlite::is_new(connection));
    }
    connection.use_write_ahead_log();
    connection.run("PRAGMA synchronous = NORMAL");
    Transaction transaction(connection);
    if (sqlite::is_new(connection))
        sqlite::make_schema(connection, specification, chunk_points, front);
    else
        sqlite::refuse_other(connection, specification);
    transaction.commit();
    return std::make_unique<SqliteStore>(std::move(connection), specification.metrics.size());
}

Recorded read_sqlite(const std::string& file) {
    Connection connection(file, false);
    {
        const Transaction look(connection, Transaction::Wants::to_read);
        if (sqlite::is_new(connection)) throw InputError(ErrorCode::bad_value, {file}, "holds no exploration");
    }
    Recorded recorded;
    recorded.specification = sqlite::read_specification(connection);
    recorded.front = sqlite::read_front(connection, recorded.specification.metrics);
    const std::size_t metrics = recorded.specification.metrics.size();
    recorded.store = std::make_unique<SqliteStore>(std::move(connection), metrics);
    return recorded;
}

}  // namespace tilewright::explore
