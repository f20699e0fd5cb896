// What the slots of a way take at least, whatever stages are still to come: in a slot, core cycles of all stages that
// work in it, over the cores, and words that DRAMs pass in it. A word that is kept comes in the slot before its first
// use, one that is streamed in the slot of its use, so that words that no stage can work without leave cores idle where
// a run begins, and cores wait where many come at once.
#pragma once

#include <cstdint>
#include <vector>

#include "base/stop.hpp"
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
    double cycles = 0.0;  ///< with those before
};

/// Slots of the first steps of stages, lags and streamed operands, as far as they are chosen.
struct Places {
    std::vector<int> offsets;
    std::vector<int> lags;
    std::vector<std::uint32_t> streamed;
};

class SlotFloors {
   public:
    /// Keeps references to all. What takes long throws once `stop` is requested (throw_if_stopped).
    SlotFloors(const Evaluator& evaluator, const Way& way, const StopSource* stop);

    int slots() const { return slots_; }
    void place(Places& places, int lag, std::uint32_t streamed) const;
    /// Adds words from outside of a placed stage that an evaluation of the stages up to `last` has not: of tensors that
    /// a stage behind it reads as well.
    void add_words(const Places& places, int stage, int last, std::vector<double>& words) const;
    /// A shape in its place.
    void add_shape(int stage, const FlooredShape& shape, int offset, Slots& slots) const;
    /// Cycles of all slots, with those of the rest and of one stage more where they are not null; from `cut` on no more
    /// than some that are.
    double cycles(const Slots& now, const Slots* more, const Rest* rest, double cut) const;
    /// All ways of the stages behind those that are placed that take fewer than `cut` cycles, the least first; or that
    /// one alone.
    std::vector<Rest> behind(const Places& places, const Slots& now, double cut, bool least_alone) const;

   private:
    struct Reader {
        int stage = -1;  ///< -1: none
        std::uint32_t operands = 0;
        std::vector<double> kept = {};      ///< words by step that no step before needs
        std::vector<double> streamed = {};  ///< words by step

        bool is_streamed(const Places& places) const { return (places.streamed[stage] & operands) != 0; }
    };
    /// A tensor from outside. Where two stages read it and the first one streams it, or the second one, it comes twice.
    struct Source {
        Reader first;
        Reader second;
        int last_reader = 0;
        double extra = 0.0;  ///< words of all steps: streamed beyond kept
    };
    struct Stage {
        std::vector<double> busy;     ///< by step
        std::vector<double> out;      ///< words to DRAM by step
        std::vector<Source> sources;  ///< those that count, of the first reader
    };

    /// Of stages to come.
    struct Choices {
        std::vector<const Reader*> open;     ///< that keep or stream
        std::vector<const Source*> firsts;   ///< that come with their first reader
        std::vector<const Source*> seconds;  ///< that may come again with the second one
        double left_out = 0.0;               ///< words of those that are too many
    };

    Choices choices(const Places& places, int decided, double cut) const;
    void add_sources(int stage);
    bool is_behind(int stage, int first, int tensor) const;
    Reader reader_of(int stage, int tensor) const;
    std::vector<double> words_by_step(int stage, int tensor, bool kept) const;
    void add_first(const Places& places, const Source& source, std::vector<double>& words) const;
    void add_second(const Places& places, const Source& source, std::vector<double>& words) const;
    void add_rest(Places places, const Slots& now, int decided, double cut, bool least_alone,
                  std::vector<Rest>& all) const;

    const Problem& problem_;
    const Way& way_;
    const StopSource* stop_;
    int cores_;
    int steps_;
    int slots_;
    double of_core_;                     // cycles of a core cycle, where all cores work
    double of_word_;                     // likewise of a word, through all DRAMs
    double least_words_ = 0.0;           ///< of all that count
    std::vector<std::uint64_t> before_;  ///< by stage: stages that it depends on, however far
    std::vector<Stage> stages_;
};

}  // namespace tilewright::multicore
