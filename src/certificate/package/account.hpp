// What stages of a run cost by the rules of docs/packages-of-cores.md: all of them, as a plan has them, or some, as a
// floor of all plans with these.
//
// Code of its own. Words are counted region by region: the borders of all that is needed, made or kept of a tensor cut
// it into cells whose words do the same.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "certificate/package/leaves.hpp"
#include "certificate/package/reading.hpp"
#include "certificate/package/wires.hpp"

namespace tilewright::certificate::package_proof {

struct Spent {
    std::string refused = {};  ///< why; "": it is legal
    double energy_pj = 0.0;    ///< without leakage
    double leakage_pj = 0.0;
    std::int64_t cycles = 0;
    double busy = 0.0;        ///< cycles, of all cores together
    double dram_words = 0.0;  ///< of all DRAMs
    bool is_known = true;     ///< false: some leaves are floors

    double all_pj() const { return energy_pj + leakage_pj; }
};

/// Which stages of a run (by bit) are counted, and how.
struct Counted {
    std::uint64_t stages = 0;
    bool is_apart = false;  ///< teams are disjoint: what other stages make comes from other cores
    bool is_floor = true;   ///< leaves at their least; else as they are mapped
};

class Accountant {
   public:
    /// Keeps references to all.
    Accountant(const Reading& reading, const Wires& wires, Leaves& leaves)
        : reading_(reading), wires_(wires), leaves_(leaves) {}

    /// A whole run as it is; refused, too, where it is malformed.
    Spent of_run(const package::Run& run) const;

    /// Of some stages, with those tensors from outside that no other stage reads. What others make arrives as late as
    /// it may, over no wire. Requires the makings of the run.
    Spent of(const package::Run& run, const Makings& makings, const Counted& counted) const;

   private:
    const Reading& reading_;
    const Wires& wires_;
    Leaves& leaves_;
};

/// Every stage needs its boxes: cores and extents, in a run whose steps make these regions. Calls with each leaf.
void each_leaf(const Reading& reading, const package::Run& run, const Makings& makings, std::uint64_t stages,
               const std::function<void(int einsum, int core, const Extents& extents)>& use);

}  // namespace tilewright::certificate::package_proof
