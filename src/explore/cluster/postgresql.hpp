// An exploration in a PostgreSQL server: any number of workers on any number of machines. docs/cluster.md says how to
// run them, docs/explore.md describes the tables.
//
// A worker holds a chunk by a lease that a heartbeat keeps alive. One that dies, or that the network cuts off, loses
// its chunk when the lease ends, by the server's clock. Rows and completion are one transaction, and only of who still
// holds the chunk. A server that goes away is waited for.
#pragma once

#include <chrono>
#include <string>

#include "base/stop.hpp"
#include "explore/store.hpp"

namespace tilewright::cluster {

/// "postgresql://..." and "postgres://...".
bool is_postgresql(const std::string& name);

struct Connecting {
    std::chrono::milliseconds lease{60'000};      ///< what is claimed is another's, this long after the last heartbeat
    std::chrono::milliseconds patience{600'000};  ///< with a server that went away
    StopSource* stop = nullptr;                   ///< requested when all workers are told to stop; ends the waiting
    explore::Observer observer;
};

// Each throws InputError(unsupported) where there is no libpq; InputError(usage) for a URL with a password in it;
// InputError(io) where there is no server, or none that lets us in; InputError(bad_value) for a store that holds
// another exploration, has another schema, or is none.

/// Opens the exploration, or begins it.
std::unique_ptr<explore::Store> open_postgresql(const std::string& url, const explore::Plan& plan,
                                                const Connecting& connecting = {});
/// Opens one that was begun: for workers, who may begin none.
std::unique_ptr<explore::Store> join_postgresql(const std::string& url, const explore::Specification& specification,
                                                const Connecting& connecting = {});
explore::Recorded read_postgresql(const std::string& url);
explore::WorkOrder order_in_postgresql(const std::string& url);

}  // namespace tilewright::cluster
