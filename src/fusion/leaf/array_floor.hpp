// What leaves cost at least on machines of a DRAM, a buffer and an array of units with registers of one word: found
// without looking at tiles, and for all even nests (array_ways.hpp).
//
// Of one spread over the array and the operands in the registers (one, or several narrow ones) all follows at once: how
// many steps there are, and how many words DRAM and buffer move for them. Cycles are the largest of the three, so that
// spreads that a memory cannot feed do not count as quick.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fusion/cost/cost.hpp"
#include "fusion/leaf/array_ways.hpp"
#include "fusion/machine/machine.hpp"

namespace tilewright::fusion {

/// Where the array finds an operand.
enum class Home : std::uint8_t {
    buffer,  ///< a shared store holds it
    dram,    ///< its words come from the DRAM, by way of a tile of the leaf or past the buffer
    either,  ///< in some groups the one, in others the other; what comes from the DRAM once is counted elsewhere
};

struct OperandHome {
    Home home = Home::buffer;
    double once = 0.0;          ///< words that the box touches
    double paid = 0.0;          ///< of Home::either: words whose way from or to the DRAM is counted elsewhere
    std::int64_t sum_bits = 0;  ///< of partial sums; 0: as many as of final ones
};
using OperandHomes = std::array<OperandHome, kMaxTensors>;

struct AtArray {
    double points = 1.0;
    std::int64_t resumed = 0;   ///< calls that go on with the sums of the one before: they read them first
    bool whole_cycles = false;  ///< memories take whole cycles, as of a call
};

/// What a search looks at: the other of both is then a floor by itself.
enum class Wanted : std::uint8_t { energy, cycles, both };

/// Every nest costs no less than one of these, energy and cycles at once; none beats another. Ascending energy.
/// `spreads`: of a point, as WaysOfArray gives them.
std::vector<Cost> array_corners(const Einsum& einsum, const Machine& machine, const ArrayWays& spreads,
                                const OperandHomes& homes, const AtArray& at_array, Wanted wanted);

}  // namespace tilewright::fusion
