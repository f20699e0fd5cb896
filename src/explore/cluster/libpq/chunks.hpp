// The chunks of an exploration in PostgreSQL: finishing, cutting and reading.
#pragma once

#include "explore/audit.hpp"
#include "explore/cluster/libpq/connection.hpp"

namespace tilewright::cluster {

/// Of a free chunk, or this worker's. Requires a transaction.
void finish(Connection& connection, const explore::ChunkRecord& record);

/// Into untried pieces. Requires a transaction.
void cut(Connection& connection, const explore::Chunk& chunk);

/// All chunks, by their points. Requires a reading transaction.
void audit_chunks(Connection& connection, explore::Audit& audit);

}  // namespace tilewright::cluster
