// The chunks of an exploration in PostgreSQL: ended, cut and read back.
#pragma once

#include "explore/audit.hpp"
#include "explore/cluster/libpq/connection.hpp"

namespace tilewright::cluster {

/// Of a chunk that is free or this worker's. Requires a transaction.
void finish(Connection& connection, const explore::ChunkRecord& record);

/// Into pieces that were not tried. Requires a transaction.
void cut(Connection& connection, const explore::Chunk& chunk);

/// All chunks, by their points. Requires a transaction that reads.
void audit_chunks(Connection& connection, explore::Audit& audit);

}  // namespace tilewright::cluster
