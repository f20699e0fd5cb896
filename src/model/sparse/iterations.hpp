// Sums over the iterations of a nest with remainders. Internal to imperfect_counts.cpp.
//
// The loops of a dimension are digits of its index: the iterations of a nest are all choices of digits that say, for
// every dimension, an index below its extent. Where the digits of some loops are given, the others may take those of a
// prefix of what a nest without remainders would let them take; a dimension decides that by itself. A sum is a product
// over dimensions, but for what depends on several of them: chances that something of a tensor is not zero.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "model/sparse/steps.hpp"
#include "sparse/density.hpp"

namespace tilewright::sparse {

/// A number by which an iteration counts. The other loops than those of `set` say where its steps are.
struct Factor {
    enum class Kind {
        chance,    ///< that not all of a tensor is zero that the steps touch
        words,     ///< that they touch
        per_word,  ///< one by these
    };
    Kind kind = Kind::chance;
    int tensor = 0;
    LoopSet set = 0;
    bool at_access = false;  ///< where the access is: the loops that it covers are at their first iteration
};

/// A loop that has one iteration only, or more, as the loops of its dimension outside an access's tile stand.
struct Single {
    int loop = 0;
    LoopSet outside = 0;
    bool once = false;
};

/// Iterations in which the same loops run once, by dimension.
using Region = std::vector<std::vector<Single>>;

/// Tiles of a tensor that a loop brings: it has advanced, those inside it and outside the tile begin again.
struct Arrival {
    int tensor = -1;  ///< -1: any iteration
    int loop = 0;
    int begin = 0;  ///< the tile's first loop
};

struct Sum {
    LoopSet first = 0;    ///< loops that stay at their first iteration
    LoopSet last = 0;     ///< and at their last, those of `first` being at their first
    LoopSet covered = 0;  ///< by an access; region and some factors are those where it begins
    std::vector<Factor> factors = {};
    const Region* region = nullptr;  ///< null: all iterations
    Arrival arrival = {};
};

/// Refers to the nest and the densities.
class Iterations {
   public:
    Iterations(const Nest& nest, const std::vector<Density>& densities);

    /// Throws Uncounted where that takes too long.
    double sum(const Sum& sum);
    /// Most elements that are not zero among what the steps of `set` touch, wherever they are.
    std::int64_t most(int tensor, LoopSet set);
    /// All ways in which loops of a dimension run once, each of `singles`.
    std::vector<std::vector<Single>> ways(int dimension, const std::vector<Single>& singles);

   private:
    /// Digits of one dimension's loops, and how many choices of digits they stand for.
    struct Place {
        std::vector<std::int64_t> digits;
        double weight = 1.0;
    };
    using Key = std::vector<std::int64_t>;
    struct Classes {
        std::vector<std::pair<Key, double>> all;
    };
    /// Steps along one dimension: so many of its set's offsets, the least ones, from an index on.
    struct Steps {
        std::int64_t count = 1;
        std::int64_t index = 0;
    };
    /// A tile's along one dimension: how far, from so many steps to so many.
    struct Move {
        std::int64_t by = 0;
        std::int64_t before = 1;
        std::int64_t now = 1;
    };
    using Along = std::vector<std::vector<Steps>>;  ///< by rank and term

    const std::vector<int>& loops(int dimension) const { return by_dimension_[dimension]; }
    std::int64_t extent(int dimension) const { return nest_.einsum->dimensions[dimension].extent; }
    bool is_resolved(const Sum& sum, int dimension) const;
    const std::vector<Place>& places(int dimension, LoopSet first, LoopSet last, bool resolved);
    std::vector<Place> list_places(int dimension, LoopSet first, LoopSet last, bool resolved) const;
    std::vector<std::pair<std::int64_t, double>> digits_of(int loop, bool splits) const;
    std::vector<std::int64_t> last_digits(int dimension, LoopSet last) const;
    std::int64_t index_outside(int dimension, const std::vector<std::int64_t>& digits, LoopSet set) const;
    std::int64_t count(int dimension, LoopSet set, std::int64_t index) const;
    bool runs_once(int dimension, const std::vector<std::int64_t>& digits, const Single& single) const;
    bool is_in(const Region& region, int dimension, const std::vector<std::int64_t>& digits) const;
    bool moves(int tensor, int dimension) const { return is_relevant(nest_.einsum->tensors[tensor], dimension); }

    Classes classes(const Sum& sum, int dimension);
    bool add_arrival(const Arrival& arrival, int dimension, const std::vector<std::int64_t>& digits, Key& key) const;
    double product(const Sum& sum, const std::vector<Classes>& by_dimension);
    double value(const Factor& factor, const Along& along);
    bool arrives(const Arrival& arrival, const std::vector<Move>& moves);

    const std::vector<std::int64_t>& offsets(int dimension, LoopSet set);
    std::vector<std::int64_t> along_rank(int tensor, int rank, LoopSet set, const std::vector<Steps>& steps);
    std::int64_t words_along(int tensor, int rank, LoopSet set, const std::vector<Steps>& steps);
    std::int64_t marked(int tensor, LoopSet set, const Along& along);
    const std::vector<bool>& marks(int tensor);

    const Nest& nest_;
    const std::vector<Density>& densities_;
    std::vector<std::vector<int>> by_dimension_;  ///< loops, outermost first
    std::vector<LoopSet> loops_of_;               ///< by dimension
    std::map<std::tuple<int, LoopSet, LoopSet, bool>, std::vector<Place>> places_;
    std::map<std::pair<int, LoopSet>, std::vector<std::int64_t>> offsets_;
    std::map<int, std::vector<bool>> marks_;
};

}  // namespace tilewright::sparse
