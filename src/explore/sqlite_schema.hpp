// Tables and views of an exploration in SQLite: creation, comparison, reading. Described in docs/explore.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "explore/sqlite.hpp"
#include "explore/store.hpp"

namespace tilewright::explore::sqlite {

/// Schema version of this program (PRAGMA user_version).
inline constexpr int kSchema = 3;

/// Whether the file is empty. Throws InputError(bad_value) for a file unreadable to this program: all its tables, views
/// and indexes are compared with this program's before any query.
bool is_new(Connection& connection);

/// All tables, views and chunks. Requires is_new() and a transaction around it.
void make_schema(Connection& connection, const Plan& plan);

/// Chunks for the points from lo to hi - 1, of this many points each.
void add_chunks(Connection& connection, Point lo, Point hi, std::int64_t points, bool shuffled = false);

/// Throws InputError(bad_value), naming the first difference, unless the file holds this exploration, in this program's
/// tables and views.
void refuse_other(Connection& connection, const Specification& specification);

/// Points given up get one more try, after everything else.
void open_given_up(Connection& connection);

/// identity() of its exploration.
std::map<std::string, std::string> entries_of(Connection& connection);

/// The file's description; `given` is left empty. Throws InputError(bad_value) if it differs from the one written, and
/// so does read_order().
Specification read_specification(Connection& connection);
std::vector<std::size_t> read_front(Connection& connection, const std::vector<Metric>& metrics);
WorkOrder read_order(Connection& connection);

}  // namespace tilewright::explore::sqlite
