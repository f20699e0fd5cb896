// From accesses per loop level to reads, fills and updates per memory, after bypassing, multicasting and first-read
// elision (Timeloop, loop-analysis/tiling.cpp: CollapseDataMovementNest).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "timeloop/account/block.hpp"
#include "timeloop/account/walk.hpp"
#include "workload/einsum.hpp"

namespace tilewright::account {

/// One tensor at one storage level, per instance.
struct StorageTraffic {
    std::int64_t tile_words = 0;  ///< 0: bypassed
    std::int64_t partition_words = 0;
    TrafficTable traffic;  ///< with the children
    TrafficTable spread;   ///< the part between neighbours of an M:N network
    double link_transfers = 0.0;
    double replication = 1.0;
    std::int64_t fanout = 1;
    double accesses = 0.0;        ///< total traffic before rescaling by outer levels
    double parent_share = 0.0;    ///< words delivered by the outer level
    double peer_words = 0.0;      ///< received from neighbours, and read for them
    bool rewrites_first = false;  ///< rmw_first_update
    bool no_coalesce = false;

    std::int64_t reads = 0;
    std::int64_t fills = 0;
    std::int64_t updates = 0;
    std::int64_t temporal_reductions = 0;
};

/// Collects negative numbers stored unsigned by Timeloop.
class Unsigned {
   public:
    /// `value` truncated.
    std::int64_t of(double value, const std::string& what);
    const std::string& problem() const { return problem_; }

   private:
    std::string problem_;
};

/// Rules of one tensor per storage level (innermost first).
struct TensorRules {
    std::string name;
    std::vector<std::string> memories;
    bool written = false;
    bool first_read_elision = true;
    bool first_fills = false;
    std::vector<char> kept;
    std::vector<char> many_to_many;  ///< its inferred network spreads one multicast over neighbours
    std::vector<LevelOptions> switches;
};

/// Sets `refused` where Timeloop exits: an M:N network with several multicast factors.
std::vector<StorageTraffic> storage_traffic(const WalkCounts& counts, int tensor, const TensorRules& rules,
                                            Unsigned& guard, bool& refused);

}  // namespace tilewright::account
