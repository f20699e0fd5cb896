// Whether the tables, views and indexes of an SQLite file are this program's: a file of unknown origin is queried in no
// others. A table may really be a view, an endless query.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "explore/sqlite.hpp"

namespace tilewright::explore::sqlite {

/// A schema: by kind and name, the defining text. Without SQLite's automatic indexes, and ANALYZE's statistics.
using Objects = std::map<std::pair<std::string, std::string>, std::string>;
Objects objects_in(Connection& connection);

/// Throws InputError(bad_value) at `file` for the first object missing or different from `ours`.
void refuse_other_objects(const std::string& file, const Objects& found, const Objects& ours);

}  // namespace tilewright::explore::sqlite
