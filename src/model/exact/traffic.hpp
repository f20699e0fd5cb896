// Traffic: words crossing the boundary below a memory.
#pragma once

#include <cstdint>
#include <vector>

#include "model/exact/nest.hpp"

namespace tilewright {

/// Words with the same number of simultaneous inner receivers.
struct Multicast {
    std::int64_t copies = 1;
    std::int64_t words = 0;  ///< each counted once, over all instances and the whole run
    double hops = 0.0;       ///< sum over the words of their multicast trees' hops

    bool operator==(const Multicast&) const = default;
};

struct Traffic {
    std::int64_t words = 0;      ///< accesses of the memory towards the inside; a multicast (or reduction) counts once
    std::int64_t delivered = 0;  ///< copies that arrive (or leave) inside
    std::vector<Multicast> by_copies;  ///< ascending in copies

    void add(std::int64_t copies, std::int64_t words, double hops);
    void add(const Traffic& other, std::int64_t times);
    /// Scales to `copies` arrivals in the same shares and distances. Requires whole shares.
    void deliver(std::int64_t copies);
};

/// Traffic of `tensor` between memory `level` and the next inner level. For the innermost memory that is the compute
/// units, which request every operand of every operation.
Traffic traffic_below(const Nest& nest, int level, int tensor);

/// Of memories `level` to `asking` - 1 only the first keeps the tensor: requests of memory `asking` (or the compute
/// units) pass through the others. `below`: traffic_below() of every memory of the nest; these words and hops replace
/// those sent to the others for keeping (docs/model.md, rule 6).
void pass_on(const Nest& nest, int level, int asking, int tensor, std::vector<Traffic>& below);

/// Distinct words of `tensor` ever held by instances of memory `level`, summed over the instances.
std::int64_t distinct_words(const Nest& nest, int level, int tensor);

/// Distinct words in the tiles of memory `inner` ever inside each instance of memory `level`, summed over the instances
/// of `level`. One past the innermost memory: the compute units, holding single words. Fewer than distinct_words() if
/// tiles of `level` have gaps.
std::int64_t arriving_words(const Nest& nest, int level, int inner, int tensor);

/// Tiles of any size have no gaps.
bool is_gapless(const Tensor& tensor);

/// Source of tiles arriving at memory `level` from inside: the next keeping memory, or the compute units.
int asking_level(const std::vector<bool>& keeps, int level);

// Traffic below a memory in a nest with remainders.

/// Traffic of `tensor` below memories `level` to `asking` - 1, only the first of which keeps it: requests of memory
/// `asking` (one past the innermost: the compute units) in every step are passed on. Walks the temporal loops once per
/// distinct situation, not per iteration: the counts depend only on the dimensions in their last tile and on the
/// requesters' words relative to the nest's position, so iterations repeat after the first few and whole sub-nests
/// recur.
std::vector<Traffic> imperfect_traffic(const Nest& nest, int level, int asking, int tensor);

}  // namespace tilewright
