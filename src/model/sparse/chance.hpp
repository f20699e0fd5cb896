// Chances that what some steps touch of a tensor is not all zero.
// Table: a number for every place of some loops of a nest; and means of products of tables.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "model/sparse/steps.hpp"
#include "sparse/density.hpp"

namespace tilewright::sparse {

/// It is known which elements are zero.
inline bool is_placed(const Density& density) {
    return std::holds_alternative<Banded>(density) || std::holds_alternative<Measured>(density);
}

/// By iteration of its loops, the last loop fastest. Without loops: one number, the same everywhere.
struct Table {
    std::vector<int> loops;  ///< ascending
    std::vector<double> values{1.0};
};

/// The iterations of some loops, one after the other, the last one fastest.
class Walk {
   public:
    Walk(const Nest& nest, std::vector<int> loops);

    std::int64_t size() const { return size_; }
    const std::vector<int>& loops() const { return loops_; }
    const std::vector<std::int64_t>& at() const { return at_; }
    void advance();

   private:
    std::vector<int> loops_;
    std::vector<std::int64_t> extents_;
    std::vector<std::int64_t> at_;
    std::int64_t size_ = 1;
};

std::vector<int> loops_in(LoopSet set);

/// Loops that stay at their first iteration, or at their last.
struct Pinned {
    LoopSet loops = 0;
    bool at_last = false;
};

/// The mean over all iterations of the nest of the product of the tables' numbers, but for pinned loops. Throws
/// Uncounted where tables that share loops are too large together.
double mean_of_product(const Nest& nest, const std::vector<Table>& tables, Pinned pinned = {});

/// Of the tensors of one layer, which are independent of each other. Refers to the nest and the densities.
class Chances {
   public:
    /// Requires a nest of factors that divide and problem_with() of every density to be "".
    Chances(const Nest& nest, const std::vector<Density>& densities);

    /// By the place of all other loops that matter. Only loops that move the tensor count in `set`. Exact.
    const Table& not_empty(int tensor, LoopSet set);

    /// Most elements that are not zero among what the steps touch, wherever they are.
    std::int64_t most(int tensor, LoopSet set);

   private:
    Table computed(int tensor, LoopSet set) const;

    const Nest& nest_;
    const std::vector<Density>& densities_;
    std::map<std::pair<int, LoopSet>, Table> known_;
};

}  // namespace tilewright::sparse
