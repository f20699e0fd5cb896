// Whether the tables, views and indexes of an SQLite file are those that this program makes: what is asked of a file of
// unknown origin is asked of nothing else. A table that is a view may be a query without an end.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "explore/sqlite.hpp"

namespace tilewright::explore::sqlite {

/// What a schema holds: by kind and name, the text that made it. Without the indexes that SQLite makes of itself, and
/// what its ANALYZE learns about tables.
using Objects = std::map<std::pair<std::string, std::string>, std::string>;
Objects objects_in(Connection& connection);

/// Throws InputError(bad_value) at `file` for the first object that is not as in `ours`, or not there.
void refuse_other_objects(const std::string& file, const Objects& found, const Objects& ours);

}  // namespace tilewright::explore::sqlite
