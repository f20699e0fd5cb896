// Walk: which mapping one of Timeloop's searches looks at next, in one of its threads.
//
// The factorisations are dealt to the threads (here: streams) like cards; a stream numbers its own. All other choices
// are whole for each. What became of a mapping decides what is skipped.
//
//     const std::unique_ptr<Walk> walk = make_walk(space, plan);
//     while (!walk->done()) walk->report(outcome_of(walk->slice(), walk->choice()));
#pragma once

#include <cstdint>
#include <memory>

#include "mapper/timeloop/space.hpp"

namespace tilewright::timeloop_search {

/// What comes next: `linear_pruned` counts, the others draw.
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
    /// There is no other mapping.
    virtual bool done() const = 0;
    /// The mapping to look at. Requires !done().
    virtual const Slice& slice() const = 0;
    virtual const Choice& choice() const = 0;
    virtual void report(Outcome outcome) = 0;

    /// So many of the next mappings, this one included, have no room on a fan-out: their factors and splits say so.
    virtual std::int64_t doomed() const { return 0; }
    /// Reports no_fanout of so many at once. Requires count < doomed(): the last one is looked at.
    virtual void pass(std::int64_t /*count*/) {}
};

/// Requires a space without a problem, which has to outlive the walk.
std::unique_ptr<Walk> make_walk(const Space& space, const WalkPlan& plan);

}  // namespace tilewright::timeloop_search
