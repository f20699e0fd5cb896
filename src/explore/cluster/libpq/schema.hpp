// The tables and views of an exploration in PostgreSQL: made, compared and read back. docs/explore.md describes them.
#pragma once

#include "explore/cluster/libpq/connection.hpp"
#include "explore/store.hpp"

namespace tilewright::cluster {

/// The schema that this program writes and reads.
inline constexpr std::int64_t kSchema = 2;

/// Whether the database (its current schema) holds no exploration. Throws InputError(bad_value) when it holds one of
/// another version, or another program's tables by our names.
bool is_new(Connection& connection);

/// All tables, views and chunks, in one transaction, unless another process was faster.
void make_unless_there(Connection& connection, const explore::Plan& plan);

/// Throws InputError(bad_value), naming the first difference, unless the database holds this exploration.
void refuse_other(Connection& connection, const explore::Specification& specification);

/// Points that were given up get one more try, after everything else.
void open_given_up(Connection& connection);

/// What the database says about itself; `given` is left empty. Throws InputError(bad_value) when that is not what was
/// written, and so does read_order().
explore::Specification read_specification(Connection& connection);
std::vector<std::size_t> read_front(Connection& connection, const std::vector<explore::Metric>& metrics);
explore::WorkOrder read_order(Connection& connection);

}  // namespace tilewright::cluster
