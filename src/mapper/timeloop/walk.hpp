// Walk: the sequence of mappings in one thread of a Timeloop search.
//
// Factorisations are dealt to the threads (here: streams) like cards; a stream numbers its own. All other choices are
// whole for each. A mapping's outcome decides the skips.
//
//     const std::unique_ptr<Walk> walk = make_walk(space, plan);
//     while (!walk->done()) walk->report(outcome_of(walk->slice(), walk->choice()));
#pragma once

#include <cstdint>
#include <memory>

#include "mapper/timeloop/space.hpp"

namespace tilewright::timeloop_search {

/// `linear_pruned` counts, the others draw.
enum class Algorithm { hybrid, random, random_pruned, linear_pruned };

enum class Outcome {
    valid,
    no_fanout,  ///< a fan-out has no room for the loops
    no_room     ///< a memory has no room for the tiles
};

struct WalkPlan {
    Algorithm algorithm = Algorithm::hybrid;
    int stream = 0;
    int streams = 1;
    std::int64_t orders_per_visit = 16;  ///< of one factorisation, by random_pruned
    std::uint64_t seed = 1;
};

class Walk {
   public:
    virtual ~Walk() = default;
    virtual bool done() const = 0;
    /// The mapping to try. Requires !done().
    virtual const Slice& slice() const = 0;
    virtual const Choice& choice() const = 0;
    virtual void report(Outcome outcome) = 0;

    /// Next mappings, this one included, without room on a fan-out by their factors and splits alone.
    virtual std::int64_t doomed() const { return 0; }
    /// Reports no_fanout of so many at once. Requires count < doomed(): the last one is tried.
    virtual void pass(std::int64_t /*count*/) {}
};

/// Requires a space without a problem, which has to outlive the walk.
std::unique_ptr<Walk> make_walk(const Space& space, const WalkPlan& plan);

}  // namespace tilewright::timeloop_search
