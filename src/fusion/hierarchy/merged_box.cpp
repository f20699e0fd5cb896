#include "fusion/hierarchy/merged_box.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace tilewright::fusion {
namespace {

std::vector<int> long_dimensions(const Einsum& box) {
    std::vector<int> all;
    for (int d = 0; d < box.dimension_count(); ++d)
        if (box.dimensions[d].extent > 1) all.push_back(d);
    return all;
}

// Alone in one rank of every operand that it moves, step by step.
bool stands_alone(const Einsum& box, int d) {
    for (const Tensor& tensor : box.tensors) {
        int ranks = 0;
        for (const Rank& rank : tensor.ranks) {
            const auto own = std::ranges::find(rank.terms, d, &Term::dimension);
            if (own == rank.terms.end()) continue;
            const auto is_long = [&](const Term& term) { return box.dimensions[term.dimension].extent > 1; };
            if (++ranks > 1 || own->coefficient != 1 || std::ranges::count_if(rank.terms, is_long) > 1) return false;
        }
    }
    return true;
}

bool move_the_same(const Einsum& box, int a, int b) {
    return std::ranges::all_of(box.tensors,
                               [&](const Tensor& tensor) { return is_relevant(tensor, a) == is_relevant(tensor, b); });
}

// A demand says the same of both whatever their extents: anything, or no loop.
bool are_equally_free(const LoopConstraint& loops, int a, int b) {
    if (loops.factors.empty()) return true;
    const auto is_free = [](const FactorConstraint& one) { return !one.exactly && one.at_least <= 1 && !one.at_most; };
    const auto is_none = [](const FactorConstraint& one) { return one.exactly == 1 || one.at_most == 1; };
    const FactorConstraint& first = loops.factors[a];
    const FactorConstraint& second = loops.factors[b];
    return (is_free(first) && is_free(second)) || (is_none(first) && is_none(second));
}

// Places in an order of those that matter; -1: none.
int place_in(const std::vector<int>& order, const std::vector<int>& dimensions, int d) {
    int place = 0;
    for (const int one : order) {
        if (one == d) return place;
        if (std::ranges::find(dimensions, one) != dimensions.end()) ++place;
    }
    return -1;
}

// Neighbours in the order, or free in it.
bool stand_together(const LoopConstraint& loops, const std::vector<int>& dimensions, int a, int b) {
    const auto is_near = [&](const std::vector<int>& order) {
        const int first = place_in(order, dimensions, a);
        const int second = place_in(order, dimensions, b);
        return (first < 0 && second < 0) || (first >= 0 && second == first + 1);
    };
    return is_near(loops.inner) && is_near(loops.outer);
}

class Merging {
   public:
    Merging(const Einsum& box, const Constraints& demands)
        : box_(box), demands_(demands), dimensions_(long_dimensions(box)) {}

    MergedBox made() {
        if (dimensions_.empty() || !may_leave_out()) return whole();
        for (const int d : dimensions_) join(d);
        MergedBox merged;
        merged.members = members_;
        merged.einsum = einsum();
        merged.demands = demands_;
        for (LevelConstraint& level : merged.demands.levels) {
            level.temporal = of_merged(level.temporal);
            level.spatial = of_merged(level.spatial);
        }
        return merged;
    }

   private:
    MergedBox whole() const {
        MergedBox merged{box_, demands_, {}};
        for (int d = 0; d < box_.dimension_count(); ++d) merged.members.push_back({d});
        return merged;
    }

    // A split that runs through free dimensions counts all of them.
    bool may_leave_out() const {
        return std::ranges::none_of(demands_.levels, [&](const LevelConstraint& level) {
            const LoopConstraint& loops = level.spatial;
            const auto inner = static_cast<int>(loops.inner.size());
            const int last = box_.dimension_count() - static_cast<int>(loops.outer.size());
            return loops.split && *loops.split > inner && *loops.split < last;
        });
    }

    bool may_join(int first, int d) const {
        if (!stands_alone(box_, first) || !stands_alone(box_, d) || !move_the_same(box_, first, d)) return false;
        return std::ranges::all_of(demands_.levels, [&](const LevelConstraint& level) {
            return are_equally_free(level.temporal, first, d) && are_equally_free(level.spatial, first, d) &&
                   stand_together(level.temporal, dimensions_, first, d) &&
                   stand_together(level.spatial, dimensions_, first, d) && on_one_axis(level.spatial, first, d);
        });
    }

    bool on_one_axis(const LoopConstraint& loops, int a, int b) const {
        return !loops.split || is_along_x(loops, a) == is_along_x(loops, b);
    }

    bool is_along_x(const LoopConstraint& loops, int d) const {
        const auto inner = std::ranges::find(loops.inner, d) - loops.inner.begin();
        const auto outer = std::ranges::find(loops.outer, d) - loops.outer.begin();
        const auto before_outer = box_.dimension_count() - std::ssize(loops.outer);
        const bool is_outer = inner == std::ssize(loops.inner) && outer < std::ssize(loops.outer);
        return (is_outer ? before_outer + outer : inner) < *loops.split;
    }

    void join(int d) {
        for (std::vector<int>& one : members_)
            if (may_join(one.back(), d)) return one.push_back(d);
        members_.push_back({d});
    }

    int merged_of(int d) const {
        const auto found = std::ranges::find_if(
            members_, [&](const std::vector<int>& one) { return std::ranges::find(one, d) != one.end(); });
        return found == members_.end() ? -1 : static_cast<int>(found - members_.begin());
    }

    Einsum einsum() const {
        Einsum merged{box_.name, {}, box_.tensors};
        for (const std::vector<int>& one : members_) {
            Dimension dimension{box_.dimensions[one.front()].name, 1};
            for (const int d : one) dimension.extent *= box_.dimensions[d].extent;
            merged.dimensions.push_back(std::move(dimension));
        }
        for (Tensor& tensor : merged.tensors)
            for (Rank& rank : tensor.ranks) rank = of_merged(rank);
        return merged;
    }

    // The first member's rank is that of all.
    Rank of_merged(const Rank& rank) const {
        Rank merged;
        for (const Term& term : rank.terms) {
            const int own = merged_of(term.dimension);
            if (own >= 0 && members_[own].front() == term.dimension) merged.terms.push_back({own, term.coefficient});
        }
        return merged;
    }

    std::vector<int> of_merged(const std::vector<int>& order) const {
        std::vector<int> merged;
        for (const int d : order)
            if (const int own = merged_of(d); own >= 0 && std::ranges::find(merged, own) == merged.end())
                merged.push_back(own);
        return merged;
    }

    LoopConstraint of_merged(const LoopConstraint& loops) const {
        LoopConstraint merged = loops;
        merged.inner = of_merged(loops.inner);
        merged.outer = of_merged(loops.outer);
        merged.factors.clear();
        for (const std::vector<int>& one : members_)
            if (!loops.factors.empty()) merged.factors.push_back(loops.factors[one.front()]);
        if (loops.split)
            merged.split = static_cast<int>(std::ranges::count_if(
                members_, [&](const std::vector<int>& one) { return is_along_x(loops, one.front()); }));
        return merged;
    }

    const Einsum& box_;
    const Constraints& demands_;
    std::vector<int> dimensions_;  // of more than one point
    std::vector<std::vector<int>> members_;
};

}  // namespace

MergedBox merged_box(const Einsum& box, const Constraints& demands) { return Merging(box, demands).made(); }

// From the inside out each member takes of a factor what is still left of it; the innermost member first.
Mapping unmerged(const Mapping& mapping, const MergedBox& merged, const Einsum& box) {
    std::vector<std::int64_t> left;
    for (const Dimension& dimension : box.dimensions) left.push_back(dimension.extent);
    Mapping own = mapping;
    own.nodes.clear();
    for (auto node = mapping.nodes.rbegin(); node != mapping.nodes.rend(); ++node) {
        const Loop* loop = std::get_if<Loop>(&*node);
        if (loop == nullptr) {
            own.nodes.push_back(*node);
            continue;
        }
        std::int64_t factor = loop->extent;
        const std::vector<int>& members = merged.members[loop->dimension];
        for (auto d = members.rbegin(); d != members.rend(); ++d) {
            const std::int64_t taken = std::gcd(factor, left[*d]);
            left[*d] /= taken;
            factor /= taken;
            if (taken > 1) own.nodes.push_back(Loop{*d, taken, taken, loop->kind});
        }
    }
    std::ranges::reverse(own.nodes);
    return own;
}

}  // namespace tilewright::fusion
