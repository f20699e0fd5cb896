// A tensor that turns keep from one stage to another with others between: what it costs at least, and the room that
// it takes from all of them.
//
// Of a tensor from outside that two stages read, every word comes from DRAM in a slot before the first of them at all
// cores that need it there (rules 6, 8 and 11), and stays where the second one needs it as well. Where some other core
// needs it, or one of both streams it, it comes again: in a later slot, since the second stage depends on the first, so
// that no multicast is shared. A tensor that the run makes stays at each core at which its last reader needs it.
//
// A word that stays is in no stage's account alone (Evaluator::part leaves such a tensor out), so that both rooms add
// up (rule 10). Stage e between works on step i in slot off(e) + i, where off(e) is at least the number of stages on
// the longest way of needs from the first one on (rule 7): a word that comes for step j of the first stage and is
// needed in step k of the last one stands there if j - 1 <= way(first, e) + i and i <= way(e, last) + k, whatever the
// lags.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "multicore/search/way.hpp"

namespace tilewright::multicore {

/// Stages of a way.
struct KeptSpan {
    int tensor = 0;
    int first = 0;
    int last = 0;
    bool is_made = false;  ///< by `first`; else read by it
};

/// Those that do not overlap, in order, each of which neither end reads a word of in two steps. Of turns alone.
std::vector<KeptSpan> kept_spans(const Problem& problem, const Way& way);

/// Words of a tensor from outside that both stages read come in no common slot, however the stages are run.
bool comes_apart(const Problem& problem, const Way& way, int tensor, int first, int last);

class Kept {
   public:
    /// Keeps references to both.
    Kept(const Evaluator& evaluator, const Way& way, const KeptSpan& span);

    const KeptSpan& span() const { return span_; }
    /// How the first stage, or the last one, cuts the tensor among the cores, by number.
    int first_pattern(const package::Stage& stage) { return pattern(span_.first, stage, firsts_); }
    int last_pattern(const package::Stage& stage) { return pattern(span_.last, stage, lasts_); }
    int first_patterns() const { return static_cast<int>(firsts_.size()); }
    int last_patterns() const { return static_cast<int>(lasts_.size()); }

    /// Of all its words from DRAM, at least; 0 where the run makes it.
    double energy_pj(int first, int last);
    /// By stage from the first on: words that it has at least in the slot of each step, by step and core.
    std::vector<std::vector<std::int32_t>> room(int first, int last);

   private:
    struct Pattern {
        std::vector<std::int64_t> key;
        bool is_streamed = false;
        std::vector<std::vector<Box>> boxes;  ///< by step and core
    };
    /// Words of one step of the last stage.
    struct Cell {
        int from = 0;  ///< step of the first stage
        int to = 0;    ///< of the last one
        package::NodeSet at_first = 0;
        package::NodeSet at_last = 0;
        std::int64_t words = 0;
    };

    int pattern(int stage, const package::Stage& of, std::vector<Pattern>& all) const;
    const std::vector<Cell>& cells(int first, int last);
    void add_cells(const Pattern& first, const Pattern& last, int from, int to, std::vector<Cell>& all) const;
    double once_pj(package::NodeSet to) const;

    const Evaluator& evaluator_;
    const Way& way_;
    KeptSpan span_;
    int steps_ = 0;
    int cores_ = 0;
    std::vector<int> to_;                  // by stage from the first on: way from the first one; -1: none
    std::vector<int> until_;               // likewise to the last one
    std::vector<std::vector<int>> meets_;  // by step of the last stage: steps of the first one with words of it
    std::vector<Pattern> firsts_;
    std::vector<Pattern> lasts_;
    std::pair<int, int> known_{-1, -1};
    std::vector<Cell> cells_;  // of those
    std::map<std::pair<int, int>, double> energies_;
};

}  // namespace tilewright::multicore
