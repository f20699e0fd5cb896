#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "explore/audit.hpp"
#include "explore/cluster/libpq/schema.hpp"
#include "explore/cluster/stores.hpp"

namespace tilewright::cluster {
namespace {

using explore::Batch;
using explore::Chunk;
using explore::Counts;
using explore::Moment;
using explore::Point;
using explore::Row;
using explore::Status;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A worker name unique across machines and time.
std::string name_of_this_worker() {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host.front() = '?';
    std::random_device chance;
    const auto number = static_cast<std::uint64_t>(chance()) << 32 | chance();
    return fmt::format("{} {} {:016x}", host.data(), ::getpid(), number);
}

class PostgresqlStore : public explore::Store {
   public:
    PostgresqlStore(Connection connection, const explore::Specification& specification, Connecting connecting);
    ~PostgresqlStore() override;

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

   private:
    template <typename Work>
    auto with_server(const Work& work);
    void pause(const Lost& lost, steady_clock::time_point since);
    void listen();
    void heed_notifications();
    void beat();
    void beat_until_the_end();
    Parameter lease_seconds() const {
        return fmt::format("{:.3f}", static_cast<double>(connecting_.lease.count()) / 1e3);
    }
    std::optional<Chunk> fresh_chunk();
    std::optional<Chunk> orphaned_chunk();
    void give_up(const Chunk& chunk, std::int64_t attempts);
    void write_rows(const Batch& batch);
    void write_failures(const Batch& batch);
    Row row_in(const Result& rows, int row, int first) const;
    void tell(std::int64_t explored);
    bool try_commit(const Chunk& chunk, const Batch& batch);

    Connection connection_;
    std::size_t metrics_;
    Point points_;
    Connecting connecting_;
    std::string me_ = name_of_this_worker();
    std::string channel_;
    std::int64_t last_incumbent_ = 0;
    std::int64_t untold_ = 0;  ///< points explored since the last notification
    steady_clock::time_point told_{};
    bool news_ = false;

    std::mutex mutex_;                  ///< of the connection, and of all above and below
    std::optional<std::int64_t> held_;  ///< the chunk with the lease to renew
    bool ending_ = false;
    std::condition_variable end_;
    std::thread heart_;
};

PostgresqlStore::PostgresqlStore(Connection connection, const explore::Specification& specification,
                                 Connecting connecting)
    : connection_(std::move(connection)),
      metrics_(specification.metrics.size()),
      points_(specification.space.size()),
      connecting_(std::move(connecting)) {
    if (!connecting_.observer) connecting_.observer = [](Moment) {};
    // A database may hold several explorations, one per schema.
    channel_ = "tilewright_" + connection_.query("SELECT (current_schema()::regnamespace::oid)::text").text(0, 0);
    listen();
    heart_ = std::thread([this] { beat_until_the_end(); });
}

PostgresqlStore::~PostgresqlStore() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    end_.notify_all();
    heart_.join();
}

void PostgresqlStore::listen() { connection_.run("LISTEN " + connection_.quoted(channel_)); }

// Repeats `work` as a whole until the server stays with us.
template <typename Work>
auto PostgresqlStore::with_server(const Work& work) {
    const steady_clock::time_point since = steady_clock::now();
    for (;;) {
        try {
            const std::lock_guard lock(mutex_);
            if (connection_.is_lost()) {
                connection_.renew();
                listen();
            }
            return work();
        } catch (const Lost& lost) {
            pause(lost, since);
        }
    }
}

void PostgresqlStore::pause(const Lost& lost, steady_clock::time_point since) {
    constexpr milliseconds kPause(250);
    const bool stopped = connecting_.stop != nullptr && connecting_.stop->requested();
    if (stopped || steady_clock::now() - since > connecting_.patience)
        throw InputError(
            ErrorCode::io, {connection_.address().shown},
            fmt::format("lost the server{}: {}", stopped ? "" : ", and it did not come back", lost.what()));
    std::this_thread::sleep_for(kPause);
}

void PostgresqlStore::heed_notifications() {
    for (const std::string& payload : connection_.notifications()) {
        news_ = true;
        if (payload == "stop" && connecting_.stop != nullptr) connecting_.stop->request();
    }
}

// Renews the lease, by the server's clock. A worker without one finds out at its commit.
void PostgresqlStore::beat() {
    try {
        if (connection_.is_lost()) {
            connection_.renew();
            listen();
        }
        if (held_)
            connection_.query(
                "UPDATE chunk SET lease = clock_timestamp() + $1::double precision * interval '1 second' "
                "WHERE id = $2 AND state = 1 AND owner = $3",
                {lease_seconds(), *held_, me_});
    } catch (const Lost&) {  // NOLINT(bugprone-empty-catch): who works waits for the server; the next beat tries again
    } catch (const InputError&) {  // NOLINT(bugprone-empty-catch): likewise: it will be told why
    }
}

void PostgresqlStore::beat_until_the_end() {
    const milliseconds between = std::max(connecting_.lease / 4, milliseconds(50));
    const milliseconds glance = std::min(between, milliseconds(500));
    steady_clock::time_point next = steady_clock::now() + between;
    std::unique_lock lock(mutex_);
    while (!end_.wait_for(lock, glance, [&] { return ending_; })) {
        heed_notifications();
        if (steady_clock::now() < next) continue;
        next = steady_clock::now() + between;
        beat();
    }
}

std::optional<Chunk> PostgresqlStore::fresh_chunk() {
    const Result found = connection_.query(
        "UPDATE chunk SET state = 1, owner = $1, attempts = attempts + 1, "
        "lease = clock_timestamp() + $2::double precision * interval '1 second' "
        "WHERE id = (SELECT id FROM chunk WHERE state = 0 AND NOT (SELECT stopped FROM control) "
        "ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, lo, hi",
        {me_, lease_seconds()});
    if (found.rows() == 0) return std::nullopt;
    return Chunk{found.whole(0, 0), found.whole(0, 1), found.whole(0, 2)};
}

// A chunk with an expired lease. No lease could be renewed during a server outage: survivors get the time to do so.
std::optional<Chunk> PostgresqlStore::orphaned_chunk() {
    for (;;) {
        Transaction transaction(connection_);
        const Result found = connection_.query(
            "SELECT id, lo, hi, attempts FROM chunk WHERE state = 1 AND lease < clock_timestamp() AND "
            "pg_postmaster_start_time() + $1::double precision * interval '1 second' < clock_timestamp() AND "
            "NOT (SELECT stopped FROM control) ORDER BY attempts, id LIMIT 1 FOR UPDATE SKIP LOCKED",
            {lease_seconds()});
        if (found.rows() == 0) return std::nullopt;
        const Chunk chunk{found.whole(0, 0), found.whole(0, 1), found.whole(0, 2)};
        const std::int64_t attempts = found.whole(0, 3);
        const bool again = !explore::is_exhausted(chunk, attempts);
        if (again)
            connection_.query(
                "UPDATE chunk SET owner = $1, attempts = attempts + 1, "
                "lease = clock_timestamp() + $2::double precision * interval '1 second' WHERE id = $3",
                {me_, lease_seconds(), chunk.id});
        else if (chunk.hi - chunk.lo > 1)
            cut(connection_, chunk);
        else
            give_up(chunk, attempts);
        transaction.commit();
        if (again) return chunk;
        if (const std::optional<Chunk> piece = fresh_chunk()) return piece;
    }
}

void PostgresqlStore::give_up(const Chunk& chunk, std::int64_t attempts) {
    Counts counts;
    counts.evaluated = counts.failed = 1;
    finish(connection_, {chunk, true, counts, 1});
    connection_.query("INSERT INTO poison VALUES($1, $2)", {chunk.lo, attempts});
    write_rows({{explore::poisoned(chunk.lo)}, {}, {}});
}

std::optional<Chunk> PostgresqlStore::claim() {
    const std::optional<Chunk> chunk = with_server([&]() -> std::optional<Chunk> {
        std::optional<Chunk> found = fresh_chunk();
        if (!found) found = orphaned_chunk();
        if (found) held_ = found->id;
        heed_notifications();
        return found;
    });
    if (chunk) connecting_.observer(Moment::claimed);
    return chunk;
}

void PostgresqlStore::write_rows(const Batch& batch) {
    BulkLoad results(connection_, "result");
    bool any_failed = false;
    for (const Row& row : batch.rows) {
        results.begin_row(static_cast<int>(metrics_) + 3);
        results.add_whole(row.point);
        results.add_small(static_cast<std::int16_t>(row.status));
        any_failed = any_failed || row.status == Status::failed;
        for (std::size_t i = 0; i < metrics_; ++i)
            if (row.status == Status::failed)
                results.add_null();
            else
                results.add_real(row.values[i]);
        results.add_whole(checksum_of(row));
    }
    results.finish();
    if (any_failed) write_failures(batch);
    for (const Point point : batch.incumbents) connection_.query("INSERT INTO incumbent(point) VALUES($1)", {point});
}

void PostgresqlStore::write_failures(const Batch& batch) {
    BulkLoad failures(connection_, "failure");
    for (const Row& row : batch.rows) {
        if (row.status != Status::failed) continue;
        failures.begin_row(2);
        failures.add_whole(row.point);
        failures.add_text(row.message);
    }
    failures.finish();
}

// Waiting workers want notifications, but not a thousand per second: they queue up commits.
void PostgresqlStore::tell(std::int64_t explored) {
    constexpr milliseconds kPause(500);
    untold_ += explored;
    if (steady_clock::now() - told_ < kPause) return;
    connection_.query("SELECT pg_notify($1, $2)", {channel_, fmt::format("explored {}", untold_)});
    untold_ = 0;
    told_ = steady_clock::now();
}

bool PostgresqlStore::try_commit(const Chunk& chunk, const Batch& batch) {
    Transaction transaction(connection_);
    const Counts& counts = batch.counts;
    const Chunk known{chunk.id, chunk.lo, chunk.lo + counts.explored};
    const Result mine =
        connection_.query("SELECT 1 FROM chunk WHERE id = $1 AND owner = $2 AND state = 1 FOR UPDATE", {chunk.id, me_});
    if (mine.rows() == 0) {
        // Another worker has it; or the server went away after taking our rows and before confirming.
        return connection_.query("SELECT 1 FROM chunk WHERE id = $1 AND owner = $2 AND state = 2", {chunk.id, me_})
                   .rows() == 1;
    }
    finish(connection_, {known, true, counts, static_cast<std::int64_t>(batch.rows.size())});
    if (known.hi < chunk.hi) connection_.query("INSERT INTO chunk(lo, hi) VALUES($1, $2)", {known.hi, chunk.hi});
    write_rows(batch);
    tell(counts.explored);
    connecting_.observer(Moment::before_commit);
    transaction.commit();
    return true;
}

bool PostgresqlStore::commit(const Chunk& chunk, const Batch& batch) {
    const bool committed = with_server([&] {
        const bool done = try_commit(chunk, batch);
        held_.reset();
        return done;
    });
    if (committed) connecting_.observer(Moment::committed);
    return committed;
}

void PostgresqlStore::release(const Chunk& chunk) {
    with_server([&] {
        connection_.query(
            "UPDATE chunk SET state = 0, owner = NULL, lease = NULL, attempts = attempts - 1 "
            "WHERE id = $1 AND owner = $2 AND state = 1",
            {chunk.id, me_});
        held_.reset();
    });
}

bool PostgresqlStore::is_complete() {
    return with_server(
        [&] { return connection_.query("SELECT NOT EXISTS (SELECT 1 FROM chunk WHERE state < 2)").flag(0, 0); });
}

bool PostgresqlStore::is_stopped() {
    return with_server([&] { return connection_.query("SELECT stopped FROM control").flag(0, 0); });
}

void PostgresqlStore::set_stopped(bool stopped) {
    with_server([&] {
        Transaction transaction(connection_);
        connection_.query("UPDATE control SET stopped = $1", {stopped ? "true" : "false"});
        connection_.query("SELECT pg_notify($1, $2)", {channel_, stopped ? "stop" : "go on"});
        transaction.commit();
    });
}

// A notification, or a possibly expired lease.
void PostgresqlStore::wait() {
    constexpr milliseconds kMost(1000);
    constexpr milliseconds kGlance(100);
    for (milliseconds waited{0}; waited < std::min(kMost, connecting_.lease); waited += kGlance) {
        {
            const std::lock_guard lock(mutex_);
            heed_notifications();
            const bool stopped = connecting_.stop != nullptr && connecting_.stop->requested();
            if (std::exchange(news_, false) || stopped) return;
        }
        std::this_thread::sleep_for(kGlance);
    }
}

Counts PostgresqlStore::counts() {
    return with_server([&] {
        const Result sums = connection_.query(
            "SELECT coalesce(sum(hi - lo), 0), coalesce(sum(evaluated), 0), coalesce(sum(skipped), 0), "
            "coalesce(sum(valid), 0), coalesce(sum(over_limit), 0), coalesce(sum(failed), 0) "
            "FROM chunk WHERE state = 2");
        return Counts{sums.whole(0, 0), sums.whole(0, 1), sums.whole(0, 2),
                      sums.whole(0, 3), sums.whole(0, 4), sums.whole(0, 5)};
    });
}

// Columns from `first` on: point, status, metrics; in binary.
Row PostgresqlStore::row_in(const Result& rows, int row, int first) const {
    Row out{rows.binary_whole(row, first), static_cast<Status>(rows.binary_whole(row, first + 1)), {}, {}};
    if (out.status == Status::failed) return out;
    for (int i = 0; i < static_cast<int>(metrics_); ++i) out.values.push_back(rows.binary_real(row, first + 2 + i));
    return out;
}

// Later transactions may have smaller numbers than those seen: such an incumbent is missed, at the cost of extra work
// only.
std::vector<Row> PostgresqlStore::fresh_incumbents() {
    return with_server([&] {
        const Result rows = connection_.query(
            "SELECT incumbent.id, result.* FROM incumbent JOIN result ON result.point = incumbent.point "
            "WHERE incumbent.id > $1 ORDER BY incumbent.id",
            {last_incumbent_}, Connection::Format::binary);
        std::vector<Row> fresh;
        for (int i = 0; i < rows.rows(); ++i) {
            last_incumbent_ = rows.binary_whole(i, 0);
            fresh.push_back(row_in(rows, i, 1));
            if (rows.binary_whole(i, static_cast<int>(metrics_) + 3) != checksum_of(fresh.back()))
                explore::fail_damaged(connection_.address().shown,
                                      "a row that others are measured against is not what was written");
        }
        return fresh;
    });
}

// Not restarted after a server outage: some rows have been handed out.
void PostgresqlStore::for_each_row(const std::function<void(const Row&)>& take) {
    const std::lock_guard lock(mutex_);
    try {
        Transaction transaction(connection_, Transaction::Wants::to_read);
        explore::Audit audit(connection_.address().shown, points_);
        audit_chunks(connection_, audit);
        connection_.run(
            "DECLARE every_row NO SCROLL CURSOR FOR SELECT result.*, failure.message FROM result "
            "LEFT JOIN failure USING(point) ORDER BY point");
        for (;;) {
            const Result rows = connection_.query("FETCH 10000 FROM every_row", {}, Connection::Format::binary);
            for (int i = 0; i < rows.rows(); ++i) {
                Row row = row_in(rows, i, 0);
                const int checksum = static_cast<int>(metrics_) + 2;
                row.message = rows.text(i, checksum + 1);  // "" if absent
                audit.take(row, rows.binary_whole(i, checksum));
                take(row);
            }
            if (rows.rows() == 0) break;
        }
        audit.finish();
        transaction.commit();
    } catch (const Lost& lost) {
        throw InputError(ErrorCode::io, {connection_.address().shown}, std::string("lost the server: ") + lost.what());
    }
}

// At the start, a missing server is an error, without waiting.
template <typename Work>
auto at_once(const Connection& connection, const Work& work) {
    const std::string shown = connection.address().shown;
    try {
        return work();
    } catch (const Lost& lost) {
        throw InputError(ErrorCode::io, {shown}, std::string("lost the server: ") + lost.what());
    }
}

std::unique_ptr<explore::Store> store_in(Connection connection, const explore::Specification& specification,
                                         const Connecting& connecting) {
    return std::make_unique<PostgresqlStore>(std::move(connection), specification, connecting);
}

Connection open_to_read(const std::string& url) {
    Connection connection(parse_address(url));
    at_once(connection, [&] {
        if (is_new(connection))
            throw InputError(ErrorCode::bad_value, {connection.address().shown}, "holds no exploration");
    });
    return connection;
}

}  // namespace

std::unique_ptr<explore::Store> open_postgresql(const std::string& url, const explore::Plan& plan,
                                                const Connecting& connecting) {
    Connection connection(parse_address(url));
    return at_once(connection, [&] {
        if (is_new(connection)) make_unless_there(connection, plan);
        refuse_other(connection, plan.specification);
        open_given_up(connection);
        return store_in(std::move(connection), plan.specification, connecting);
    });
}

std::unique_ptr<explore::Store> join_postgresql(const std::string& url, const explore::Specification& specification,
                                                const Connecting& connecting) {
    Connection connection = open_to_read(url);
    return at_once(connection, [&] {
        refuse_other(connection, specification);
        return store_in(std::move(connection), specification, connecting);
    });
}

explore::Recorded read_postgresql(const std::string& url) {
    Connection connection = open_to_read(url);
    return at_once(connection, [&] {
        explore::Recorded recorded;
        recorded.name = connection.address().shown;
        recorded.specification = read_specification(connection);
        recorded.front = read_front(connection, recorded.specification.metrics);
        recorded.store = store_in(std::move(connection), recorded.specification, {});
        return recorded;
    });
}

explore::WorkOrder order_in_postgresql(const std::string& url) {
    Connection connection = open_to_read(url);
    return at_once(connection, [&] { return read_order(connection); });
}

}  // namespace tilewright::cluster
