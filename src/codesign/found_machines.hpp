// Machines that a search of two or three metrics has found, less those that another one beats: what they rule out, and
// how far they are from the floors of what is left.
#pragma once

#include <cstddef>
#include <vector>

#include "explore/space.hpp"

namespace tilewright::codesign {

/// By metric; smaller is better.
using Values = std::vector<double>;

/// Whether machines with at least `floors` are no better than one of `values` in any metric, but for rounding.
bool covers(const Values& values, const Values& floors);

struct FrontMachine {
    explore::Point point = 0;
    Values values;

    bool operator==(const FrontMachine&) const = default;
};

class FoundMachines {
   public:
    bool covered(const Values& floors) const;

    /// False: another one is no worse in anything.
    bool add(const FrontMachine& machine);

    /// What floors have to say of one metric so that the box is ruled out; infinite where they cannot.
    double enough(const Values& floors, std::size_t metric) const;

    /// By value, and of those that are equal to nine digits the first.
    std::vector<FrontMachine> front() const;

    /// By how much a machine with these floors may be better than the one that it is least better than: a share, 1
    /// where none was found.
    double gap(const Values& floors) const;

   private:
    std::vector<FrontMachine> all_;
};

}  // namespace tilewright::codesign
