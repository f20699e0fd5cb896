// Stores by name: "postgresql://..." is a server, anything else an SQLite file.
#pragma once

#include "explore/cluster/postgresql.hpp"

namespace tilewright::cluster {

/// Opens or begins. "": in memory.
std::unique_ptr<explore::Store> open_store(const std::string& name, const explore::Plan& plan,
                                           const Connecting& connecting);
/// Opens an existing one.
std::unique_ptr<explore::Store> join_store(const std::string& name, const explore::Plan& plan,
                                           const Connecting& connecting);
explore::Recorded read_store(const std::string& name, bool to_write = false);
explore::WorkOrder order_in_store(const std::string& name);

}  // namespace tilewright::cluster
