// Trial: one walk of a search: judges genomes, keeps the best. Private to this room.
#pragma once

#include <limits>
#include <optional>

#include "maestro/mapper/genome.hpp"
#include "maestro/mapper/search.hpp"

namespace tilewright::dataflow {

/// Order of a walk: any misfit is worse than any fit, by its excess.
struct Fitness {
    double excess = std::numeric_limits<double>::infinity();  ///< 0: legal, and fits the buffers
    Score score;

    auto operator<=>(const Fitness&) const = default;
};

struct Candidate {
    Genome genome;
    Fitness fitness;
};

/// Constants shared by all walks.
struct Terms {
    const GenomeSpace& space;
    const Hardware& hardware;
    const DataflowSearch& search;
    const SearchLimits& limits;
};

class Trial {
   public:
    Trial(const Terms& terms, std::unique_ptr<Judge> judge, std::uint64_t seed, std::int64_t evaluations);

    const GenomeSpace& space() const { return terms_.space; }
    Random& random() { return random_; }
    /// True once its evaluations are spent or a limit is reached.
    bool over();
    std::int64_t left() const { return most_ - spent_; }
    std::int64_t spent() const { return spent_; }
    bool cut_short() const { return cut_short_; }

    Fitness judge(const Genome& genome) { return judge(dataflow_of(genome, terms_.space)); }
    Fitness judge(const Dataflow& dataflow);

    const FoundDataflow& best() const { return best_; }

   private:
    const Terms& terms_;
    std::unique_ptr<Judge> judge_;
    Random random_;
    std::int64_t most_;
    std::int64_t spent_ = 0;
    bool cut_short_ = false;
    FoundDataflow best_;
};

/// Annealing, then descent, until the trial is over.
void anneal(Trial& trial);

/// Generation after generation. `judge_all` sets all candidates' fitness, on any number of threads; false: it is over.
void evolve(const GenomeSpace& space, Random& random, std::int64_t evaluations,
            const std::function<bool(std::vector<Candidate>&)>& judge_all);

}  // namespace tilewright::dataflow
