// What a run costs at least, whatever its steps, teams and splits: by counts alone.
#pragma once

#include <vector>

#include "certificate/package/leaves.hpp"
#include "certificate/package/reading.hpp"
#include "certificate/package/wires.hpp"

namespace tilewright::certificate::package_proof {

/// Energy and cycles of one repeat, each by itself.
struct RunFloor {
    double energy_pj = 0.0;
    double cycles = 0.0;
};

class RunFloors {
   public:
    /// Keeps references to all.
    RunFloors(const Reading& reading, const Wires& wires, Leaves& leaves);

    /// Every operation once on the cheapest kind; every word from outside, and every one wanted there, once on the
    /// least way. In cycles: all cores at work; all DRAMs at their rates.
    RunFloor of(int first, int last) const;

    /// Of a word of the tensor: from its DRAM to a core that runs one of its readers, written there.
    double into_core_pj(int tensor) const { return in_pj_[tensor]; }
    double words_per_cycle() const { return rate_; }   ///< of all DRAMs
    double leakage_pj() const { return leakage_pj_; }  ///< a cycle, of all cores

   private:
    struct Used {
        int tensor = 0;
        double words = 0.0;       ///< distinct ones of all iterations, or fewer
        bool is_covered = false;  ///< the whole tensor is needed
    };
    struct Least {
        double energy_pj = 0.0;
        double busy = 0.0;
        double results = 0.0;  ///< words of each
        std::vector<Used> used;
    };

    void price(const Wires& wires);

    const Reading& reading_;
    std::vector<Least> least_;  // by einsum
    std::vector<double> in_pj_;
    std::vector<double> out_pj_;
    double rate_ = 0.0;
    double leakage_pj_ = 0.0;
};

}  // namespace tilewright::certificate::package_proof
