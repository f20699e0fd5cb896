#include "explore/cluster/libpq/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.hpp"

namespace tilewright::cluster {
namespace {

using explore::Knob;
using explore::Metric;
using explore::Plan;
using explore::Space;
using explore::Specification;

constexpr const char* kTables = R"(
CREATE TABLE tilewright_explore(schema bigint NOT NULL, exploration text NOT NULL, work text NOT NULL);
CREATE TABLE specification(key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE knob(knob bigint PRIMARY KEY, name text NOT NULL UNIQUE, count bigint NOT NULL, stride bigint NOT NULL);
CREATE TABLE knob_value(knob bigint NOT NULL REFERENCES knob, position bigint NOT NULL, text text NOT NULL,
    number double precision, PRIMARY KEY(knob, position));
CREATE TABLE metric(metric bigint PRIMARY KEY, name text NOT NULL UNIQUE, alias text NOT NULL,
    more_is_better boolean NOT NULL, front bigint);
CREATE TABLE chunk(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, lo bigint NOT NULL, hi bigint NOT NULL,
    state smallint NOT NULL DEFAULT 0, owner text, lease timestamptz, attempts bigint NOT NULL DEFAULT 0,
    evaluated bigint, skipped bigint, valid bigint, over_limit bigint, failed bigint, rows bigint, checksum bigint);
CREATE INDEX chunk_open ON chunk(state, id) WHERE state < 2;
CREATE TABLE failure(point bigint PRIMARY KEY, message text NOT NULL);
CREATE TABLE poison(point bigint PRIMARY KEY, attempts bigint NOT NULL);
CREATE TABLE incumbent(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, point bigint NOT NULL);
CREATE TABLE control(stopped boolean NOT NULL);
INSERT INTO control VALUES(false);
CREATE TABLE argument(position bigint PRIMARY KEY, text text NOT NULL);
CREATE TABLE input(name text PRIMARY KEY, bytes bytea NOT NULL);
)";

std::string metric_columns(Connection& connection, const Specification& specification, std::string_view before,
                           std::string_view after) {
    std::string text;
    for (const Metric& metric : specification.metrics)
        text += fmt::format(", {}{}{}", before, connection.quoted(metric.name), after);
    return text;
}

std::optional<double> number_in(const std::string& text) {
    double value = 0.0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stopped != end || !std::isfinite(value)) return std::nullopt;  // NaN is no value
    return value;
}

bool all_numbers(const Knob& knob) {
    return std::all_of(knob.values.begin(), knob.values.end(),
                       [](const std::string& value) { return number_in(value).has_value(); });
}

// Every knob as a column: its value at the row's point, numeric if all its values are numbers.
std::string knob_columns(Connection& connection, const Space& space) {
    std::string text;
    for (std::size_t i = 0; i < space.knobs().size(); ++i) {
        const Knob& knob = space.knobs()[i];
        text += fmt::format(
            ", (SELECT v.{} FROM knob_value AS v WHERE v.knob = {} AND v.position = row.point / {} % {}) AS {}",
            all_numbers(knob) ? "number" : "text", i, space.stride(i), knob.values.size(),
            connection.quoted(knob.name));
    }
    return text;
}

// Non-dominated rows within the limits.
std::string pareto_view(Connection& connection, const Plan& plan) {
    std::string as_good;
    std::string better_in_one;
    for (const std::size_t i : plan.front) {
        const Metric& metric = plan.specification.metrics[i];
        const std::string column = connection.quoted(metric.name);
        const char relation = metric.more_is_better ? '>' : '<';
        as_good += fmt::format(" AND other.{0} {1}= row.{0}", column, relation);
        better_in_one += fmt::format("{2}other.{0} {1} row.{0}", column, relation, better_in_one.empty() ? "" : " OR ");
    }
    return fmt::format(
        "CREATE VIEW pareto AS SELECT * FROM points AS row WHERE status = 'valid' AND NOT EXISTS "
        "(SELECT 1 FROM result AS other WHERE other.status = 0{} AND ({})) ORDER BY {}",
        as_good, better_in_one, connection.quoted(plan.specification.metrics[plan.front.front()].name));
}

void make_views(Connection& connection, const Plan& plan) {
    const std::string knobs = knob_columns(connection, plan.specification.space);
    connection.run(
        fmt::format("CREATE VIEW points AS SELECT row.point{}, CASE row.status WHEN 0 THEN 'valid' WHEN 1 "
                    "THEN 'over limit' ELSE 'failed' END AS status{} FROM result AS row",
                    knobs, metric_columns(connection, plan.specification, "row.", "")));
    connection.run(pareto_view(connection, plan));
    connection.run(fmt::format(
        "CREATE VIEW failures AS SELECT row.point{}, row.message FROM failure AS row ORDER BY row.point", knobs));
}

void add_knobs(Connection& connection, const Space& space) {
    for (std::size_t i = 0; i < space.knobs().size(); ++i) {
        const Knob& knob = space.knobs()[i];
        connection.query(
            "INSERT INTO knob VALUES($1, $2, $3, $4)",
            {static_cast<std::int64_t>(i), knob.name, static_cast<std::int64_t>(knob.values.size()), space.stride(i)});
    }
    BulkLoad load(connection, "knob_value");
    for (std::size_t i = 0; i < space.knobs().size(); ++i) {
        const std::vector<std::string>& values = space.knobs()[i].values;
        for (std::size_t position = 0; position < values.size(); ++position) {
            load.begin_row(4);
            load.add_whole(static_cast<std::int64_t>(i));
            load.add_whole(static_cast<std::int64_t>(position));
            load.add_text(values[position]);
            if (const std::optional<double> number = number_in(values[position]))
                load.add_real(*number);
            else
                load.add_null();
        }
    }
    load.finish();
}

void add_metrics(Connection& connection, const Plan& plan) {
    const std::vector<Metric>& metrics = plan.specification.metrics;
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        const auto place = std::find(plan.front.begin(), plan.front.end(), i);
        connection.query(
            "INSERT INTO metric VALUES($1, $2, $3, $4, $5)",
            {static_cast<std::int64_t>(i), metrics[i].name, metrics[i].alias,
             metrics[i].more_is_better ? "true" : "false",
             place == plan.front.end() ? Parameter(nullptr) : Parameter(std::int64_t{place - plan.front.begin()})});
    }
}

// The command's folder comes before the arguments.
void add_order(Connection& connection, const explore::WorkOrder& order) {
    connection.query("INSERT INTO argument VALUES(0, $1)", {order.folder});
    for (std::size_t i = 0; i < order.arguments.size(); ++i)
        connection.query("INSERT INTO argument VALUES($1, $2)", {static_cast<std::int64_t>(i) + 1, order.arguments[i]});
    for (const explore::WorkOrder::File& file : order.files)
        connection.query("INSERT INTO input VALUES($1, $2)", {file.name, Parameter::binary(file.bytes)});
}

void add_chunks(Connection& connection, const Plan& plan) {
    connection.query(
        "INSERT INTO chunk(lo, hi) SELECT lo, lo + least($2::bigint, $1::bigint - lo) "
        "FROM generate_series(0::bigint, $1::bigint - 1, $2::bigint) AS lo "
        "ORDER BY CASE WHEN $3::boolean THEN md5(lo::text) END, lo",
        {plan.specification.space.size(), plan.chunk_points, plan.shuffled ? "true" : "false"});
}

// PostgreSQL would cut longer names, and two might become one.
void refuse_long_names(const Specification& specification) {
    constexpr std::size_t kMost = 63;
    for (const Knob& knob : specification.space.knobs())
        if (knob.name.size() > kMost)
            throw InputError(ErrorCode::unsupported, knob.where,
                             fmt::format("the name '{}' is too long for a column of PostgreSQL: at most {} bytes",
                                         knob.name, kMost));
}

constexpr const char* kTableNames =
    "'tilewright_explore', 'specification', 'knob', 'knob_value', 'metric', 'chunk', 'failure', 'poison', 'incumbent', "
    "'control', 'argument', 'input', 'result'";

// The schema's owner controls it. The program queries tables only, and only inert ones: a view may be an endless query,
// and a trigger, rule, policy, default or index would run code as the current user.
void refuse_other_objects(Connection& connection) {
    const Result strange = connection.query(
        std::string("SELECT c.relname FROM pg_class AS c WHERE c.relnamespace = current_schema()::regnamespace "
                    "AND c.relname IN (") +
        kTableNames +
        ") AND (c.relkind <> 'r' OR c.relhasrules OR c.relrowsecurity OR c.relhassubclass OR c.relispartition "
        "OR EXISTS (SELECT 1 FROM pg_trigger AS t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal) "
        "OR EXISTS (SELECT 1 FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attgenerated <> '') "
        "OR EXISTS (SELECT 1 FROM pg_attrdef AS d WHERE d.adrelid = c.oid AND pg_get_expr(d.adbin, d.adrelid) "
        "!~ '^''?0''?(::[a-z]+)?$') "
        "OR EXISTS (SELECT 1 FROM pg_constraint AS k WHERE k.conrelid = c.oid AND k.contype NOT IN ('p', 'u', 'f')) "
        "OR EXISTS (SELECT 1 FROM pg_index AS i JOIN pg_class AS n ON n.oid = i.indexrelid WHERE i.indrelid = c.oid "
        "AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL AND n.relname <> 'chunk_open'))) "
        "ORDER BY c.relname");
    if (strange.rows() > 0)
        throw InputError(ErrorCode::bad_value, {connection.address().shown},
                         "is damaged: the table '" + strange.text(0, 0) + "' in it is not as it was made");
}

}  // namespace

bool is_new(Connection& connection) {
    if (connection.query("SELECT current_schema()").is_null(0, 0))
        throw InputError(ErrorCode::bad_value, {connection.address().shown},
                         "has none of the schemas in its search_path: create one");
    const Result tables = connection.query(
        std::string("SELECT c.relname FROM pg_class AS c WHERE c.relnamespace = current_schema()::regnamespace "
                    "AND c.relname IN (") +
        kTableNames + ", 'points', 'pareto', 'failures') ORDER BY c.relname <> 'tilewright_explore', c.relname");
    if (tables.rows() == 0) return true;
    if (tables.text(0, 0) != "tilewright_explore")
        throw InputError(
            ErrorCode::bad_value, {connection.address().shown},
            fmt::format("holds another program's '{}': take another database or schema", tables.text(0, 0)));
    refuse_other_objects(connection);
    const Result version = connection.query("SELECT schema FROM tilewright_explore");
    const std::int64_t schema = version.rows() == 1 ? version.whole(0, 0) : 0;
    if (schema != kSchema)
        throw InputError(ErrorCode::bad_value, {connection.address().shown},
                         fmt::format("has schema {}, this program reads and writes schema {}: take another --store",
                                     schema, kSchema));
    return false;
}

void make_unless_there(Connection& connection, const Plan& plan) {
    constexpr std::int64_t kLock = 0x54574558;  // "TWEX": one planner at a time
    refuse_long_names(plan.specification);
    Transaction transaction(connection);
    connection.query("SELECT pg_advisory_xact_lock($1)", {kLock});
    if (!is_new(connection)) return;
    connection.run(kTables);
    connection.query("INSERT INTO tilewright_explore VALUES($1, $2, $3)",
                     {kSchema, explore::seal_of(plan.specification, plan.front), explore::seal_of(plan.order)});
    connection.run(fmt::format(
        "CREATE TABLE result(point bigint PRIMARY KEY, status smallint NOT NULL{}, checksum bigint NOT NULL)",
        metric_columns(connection, plan.specification, "", " double precision")));
    make_views(connection, plan);
    for (const auto& [key, value] : identity(plan.specification))
        connection.query("INSERT INTO specification VALUES($1, $2)", {key, value});
    add_knobs(connection, plan.specification.space);
    add_metrics(connection, plan);
    add_order(connection, plan.order);
    add_chunks(connection, plan);
    transaction.commit();
}

void open_given_up(Connection& connection) {
    if (connection.query("SELECT 1 FROM poison LIMIT 1").rows() == 0) return;
    Transaction transaction(connection);
    connection.query(
        "UPDATE chunk SET state = 1, owner = NULL, lease = clock_timestamp() - interval '1 second', attempts = $1, "
        "evaluated = NULL, skipped = NULL, valid = NULL, over_limit = NULL, failed = NULL, rows = NULL, "
        "checksum = NULL WHERE state = 2 AND hi = lo + 1 AND lo IN (SELECT point FROM poison)",
        {explore::kMostAttempts});
    for (const char* table : {"result", "failure"})
        connection.run(fmt::format("DELETE FROM {} WHERE point IN (SELECT point FROM poison)", table));
    connection.run("DELETE FROM poison");
    transaction.commit();
}

namespace {

std::map<std::string, std::string> entries_of(Connection& connection) {
    std::map<std::string, std::string> all;
    const Result entries = connection.query("SELECT key, value FROM specification");
    for (int i = 0; i < entries.rows(); ++i) all.emplace(entries.text(i, 0), entries.text(i, 1));
    return all;
}

// The views' arithmetic.
void check_knobs(Connection& connection, const Space& space) {
    const Result knobs = connection.query("SELECT knob, count, stride FROM knob ORDER BY knob");
    for (int i = 0; i < knobs.rows(); ++i) {
        const Knob& knob = space.knobs()[i];
        if (knobs.whole(i, 0) != i || knobs.whole(i, 1) != static_cast<std::int64_t>(knob.values.size()) ||
            knobs.whole(i, 2) != space.stride(i))
            explore::fail_damaged(connection.address().shown,
                                  "the values of '" + knob.name + "' are not as many as it says");
    }
}

std::string seal_in(Connection& connection, const std::string& column) {
    const Result seal = connection.query("SELECT " + column + " FROM tilewright_explore");
    return seal.rows() == 1 ? seal.text(0, 0) : "";
}

}  // namespace

void refuse_other(Connection& connection, const Specification& specification) {
    if (const std::string difference = first_difference(specification, entries_of(connection)); !difference.empty())
        throw InputError(ErrorCode::bad_value, {connection.address().shown},
                         "holds another exploration: " + difference + "; take another database or schema");
}

Specification read_specification(Connection& connection) {
    const std::string& shown = connection.address().shown;
    std::vector<Knob> knobs;
    const Result names = connection.query("SELECT name FROM knob ORDER BY knob");
    for (int i = 0; i < names.rows(); ++i) knobs.push_back({names.text(i, 0), {}, {shown}});
    const Result values = connection.query("SELECT knob, text FROM knob_value ORDER BY knob, position");
    for (int i = 0; i < values.rows(); ++i) {
        const auto number = static_cast<std::size_t>(values.whole(i, 0));
        if (number < knobs.size()) knobs[number].values.push_back(values.text(i, 1));
    }
    for (const Knob& knob : knobs)
        if (knob.values.empty())
            throw InputError(ErrorCode::bad_value, {shown}, "the knob '" + knob.name + "' has no values");
    Specification specification;
    specification.space = Space(std::move(knobs));
    const Result metrics = connection.query("SELECT name, alias, more_is_better FROM metric ORDER BY metric");
    for (int i = 0; i < metrics.rows(); ++i)
        specification.metrics.push_back({metrics.text(i, 0), metrics.text(i, 1), metrics.flag(i, 2)});
    const Result front = connection.query("SELECT value FROM specification WHERE key = 'only the front of'");
    if (front.rows() > 0)
        specification.front_only = explore::metrics_named(specification.metrics, front.text(0, 0), {shown});
    if (seal_in(connection, "exploration") != explore::seal_of(entries_of(connection), specification.space,
                                                               specification.metrics,
                                                               read_front(connection, specification.metrics)))
        explore::fail_damaged(shown, "what it says about itself is not what was written");
    check_knobs(connection, specification.space);
    return specification;
}

std::vector<std::size_t> read_front(Connection& connection, const std::vector<Metric>& metrics) {
    std::vector<std::size_t> front;
    const Result names = connection.query("SELECT name FROM metric WHERE front IS NOT NULL ORDER BY front");
    for (int i = 0; i < names.rows(); ++i)
        front.push_back(explore::metric_named(metrics, names.text(i, 0), {connection.address().shown}));
    return front;
}

explore::WorkOrder read_order(Connection& connection) {
    explore::WorkOrder order;
    const Result arguments = connection.query("SELECT text FROM argument ORDER BY position");
    if (arguments.rows() > 0) order.folder = arguments.text(0, 0);
    for (int i = 1; i < arguments.rows(); ++i) order.arguments.push_back(arguments.text(i, 0));
    const Result files =
        connection.query("SELECT name, bytes FROM input ORDER BY name", {}, Connection::Format::binary);
    for (int i = 0; i < files.rows(); ++i) order.files.push_back({files.text(i, 0), files.text(i, 1)});
    if (seal_in(connection, "work") != explore::seal_of(order))
        explore::fail_damaged(connection.address().shown, "the command or its files are not what was written");
    return order;
}

using explore::Chunk;
using explore::ChunkRecord;
using explore::Counts;

void finish(Connection& connection, const ChunkRecord& record) {
    const Counts& counts = record.counts;
    connection.query(
        "UPDATE chunk SET state = 2, hi = $2, evaluated = $3, skipped = $4, valid = $5, over_limit = $6, failed = $7, "
        "rows = $8, checksum = $9 WHERE id = $1",
        {record.chunk.id, record.chunk.hi, counts.evaluated, counts.skipped, counts.valid, counts.over_limit,
         counts.failed, record.rows, checksum_of(record)});
}

// Into untried pieces.
void cut(Connection& connection, const Chunk& chunk) {
    const std::int64_t points = explore::piece_points(chunk);
    connection.query("UPDATE chunk SET hi = $1, state = 0, owner = NULL, lease = NULL, attempts = 0 WHERE id = $2",
                     {chunk.lo + points, chunk.id});
    connection.query(
        "INSERT INTO chunk(lo, hi) SELECT lo, lo + least($3::bigint, $2::bigint - lo) "
        "FROM generate_series($1::bigint, $2::bigint - 1, $3::bigint) AS lo",
        {chunk.lo + points, chunk.hi, points});
}

void audit_chunks(Connection& connection, explore::Audit& audit) {
    connection.run(
        "DECLARE every_chunk NO SCROLL CURSOR FOR SELECT id, lo, hi, state, coalesce(evaluated, 0), "
        "coalesce(skipped, 0), coalesce(valid, 0), coalesce(over_limit, 0), coalesce(failed, 0), coalesce(rows, 0), "
        "coalesce(checksum, 0) FROM chunk ORDER BY lo");
    for (;;) {
        const Result rows = connection.query("FETCH 10000 FROM every_chunk", {}, Connection::Format::binary);
        for (int i = 0; i < rows.rows(); ++i) {
            const auto column = [&](int number) { return rows.binary_whole(i, number); };
            const Counts counts{0, column(4), column(5), column(6), column(7), column(8)};
            audit.take({{column(0), column(1), column(2)}, column(3) == 2, counts, column(9)}, column(10));
        }
        if (rows.rows() == 0) break;
    }
}

}  // namespace tilewright::cluster
