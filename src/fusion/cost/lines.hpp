// Proven lines in the plane of energy and cycles: under none of them lies a mapping.
//
// Over any set of mappings each corner of the convex hull of (energy, cycles) has the least of some weighted sum, and a
// proven sum is a line under which nothing lies. So the corners at which neighbouring lines meet are below the hull,
// and how far what was found lies above them is all that is left open.
//
//     Lines lines({{1.0, 0.0}, least_energy}, {{0.0, 1.0}, fewest_cycles});
//     lines.see({energy_pj, cycles});                                  // what was found
//     while (const auto weights = lines.next(found, 0.001)) lines.add({*weights, proven_least(*weights)});
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "fusion/cost/cost.hpp"
#include "fusion/space/label.hpp"

namespace tilewright::fusion {

struct Line {
    Weights weights;
    double value = 0.0;              ///< that the weighted sum has at least
    std::optional<Cost> point = {};  ///< what was found that has the least of it
    std::vector<double> duals = {};  ///< as of ProvenSum

    /// What was found lies on it, but for such a share.
    bool has(const Cost& found, double tolerance) const {
        return weights.value(found.energy_pj, found.cycles) <= value * (1.0 + tolerance);
    }
};

/// Where they meet. Requires other slopes.
Cost meeting(const Line& a, const Line& b);

/// From energy alone to cycles alone, in the order of their slopes; none lies under the others.
class Lines {
   public:
    /// `energy` weighs energy alone, `cycles` cycles alone. Their values are the units in which slopes are compared.
    Lines(Line energy, Line cycles);

    /// One more, or a higher one of the same slope.
    void add(Line line);
    /// What was found and lies under no line.
    void see(const Cost& found);

    const std::vector<Line>& all() const { return lines_; }
    std::size_t corners() const { return lines_.size() - 1; }
    /// Where lines i and i + 1 meet.
    Cost corner(std::size_t i) const;
    /// Something that was found lies on both: that is the corner. Where lines that are nearly parallel meet, rounding
    /// does not say.
    bool is_found(std::size_t i, double tolerance) const;

    /// Of a line between i and i + 1: through the points of both; where they have none, along a tangent of the
    /// hyperbola through the corner; where that does not lie between them, in the middle. Nothing where rounding does
    /// not tell them apart.
    std::optional<Weights> between(std::size_t i) const;

    /// How much more the cheapest of `found` costs than the corner by the weights that show most of it: a share.
    double gap(std::size_t i, const Hull& found, double tolerance) const;
    /// Of all corners: by no weights does a mapping cost less than the cheapest of `found` by a larger share.
    double gap(const Hull& found, double tolerance) const;
    /// Weights of a line in the widest gap that is wider than `enough`, and than what the lines beside it leave open by
    /// themselves. Nothing where there is none.
    std::optional<Weights> next(const Hull& found, double enough, double tolerance) const;

    /// Nothing between i and i + 1 has a smaller product than `found`.
    bool is_closed(std::size_t i, double found, double tolerance) const;
    /// Nothing has a smaller product of energy and cycles, where `found` is the least that was found.
    double least_product(double found, double tolerance) const;

   private:
    double ratio_of(const Weights& weights) const;
    Weights weights_of(double ratio) const { return {ratio / unit_.energy_pj, 1.0 / unit_.cycles}; }
    void drop_needless();

    Cost unit_;
    std::vector<Line> lines_;
    std::vector<double> tried_;  // ratios of all that were added
};

}  // namespace tilewright::fusion
