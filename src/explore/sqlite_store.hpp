// An exploration in an SQLite file: for one machine, any number of processes. Tables: docs/explore.md.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "explore/store.hpp"

namespace tilewright::explore {

/// Opens or makes the file; "": in memory, gone with the store. Throws InputError(io) on failure, and
/// InputError(bad_value) for a file of another exploration, schema or program.
std::unique_ptr<Store> open_sqlite(const std::string& file, const Plan& plan, Observer observer = {});

/// Opens an existing one: for workers. Points given up stay so.
std::unique_ptr<Store> join_sqlite(const std::string& file, const Specification& specification, Observer observer = {});

/// A read-only file suffices unless `to_write`.
Recorded read_sqlite(const std::string& file, bool to_write = false);

/// Adds the parts' finished chunks, missing in `file`, with their rows. A missing file is made from the first part.
/// Every part is audited before reading. Throws InputError(bad_value) for a part of another exploration, or with chunks
/// in pieces only. Returns the points added.
std::int64_t merge_sqlite(const std::string& file, const std::vector<std::string>& parts);

WorkOrder order_in_sqlite(const std::string& file);

}  // namespace tilewright::explore
