// A machine's program for one layer, step by step: words, destinations and compute times.
//
// A step is one iteration of all temporal loops outside the array (floor.hpp). Memories outside the array load from
// further out; elements receive their missing words, compute, and return results. An element's words for its inner
// memories in one step are sent in one piece. Words follow the cost model's rules (docs/model.md): the new words of
// each tile, once per group of elements with equal words at the same time.
//
// Equal steps are stored once. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "base/stop.hpp"
#include "mapping/mapping.hpp"
#include "sim/noc/mesh.hpp"
#include "workload/einsum.hpp"

namespace tilewright::sim {

// Placement of a machine's parts on the mesh.
//
// The array is the architecture's outermost fan-out, including the fan-outs directly below levels without storage
// (dummy levels). Each of its elements, contents included, is one processing element, a mesh node. Everything outside
// is a memory: the outermost one at the left end of an extra row, the others at its right end.

struct Floor {
    int spreads_from = 0;  ///< the memory above the array; later ones are inside or between
    int element = 1;       ///< the first level inside the array (memory_count(): the compute units)
    Mesh mesh;             ///< elements, plus one row
    int elements_x = 1;    ///< the architecture's array
    int elements_y = 1;
    int placed_x = 1;  ///< the placed one, possibly folded
    int placed_y = 1;

    int elements() const { return elements_x * elements_y; }
    int node_of_element(int number) const { return mesh.node(number % placed_x, number / placed_x); }
    int node_of_memory(int memory) const {
        return memory == 0 ? mesh.node(0, placed_y) : mesh.node(mesh.columns - 1, placed_y);
    }
    bool operator==(const Floor&) const = default;
};

/// Requires problem_with(architecture).empty().
Floor floor_of(const Architecture& architecture);

/// The same with its elements on `columns` x `rows` nodes, renumbered row by row. Requires columns * rows ==
/// floor.elements().
Floor folded(Floor floor, int columns, int rows);

/// Path of one tensor between two adjacent levels keeping it.
struct Flow {
    int tensor = 0;
    int outer = 0;  ///< memory
    int inner = 0;  ///< memory, or memory_count(): the compute units
    bool result = false;
    bool into_array = false;  ///< the inner level is in the elements

    bool operator==(const Flow&) const = default;
};

/// Words of a flow to (or from) a group of elements; group 0 (none): between memories.
struct Transfer {
    int flow = 0;
    int group = 0;
    std::int64_t words = 0;

    bool operator==(const Transfer&) const = default;
};

struct Step {
    std::vector<Transfer> loads;      ///< into memories outside the array; of results, partial sums read back
    std::vector<Transfer> sends;      ///< into the elements, likewise
    std::vector<Transfer> drains;     ///< results out of the elements after the step
    std::vector<Transfer> stores;     ///< results out of memories after the step
    std::int64_t compute_cycles = 0;  ///< of an element
    int working = 0;                  ///< the computing group

    bool operator==(const Step&) const = default;
};

/// Totals of a flow over the run.
struct FlowTotals {
    std::int64_t in = 0;     ///< words sent by the outer memory, a multicast once; of results: partial sums read back
    std::int64_t first = 0;  ///< of results: first arrivals, without a read
    std::int64_t out = 0;    ///< results received by the outer memory
    std::int64_t delivered = 0;  ///< copies received by inner instances (first arrivals of results included)

    bool operator==(const FlowTotals&) const = default;
};

struct Program {
    Floor floor;
    std::vector<Flow> flows;
    std::vector<FlowTotals> totals;        ///< [flow]
    std::vector<std::vector<int>> groups;  ///< element numbers, ascending: y * elements_x + x; group 0 is empty
    std::vector<Step> kinds;               ///< distinct steps
    std::vector<std::uint32_t> steps;      ///< in order
    std::uint32_t outer_period = 1;        ///< steps per iteration of the outermost non-trivial loop
};

/// Reason why the mapping cannot be simulated, or "": not even, or remainders and a tensor without a memory in the
/// elements.
std::string problem_with_program(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping);

/// Requires a legal mapping and problem_with_program(...).empty(). Throws Interrupted.
Program program_of(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                   const StopSource* stop = nullptr);

/// The same by walking every visit of every instance: slow, for mappings with remainders or overlapping results and for
/// tests.
Program walked_program(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                       const StopSource* stop = nullptr);

struct Interrupted {};

}  // namespace tilewright::sim
