// What a machine does for one layer, step by step: which words go where, and how long every element computes.
//
// A step is one iteration of all temporal loops outside the array (floor.hpp). In a step, memories outside the array
// are loaded from those further out, elements are sent what they lack, compute, and give results back. What an element
// gets for its inner memories during a step is sent in one piece. The words are counted by the rules of the cost model
// (docs/model.md): what the last tile did not hold, once for all elements that are sent the same words at the same
// time.
//
// Equal steps are stored once. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "base/stop.hpp"
#include "mapping/mapping.hpp"
#include "sim/machine/floor.hpp"
#include "workload/einsum.hpp"

namespace tilewright::sim {

/// The way of one tensor between two levels that keep it and nothing between that does.
struct Flow {
    int tensor = 0;
    int outer = 0;  ///< memory
    int inner = 0;  ///< memory, or memory_count(): the compute units
    bool result = false;
    bool into_array = false;  ///< the inner level is in the elements

    bool operator==(const Flow&) const = default;
};

/// Words of a flow to (or from) a group of elements; group 0 has none: between memories.
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
    int working = 0;                  ///< the group that computes

    bool operator==(const Step&) const = default;
};

/// What crossed a flow over the whole run.
struct FlowTotals {
    std::int64_t in = 0;     ///< words that the outer memory sent, a multicast once; of results: partial sums read back
    std::int64_t first = 0;  ///< of results: words that needed no reading, because they had not been there
    std::int64_t out = 0;    ///< results that the outer memory received
    std::int64_t delivered =
        0;  ///< copies that reached instances of the inner level (first arrivals of results included)

    bool operator==(const FlowTotals&) const = default;
};

struct Program {
    Floor floor;
    std::vector<Flow> flows;
    std::vector<FlowTotals> totals;        ///< [flow]
    std::vector<std::vector<int>> groups;  ///< element numbers, ascending: y * elements_x + x; group 0 is empty
    std::vector<Step> kinds;               ///< distinct steps
    std::vector<std::uint32_t> steps;      ///< in order
    std::uint32_t outer_period = 1;        ///< steps of one iteration of the outermost loop that has more than one
};

/// Why the mapping cannot be simulated, or "": it is not even, or it has remainders and a tensor without a memory in
/// the elements.
std::string problem_with_program(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping);

/// Requires a legal mapping and problem_with_program(...).empty(). Throws Interrupted when told to stop.
Program program_of(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                   const StopSource* stop = nullptr);

/// The same by walking every visit of every instance: slow, for mappings with remainders or overlapping results and for
/// tests.
Program walked_program(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                       const StopSource* stop = nullptr);

struct Interrupted {};

}  // namespace tilewright::sim
