// Traffic: what crosses the boundary below a memory.
#pragma once

#include <cstdint>
#include <vector>

#include "model/exact/nest.hpp"

namespace tilewright {

/// Words that reach the same number of inner neighbours at once.
struct Multicast {
    std::int64_t copies = 1;
    std::int64_t words = 0;  ///< each counted once, over all instances and the whole run
    double hops = 0.0;       ///< sum over the words of the hops that their multicast tree has

    bool operator==(const Multicast&) const = default;
};

struct Traffic {
    std::int64_t words = 0;      ///< accesses of the memory towards the inside; a multicast (or reduction) counts once
    std::int64_t delivered = 0;  ///< copies that arrive (or leave) inside
    std::vector<Multicast> by_copies;  ///< ascending in copies

    void add(std::int64_t copies, std::int64_t words, double hops);
    /// Adds `times` copies of `other`.
    void add(const Traffic& other, std::int64_t times);
    /// So many copies arrive, in the same shares and as far. Requires shares that are whole numbers.
    void deliver(std::int64_t copies);
};

/// Traffic of `tensor` between memory `level` and what lies directly inside it. For the innermost memory that is the
/// compute units, which ask for every operand of every operation.
Traffic traffic_below(const Nest& nest, int level, int tensor);

/// Of memories `level` to `asking` - 1 only the first keeps the tensor: what memory `asking` (or the compute units)
/// asks for passes through the others. `below`: of every memory of the nest traffic_below(), in which these words and
/// their hops take the place of those that the others would be sent to keep (docs/model.md, rule 6).
void pass_on(const Nest& nest, int level, int asking, int tensor, std::vector<Traffic>& below);

/// Distinct words of `tensor` that instances of memory `level` ever hold, summed over the instances.
std::int64_t distinct_words(const Nest& nest, int level, int tensor);

/// Distinct words in the tiles that memory `inner` ever holds inside each instance of memory `level`, summed over the
/// instances of `level`. One past the innermost memory `inner` stands for the compute units, which hold single words.
/// Fewer than distinct_words() where tiles of `level` have gaps.
std::int64_t arriving_words(const Nest& nest, int level, int inner, int tensor);

/// Whether tiles have no gaps, whatever their sizes.
bool is_gapless(const Tensor& tensor);

/// Whose tiles arrive at memory `level` from inside: the next memory that keeps the tensor, or the compute units.
int asking_level(const std::vector<bool>& keeps, int level);

}  // namespace tilewright
