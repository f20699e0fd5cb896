// Tables and views of an exploration in PostgreSQL: creation, comparison, reading. Described in docs/explore.md.
#pragma once

#include "explore/audit.hpp"
#include "explore/cluster/libpq/connection.hpp"
#include "explore/store.hpp"

namespace tilewright::cluster {

/// Schema version of this program.
inline constexpr std::int64_t kSchema = 2;

/// Whether the database (its current schema) holds no exploration. Throws InputError(bad_value) for another version, or
/// another program's tables by our names.
bool is_new(Connection& connection);

/// All tables, views and chunks, in one transaction, unless another process was faster.
void make_unless_there(Connection& connection, const explore::Plan& plan);

/// Throws InputError(bad_value), naming the first difference, unless the database holds this exploration.
void refuse_other(Connection& connection, const explore::Specification& specification);

/// Points given up get one more try, after everything else.
void open_given_up(Connection& connection);

/// The database's description; `given` is left empty. Throws InputError(bad_value) if it differs from the one written,
/// and so does read_order().
explore::Specification read_specification(Connection& connection);
std::vector<std::size_t> read_front(Connection& connection, const std::vector<explore::Metric>& metrics);
explore::WorkOrder read_order(Connection& connection);

// The chunks of an exploration in PostgreSQL: finishing, cutting and reading.

/// Of a free chunk, or this worker's. Requires a transaction.
void finish(Connection& connection, const explore::ChunkRecord& record);

/// Into untried pieces. Requires a transaction.
void cut(Connection& connection, const explore::Chunk& chunk);

/// All chunks, by their points. Requires a reading transaction.
void audit_chunks(Connection& connection, explore::Audit& audit);

}  // namespace tilewright::cluster
