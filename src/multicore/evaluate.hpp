// What a plan costs, exactly: words over every link, room and cycles of every slot.
//
// Words are counted by cells (cells.hpp): those of a tensor that the same cores need, own and hold in the same slots.
// tests/oracle walks the same plans word by word with code of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "multicore/cost.hpp"
#include "multicore/leaves.hpp"
#include "multicore/made.hpp"
#include "multicore/problem.hpp"
#include "package/network.hpp"
#include "package/plan.hpp"

namespace tilewright::multicore {

enum class Decider { nothing, core, link, dram };

struct Slot {
    std::int64_t cycles = 0;
    std::int64_t compute = 0;
    std::int64_t moving = 0;
    Decider decider = Decider::nothing;  ///< of the cycles
    int index = -1;                      ///< of the deciding core, link or DRAM

    bool operator==(const Slot&) const = default;
};

/// Words of a tensor that travel, and those that stand in cores.
struct TensorDetail {
    std::int64_t dram_words = 0;                  ///< read and written
    std::int64_t link_words = 0;                  ///< over all links
    std::int64_t d2d_words = 0;                   ///< over those between chiplets
    std::vector<std::vector<std::int64_t>> room;  ///< by slot, by core; empty: none

    bool operator==(const TensorDetail&) const = default;
};

/// Words, cycles and energy by place and slot, for reports.
struct Detail {
    std::vector<std::vector<std::int64_t>> busy;   ///< by slot, by core: cycles
    std::vector<std::vector<std::int64_t>> room;   ///< by slot, by core: words
    std::vector<std::vector<std::int64_t>> load;   ///< by slot, by link: words
    std::vector<std::vector<std::int64_t>> port;   ///< by slot, by DRAM: words
    std::vector<std::vector<std::int64_t>> steps;  ///< by stage, by slot: cycles of its slowest core
    std::vector<Energy> cores;                     ///< by core: all but links and DRAM
    std::vector<double> dram_pj;                   ///< by DRAM
    std::vector<TensorDetail> tensors;             ///< by tensor of the cascade
};

struct Cost {
    Energy energy;
    Counts counts;
    std::int64_t cycles = 0;
    std::vector<std::int64_t> peak;  ///< words, by core
    std::vector<Slot> slots;         ///< of a run: from slot -1 on
    bool is_exact = true;            ///< false: some leaves are floors
};

enum class Refusal {
    none,
    run,         ///< what it makes is not read inside alone, or its steps go along no axis of the last result
    made_again,  ///< a step would make words again
    stage,       ///< not a stage for each einsum, a split of no dimension, a team of another size than its parts
    kind,        ///< a core that does not run the einsum
    streamed,    ///< an operand that the run makes
    parts,       ///< more parts than words to part
    sums,        ///< scattered along no axis
    room         ///< a buffer is too small
};
/// In words, such as "a buffer is too small"; "" for none.
std::string_view to_text(Refusal refusal);

struct Evaluated {
    Refusal refused = Refusal::none;
    int einsum = -1;  ///< of the stage that is refused, where it is one
    Cost cost;

    explicit operator bool() const { return refused == Refusal::none; }
};

/// Words from a node to all of a set of nodes.
struct Flow {
    int from = 0;
    package::NodeSet to = 0;
    std::int64_t words = 0;
};

/// What of stages adds up with others: words that travel, and by slot from -1 on room, in words by core, core cycles
/// and words through all DRAMs.
struct Parts {
    std::vector<Flow> flows;
    std::vector<std::int32_t> room;
    std::vector<std::int64_t> busy;
    std::vector<std::int64_t> dram_words;
    double unknown_pj = 0.0;  ///< of words on the same cores whose makers are not among the stages
};

/// The least that a word costs on its way between cores, whichever they are.
struct LeastSending {
    double arrive_pj = 0.0;  ///< links, for every core at which it arrives
    double leave_pj = 0.0;   ///< links, once
    double read_pj = 0.0;    ///< of the buffer that it leaves
    double write_pj = 0.0;
};
LeastSending least_sending(const Problem& problem, const package::Network& network);

/// One for each thread; keeps references to all.
class Evaluator {
   public:
    Evaluator(const Problem& problem, const package::Network& network, Leaves& leaves)
        : problem_(problem), network_(network), leaves_(leaves), sending_(least_sending(problem, network)) {}

    /// Of one repeat. `detail`: filled in where it is not null.
    Evaluated run(const package::Run& run, Detail* detail = nullptr) const;

    /// Of some of its stages (bit: stage of the run), with those tensors from outside that no other stage reads: no
    /// plan with these stages has less energy, fewer cycles in a slot or more room. What others make arrives as late as
    /// it may, over no link; its energy is that of the least way. `disjoint`: from cores of other teams. `placed`:
    /// stages, these among them, that say in which slots they work; 0: these alone. `parts`: filled in, flows by source
    /// and set, where it is not null.
    Evaluated part(const package::Run& run, const Made& made, std::uint64_t stages, bool disjoint,
                   Detail* detail = nullptr, std::uint64_t placed = 0, Parts* parts = nullptr) const;

    /// Of all runs, each as often as its block says. Refused, too, where runs do not follow one another to the end.
    Evaluated plan(const package::Plan& plan) const;

    const Problem& problem() const { return problem_; }
    const package::Network& network() const { return network_; }
    Leaves& leaves() const { return leaves_; }
    const LeastSending& sending() const { return sending_; }
    /// Runs and parts of runs so far.
    std::int64_t evaluations() const { return evaluations_; }

   private:
    const Problem& problem_;
    const package::Network& network_;
    Leaves& leaves_;
    LeastSending sending_;
    mutable std::int64_t evaluations_ = 0;
};

}  // namespace tilewright::multicore
