#include "explore/sqlite_schema.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers/random.hpp"
#include "explore/audit.hpp"

namespace tilewright::explore::sqlite {
namespace {

constexpr std::int64_t kApplication = 0x54574558;  // "TWEX"

constexpr const char* kTables = R"(
CREATE TABLE specification(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE knob(knob INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, count INTEGER NOT NULL, stride INTEGER NOT NULL)
    STRICT;
CREATE TABLE knob_value(knob INTEGER NOT NULL REFERENCES knob, position INTEGER NOT NULL, text TEXT NOT NULL,
    value ANY NOT NULL, PRIMARY KEY(knob, position)) STRICT, WITHOUT ROWID;
CREATE TABLE metric(metric INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, alias TEXT NOT NULL,
    more_is_better INTEGER NOT NULL, front INTEGER) STRICT;
CREATE TABLE chunk(id INTEGER PRIMARY KEY, lo INTEGER NOT NULL, hi INTEGER NOT NULL, state INTEGER NOT NULL DEFAULT 0,
    owner TEXT, attempts INTEGER NOT NULL DEFAULT 0, evaluated INTEGER, skipped INTEGER, valid INTEGER,
    over_limit INTEGER, failed INTEGER, rows INTEGER, checksum INTEGER) STRICT;
CREATE INDEX chunk_open ON chunk(state, id) WHERE state < 2;
CREATE TABLE failure(point INTEGER PRIMARY KEY, message TEXT NOT NULL) STRICT;
CREATE TABLE poison(point INTEGER PRIMARY KEY, attempts INTEGER NOT NULL) STRICT;
CREATE TABLE incumbent(id INTEGER PRIMARY KEY, point INTEGER NOT NULL) STRICT;
CREATE TABLE control(stopped INTEGER NOT NULL) STRICT;
INSERT INTO control VALUES(0);
CREATE TABLE argument(position INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
CREATE TABLE input(name TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
CREATE TABLE seal(exploration TEXT NOT NULL, work TEXT NOT NULL) STRICT;
)";

std::string metric_columns(const Specification& specification, std::string_view before, std::string_view after) {
    std::string text;
    for (const Metric& metric : specification.metrics)
        text += fmt::format(", {}{}{}", before, sqlite::quoted(metric.name), after);
    return text;
}

// Every knob as a column: its value at the row's point.
std::string knob_columns(const Specification& specification) {
    std::string text;
    const Space& space = specification.space;
    for (std::size_t i = 0; i < space.knobs().size(); ++i)
        text += fmt::format(", (SELECT value FROM knob_value WHERE knob = {} AND position = row.point / {} % {}) AS {}",
                            i, space.stride(i), space.knobs()[i].values.size(), sqlite::quoted(space.knobs()[i].name));
    return text;
}

std::string better(const Metric& metric, bool strictly) {
    const std::string column = sqlite::quoted(metric.name);
    return fmt::format("other.{0} {1}{2} row.{0}", column, metric.more_is_better ? '>' : '<', strictly ? "" : "=");
}

// Non-dominated rows within the limits.
std::string pareto_view(const Specification& specification, const std::vector<std::size_t>& front) {
    std::string as_good;
    std::string better_in_one;
    for (const std::size_t metric : front) {
        as_good += " AND " + better(specification.metrics[metric], false);
        better_in_one += (better_in_one.empty() ? "" : " OR ") + better(specification.metrics[metric], true);
    }
    return fmt::format(
        "CREATE VIEW pareto AS SELECT * FROM points AS row WHERE status = 'valid' AND NOT EXISTS "
        "(SELECT 1 FROM result AS other WHERE other.status = 0{} AND ({})) ORDER BY {};",
        as_good, better_in_one, sqlite::quoted(specification.metrics[front.front()].name));
}

void make_views(Connection& connection, const Specification& specification, const std::vector<std::size_t>& front) {
    const std::string knobs = knob_columns(specification);
    connection.run(
        fmt::format("CREATE VIEW points AS SELECT row.point{}, CASE row.status WHEN 0 THEN 'valid' WHEN 1 "
                    "THEN 'over limit' ELSE 'failed' END AS status{} FROM result AS row;",
                    knobs, metric_columns(specification, "row.", "")));
    connection.run(pareto_view(specification, front));
    connection.run(fmt::format(
        "CREATE VIEW failures AS SELECT row.point{}, row.message FROM failure AS row ORDER BY row.point;", knobs));
}

void bind_value(Statement& statement, int index, const std::string& text) {
    const char* end = text.data() + text.size();
    std::int64_t whole = 0;
    if (const auto [stopped, error] = std::from_chars(text.data(), end, whole);
        error == std::errc{} && stopped == end) {
        statement.bind(index, whole);
        return;
    }
    double real = 0.0;
    if (const auto [stopped, error] = std::from_chars(text.data(), end, real);
        error == std::errc{} && stopped == end && std::isfinite(real)) {  // NaN is no value
        statement.bind(index, real);
        return;
    }
    statement.bind(index, text);
}

void add_knobs(Connection& connection, const Space& space) {
    Statement knob(connection, "INSERT INTO knob VALUES(?, ?, ?, ?)");
    Statement value(connection, "INSERT INTO knob_value VALUES(?, ?, ?, ?)");
    for (std::size_t i = 0; i < space.knobs().size(); ++i) {
        const auto number = static_cast<std::int64_t>(i);
        const std::vector<std::string>& values = space.knobs()[i].values;
        knob.bind(0, number).bind(1, space.knobs()[i].name).bind(2, static_cast<std::int64_t>(values.size()));
        knob.bind(3, space.stride(i)).run();
        for (std::size_t position = 0; position < values.size(); ++position) {
            value.bind(0, number).bind(1, static_cast<std::int64_t>(position)).bind(2, values[position]);
            bind_value(value, 3, values[position]);
            value.run();
        }
    }
}

void add_metrics(Connection& connection, const std::vector<Metric>& metrics, const std::vector<std::size_t>& front) {
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        Statement metric(connection, "INSERT INTO metric VALUES(?, ?, ?, ?, ?)");
        metric.bind(0, static_cast<std::int64_t>(i)).bind(1, metrics[i].name).bind(2, metrics[i].alias);
        metric.bind(3, std::int64_t{metrics[i].more_is_better});
        for (std::size_t place = 0; place < front.size(); ++place)
            if (front[place] == i) metric.bind(4, static_cast<std::int64_t>(place));
        metric.run();
    }
}

// The command's folder comes before the arguments.
void add_order(Connection& connection, const WorkOrder& order) {
    Statement argument(connection, "INSERT INTO argument VALUES(?, ?)");
    argument.bind(0, std::int64_t{0}).bind(1, order.folder).run();
    for (std::size_t i = 0; i < order.arguments.size(); ++i)
        argument.bind(0, static_cast<std::int64_t>(i) + 1).bind(1, order.arguments[i]).run();
    Statement input(connection, "INSERT INTO input VALUES(?, ?)");
    for (const WorkOrder::File& file : order.files) input.bind(0, file.name).bind_bytes(1, file.bytes).run();
}

}  // namespace

namespace {

void make_results(Connection& connection, const Specification& specification, const std::vector<std::size_t>& front) {
    connection.run(fmt::format(
        "CREATE TABLE result(point INTEGER PRIMARY KEY, status INTEGER NOT NULL{}, checksum INTEGER NOT NULL) STRICT;",
        metric_columns(specification, "", " REAL")));
    make_views(connection, specification, front);
}

// Only tables defined as by this program are queried. First those describing the others.
void refuse_other_tables(Connection& connection) {
    Objects found = objects_in(connection);
    for (const auto& [kind, name] : {std::pair("table", "result"), std::pair("view", "points"),
                                     std::pair("view", "pareto"), std::pair("view", "failures")})
        found.erase({kind, name});
    Connection ours("", Connection::Access::make);
    ours.run(kTables);
    refuse_other_objects(connection.file(), found, objects_in(ours));
}

void refuse_other_schema(Connection& connection, const Specification& specification) {
    Connection ours("", Connection::Access::make);
    ours.run(kTables);
    make_results(ours, specification, read_front(connection, specification.metrics));
    refuse_other_objects(connection.file(), objects_in(connection), objects_in(ours));
}

}  // namespace

bool is_new(Connection& connection) {
    const std::int64_t application = connection.number("PRAGMA application_id");
    const std::int64_t schema = connection.number("PRAGMA user_version");
    if (application == 0 && connection.number("SELECT count(*) FROM sqlite_schema") == 0) return true;
    if (application != kApplication)
        throw InputError(ErrorCode::bad_value, {connection.file()}, "is a database of another program");
    if (schema != kSchema)
        throw InputError(ErrorCode::bad_value, {connection.file()},
                         fmt::format("has schema {}, this program reads and writes schema {}: take another --store",
                                     schema, kSchema));
    refuse_other_tables(connection);
    return false;
}

void add_chunks(Connection& connection, Point lo, Point hi, std::int64_t points, bool shuffled) {
    std::vector<Chunk> chunks;
    while (lo < hi) {
        const Point end = hi - lo > points ? lo + points : hi;
        chunks.push_back({0, lo, end});
        lo = end;
    }
    Random random(1);
    for (std::size_t left = chunks.size(); shuffled && left > 1; --left)
        std::swap(chunks[left - 1], chunks[random.below(left)]);
    Statement insert(connection, "INSERT INTO chunk(lo, hi) VALUES(?, ?)");
    for (const Chunk& chunk : chunks) insert.bind(0, chunk.lo).bind(1, chunk.hi).run();
}

void make_schema(Connection& connection, const Plan& plan) {
    const Specification& specification = plan.specification;
    connection.run(fmt::format("PRAGMA application_id = {}", kApplication));
    connection.run(fmt::format("PRAGMA user_version = {}", kSchema));
    connection.run(kTables);
    make_results(connection, specification, plan.front);
    Statement entry(connection, "INSERT INTO specification VALUES(?, ?)");
    for (const auto& [key, value] : identity(specification)) entry.bind(0, key).bind(1, value).run();
    add_knobs(connection, specification.space);
    add_metrics(connection, specification.metrics, plan.front);
    add_order(connection, plan.order);
    Statement seal(connection, "INSERT INTO seal VALUES(?, ?)");
    seal.bind(0, seal_of(specification, plan.front)).bind(1, seal_of(plan.order)).run();
    add_chunks(connection, 0, specification.space.size(), plan.chunk_points, plan.shuffled);
}

void open_given_up(Connection& connection) {
    if (connection.number("SELECT count(*) FROM poison") == 0) return;
    Statement again(connection,
                    "UPDATE chunk SET state = 1, owner = NULL, attempts = ?, evaluated = NULL, skipped = NULL, "
                    "valid = NULL, over_limit = NULL, failed = NULL, rows = NULL, checksum = NULL "
                    "WHERE state = 2 AND hi = lo + 1 AND lo IN (SELECT point FROM poison)");
    again.bind(0, kMostAttempts).run();
    for (const char* table : {"result", "failure"})
        connection.run(fmt::format("DELETE FROM {} WHERE point IN (SELECT point FROM poison)", table));
    connection.run("DELETE FROM poison");
}

std::map<std::string, std::string> entries_of(Connection& connection) {
    std::map<std::string, std::string> entries;
    Statement entry(connection, "SELECT key, value FROM specification ORDER BY key");
    while (entry.step()) entries.emplace(entry.text(0), entry.text(1));
    return entries;
}

namespace {

// The views' arithmetic.
void check_knobs(Connection& connection, const Space& space) {
    Statement knob(connection, "SELECT knob, count, stride FROM knob ORDER BY knob");
    for (std::size_t i = 0; knob.step(); ++i)
        if (knob.whole(0) != static_cast<std::int64_t>(i) ||
            knob.whole(1) != static_cast<std::int64_t>(space.knobs()[i].values.size()) ||
            knob.whole(2) != space.stride(i))
            fail_damaged(connection.file(), "the values of '" + space.knobs()[i].name + "' are not as many as it says");
}

std::string seal_in(Connection& connection, const std::string& column) {
    Statement seal(connection, "SELECT " + column + " FROM seal");
    return seal.step() ? seal.text(0) : "";
}

}  // namespace

void refuse_other(Connection& connection, const Specification& specification) {
    if (const std::string difference = first_difference(specification, entries_of(connection)); !difference.empty())
        throw InputError(ErrorCode::bad_value, {connection.file()},
                         "holds another exploration: " + difference + "; take another --store");
    refuse_other_schema(connection, specification);
}

Specification read_specification(Connection& connection) {
    std::vector<Knob> knobs;
    Statement knob(connection, "SELECT name FROM knob ORDER BY knob");
    while (knob.step()) knobs.push_back({knob.text(0), {}, {connection.file()}});
    Statement value(connection, "SELECT knob, text FROM knob_value ORDER BY knob, position");
    while (value.step()) {
        const auto number = static_cast<std::size_t>(value.whole(0));
        if (number < knobs.size()) knobs[number].values.push_back(value.text(1));
    }
    for (const Knob& one : knobs)
        if (one.values.empty())
            throw InputError(ErrorCode::bad_value, {connection.file()}, "the knob '" + one.name + "' has no values");
    Specification specification;
    specification.space = Space(std::move(knobs));
    Statement metric(connection, "SELECT name, alias, more_is_better FROM metric ORDER BY metric");
    while (metric.step()) specification.metrics.push_back({metric.text(0), metric.text(1), metric.whole(2) != 0});
    Statement front(connection, "SELECT value FROM specification WHERE key = 'only the front of'");
    if (front.step())
        specification.front_only = metrics_named(specification.metrics, front.text(0), {connection.file()});
    if (seal_in(connection, "exploration") != seal_of(entries_of(connection), specification.space,
                                                      specification.metrics,
                                                      read_front(connection, specification.metrics)))
        fail_damaged(connection.file(), "what it says about itself is not what was written");
    check_knobs(connection, specification.space);
    refuse_other_schema(connection, specification);
    return specification;
}

std::vector<std::size_t> read_front(Connection& connection, const std::vector<Metric>& metrics) {
    std::vector<std::size_t> front;
    Statement metric(connection, "SELECT name FROM metric WHERE front IS NOT NULL ORDER BY front");
    while (metric.step()) front.push_back(metric_named(metrics, metric.text(0), {connection.file()}));
    return front;
}

WorkOrder read_order(Connection& connection) {
    WorkOrder order;
    Statement argument(connection, "SELECT text FROM argument ORDER BY position");
    if (argument.step()) order.folder = argument.text(0);
    while (argument.step()) order.arguments.push_back(argument.text(0));
    Statement input(connection, "SELECT name, bytes FROM input ORDER BY name");
    while (input.step()) order.files.push_back({input.text(0), input.bytes(1)});
    if (seal_in(connection, "work") != seal_of(order))
        fail_damaged(connection.file(), "the command or its files are not what was written");
    return order;
}

}  // namespace tilewright::explore::sqlite
