// Error message of a build without libpq.
#include "base/error.hpp"
#include "explore/cluster/stores.hpp"

namespace tilewright::cluster {
namespace {

[[noreturn]] void fail() {
    throw InputError(ErrorCode::unsupported, {"--store"},
                     "this program was built without libpq: install libpq-dev and build it again, or take an SQLite "
                     "file");
}

}  // namespace

std::unique_ptr<explore::Store> open_postgresql(const std::string&, const explore::Plan&, const Connecting&) { fail(); }

std::unique_ptr<explore::Store> join_postgresql(const std::string&, const explore::Specification&, const Connecting&) {
    fail();
}

explore::Recorded read_postgresql(const std::string&) { fail(); }

explore::WorkOrder order_in_postgresql(const std::string&) { fail(); }

}  // namespace tilewright::cluster
