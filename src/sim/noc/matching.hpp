// Matching of requests and outputs by round-robin arbiters.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "sim/noc/mesh.hpp"
#include "sim/noc/state.hpp"

namespace tilewright::sim {

/// The first set bit at or after `start`, cyclically; requires a set bit.
inline int first_from(std::uint64_t mask, int start) {
    const std::uint64_t rest = mask & (~std::uint64_t{0} << start);
    return std::countr_zero(rest != 0 ? rest : mask);
}

template <typename Visit>
void for_each_bit(std::uint64_t mask, Visit visit) {
    for (; mask != 0; mask &= mask - 1) visit(std::countr_zero(mask));
}

/// Up to 64 inputs and outputs. The arbiters remember their last grants.
class Matcher {
   public:
    Matcher(Matching kind, int ports);

    void request(int input, int output) {
        wanted_by_[output] |= std::uint64_t{1} << input;
        wants_[input] |= std::uint64_t{1} << output;
        inputs_ |= std::uint64_t{1} << input;
        outputs_ |= std::uint64_t{1} << output;
    }

    /// Serves and clears the requests since the last match.
    void match();

    /// An input's output in the last match, or -1.
    int output_of(int input) const { return (matched_ >> input & 1) != 0 ? output_of_[input] : -1; }
    std::uint64_t matched_outputs() const { return matched_outputs_; }

    /// The arbiters' pointers: all state between matches.
    void write_state(StateWriter& writer) const {
        for (const int input : next_input_) writer.add(input);
        for (const int output : next_output_) writer.add(output);
    }

   private:
    void match_islip();
    void match_input_first();
    void settle(int input, int output);

    Matching kind_;
    int ports_;
    std::vector<std::uint64_t> wants_;      ///< [input] outputs
    std::vector<std::uint64_t> wanted_by_;  ///< [output] inputs
    std::vector<std::uint64_t> offers_;     ///< [input or output] of the first stage
    std::vector<int> output_of_;            ///< [input]
    std::vector<int> next_input_;           ///< [output] its arbiter's pointer
    std::vector<int> next_output_;          ///< [input]
    std::uint64_t inputs_ = 0;
    std::uint64_t outputs_ = 0;
    std::uint64_t matched_ = 0;
    std::uint64_t matched_outputs_ = 0;
};

}  // namespace tilewright::sim
