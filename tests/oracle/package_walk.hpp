// A judge of plans on packages: walks every slot of a plan word by word (docs/packages-of-cores.md has the rules).
//
// Every core has a store of words. Each product looks for its operands there, complete; results count their products;
// words that leave must have all of them, and each is made once. Shares nothing with multicore: routes, parts, needs
// and times are its own. For cores of lanes and small cascades.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "package/package.hpp"
#include "package/plan.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::oracle {

/// A multicast.
struct PackageSend {
    int run = 0;
    int slot = 0;         ///< from -1 on
    int from = 0;         ///< core, or the number of cores and that of a DRAM
    std::vector<int> to;  ///< likewise
    std::int64_t words = 1;

    bool operator==(const PackageSend&) const = default;
};

struct PackageWalk {
    std::string refused;  ///< why; "": it is legal
    double energy_pj = 0.0;
    std::int64_t cycles = 0;
    std::int64_t operations = 0;
    std::int64_t leaf_reads = 0;
    std::int64_t leaf_writes = 0;
    std::int64_t sends = 0;
    std::int64_t arrivals = 0;
    std::int64_t partials = 0;
    std::int64_t dram_reads = 0;
    std::int64_t dram_writes = 0;
    std::int64_t link_words = 0;
    std::int64_t d2d_words = 0;  ///< of those, between chiplets
    double link_pj = 0.0;
    std::vector<std::int64_t> peak;                ///< words, by core
    std::vector<std::vector<std::int64_t>> slots;  ///< cycles, by run, from slot -1 on
    std::vector<PackageSend> sent;                 ///< word by word

    bool operator==(const PackageWalk&) const = default;
};

/// Of one run after the other, whether or not they make up the cascade. Throws std::logic_error where a plan that is
/// not refused lacks an operand, makes a word twice or leaves products out. Requires einsums of one result each.
PackageWalk walk_package(const Cascade& cascade, const package::Package& package,
                         const std::vector<package::Run>& runs);

}  // namespace tilewright::oracle
