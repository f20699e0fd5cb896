// Along one axis of a tensor: which places the steps of a shared loop need, and which they make.
//
// Equal ones are one number. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "workload/cascade/cascade.hpp"

namespace tilewright::certificate::fused_proof {

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

}  // namespace tilewright::certificate::fused_proof
