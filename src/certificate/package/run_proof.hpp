// Floors of single runs, as high as is asked for where that can be shown: by counts (run_floors.hpp); by the stages
// each alone, in every step, team, split and stream; and where that is not enough by all ways of going through the run.
//
// A way is followed stage by stage. Stages so far are evaluated together, by the rules of plans: a floor, since further
// ones only add words, slots and room. What is to come has potentials by (stage, first free core): its stages alone,
// the words that go from one to the next on the shortest wire, words of several readers once. In a pipeline, energy
// adds up by tensors, so that of two beginnings with the same future the cheaper one stands for both.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "certificate/package/account.hpp"
#include "certificate/package/run_floors.hpp"

namespace tilewright::certificate::package_proof {

class RunProof {
   public:
    /// Keeps references to all but `stop`, which makes it give up. `is_energy`: pJ; else cycles. `most_accounts`: of a
    /// run: evaluations of stages alone, and as many of several.
    RunProof(const Reading& reading, const Wires& wires, Leaves& leaves, bool is_energy, std::int64_t most_accounts,
             std::function<bool()> stop = {});

    /// By counts.
    double floor(int first, int last) const;

    /// No way of going through the run, of one repeat, costs less: `wanted` or more where that is shown.
    double least(int first, int last, double wanted);
    /// Of the last call: evaluations were used up before it was decided.
    bool has_given_up() const { return has_given_up_; }

   private:
    struct Option {
        package::Stage stage;
        double alone = 0.0;
        double busy = 0.0;
        double dram_words = 0.0;
    };
    struct GivenUp {};
    /// Steps with teams that are disjoint (size 0), or so many cores for all stages.
    struct Way {
        Makings makings;
        int size = 0;
        std::vector<double> beside = {};                                          ///< by stage: of words between stages
        std::vector<std::vector<std::vector<std::vector<Option>>>> options = {};  ///< by stage, first core, size - 1
        std::vector<double> busy = {};               ///< by stage: core cycles of it and all behind, each at its least
        std::vector<double> dram_words = {};         ///< likewise
        std::vector<std::vector<double>> rest = {};  ///< by stage and first free core
    };
    using Key = std::vector<std::int64_t>;

    double of_step(int first, int last, const Step& step, double wanted);
    double of_way(Way way, double wanted);
    void list_options(Way& way, double wanted);
    std::vector<Option> options_of(const Way& way, int stage, const std::vector<int>& team);
    void find_needed();
    void find_beside(Way& way) const;
    void find_rest(Way& way) const;
    void follow(const Way& way, int stage, int core, double before);
    bool is_dominated(const Way& way, int stage, int core, double value);
    Key key_of(int stage, int core) const;
    void spend(std::int64_t& left, const Way& way) const;
    Spent counted(const Way& way, std::uint64_t stages, double enough);
    double words_between(int reader, int tensor, const Way& way) const;

    int stages() const { return run_.last - run_.first + 1; }
    double value_of(const Spent& spent) const {
        return is_energy_ ? spent.all_pj() : static_cast<double>(spent.cycles);
    }
    double with_rest(const Way& way, const Spent& spent, int next, double after) const;
    double together(double a, double b) const { return is_energy_ ? a + b : std::max(a, b); }

    const Reading& reading_;
    const Wires& wires_;
    Leaves& leaves_;
    Accountant accountant_;
    RunFloors floors_;
    bool is_energy_;
    std::int64_t most_accounts_;
    std::function<bool()> stop_;
    double hop_pj_ = 0.0;              // between neighbours that are nearest
    std::int64_t left_to_list_ = 0;    // evaluations
    std::int64_t left_to_follow_ = 0;  // likewise
    bool has_given_up_ = false;
    double cut_ = 0.0;                   // ways from here on are of no use
    package::Run run_;                   // at hand
    std::vector<std::uint64_t> needed_;  // by stage: those up to it that later ones depend on
    std::map<Key, double> cheapest_;     // of beginnings with the same future
};

}  // namespace tilewright::certificate::package_proof
