// Stores by name: "postgresql://..." is a server, anything else an SQLite file.
#pragma once

#include <chrono>
#include <string>

#include "base/stop.hpp"
#include "explore/store.hpp"

namespace tilewright::cluster {

// An exploration in a PostgreSQL server: any number of workers on any number of machines. Operation: docs/cluster.md;
// tables: docs/explore.md.
//
// A worker holds a chunk by a lease, renewed by heartbeats. A dead or disconnected one loses its chunk at the lease's
// end, by the server's clock. Rows and completion are one transaction, by the lease's holder only. A server outage is
// waited for.

/// "postgresql://..." and "postgres://...".
bool is_postgresql(const std::string& name);

struct Connecting {
    std::chrono::milliseconds lease{60'000};      ///< life of a claim after the last heartbeat
    std::chrono::milliseconds patience{600'000};  ///< limit on a server outage
    StopSource* stop = nullptr;                   ///< requested when all workers are told to stop; ends the waiting
    explore::Observer observer;
};

// Each throws InputError(unsupported) where there is no libpq; InputError(usage) for a URL with a password in it;
// InputError(io) where there is no server, or none that lets us in; InputError(bad_value) for a store that holds
// another exploration, has another schema, or is none.

/// Opens or begins the exploration.
std::unique_ptr<explore::Store> open_postgresql(const std::string& url, const explore::Plan& plan,
                                                const Connecting& connecting = {});
/// Opens an existing one: for workers.
std::unique_ptr<explore::Store> join_postgresql(const std::string& url, const explore::Specification& specification,
                                                const Connecting& connecting = {});
explore::Recorded read_postgresql(const std::string& url);
explore::WorkOrder order_in_postgresql(const std::string& url);

/// Opens or begins. "": in memory.
std::unique_ptr<explore::Store> open_store(const std::string& name, const explore::Plan& plan,
                                           const Connecting& connecting);
/// Opens an existing one.
std::unique_ptr<explore::Store> join_store(const std::string& name, const explore::Plan& plan,
                                           const Connecting& connecting);
explore::Recorded read_store(const std::string& name, bool to_write = false);
explore::WorkOrder order_in_store(const std::string& name);

}  // namespace tilewright::cluster
