#include "explore/cluster/stores.hpp"

#include "explore/sqlite_store.hpp"

namespace tilewright::cluster {

bool is_postgresql(const std::string& name) {
    return name.starts_with("postgresql://") || name.starts_with("postgres://");
}

std::unique_ptr<explore::Store> open_store(const std::string& name, const explore::Plan& plan,
                                           const Connecting& connecting) {
    if (is_postgresql(name)) return open_postgresql(name, plan, connecting);
    return explore::open_sqlite(name, plan, connecting.observer);
}

std::unique_ptr<explore::Store> join_store(const std::string& name, const explore::Plan& plan,
                                           const Connecting& connecting) {
    if (is_postgresql(name)) return join_postgresql(name, plan.specification, connecting);
    return explore::join_sqlite(name, plan.specification, connecting.observer);
}

explore::Recorded read_store(const std::string& name, bool to_write) {
    return is_postgresql(name) ? read_postgresql(name) : explore::read_sqlite(name, to_write);
}

explore::WorkOrder order_in_store(const std::string& name) {
    return is_postgresql(name) ? order_in_postgresql(name) : explore::order_in_sqlite(name);
}

}  // namespace tilewright::cluster
