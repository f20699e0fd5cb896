// The tables and views of an exploration in SQLite: made, compared and read back. docs/explore.md describes them.
#pragma once

#include <cstdint>
#include <vector>

#include "explore/sqlite.hpp"
#include "explore/store.hpp"

namespace tilewright::explore::sqlite {

/// Whether the file is empty. Throws InputError(bad_value) when it holds what this program cannot read.
bool is_new(Connection& connection);

/// All tables, views and chunks. Requires is_new() and a transaction around it.
void make_schema(Connection& connection, const Specification& specification, std::int64_t chunk_points,
                 const std::vector<std::size_t>& front);

/// Throws InputError(bad_value), naming the first difference, unless the file holds this exploration.
void refuse_other(Connection& connection, const Specification& specification);

/// What the file says about itself; `given` is left empty.
Specification read_specification(Connection& connection);
std::vector<std::size_t> read_front(Connection& connection, const std::vector<Metric>& metrics);

}  // namespace tilewright::explore::sqlite
