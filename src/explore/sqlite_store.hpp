// An exploration in an SQLite file: for one machine, any number of processes. docs/explore.md describes the tables.
#pragma once

#include <memory>
#include <string>

#include "explore/store.hpp"

namespace tilewright::explore {

/// Opens the file, or makes it; "": in memory, gone with the store. Throws InputError(io) where that cannot be, and
/// InputError(bad_value) for a file that holds another exploration, has another schema or is another program's.
std::unique_ptr<Store> open_sqlite(const std::string& file, const Plan& plan, Observer observer = {});

Recorded read_sqlite(const std::string& file);

/// What a worker of the file's exploration has to do.
WorkOrder order_in_sqlite(const std::string& file);

}  // namespace tilewright::explore
