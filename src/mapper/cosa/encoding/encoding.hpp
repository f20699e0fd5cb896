// Encoding: placements of prime factors as variables of a mixed-integer program.
//
// All else is written in terms of count(group, place), the number of equal factors at a place, so CoSA's constraints
// and objectives exist once. Two encodings define such a count:
//
// - counts: an integer variable. At an ordered place a few patterns represent all permutations.
// - binaries, as published: a sum of one binary per prime factor and place, with a rank for every factor at an ordered
//   place and products of binaries for the iterations seen by a tensor.
// The three goals of CoSA and their sum (12).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "mapper/cosa/encoding/layout.hpp"
#include "mapper/cosa/mip/problem.hpp"

namespace tilewright::cosa {

enum class Formulation { counts, as_published };

/// An ordered place with the prices of its iterations.
struct OrderedPlace {
    int place = 0;
    std::vector<double> weights;           ///< by tensor, at least 0
    std::vector<std::uint32_t> relevance;  ///< by dimension: bit t: the dimension is relevant to tensor t
};

/// The counts of all factor groups by place.
using Placement = std::vector<std::vector<int>>;

class Encoding {
   public:
    Encoding(const Layout& layout, mip::Program& problem) : layout_(layout), problem_(problem) {}
    Encoding(const Encoding&) = delete;
    Encoding& operator=(const Encoding&) = delete;
    virtual ~Encoding() = default;

    const mip::Expression& count(int group, int place) const { return counts_[group][place]; }

    /// Sum over tensors of weight * log2(iterations seen at ordered place number `index`), in its best loop order.
    virtual mip::Expression iterations(int index) const = 0;

    /// The dimensions with a loop at ordered place number `index` of a solution, innermost first.
    virtual std::vector<int> order(int index, const std::vector<double>& values) const = 0;

    Placement placement(const std::vector<double>& values) const;

    const Layout& layout() const { return layout_; }
    mip::Program& problem() const { return problem_; }

    /// Sum of log2 of the factors of a dimension (-1: of all) at the places selected by `where`.
    mip::Expression log_of(int dimension, const std::function<bool(int place)>& where) const;
    mip::Expression number_of(int group, const std::function<bool(int place)>& where) const;

   protected:
    const Layout& layout_;
    mip::Program& problem_;
    std::vector<std::vector<mip::Expression>> counts_;
};

/// Adds the variables and the rows placing every factor exactly once (3).
std::unique_ptr<Encoding> encode(Formulation formulation, const Layout& layout, std::vector<OrderedPlace> ordered,
                                 mip::Program& problem);

/// All in log2.
struct Terms {
    mip::Expression utilization;  ///< (5)
    mip::Expression compute;      ///< (6)
    mip::Expression traffic;      ///< (11)
};

/// Their values in a solution.
struct TermValues {
    double utilization = 0.0;
    double compute = 0.0;
    double traffic = 0.0;
};

/// The released code's.
struct Weights {
    double utilization = 0.1;
    double compute = 10.0;
    double traffic = 1.0;
    /// Of iterations outside the hub, inside traffic; default: the variant's.
    std::optional<double> outside = std::nullopt;

    bool operator==(const Weights&) const = default;
};

// Rows of every variant: room in the fan-outs (4) and the user's constraints.

/// log2 of a room in words or instances plus less than half a word, so that neither rounded logarithms nor the solver's
/// tolerance refuse a tile that just fits.
double log_room(double room);

/// Spatial factors fit the mesh of each fan-out; a dimension takes one axis of each.
void add_fanouts(const Encoding& encoding);

void add_constraints(const Encoding& encoding);

// Orders of the loops at one place, up to equal cost.
//
// A tensor does not see its innermost irrelevant loops. An order is therefore priced as a chain of shrinking sets of
// resting tensors, from the inside outwards: a loop whose dimension moves none of the i-th set, but some of the set
// before, repeats for all tensors but the i-th set. There are few chains (3 for a convolution).

/// Sets of tensors (bits), each a proper subset of the one before; never empty sets.
using Chain = std::vector<std::uint32_t>;

/// The maximal chains of dimensions with these relevances, in a fixed order.
std::vector<Chain> stationarity_chains(const std::vector<std::uint32_t>& relevances);

/// The tensors resting under a dimension's loops: the chain's first set irrelevant to the dimension; 0 if none.
std::uint32_t resting(const Chain& chain, std::uint32_t relevance);

/// Stable sort of dimensions into an order following the chain, innermost first. `relevances`: by dimension.
void sort_by_phase(std::vector<int>& dimensions, const Chain& chain, const std::vector<std::uint32_t>& relevances);

double weight_of(std::uint32_t tensors, const std::vector<double>& weights);

}  // namespace tilewright::cosa
