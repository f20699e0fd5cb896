// Store and loop: whoever works, stops or dies, every point has one row, and the rows are the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <limits>

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include "base/numbers/random.hpp"
#include "explore/engine.hpp"
#include "explore/sqlite.hpp"
#include "explore/sqlite_store.hpp"

namespace tilewright::explore::store_test {
namespace {

using testing::HasSubstr;

const Location kWhere{"--set"};

Specification specification_of(const std::string& values = "1..500") {
    Specification specification;
    specification.space = Space({parse_knob("a=" + values, kWhere), parse_knob("b=x,y,0.5", kWhere)});
    specification.metrics = {{"cost", "", false}, {"speed", "", true}};
    specification.limits = {parse_condition("cost<900", specification.metrics, nullptr, kWhere)};
    specification.given = {{"option", "one"}};
    return specification;
}

Plan plan_of(const Specification& specification, std::int64_t chunk_points) {
    return {specification, chunk_points, {0, 1}, {}, false};
}

/// Numbers determined by the point; every 97th cannot be measured.
class Trivial : public Evaluator {
   public:
    explicit Trivial(const Specification& specification) : specification_(specification) {}

    std::optional<Batch> evaluate(const Chunk& chunk, const StopSource&) override {
        Batch batch;
        for (Point point = chunk.lo; point < chunk.hi; ++point) {
            Random random(Random::split(3, static_cast<std::uint64_t>(point)));
            const double cost = random.unit() * 1000.0;
            Row row = measured(point, {cost, random.unit()}, specification_);
            if (point % 97 == 5) row = {point, Status::failed, {}, "no mapping of point " + std::to_string(point)};
            ++batch.counts.explored;
            ++batch.counts.evaluated;
            batch.counts.valid += row.status == Status::valid ? 1 : 0;
            batch.counts.over_limit += row.status == Status::over_limit ? 1 : 0;
            batch.counts.failed += row.status == Status::failed ? 1 : 0;
            batch.rows.push_back(std::move(row));
        }
        return batch;
    }

   private:
    const Specification& specification_;
};

class StoreTest : public testing::Test {
   protected:
    StoreTest() : folder_(std::filesystem::temp_directory_path() / ("explore_" + std::to_string(::getpid()))) {
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
    }
    ~StoreTest() override { std::filesystem::remove_all(folder_); }

    std::string file(const std::string& name = "e.sqlite") const { return (folder_ / name).string(); }

    std::string message_of(const Specification& specification) const {
        try {
            static_cast<void>(open_sqlite(file(), plan_of(specification, 10)));
        } catch (const InputError& error) {
            return error.message();
        }
        return "";
    }

    std::filesystem::path folder_;
};

std::string quiet_hash(const Specification& specification) {
    const std::unique_ptr<Store> store = open_sqlite("", plan_of(specification, 1000));
    Trivial evaluator(specification);
    EXPECT_TRUE(run(evaluator, *store, StopSource()));
    return hash_of_rows(*store);
}

TEST_F(StoreTest, RowsDoNotDependOnTheChunksAndComeBackAsTheyWere) {
    const Specification specification = specification_of();
    const std::unique_ptr<Store> store = open_sqlite(file(), plan_of(specification, 7));
    Trivial evaluator(specification);
    EXPECT_TRUE(run(evaluator, *store, StopSource()));
    EXPECT_EQ(hash_of_rows(*store), quiet_hash(specification));
    const Batch batch = *evaluator.evaluate({0, 0, 1500}, StopSource());
    EXPECT_EQ(all_rows(*store), batch.rows);
    EXPECT_EQ(store->counts(), batch.counts);
    const Recorded recorded = read_sqlite(file());
    EXPECT_EQ(recorded.specification.space.knobs(), specification.space.knobs());
    EXPECT_EQ(recorded.specification.metrics, specification.metrics);
    EXPECT_EQ(hash_of_rows(*recorded.store), hash_of_rows(*store));
}

// It satisfies no relation, and SQLite stores it as null.
TEST(Measured, ARowWithAMetricThatIsNoNumberFailed) {
    Specification specification = specification_of();
    std::vector<double> values(specification.metrics.size(), 1.0);
    EXPECT_EQ(measured(3, values, specification).status, Status::valid);
    values.back() = std::numeric_limits<double>::quiet_NaN();
    const Row row = measured(3, values, specification);
    EXPECT_EQ(row.status, Status::failed);
    EXPECT_TRUE(row.values.empty());
    EXPECT_EQ(row.message, specification.metrics.back().name + " is not a number");
}

TEST_F(StoreTest, RowsDoNotDependOnTheOrderOfTheChunks) {
    const Specification specification = specification_of();
    Plan plan = plan_of(specification, 7);
    plan.shuffled = true;
    const std::unique_ptr<Store> store = open_sqlite(file(), plan);
    EXPECT_NE(store->claim().value().lo, 0);
    Trivial evaluator(specification);
    const std::unique_ptr<Store> again = open_sqlite(file("again"), plan);
    EXPECT_TRUE(run(evaluator, *again, StopSource()));
    EXPECT_EQ(hash_of_rows(*again), quiet_hash(specification));
}

TEST_F(StoreTest, APointThatKillsFourWorkersAloneIsGivenUp) {
    const Specification specification = specification_of();
    constexpr Point kPoison = 333;
    class Deadly : public Trivial {
       public:
        using Trivial::Trivial;
        std::optional<Batch> evaluate(const Chunk& chunk, const StopSource& stop) override {
            if (chunk.lo <= kPoison && kPoison < chunk.hi) ::kill(::getpid(), SIGKILL);
            return Trivial::evaluate(chunk, stop);
        }
    };
    int killed = 0;
    for (bool done = false; !done;) {
        const pid_t pid = ::fork();
        if (pid == 0) {
            try {
                const std::unique_ptr<Store> store = open_sqlite(file(), plan_of(specification, 100));
                Deadly evaluator(specification);
                run(evaluator, *store, StopSource());
            } catch (...) {
                ::_exit(1);
            }
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(pid, &status, 0);
        done = !WIFSIGNALED(status);
        killed += done ? 0 : 1;
    }
    EXPECT_EQ(killed, 7) << "three for its chunk, three for the point alone, one for its last try";
    const std::unique_ptr<Store> store = join_sqlite(file(), specification);
    ASSERT_TRUE(store->is_complete());
    const std::vector<Row> rows = all_rows(*store);
    ASSERT_EQ(rows.size(), 1500U);
    EXPECT_EQ(rows[kPoison], poisoned(kPoison));
    Trivial evaluator(specification);
    std::vector<Row> expected = evaluator.evaluate({0, 0, 1500}, StopSource())->rows;
    expected[kPoison] = poisoned(kPoison);
    EXPECT_EQ(rows, expected);
    {
        sqlite::Connection connection(file(), sqlite::Connection::Access::write);
        EXPECT_EQ(connection.number("SELECT point FROM poison WHERE attempts = 4"), kPoison);
    }
    EXPECT_EQ(all_rows(*join_sqlite(file(), specification)), expected) << "workers try nothing again";
    const std::unique_ptr<Store> next_run = open_sqlite(file(), plan_of(specification, 100));
    EXPECT_FALSE(next_run->is_complete());
    EXPECT_TRUE(run(evaluator, *next_run, StopSource()));
    EXPECT_EQ(hash_of_rows(*next_run), quiet_hash(specification)) << "it was the workers, not the point";
}

// A cause of deaths may hit the same point three times.
TEST_F(StoreTest, APointThatThreeWorkersDiedOnIsTriedOnceMoreAfterAllOthers) {
    const Specification specification = specification_of("1..4");
    {
        const std::unique_ptr<Store> store = open_sqlite(file(), plan_of(specification, 1));
        EXPECT_EQ(store->claim().value().lo, 0);
        sqlite::Connection other(file(), sqlite::Connection::Access::write);
        other.run("UPDATE chunk SET owner = '1 1', attempts = 3 WHERE lo = 0");  // three died on it
    }
    const std::unique_ptr<Store> store = open_sqlite(file(), plan_of(specification, 1));
    Trivial evaluator(specification);
    std::vector<Point> order;
    while (const std::optional<Chunk> chunk = store->claim()) {
        order.push_back(chunk->lo);
        store->commit(*chunk, *evaluator.evaluate(*chunk, StopSource()));
    }
    EXPECT_EQ(order.size(), 12U);
    EXPECT_EQ(order.back(), 0);
    EXPECT_EQ(hash_of_rows(*store), quiet_hash(specification));
}

/// Knows a few points of a chunk at a time.
class Piecemeal : public Trivial {
   public:
    using Trivial::Trivial;
    std::optional<Batch> evaluate(const Chunk& chunk, const StopSource& stop) override {
        return Trivial::evaluate({chunk.id, chunk.lo, std::min(chunk.hi, chunk.lo + 1 + chunk.lo % 5)}, stop);
    }
};

TEST_F(StoreTest, TheFirstPointsOfAChunkAreKeptAndTheOthersGoOn) {
    const Specification specification = specification_of();
    const std::unique_ptr<Store> store = open_sqlite(file(), plan_of(specification, 700));
    Piecemeal evaluator(specification);
    StopSource stop;
    std::int64_t known = 0;
    EXPECT_FALSE(run(evaluator, *store, stop, [&] {
        known = store->counts().explored;
        if (known > 300) stop.request();
    }));
    EXPECT_EQ(static_cast<std::int64_t>(all_rows(*store).size()), known);
    EXPECT_LT(known, 310);
    EXPECT_TRUE(run(evaluator, *store, StopSource()));
    EXPECT_EQ(hash_of_rows(*store), quiet_hash(specification));
    EXPECT_EQ(store->counts().explored, specification.space.size());
}

std::string bytes_of(const std::string& path) {
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return std::move(bytes).str();
}

/// A few bytes changed, a piece lost, or a piece written twice.
std::string damaged(std::string bytes, Random& random) {
    const auto size = static_cast<std::int64_t>(bytes.size());
    const std::int64_t kind = random.between(0, 9);
    if (kind == 0) {
        bytes.resize(static_cast<std::size_t>(random.between(0, size - 1)));
    } else if (kind == 1) {
        const std::int64_t length = random.between(1, 4096);
        const auto from = static_cast<std::size_t>(random.between(0, size - length));
        bytes.replace(static_cast<std::size_t>(random.between(0, size - length)), static_cast<std::size_t>(length),
                      bytes.substr(from, static_cast<std::size_t>(length)));
    } else {
        for (std::int64_t i = random.between(1, 4); i > 0; --i)
            bytes[random.between(0, size - 1)] ^= static_cast<char>(random.between(1, 255));
    }
    return bytes;
}

TEST_F(StoreTest, ADamagedFileGivesItsRowsOrNone) {
    const Specification specification = specification_of("1..100");
    {
        const std::unique_ptr<Store> store = open_sqlite(file(), plan_of(specification, 7));
        Trivial evaluator(specification);
        run(evaluator, *store, StopSource());
    }
    const std::string bytes = bytes_of(file());
    const std::vector<Row> rows = Trivial(specification).evaluate({0, 0, 300}, StopSource())->rows;
    int found_out = 0;
    constexpr int kCases = 1500;
    for (int i = 0; i < kCases; ++i) {
        Random random(Random::split(17, static_cast<std::uint64_t>(i)));
        const std::string name = file("damaged");
        std::ofstream(name, std::ios::binary) << damaged(bytes, random);
        try {
            const Recorded recorded = read_sqlite(name);
            EXPECT_EQ(all_rows(*recorded.store), rows) << "case " << i;
            EXPECT_EQ(recorded.specification.space.knobs(), specification.space.knobs()) << "case " << i;
            EXPECT_EQ(recorded.specification.metrics, specification.metrics) << "case " << i;
            EXPECT_EQ(recorded.store->counts().explored, 300) << "case " << i;
        } catch (const InputError&) {
            ++found_out;
        }
        for (const char* more : {"", "-wal", "-shm"}) std::filesystem::remove(name + more);
    }
    EXPECT_GT(found_out, kCases / 4);
    EXPECT_LT(found_out, kCases) << "unused bytes may be anything";
}

TEST_F(StoreTest, WhatIsMissingOrTooMuchIsFoundOut) {
    const Specification specification = specification_of("1..100");
    const auto message_after = [&](const std::string& sql) -> std::string {
        std::filesystem::remove(file());
        {
            const std::unique_ptr<Store> store = open_sqlite(file(), plan_of(specification, 7));
            Trivial evaluator(specification);
            run(evaluator, *store, StopSource());
        }
        sqlite::Connection(file(), sqlite::Connection::Access::write).run(sql);
        try {
            all_rows(*read_sqlite(file()).store);
            order_in_sqlite(file());
        } catch (const InputError& error) {
            return error.message();
        }
        return "";
    };
    EXPECT_EQ(message_after("SELECT 1"), "");
    EXPECT_THAT(message_after("DELETE FROM result WHERE point = 17"),
                HasSubstr("is damaged: it holds 299 rows of the 300"));
    EXPECT_THAT(message_after("DELETE FROM chunk WHERE lo = 21"), HasSubstr("the points from 21 on are in no chunk"));
    EXPECT_THAT(message_after("UPDATE chunk SET state = 0 WHERE lo = 21"), HasSubstr("it holds 300 rows of the 293"));
    EXPECT_THAT(message_after("UPDATE chunk SET skipped = 1 WHERE lo = 21"),
                HasSubstr("what was counted of points 21 to 27"));
    EXPECT_THAT(message_after("UPDATE result SET cost = cost * 2 WHERE point = 30"), HasSubstr("the row of point 30"));
    EXPECT_THAT(message_after("UPDATE result SET status = 0 WHERE status = 1"), HasSubstr("the row of point"));
    EXPECT_THAT(message_after("UPDATE failure SET message = 'x'"), HasSubstr("the row of point 5"));
    EXPECT_THAT(message_after("UPDATE knob_value SET text = '7' WHERE position = 3"),
                HasSubstr("what it says about itself"));
    EXPECT_THAT(message_after("UPDATE metric SET more_is_better = 1"), HasSubstr("what it says about itself"));
    EXPECT_THAT(message_after("UPDATE argument SET text = '/etc'"), HasSubstr("the command or its files"));
    EXPECT_THAT(message_after("UPDATE knob SET count = 9223372036854775807 WHERE knob = 0"),
                HasSubstr("the values of 'a' are not as many as it says"));
    EXPECT_THAT(message_after("UPDATE knob SET stride = 1"), HasSubstr("the values of 'a' are not"));
}

// A foreign store may hold anything: an endless view as a table, a trigger on writes.
TEST_F(StoreTest, WhatIsNotOfThisProgramIsRefusedBeforeItIsAsked) {
    const Specification specification = specification_of("1..100");
    const auto message_after = [&](const std::string& sql) -> std::string {
        std::filesystem::remove(file());
        static_cast<void>(open_sqlite(file(), plan_of(specification, 7)));
        {
            sqlite::Connection hand(file(), sqlite::Connection::Access::write);
            sqlite3_db_config(hand.handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 1, nullptr);
            hand.run(sql);
        }
        std::string messages;
        const std::function<void()> doors[] = {
            [&] { all_rows(*read_sqlite(file()).store); }, [&] { order_in_sqlite(file()); },
            [&] { join_sqlite(file(), specification); }, [&] { open_sqlite(file(), plan_of(specification, 7)); }};
        for (const std::function<void()>& door : doors) {
            try {
                door();
                messages += "(read)";
            } catch (const InputError& error) {
                if (messages.find(error.message()) == std::string::npos) messages += error.message();
            }
        }
        return messages;
    };
    const std::string endless = " AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) ";
    EXPECT_EQ(message_after("SELECT 1"), "(read)(read)(read)(read)");
    EXPECT_EQ(message_after("ANALYZE"), "(read)(read)(read)(read)");
    EXPECT_EQ(message_after("ALTER TABLE result RENAME TO old; CREATE VIEW result" + endless +
                            "SELECT x AS point, x AS status, x AS cost, x AS speed, x AS checksum FROM c"),
              "is damaged: the table 'old' in it is not of this program");
    EXPECT_EQ(message_after("DROP TABLE result; CREATE VIEW result" + endless + "SELECT x AS point FROM c"),
              "is damaged: the view 'result' in it is not of this program");
    EXPECT_EQ(
        message_after("DROP TABLE seal; CREATE VIEW seal" + endless + "SELECT x AS exploration, x AS work FROM c"),
        "is damaged: the view 'seal' in it is not of this program");
    EXPECT_EQ(message_after("CREATE TRIGGER t AFTER UPDATE ON chunk BEGIN DELETE FROM result; END"),
              "is damaged: the trigger 't' in it is not of this program");
    EXPECT_EQ(message_after("CREATE INDEX i ON chunk(abs(lo))"),
              "is damaged: the index 'i' in it is not of this program");
    EXPECT_EQ(message_after("DROP TABLE poison"), "is damaged: the table 'poison' in it is gone");
    EXPECT_EQ(message_after("DROP VIEW pareto; CREATE VIEW pareto" + endless + "SELECT x FROM c"),
              "is damaged: the view 'pareto' in it is not as it was made(read)");
    EXPECT_EQ(message_after("ALTER TABLE result ADD COLUMN more INTEGER"),
              "is damaged: the table 'result' in it is not as it was made(read)");
}

// Counted in steps of SQLite's machine.
TEST_F(StoreTest, AStatementThatGoesOnForLongerThanItsFileIsLargeEnds) {
    sqlite::Connection connection(file(), sqlite::Connection::Access::make);
    connection.run("CREATE TABLE t(x)");
    const std::string count = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT ";
    EXPECT_EQ(connection.number(count + "10000) SELECT count(*) FROM c"), 10'000);
    const auto message_of_a_query = [&](sqlite::Connection& asked, const std::string& sql) -> std::string {
        try {
            static_cast<void>(asked.number(sql));
        } catch (const InputError& error) {
            return error.message();
        }
        return "";
    };
    EXPECT_THAT(message_of_a_query(connection, count + "-1) SELECT count(*) FROM c"), HasSubstr("is damaged: reading"));
    connection.run("CREATE VIEW v AS SELECT 1");
    EXPECT_THAT(message_of_a_query(connection, "SELECT * FROM v"), HasSubstr("prohibited"));
}

TEST_F(StoreTest, WorkersStopWhenTheyAreToldTo) {
    const Specification specification = specification_of();
    const std::unique_ptr<Store> store = open_sqlite(file(), plan_of(specification, 50));
    Trivial evaluator(specification);
    int commits = 0;
    EXPECT_FALSE(run(evaluator, *store, StopSource(), [&] {
        if (++commits == 3) open_sqlite(file(), plan_of(specification, 50))->set_stopped(true);
    }));
    EXPECT_EQ(commits, 3);
    store->set_stopped(false);
    EXPECT_TRUE(run(evaluator, *store, StopSource()));
    EXPECT_EQ(hash_of_rows(*store), quiet_hash(specification));
}

TEST_F(StoreTest, TheCommandAndItsFilesComeBackAsTheyWere) {
    Plan plan = plan_of(specification_of(), 50);
    plan.order = {
        {"--arch=a.yaml", "--set=a=1,2"}, "/here", {{"/abs/b.onnx", std::string("\0\xff\n", 3)}, {"a.yaml", "x"}}};
    static_cast<void>(open_sqlite(file(), plan));
    EXPECT_EQ(order_in_sqlite(file()), plan.order);
}

TEST_F(StoreTest, IncumbentsAreToldOnce) {
    Specification specification = specification_of();
    specification.front_only = {0};
    const std::unique_ptr<Store> store = open_sqlite(file(), plan_of(specification, 500));
    const std::unique_ptr<Store> other = open_sqlite(file(), plan_of(specification, 500));
    Trivial evaluator(specification);
    const Chunk chunk = store->claim().value();
    Batch batch = *evaluator.evaluate(chunk, StopSource());
    batch.incumbents = {7, 12};
    EXPECT_TRUE(store->commit(chunk, batch));
    EXPECT_EQ(other->fresh_incumbents(), (std::vector<Row>{batch.rows[7], batch.rows[12]}));
    EXPECT_TRUE(other->fresh_incumbents().empty());
    const std::vector<Row> front = rows_that_count(all_rows(*store), read_sqlite(file()).specification);
    ASSERT_EQ(front.size(), 1U);
    for (const Row& row : batch.rows)
        if (row.status == Status::valid) {
            EXPECT_LE(front.front().values[0], row.values[0]);
        }
}

TEST_F(StoreTest, ItsViewsAnswerAsTheProgramDoes) {
    const Specification specification = specification_of();
    const std::unique_ptr<Store> store = open_sqlite(file(), plan_of(specification, 100));
    Trivial evaluator(specification);
    run(evaluator, *store, StopSource());
    sqlite::Connection connection(file(), sqlite::Connection::Access::write);
    sqlite3_db_config(connection.handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 1, nullptr);  // they are for people
    std::vector<Point> view;
    sqlite::Statement pareto(connection, "SELECT point FROM pareto");
    while (pareto.step()) view.push_back(pareto.whole(0));
    std::vector<Point> expected;
    for (const Row& row : pareto_front(all_rows(*store), {0, 1}, specification.metrics)) expected.push_back(row.point);
    EXPECT_EQ(view, expected);
    sqlite::Statement points(connection, "SELECT a, b, status, cost FROM points WHERE point = 1001");
    ASSERT_TRUE(points.step());
    EXPECT_EQ(points.text(0), specification.space.value(1001, 0));
    EXPECT_EQ(points.text(1), specification.space.value(1001, 1));
    EXPECT_EQ(connection.number("SELECT count(*) FROM points"), 1500);
    EXPECT_EQ(connection.number("SELECT count(*) FROM failures"), store->counts().failed);
    EXPECT_EQ(connection.number("SELECT count(*) FROM points WHERE b = 0.5"), 500);
}

TEST_F(StoreTest, AStoppedRunGoesOn) {
    const Specification specification = specification_of();
    Trivial evaluator(specification);
    int commits = 0;
    for (int attempt = 0; attempt < 1000; ++attempt) {
        const std::unique_ptr<Store> store = open_sqlite(file(), plan_of(specification, 50));
        StopSource stop;
        if (run(evaluator, *store, stop, [&] {
                ++commits;
                stop.request();
            }))
            break;
    }
    EXPECT_EQ(commits, 30);  // no point twice
    EXPECT_EQ(hash_of_rows(*open_sqlite(file(), plan_of(specification, 50))), quiet_hash(specification));
}

/// Kills its own process at a moment of the run.
class Suicidal : public Trivial {
   public:
    Suicidal(const Specification& specification, int after) : Trivial(specification), left_(after) {}
    std::optional<Batch> evaluate(const Chunk& chunk, const StopSource& stop) override {
        if (left_-- == 0) ::kill(::getpid(), SIGKILL);
        return Trivial::evaluate(chunk, stop);
    }

   private:
    int left_;
};

TEST_F(StoreTest, WorkersThatAreKilledLoseNothing) {
    const Specification specification = specification_of();
    constexpr int kWorkers = 4;
    int killed = 0;
    for (int round = 0; round < 3; ++round) {
        std::vector<pid_t> workers;
        for (int i = 0; i < kWorkers; ++i) {
            const pid_t pid = ::fork();
            if (pid == 0) {
                try {  // the folder is the parent's: whatever happens, the child ends here
                    const std::unique_ptr<Store> store = open_sqlite(file(), plan_of(specification, 10));
                    Suicidal evaluator(specification, 3 * i + round);
                    run(evaluator, *store, StopSource());
                } catch (...) {
                }
                ::_exit(1);
            }
            workers.push_back(pid);
        }
        for (const pid_t pid : workers) {
            int status = 0;
            ::waitpid(pid, &status, 0);
            killed += WIFSIGNALED(status) ? 1 : 0;
        }
    }
    EXPECT_EQ(killed, 3 * kWorkers);
    const std::unique_ptr<Store> store = open_sqlite(file(), plan_of(specification, 10));
    EXPECT_FALSE(store->is_complete());
    EXPECT_GT(store->counts().explored, 0);
    Trivial evaluator(specification);
    EXPECT_TRUE(run(evaluator, *store, StopSource()));
    EXPECT_EQ(hash_of_rows(*store), quiet_hash(specification));
}

TEST_F(StoreTest, AChunkThatSomebodyElseTookIsNotCommittedTwice) {
    const Specification specification = specification_of();
    Trivial evaluator(specification);
    const std::unique_ptr<Store> store = open_sqlite(file(), plan_of(specification, 1000));
    const Chunk chunk = store->claim().value();
    const Batch batch = *evaluator.evaluate(chunk, StopSource());
    {
        sqlite::Connection other(file(), sqlite::Connection::Access::write);
        other.run("UPDATE chunk SET owner = '1 1' WHERE id = 1");  // the process that took it for dead
    }
    EXPECT_FALSE(store->commit(chunk, batch));
    EXPECT_EQ(store->counts().explored, 0);
    EXPECT_TRUE(run(evaluator, *store, StopSource()));
    EXPECT_EQ(hash_of_rows(*store), quiet_hash(specification));
}

TEST_F(StoreTest, AnotherExplorationIsRefused) {
    static_cast<void>(open_sqlite(file(), plan_of(specification_of(), 10)));
    EXPECT_EQ(message_of(specification_of()), "");
    EXPECT_THAT(message_of(specification_of("1..400")), HasSubstr("holds another exploration: its 'knob 1: a' is 1,2"));
    Specification other = specification_of();
    other.given = {{"option", "two"}};
    EXPECT_THAT(message_of(other), HasSubstr("its 'option' is one, not two"));
    other.given = {{"option", "one"}, {"more", "x"}};
    EXPECT_THAT(message_of(other), HasSubstr("without 'more' (x)"));
    other.given.clear();
    EXPECT_THAT(message_of(other), HasSubstr("with 'option' (one)"));
    other = specification_of();
    other.limits.clear();
    EXPECT_THAT(message_of(other), HasSubstr("its 'limits' is"));
}

TEST_F(StoreTest, WhatIsNoStoreOfThisProgramIsRefused) {
    {
        sqlite::Connection(file(), sqlite::Connection::Access::make).run("CREATE TABLE mine(x)");
    }
    EXPECT_THAT(message_of(specification_of()), HasSubstr("is a database of another program"));
    std::filesystem::remove(file());
    static_cast<void>(open_sqlite(file(), plan_of(specification_of(), 10)));
    {
        sqlite::Connection(file(), sqlite::Connection::Access::write).run("PRAGMA user_version = 0");
    }
    EXPECT_THAT(message_of(specification_of()), HasSubstr("has schema 0, this program reads and writes schema 3"));
    std::ofstream(file("text")) << std::string(5000, 'x');
    EXPECT_THROW(read_sqlite(file("text")), InputError);
    EXPECT_THROW(read_sqlite(file("none")), InputError);
    EXPECT_THROW(read_sqlite(folder_.string()), InputError);
}

}  // namespace
}  // namespace tilewright::explore::store_test
