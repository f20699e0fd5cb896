// What the slots of a way take at least, whatever stages are still to come: in a slot, core cycles of all stages that
// work in it, over the cores, and words that DRAMs pass in it. A word that is kept comes in the slot before its first
// use, one that is streamed in the slot of its use, so that words that no stage can work without leave cores idle where
// a run begins, and cores wait where many come at once.
#pragma once

#include <cstdint>
#include <vector>

#include "multicore/search/way.hpp"

namespace tilewright::multicore {

/// Loads by slot, from slot -1 on.
struct Slots {
    std::vector<double> slowest;  ///< cycles of the core that works most
    std::vector<double> busy;     ///< core cycles
    std::vector<double> moving;   ///< cycles, as far as links and routes are known
    std::vector<double> words;    ///< through all DRAMs

    explicit Slots(int count) : slowest(count, 0.0), busy(count, 0.0), moving(count, 0.0), words(count, 0.0) {}
};

/// Of the stages to come, in one way of lags and streams.
struct Rest {
    std::vector<double> busy;
    std::vector<double> words;
    double cycles = 0.0;  ///< with what went before
};

/// Slots of the first steps of stages, and lags, as far as they are chosen.
struct Places {
    std::vector<int> offsets;
    std::vector<int> lags;
};

class SlotFloors {
   public:
    /// Keeps references to both.
    SlotFloors(const Evaluator& evaluator, const Way& way);

    int slots() const { return slots_; }
    void place(Places& places, int lag) const;
    /// Adds words of tensors from outside of a stage in its place. `read_later`: of those alone that a stage behind
    /// `last` reads as well; else of all that count.
    void add_words(int stage, std::uint32_t streamed, int offset, std::vector<double>& words, bool read_later,
                   int last) const;
    /// A shape in its place.
    void add_shape(int stage, const FlooredShape& shape, int offset, Slots& slots) const;
    /// Cycles of all slots, with those of the rest and of one stage more where they are not null.
    double cycles(const Slots& now, const Slots* more, const Rest* rest) const;
    /// All ways of the stages behind those that are placed that take fewer than `cut` cycles, the least first.
    std::vector<Rest> behind(const Places& places, const Slots& now, double cut) const;

   private:
    /// A tensor from outside that a stage is the first to read.
    struct Source {
        std::uint32_t operands = 0;
        int last_reader = 0;           ///< stage
        std::vector<double> kept;      ///< words by step that no step before needs
        std::vector<double> streamed;  ///< words by step
        double extra = 0.0;            ///< of all steps: streamed beyond kept
    };
    struct Stage {
        std::vector<double> busy;     ///< by step
        std::vector<double> out;      ///< words to DRAM by step
        std::vector<Source> sources;  ///< those that count
    };

    void add_sources(int stage);
    bool is_behind(int stage, int first, int tensor) const;
    std::vector<double> words_by_step(int stage, int tensor, bool kept) const;
    void add_rest(const Places& places, const Slots& now, std::size_t decided, double cut,
                  std::vector<Rest>& all) const;

    const Problem& problem_;
    const Way& way_;
    int cores_;
    int steps_;
    int slots_;
    double rate_;
    double least_words_ = 0.0;           ///< of all that count
    std::vector<std::uint64_t> before_;  ///< by stage: stages that it depends on, however far
    std::vector<Stage> stages_;
};

}  // namespace tilewright::multicore
