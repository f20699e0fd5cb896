// What einsums cost the array at least inside groups of given shared loops.
//
// The loops say what is made of the last einsum step by step, and so, einsum by einsum, which boxes those before it can
// be asked for, however tensors are kept. Along each loop all sequences are followed; of these the cheapest count.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fusion/context.hpp"
#include "fusion/cost/cost.hpp"
#include "fusion/group.hpp"

namespace tilewright::fusion {

class LoopFloors {
   public:
    /// Keeps a reference.
    explicit LoopFloors(Context& context) : context_(context) {}

    /// By einsum from the first allowed to the last one: operations and the buffer's words that they ask for, of one
    /// repeat, by the context's weights. Whatever is read from the DRAM is not counted. What does not depend on weights
    /// is remembered: of one search `first_allowed` follows from the last.
    std::vector<Floor> array_costs(const GroupEnd& end, const std::vector<LeastCost>& least);

   private:
    using Made = std::pair<int, int>;            // dimension, or axis of a tensor, and sequence; -1: no loop
    using Ways = std::array<std::set<Made>, 2>;  // by loop
    using Box = std::tuple<int, Made, Made>;     // einsum, and whether it ends its group; dimensions and lengths

    struct HashBox {
        std::size_t operator()(const Box& box) const;
    };

    struct Reach {
        Ways ways;
        bool any = false;  // they are too many, or do not move one way
    };

    Reach needs_of(int tensor, const std::vector<Reach>& reach, int writer);
    void add_needs(int e, int operand, const Reach& reach, Reach& needs);
    Reach made_of(int e, const std::vector<Reach>& reach, const GroupEnd& end);
    using Along = std::array<Hull, 2>;  // by loop; empty: nothing is known

    std::vector<Along> hulls_of(const GroupEnd& end, const std::vector<LeastCost>& least);
    std::vector<double> paid_of(int e, bool is_last, const std::vector<LeastCost>& least) const;
    Along hulls_of(int e, const Reach& reach, const std::vector<double>& paid);
    Hull hull_along(int e, const Reach& reach, std::size_t k, const std::vector<double>& paid);
    const Hull& per_point(int e, const Made& outer, const Made& inner, const std::vector<double>& paid);
    const MemberView& view_along(int e, int dimension);

    Context& context_;
    std::map<std::tuple<int, Marching, std::array<std::int64_t, 2>>, std::vector<Along>> hulls_;  // by end
    std::unordered_map<Box, Hull, HashBox> boxes_;
    std::map<std::pair<int, int>, MemberView> views_;  // by einsum and dimension
};

}  // namespace tilewright::fusion
