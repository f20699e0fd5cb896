// Undominated machines of a search of two or three metrics: boxes they rule out, and their gap to the floors left.
#pragma once

#include <cstddef>
#include <vector>

#include "explore/space.hpp"

namespace tilewright::codesign {

/// By metric; smaller is better.
using Values = std::vector<double>;

/// Machines with at least `floors` are no better than one of `values` in any metric, up to rounding.
bool covers(const Values& values, const Values& floors);

struct FrontMachine {
    explore::Point point = 0;
    Values values;

    bool operator==(const FrontMachine&) const = default;
};

class FoundMachines {
   public:
    bool covered(const Values& floors) const;

    /// False: another one is no worse in any metric.
    bool add(const FrontMachine& machine);

    /// Floor of one metric that rules out the box; infinite if none does.
    double enough(const Values& floors, std::size_t metric) const;

    /// By value; of those equal to nine digits the first.
    std::vector<FrontMachine> front() const;

    /// Relative improvement possible with these floors over the closest machine; 1 if none was found.
    double gap(const Values& floors) const;

   private:
    std::vector<FrontMachine> all_;
};

}  // namespace tilewright::codesign
