// An exploration in an SQLite file: for one machine, any number of processes. docs/explore.md describes the tables.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "explore/store.hpp"

namespace tilewright::explore {

/// The schema that this program writes and reads (PRAGMA user_version).
inline constexpr int kSchema = 1;

/// Opens the file, or makes it; "": in memory, gone with the store. `front`: the metrics of the view `pareto` of a file
/// that is made. Throws InputError(io) where that cannot be, and InputError(bad_value) for a file that holds another
/// exploration, has another schema or is another program's.
std::unique_ptr<Store> open_sqlite(const std::string& file, const Specification& specification,
                                   std::int64_t chunk_points, const std::vector<std::size_t>& front);

/// What a file holds. Its specification has no places.
struct Recorded {
    Specification specification;
    std::vector<std::size_t> front;  ///< the metrics of its view `pareto`
    std::unique_ptr<Store> store;
};
Recorded read_sqlite(const std::string& file);

}  // namespace tilewright::explore
