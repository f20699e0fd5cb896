// An exploration in an SQLite file: for one machine, any number of processes. docs/explore.md describes the tables.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "explore/store.hpp"

namespace tilewright::explore {

/// Opens the file, or makes it; "": in memory, gone with the store. Throws InputError(io) where that cannot be, and
/// InputError(bad_value) for a file that holds another exploration, has another schema or is another program's.
std::unique_ptr<Store> open_sqlite(const std::string& file, const Plan& plan, Observer observer = {});

/// Opens one that was begun: for workers. Points that were given up stay so.
std::unique_ptr<Store> join_sqlite(const std::string& file, const Specification& specification, Observer observer = {});

/// A file that may be read but not written will do, unless something is to be written.
Recorded read_sqlite(const std::string& file, bool to_write = false);

/// Puts into `file` what the parts have of its exploration and it has not: chunks that are done, with their rows. Where
/// there is no such file it is made, of the first part. Every part is audited before it is read. Throws
/// InputError(bad_value) for one of another exploration, and for one whose chunks are there in pieces only. Returns how
/// many points came.
std::int64_t merge_sqlite(const std::string& file, const std::vector<std::string>& parts);

/// What a worker of the file's exploration has to do.
WorkOrder order_in_sqlite(const std::string& file);

}  // namespace tilewright::explore
