// Collects the steps of a program. Internal to sim/machine.
#pragma once

#include <map>
#include <vector>

#include "sim/machine/program.hpp"

namespace tilewright::sim {

class ProgramBuilder {
   public:
    ProgramBuilder(const Floor& floor, std::vector<Flow> flows);

    int group(const std::vector<int>& elements);

    void begin_step(std::int64_t compute_cycles, int working);
    /// Words of an operand into the current step. `copies`: receiving instances of the inner level.
    void operand(int flow, int group, std::int64_t words, std::int64_t copies);
    /// Words of a result begun or resumed in the current step, `first` of them for the first time. The flow's earlier
    /// contents leave after the previous step, once per step.
    void result(int flow, int group, std::int64_t words, std::int64_t first, std::int64_t copies);

    Program finish();

   private:
    struct Pending {
        int group;
        std::int64_t words;
    };

    void flush(std::size_t flow, Step& step);
    void store(const Step& step);

    Program program_;
    std::map<std::vector<int>, int> groups_;
    std::map<std::vector<std::int64_t>, std::uint32_t> kinds_;
    std::vector<std::vector<Pending>> pending_;  ///< [flow] pending results
    std::vector<std::uint64_t> flushed_in_;      ///< [flow] the step before the last flush
    std::uint64_t step_number_ = 0;
    Step before_;
    Step now_;
};

}  // namespace tilewright::sim
