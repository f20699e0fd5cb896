// A cascade on a package, as the judge of plans reads it: makers and readers of tensors, the runs that may be, the
// words behind iterations, and what every step of a run makes.
//
// Code of its own: it shares none with multicore, the rules are those of docs/packages-of-cores.md. Values;
// thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "package/package.hpp"
#include "package/plan.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::certificate::package_proof {

struct Range {
    std::int64_t low = 0;
    std::int64_t high = 0;  ///< behind the last

    std::int64_t size() const { return high > low ? high - low : 0; }
    bool operator==(const Range&) const = default;
};

/// Along each axis or dimension.
using Region = std::vector<Range>;

std::int64_t size_of(const Region& region);
bool is_nothing(const Region& region);
/// Around both; an empty one counts for nothing.
Region around(const Region& a, const Region& b);
/// Part `index` of `parts`: they differ by one at most.
Range share_of(const Range& whole, std::int64_t index, std::int64_t parts);

using Extents = std::vector<std::int64_t>;
Extents extents_of(const Region& region);

struct Operand {
    int operand = 0;
    int tensor = 0;
};

/// Distinct places that sums of terms reach in a tensor of this shape, or fewer.
std::int64_t least_reached(const std::vector<Coordinate>& axes, const std::vector<std::int64_t>& shape,
                           const Region& iterations);

/// Keeps references to both. Requires problem_with() to be "".
class Reading {
   public:
    Reading(const Cascade& cascade, const package::Package& package);

    const Cascade& cascade() const { return cascade_; }
    const package::Package& package() const { return package_; }
    int count() const { return cascade_.einsum_count(); }
    int kinds() const { return static_cast<int>(package_.kinds.size()); }
    const CascadeEinsum& einsum(int e) const { return cascade_.einsums[e]; }
    int maker(int tensor) const { return makers_[tensor]; }  ///< -1: from outside
    const std::vector<int>& readers(int tensor) const { return readers_[tensor]; }
    const std::vector<Operand>& operands(int e) const { return operands_[e]; }
    const std::vector<int>& results(int e) const { return results_[e]; }  ///< tensors
    /// Dimension along each axis of the results.
    const std::vector<int>& axes(int e) const { return axes_[e]; }
    bool is_summed(int e, int dimension) const;
    bool runs_on(int e, int kind) const;
    std::int64_t repeats(int e) const { return repeats_[e]; }
    /// What first .. last make is read inside and nowhere else, but for the last; one block.
    bool is_run(int first, int last) const;
    /// Something behind einsum `last`, or outside, wants it.
    bool is_wanted(int tensor, int last) const;
    bool is_inside(int tensor, int first, int last) const {
        return makers_[tensor] >= first && makers_[tensor] <= last;
    }

    Region whole_result(int e) const;
    Region iterations(int e, const Region& result) const;
    Region result_of(int e, const Region& iterations) const;
    /// Around the words touched that exist.
    Region touched(int e, const Operand& operand, const Region& iterations) const;
    /// Distinct words touched, or fewer.
    std::int64_t least_touched(int e, const Operand& operand, const Region& iterations) const;

   private:
    const Cascade& cascade_;
    const package::Package& package_;
    std::vector<int> makers_;
    std::vector<std::vector<int>> readers_;
    std::vector<std::vector<Operand>> operands_;
    std::vector<std::vector<int>> results_;
    std::vector<std::vector<int>> axes_;
    std::vector<std::int64_t> repeats_;
    std::vector<int> blocks_;
};

/// Why plans of it are not judged, in one sentence, or "".
std::string problem_with(const Cascade& cascade, const package::Package& package);

struct Step {
    int axis = 0;  ///< of the last result
    std::int64_t size = 1;
};

/// By einsum of the run, by step; empty regions where nothing is made. Nothing at all: a step would make words again.
using Makings = std::vector<std::vector<Region>>;
Makings makings_of(const Reading& reading, int first, int last, const Step& step);

}  // namespace tilewright::certificate::package_proof
