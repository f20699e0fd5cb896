#include "explore/cluster/libpq/chunks.hpp"

namespace tilewright::cluster {

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
