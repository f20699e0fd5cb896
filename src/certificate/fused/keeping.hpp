// What later einsums of a group need of a tensor, and the ways in which a shared store may keep it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "workload/cascade/cascade.hpp"

namespace tilewright::certificate::fused_proof {

// Along one axis of a tensor: which places the steps of a shared loop need, and which they make.
//
// Equal ones are one number. Not thread-safe.

struct Walk {
    std::vector<tilewright::Interval> steps;  ///< empty intervals where nothing is needed
    std::int64_t longest = 0;
    std::int64_t total = 0;
    std::int64_t span = 0;                             ///< from the first place of all steps to the last
    std::map<std::int64_t, std::int64_t> how_often{};  ///< by length of those that are not empty
};

class Walks {
   public:
    explicit Walks(const Cascade& cascade) : cascade_(cascade) {}

    const Walk& operator[](int walk) const { return walks_[walk]; }
    bool is_one_step(int walk) const { return (*this)[walk].steps.size() == 1; }

    /// All places from 0 to extent - 1, so many a step.
    int even(std::int64_t extent, std::int64_t step);
    /// What an operand of the einsum reaches along an axis of its tensor while a dimension walks.
    int reached(int walk, int einsum, int operand, int axis, int dimension);
    /// Of every step what no earlier one had.
    int fresh(int walk);
    bool overlaps(int walk) { return fresh(walk) != walk; }
    /// The intervals around both, step by step; nothing: these go back somewhere.
    std::optional<int> around(int a, int b);

   private:
    int number_of(std::vector<tilewright::Interval> steps);

    const Cascade& cascade_;
    std::vector<Walk> walks_;
    std::map<std::vector<std::int64_t>, int> numbers_;
    std::map<std::tuple<int, int, int, int, int>, int> reached_;
    std::map<int, int> fresh_;
};

/// How long its words are reserved.
enum class Stay : std::uint8_t {
    while_used,     ///< from its first branch to its last
    throughout,     ///< a step leaves words to the next
    not_shared,     ///< leaves read it from the DRAM
    for_all_steps,  ///< it does not move, and is brought before the loops
    for_inner,      ///< it moves with the outer loop only, and is brought inside it
};

struct Need {
    int tensor = -1;
    Stay stay = Stay::while_used;
    std::array<int, 2> axes{-1, -1};
    std::array<int, 2> steps{-1, -1};  ///< Walks along them, of the outer and the inner loop
    std::int64_t words_each = 1;
    std::int64_t bits_each = 1;  ///< of these words in the buffer

    auto operator<=>(const Need&) const = default;
};
/// Ascending tensors, each once.
using Needs = std::vector<Need>;

/// Adds what one more reader needs; false: no store of the space serves both.
bool add(Walks& walks, Needs& needs, const Need& more);

struct Kept {
    std::array<int, 2> made{-1, -1};  ///< Walks of what is made or brought in each step
    std::int64_t bits = 0;            ///< of the store
    std::int64_t brought = 0;         ///< words in all steps, where it comes from the DRAM
};

std::int64_t tile_bits(const Walks& walks, const Need& need);
/// A tile inside both loops, or lines between them.
std::vector<Kept> ways_to_keep(Walks& walks, const Need& need);

}  // namespace tilewright::certificate::fused_proof
