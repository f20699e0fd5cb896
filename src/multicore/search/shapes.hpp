// What the shapes of a stage cost at least, whatever team has them: floors that need no plan.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "multicore/evaluate.hpp"
#include "multicore/search/space.hpp"

namespace tilewright::multicore {

inline constexpr double kNever = std::numeric_limits<double>::infinity();
inline constexpr double kRounding = 1e-12;  ///< of sums of energies, relative

/// What is minimised: the weighted sum of energy and cycles.
struct Weights {
    double energy = 1.0;
    double cycles = 0.0;

    double of(double energy_pj, double cycle_count) const { return energy * energy_pj + cycles * cycle_count; }
};

/// What a stage or a shape costs at least.
struct Floor {
    double energy_pj = 0.0;    ///< without leakage
    double cycles = 0.0;       ///< of the slowest core
    double busy = 0.0;         ///< core cycles, of all cores together
    double dram_cycles = 0.0;  ///< of all DRAMs together

    static Floor never();
    /// Each by itself.
    void lower(const Floor& other);
};

/// A run in one way of going in steps, shared by its stages.
struct RunFrame {
    int first = 0;
    int last = 0;
    Step step;
    const Made* made = nullptr;
    bool disjoint = false;  ///< teams of a pipeline
    bool serial = false;    ///< one step, each stage reading the one before: cycles of stages add up
    double leak_pj = 0.0;   ///< a cycle, of all cores

    package::Run run() const {
        return {first, last, step.axis, step.size, std::vector<package::Stage>(last - first + 1)};
    }
    bool is_inside(int maker) const { return maker >= first && maker <= last; }
};

/// What words cost at DRAMs and on the shortest way to or from a core that may be: the least of each.
struct DramPrices {
    double read_pj = kNever;
    double write_pj = kNever;
    double way_in_pj = kNever;
    double way_out_pj = kNever;
    double rate = 0.0;  ///< words a cycle, of all
};
/// `einsum`: to cores that may run it; -1: any.
DramPrices dram_prices(const Evaluator& evaluator, int einsum = -1);

/// By core of a team: energy of the shortest way from and to a DRAM, ascending.
struct Distances {
    std::vector<double> in_pj;
    std::vector<double> out_pj;
};
Distances distances_of(const Evaluator& evaluator, const Team& team);

/// Words between DRAMs and a team.
struct Spread {
    double words = 0.0;   ///< distinct ones
    double every = 0.0;   ///< of them at each core, at least
    double copies = 0.0;  ///< at all cores together

    /// No ways of these words cost less. `reach_pj`: of a further core that gets a word.
    double least_pj(const std::vector<double>& distances_pj, double reach_pj) const;
};

/// All words between the first and the last that a box touches are touched.
bool is_gapless(const Access& access, const Box& points);

/// Of one step of a stage, in cycles.
struct StepFloor {
    double slowest = 0.0;
    double busy = 0.0;  ///< of all cores together

    bool operator==(const StepFloor&) const = default;
};

struct FlooredShape {
    Shape shape;
    Floor floor;
    std::vector<StepFloor> steps = {};  ///< by sort of step
    double ways_pj = 0.0;               ///< of the floor's energy
    std::vector<Spread> in = {};
    Spread out = {};

    /// On a team of the size.
    double energy_on(const Distances& distances, double reach_pj) const;
    double ways_on(const Distances& distances, double reach_pj) const;
};

/// Of one stage of a run, by size of its team; without what other stages read, too.
class Shapes {
   public:
    Shapes(const Evaluator& evaluator, const RunFrame& frame, int einsum);

    const std::vector<FlooredShape>& of_size(int size) const { return by_size_[size]; }
    /// The least of each over the shapes of a size.
    const Floor& least_of_size(int size) const { return least_[size]; }
    /// Likewise, by sort of step.
    const std::vector<StepFloor>& least_steps_of_size(int size) const { return least_steps_[size]; }
    /// Sort of each step, by the extents of what it makes; -1: nothing.
    const std::vector<int>& sorts() const { return sorts_; }

   private:
    std::vector<int> sorts_;
    std::vector<std::vector<FlooredShape>> by_size_;
    std::vector<std::vector<StepFloor>> least_steps_;
    std::vector<Floor> least_;
};

/// Of all runs and steps: a stage that makes the same boxes, from operands of the same places, has the same shapes.
class KnownShapes {
   public:
    explicit KnownShapes(const Evaluator& evaluator) : evaluator_(evaluator) {}

    std::shared_ptr<const Shapes> of(const RunFrame& frame, int einsum);

   private:
    const Evaluator& evaluator_;
    using Key = std::tuple<int, bool, bool, std::uint64_t, std::uint64_t, std::vector<std::int64_t>>;
    std::map<Key, std::shared_ptr<const Shapes>> known_;
};

}  // namespace tilewright::multicore
