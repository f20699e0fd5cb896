#include "sim/noc/matching.hpp"

namespace tilewright::sim {

Matcher::Matcher(Matching kind, int ports)
    : kind_(kind),
      ports_(ports),
      wants_(static_cast<std::size_t>(ports)),
      wanted_by_(static_cast<std::size_t>(ports)),
      offers_(static_cast<std::size_t>(ports)),
      output_of_(static_cast<std::size_t>(ports)),
      next_input_(static_cast<std::size_t>(ports)),
      next_output_(static_cast<std::size_t>(ports)) {}

void Matcher::match() {
    matched_ = 0;
    matched_outputs_ = 0;
    if (inputs_ == 0) return;
    if (kind_ == Matching::islip) {
        match_islip();
    } else {
        match_input_first();
    }
    for_each_bit(inputs_, [&](int input) { wants_[input] = 0; });
    for_each_bit(outputs_, [&](int output) { wanted_by_[output] = 0; });
    inputs_ = 0;
    outputs_ = 0;
}

void Matcher::match_islip() {
    std::uint64_t offered = 0;
    for_each_bit(outputs_, [&](int output) {
        const auto o = static_cast<std::size_t>(output);
        const int input = first_from(wanted_by_[o], next_input_[o]);
        offers_[input] |= std::uint64_t{1} << output;
        offered |= std::uint64_t{1} << input;
    });
    for_each_bit(offered, [&](int input) {
        const auto i = static_cast<std::size_t>(input);
        settle(input, first_from(offers_[i], next_output_[i]));
        offers_[i] = 0;
    });
}

void Matcher::match_input_first() {
    std::uint64_t asked = 0;
    for_each_bit(inputs_, [&](int input) {
        const auto i = static_cast<std::size_t>(input);
        const int output = first_from(wants_[i], next_output_[i]);
        offers_[output] |= std::uint64_t{1} << input;
        asked |= std::uint64_t{1} << output;
    });
    for_each_bit(asked, [&](int output) {
        const auto o = static_cast<std::size_t>(output);
        settle(first_from(offers_[o], next_input_[o]), output);
        offers_[o] = 0;
    });
}

void Matcher::settle(int input, int output) {
    output_of_[input] = output;
    matched_ |= std::uint64_t{1} << input;
    matched_outputs_ |= std::uint64_t{1} << output;
    next_input_[output] = (input + 1) % ports_;
    next_output_[input] = (output + 1) % ports_;
}

}  // namespace tilewright::sim
