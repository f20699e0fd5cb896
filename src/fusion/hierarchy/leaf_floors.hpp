// What no mapping of a box can be below on a machine with memories inside the shared buffer.
//
// No tile is looked at. Every word comes once to each memory that has to keep its tensor; the units ask for an operand
// in every operation, of the memory that suits best, and no more of them share a word than lie below it and work on the
// same one; no more of them work than the factors of the box fill. Part of the energy of a row for part of its words.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "fusion/hierarchy/roles.hpp"
#include "fusion/leaf/leaf.hpp"
#include "fusion/machine/machine.hpp"
#include "mapspace/constraints.hpp"
#include "workload/einsum.hpp"

namespace tilewright::fusion {

class LeafFloors {
   public:
    /// `demands` as demands_of() gives them. Keeps references to all.
    LeafFloors(const Einsum& einsum, const Architecture& architecture, int buffer, const Constraints& demands);

    /// Of a leaf's question; its words are 0. Beyond all costs where the buffer may not hold what it is to hold.
    LeafPoint of(const LeafQuestion& question) const;
    /// Inside the buffer, of a point of iterations of any box: without what the outermost memory does.
    const LeastPerPoint& per_point() const { return least_; }

    /// The buffer may hold these operands.
    bool may_hold(TensorSet held) const { return (held.bits() & must_pass_.bits()) == 0; }
    /// Operands that never lie in the buffer.
    TensorSet must_pass() const { return must_pass_; }

   private:
    using Extents = std::vector<std::int64_t>;
    using Dimensions = std::uint32_t;  // bit d: dimension d
    struct Box {
        const Extents& extents;
        double operations = 1.0;
    };

    bool may_keep(int memory, int operand) const;
    bool must_keep(int memory, int operand) const;
    std::int64_t most_across(int memory, int dimension, std::int64_t extent) const;
    double most_of(int memory, const Extents& extents, Dimensions dimensions) const;
    double neighbours(int memory, const Extents& extents, Dimensions dimensions) const;
    double sharing(int memory, int operand, const Extents& extents) const;
    double first_arrivals(int memory, int operand, const Extents& extents, double words) const;
    double units(const Extents& extents) const;
    double energy_at_units(int memory, int operand, const Box& box, double words) const;
    double passing_energy(int memory, int operand, double words) const;
    double operand_energy(int operand, const Box& box, int home) const;
    double per_point_energy(int operand, const Box& box) const;
    double share_of_price(int memory, int operand) const;
    double dram_cycles(const LeafQuestion& question) const;
    Dimensions unmoved_by(int operand) const;
    void find_least();

    const Einsum& einsum_;
    const Architecture& architecture_;
    int buffer_;
    const Constraints& demands_;
    MemoryPort dram_;
    std::vector<Axes> axes_;  // by memory: of the fan-out below it
    TensorSet must_pass_;
    LeastPerPoint least_;
};

}  // namespace tilewright::fusion
