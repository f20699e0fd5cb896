// The account of one run: boxes that cores need, own and hold by slot, then words by cells of every tensor.
#pragma once

#include <map>
#include <vector>

#include "multicore/cells.hpp"
#include "multicore/evaluate.hpp"

namespace tilewright::multicore {

/// Stages of a run, by bit: those in the account, and those that say in which slots stages work.
struct StageSets {
    std::uint64_t counted = 0;
    std::uint64_t placed = 0;
};

class RunAccount {
   public:
    /// Requires well-formed stages (Evaluator::part).
    RunAccount(const Problem& problem, const package::Network& network, Leaves& leaves, const package::Run& run,
               const Made& made, const StageSets& stages, bool disjoint, const LeastSending& sending);

    /// Both may be null.
    Evaluated settle(Detail* detail, Parts* parts);

   private:
    static constexpr int kNobody = -1;  ///< owner of what stages outside the account make

    /// A use of a box of a tensor by a core in slots.
    struct Use {
        enum class Sort : std::uint8_t { need, streamed, owned, made };
        Sort sort = Sort::need;
        int core = 0;
        int slot = 0;
        int sent = 0;  ///< of owned boxes
        Box box;
    };
    struct Part {
        int core = 0;
        Box points;
    };
    struct Stay {
        int core = 0;
        int from = 0;
        int to = 0;
    };
    struct Cell;

    bool has(int einsum) const { return (stages_.counted >> (einsum - run_.first) & 1U) != 0; }
    bool is_inside(int tensor) const {
        const int maker = problem_.maker(tensor);
        return maker >= run_.first && maker <= run_.last;
    }
    void place_stages();
    Refusal add_stage(int einsum);
    Refusal add_step(int einsum, int step, const std::vector<std::vector<int>>& digits);
    void add_leaf(int einsum, int slot, const Part& part);
    Refusal add_family(int einsum, int slot, const std::vector<const Part*>& family);
    void add_sum(int einsum, int slot, const std::vector<const Part*>& family, int owner, std::int64_t words_of_one);
    bool is_known(int einsum, int tensor) const;
    void add_late_makers(int einsum);
    void add_tensor(int tensor, std::vector<Use>& uses);
    void add_made(int tensor, Cell& cell);
    void add_unknown(int tensor, const Cell& cell);
    void add_from_dram(int tensor, Cell& cell);
    void travel(int tensor, int slot, int from, package::NodeSet to, std::int64_t words);
    void pass(int tensor, int slot, int dram, std::int64_t words, double word_pj);
    template <typename Take>
    void to_drams(int tensor, std::int64_t words, std::span<const std::int64_t> by_dram, const Take& use) const;
    void stay(int tensor, std::vector<Stay>& stays, std::int64_t words);
    void begin(Detail& detail);
    void finish();
    void hold(int tensor, int core, int from, int to, std::int64_t words);
    void spend(double Energy::* cause, int core, double energy_pj);
    Evaluated time();
    Slot slot_of(int slot) const;

    const Problem& problem_;
    const package::Network& network_;
    Leaves& leaves_;
    const package::Run& run_;
    const Made& made_;
    StageSets stages_;
    bool disjoint_;
    const LeastSending& sending_;

    std::vector<int> offsets_;  // by stage
    std::vector<int> lags_;
    int slots_ = 1;                       // with slot -1
    std::vector<std::vector<Use>> uses_;  // by tensor
    std::vector<int> used_;               // tensors with uses
    std::vector<std::int64_t> busy_;      // by slot and core, from slot -1 on
    std::vector<std::int64_t> room_;      // the same, as differences
    std::vector<std::int64_t> load_;      // by slot and link
    std::vector<std::int64_t> port_;      // by slot and DRAM
    std::vector<std::int64_t> hops_;      // by slot
    Cost cost_;
    Detail* detail_ = nullptr;  // null: not asked for
    Parts* parts_ = nullptr;    // likewise
};

}  // namespace tilewright::multicore
