// Ways of words over a package's mesh: along x first, then along y. Code of its own; one for each thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "package/package.hpp"

namespace tilewright::certificate::package_proof {

/// A core by its number; a DRAM: the number of cores and its own.
using Node = int;
/// Of cores, by bit.
using Cores = std::uint64_t;

struct Multicast {
    std::vector<int> wires;
    double energy_pj = 0.0;   ///< a word
    std::int64_t cycles = 0;  ///< of its longest way
};

class Wires {
   public:
    /// Keeps a reference.
    explicit Wires(const package::Package& package);

    int count() const { return static_cast<int>(rates_.size()); }
    double words_per_cycle(int wire) const { return rates_[wire]->words_per_cycle; }
    /// Valid until the next call.
    const Multicast& to_node(Node from, Node to) const;
    const Multicast& to_cores(Node from, Cores to) const;
    Node dram(int number) const { return package_.core_count() + number; }

   private:
    void walk(Node from, Node to, std::vector<int>& wires) const;
    Multicast priced(std::vector<int> wires) const;

    const package::Package& package_;
    std::vector<package::Place> places_;  // by node
    std::vector<const package::LinkRate*> rates_;
    mutable std::unordered_map<std::uint64_t, Multicast> single_;
    mutable std::vector<std::unordered_map<Cores, Multicast>> many_;  // by source
};

}  // namespace tilewright::certificate::package_proof
