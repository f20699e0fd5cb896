// The machines of a design space in a certificate: tables of every part over the few knobs it depends on. They define
// the space of the proof.
//
//     const MachineForm* form = form_of(space, box);         // their layers and tables
//     machine_at(space, *form, positions)                     // one of them
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapspace/constraints.hpp"
#include "workload/einsum.hpp"

namespace tilewright::certificate {

/// Positions low to high - 1 of a knob's values. Never empty.
struct KnobRange {
    std::int64_t low = 0;
    std::int64_t high = 1;

    bool operator==(const KnobRange&) const = default;
};

using MachineBox = std::vector<KnobRange>;
using KnobPositions = std::vector<std::int64_t>;

struct MachineKnob {
    std::string name;
    std::vector<std::string> values;
};

/// A part by the positions of some knobs: the last of them changes fastest.
template <class Value>
struct PartTable {
    std::vector<std::size_t> knobs;
    std::vector<Value> values;
};

struct NetworkLayer {
    std::vector<std::string> names;
    std::int64_t repeats = 1;
    Einsum einsum;
    Constraints constraints;  ///< a fan-out of one neighbour has no constraints on spatial factors
};

/// One mesh per level, outermost memory first, the compute units last.
using LevelMeshes = std::vector<Mesh>;

/// Machines equal but for the numbers of their parts, mapping the same layers.
struct MachineForm {
    KnobPositions decided;  ///< of the deciding knobs
    Architecture base;      ///< everything outside the tables
    std::vector<PartTable<Memory>> memories;
    PartTable<Compute> compute;
    PartTable<LevelMeshes> meshes;
    std::vector<NetworkLayer> layers;
};

struct MachineLimit {
    std::string metric;      ///< "area_mm2", "energy_pj", "latency_cycles", "edp_pj_cycles" or "power_mw"
    bool inclusive = false;  ///< the bound itself is allowed
    double bound = 0.0;

    bool holds(double value) const { return inclusive ? value <= bound : value < bound; }
};

struct MachineSpace {
    std::vector<MachineKnob> knobs;
    std::vector<std::size_t> deciding;  ///< knobs that may change anything
    std::vector<MachineForm> forms;     ///< one for every combination of those
    std::vector<MachineLimit> limits;
    std::string objective;  ///< "energy", "latency" or "edp": of mappings, and of machines by their totals
    std::string factors;    ///< name of a factor rule
};

/// Faults of tables and forms, in words; "" if every combination is a machine.
std::string problem_with(const MachineSpace& space);

MachineBox whole_box(const MachineSpace& space);
bool is_one_machine(const MachineBox& box);

/// The form of a box's machines; null if they have several.
const MachineForm* form_of(const MachineSpace& space, const MachineBox& box);

/// Requires a sound space and positions in it.
Architecture machine_at(const MachineSpace& space, const MachineForm& form, const KnobPositions& positions);

/// A table's index for these positions.
std::size_t index_in(const std::vector<MachineKnob>& knobs, const std::vector<std::size_t>& of,
                     const KnobPositions& positions);

/// Every table value of some machine in the box.
void for_each_index(const std::vector<MachineKnob>& knobs, const std::vector<std::size_t>& of, const MachineBox& box,
                    const std::function<void(std::size_t)>& visit);

void set_meshes(Architecture& machine, const LevelMeshes& meshes);

}  // namespace tilewright::certificate
