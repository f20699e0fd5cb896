// The tables and views of an exploration in SQLite: made, compared and read back. docs/explore.md describes them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "explore/sqlite.hpp"
#include "explore/store.hpp"

namespace tilewright::explore::sqlite {

/// The schema that this program writes and reads (PRAGMA user_version).
inline constexpr int kSchema = 3;

/// Whether the file is empty. Throws InputError(bad_value) when it holds what this program cannot read: all of its
/// tables, views and indexes are compared with those that this program makes, before anything is asked of them.
bool is_new(Connection& connection);

/// All tables, views and chunks. Requires is_new() and a transaction around it.
void make_schema(Connection& connection, const Plan& plan);

/// Chunks for the points from lo to hi - 1, of this many points each.
void add_chunks(Connection& connection, Point lo, Point hi, std::int64_t points, bool shuffled = false);

/// Throws InputError(bad_value), naming the first difference, unless the file holds this exploration, in the tables and
/// views that this program makes of it.
void refuse_other(Connection& connection, const Specification& specification);

/// Points that were given up get one more try, after everything else.
void open_given_up(Connection& connection);

/// identity() of the exploration in it.
std::map<std::string, std::string> entries_of(Connection& connection);

/// What the file says about itself; `given` is left empty. Throws InputError(bad_value) when that is not what was
/// written, and so does read_order().
Specification read_specification(Connection& connection);
std::vector<std::size_t> read_front(Connection& connection, const std::vector<Metric>& metrics);
WorkOrder read_order(Connection& connection);

}  // namespace tilewright::explore::sqlite
