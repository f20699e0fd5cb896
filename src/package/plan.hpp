// Plan: how a cascade runs on a package: runs of einsums one after the other, each einsum with a team of cores.
//
// Rules and costs: docs/packages-of-cores.md, multicore/evaluate.hpp. Values; thread-safe.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tilewright::package {

/// Where sums that are split over cores come together.
struct Sums {
    enum class Way { root, scatter, ring };
    Way way = Way::root;
    int axis = -1;  ///< of the result, along which parts have owners; -1: root

    bool operator==(const Sums&) const = default;
};

struct Split {
    int dimension = 0;  ///< of the stage's einsum
    std::int64_t parts = 2;

    bool operator==(const Split&) const = default;
};

/// An einsum on its team: core j of the team takes the j-th combination of parts, the first split slowest.
struct Stage {
    std::vector<int> team;       ///< distinct cores, as many as the product of the parts
    std::vector<Split> split;    ///< distinct dimensions
    std::uint32_t streamed = 0;  ///< operands from DRAM that arrive in every slot and stay nowhere; bit: operand
    Sums sums;

    bool operator==(const Stage&) const = default;
};

/// Einsums first .. last together, in steps of the last one's result.
struct Run {
    int first = 0;
    int last = 0;
    int axis = 0;           ///< of the last result: steps go along it
    std::int64_t step = 1;  ///< words of it a step
    std::vector<Stage> stages;

    bool operator==(const Run&) const = default;
};

struct Plan {
    std::vector<Run> runs;

    bool operator==(const Plan&) const = default;
};

}  // namespace tilewright::package
