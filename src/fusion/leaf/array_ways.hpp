// What an array of units with a register of one word asks of the memories around it, whatever the nest.
//
// A nest spreads dimensions over the axes of the array by factors that divide, several along one axis if it likes, and
// keeps one operand's words in the registers, or none. The units ask for every other operand in each step, a word that
// several of them need once; an operand in the registers is asked for once a word at least. Loops only make that more.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "arch/architecture.hpp"
#include "workload/einsum.hpp"

namespace tilewright::fusion {

/// One spread, of a point of iterations, with no operand in the registers.
struct ArrayWay {
    double steps = 0.0;                       ///< of the array
    std::array<double, kMaxTensors> asked{};  ///< words of each operand that pass between the array and a memory
};
using ArrayWays = std::vector<ArrayWay>;

/// Memos; not thread-safe.
class WaysOfArray {
   public:
    /// Keeps a reference.
    WaysOfArray(const Einsum& einsum, const Mesh& array);

    /// Every nest of such a box takes no fewer steps and, but for the operand in the registers, asks for no fewer words
    /// than one of these, all at once. Ascending steps. Stays where it is.
    const ArrayWays& of_box(const std::vector<std::int64_t>& extents);
    /// Every box of the einsum likewise. `any_extent`: dimensions of which boxes may have any part;
    /// of the others, factors.
    ArrayWays of_any_box(const std::vector<bool>& any_extent);

   private:
    struct Hash {
        std::size_t operator()(const std::vector<std::int64_t>& extents) const;
    };

    const Einsum* einsum_;
    Mesh array_;
    std::vector<std::size_t> class_of_;  // by dimension: those that are spread as one
    std::vector<bool> is_plain_;         // by class
    std::vector<std::int64_t> key_;      // of the box at hand
    std::unordered_map<std::int64_t, std::int64_t> parts_;
    std::unordered_map<std::vector<std::int64_t>, ArrayWays, Hash> spreads_;
    std::map<std::vector<std::int64_t>, double> places_;  // of neighbours on an axis
};

}  // namespace tilewright::fusion
