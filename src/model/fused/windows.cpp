#include "model/fused/windows.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::fused {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

// The dimensions on one axis, as digits of mixed radix: the largest weight first. A digit is free (its whole extent)
// where a larger one already varies.
void solve(const Coordinate& coordinate, const Einsum& einsum, Interval at, bool borders, Iterations& box) {
    at.low -= coordinate.offset;
    at.high -= coordinate.offset;
    std::vector<Term> terms = coordinate.terms;
    if (terms.size() > 1)
        std::erase_if(terms, [&](const Term& term) { return einsum.dimensions[term.dimension].extent == 1; });
    std::ranges::sort(terms, std::ranges::greater{}, &Term::coefficient);
    if (terms.size() == 1 && !borders) {
        box[terms[0].dimension] = at;
        return;
    }
    for (const Term& term : terms) {
        Interval& digit = box[term.dimension];
        const std::int64_t last = einsum.dimensions[term.dimension].extent - 1;
        digit = {std::clamp<std::int64_t>(floor_div(at.low, term.coefficient), 0, last),
                 std::clamp<std::int64_t>(floor_div(at.high, term.coefficient), 0, last)};
        if (digit.low != digit.high)
            at = {0, term.coefficient - 1};
        else
            at = {at.low - digit.low * term.coefficient, at.high - digit.low * term.coefficient};
        if (at.low < 0) at.low = 0;
        at.high = std::min(at.high, term.coefficient - 1);
    }
}

// c * d with c > 0, d within an interval.
struct Step {
    std::int64_t size;
    Interval at;
};

// The largest sum of the steps from `i` on that is at most `most`; nothing: all sums are larger. Largest steps first.
std::optional<std::int64_t> largest_sum(const std::vector<Step>& steps, std::size_t i, std::int64_t most) {
    if (i == steps.size()) return most >= 0 ? std::optional<std::int64_t>(0) : std::nullopt;
    std::int64_t low = 0;  // of the steps inside
    std::int64_t high = 0;
    for (std::size_t k = i + 1; k < steps.size(); ++k) {
        low += steps[k].size * steps[k].at.low;
        high += steps[k].size * steps[k].at.high;
    }
    const Step& step = steps[i];
    std::optional<std::int64_t> best;
    for (std::int64_t d = std::min(step.at.high, floor_div(most - low, step.size)); d >= step.at.low; --d) {
        if (best && step.size * d + high <= *best) break;
        if (const auto rest = largest_sum(steps, i + 1, most - step.size * d))
            best = std::max(best.value_or(step.size * d + *rest), step.size * d + *rest);
    }
    return best;
}

// The places along one axis that exist and are touched: from the first to the last. A stride may step over the border.
Interval touched_along(const Coordinate& coordinate, const Iterations& iterations, std::int64_t extent) {
    std::int64_t offset = coordinate.offset;
    Interval reach{0, 0};
    for (const Term& term : coordinate.terms) {
        const Interval& at = iterations[term.dimension];
        if (term.coefficient < 0)  // counted from its other end
            offset = checked_add(offset, checked_mul(term.coefficient, at.low + at.high));
        const std::int64_t size = std::abs(term.coefficient);
        reach.low = checked_add(reach.low, checked_mul(size, at.low));
        reach.high = checked_add(reach.high, checked_mul(size, at.high));
    }
    if (reach.low + offset >= 0 && reach.high + offset < extent) return {reach.low + offset, reach.high + offset};
    std::vector<Step> steps;
    for (const Term& term : coordinate.terms) steps.push_back({std::abs(term.coefficient), iterations[term.dimension]});
    std::ranges::sort(steps, std::ranges::greater{}, &Step::size);
    const std::optional<std::int64_t> last = largest_sum(steps, 0, extent - 1 - offset);
    for (Step& step : steps) step.at = {-step.at.high, -step.at.low};
    const std::optional<std::int64_t> first = largest_sum(steps, 0, offset);
    if (!last || !first) return {0, -1};
    return {offset - *first, offset + *last};
}

// The dimension is on no axis of the result.
bool is_summed(const Access& access, std::size_t dimension) {
    return !access.anywhere && std::ranges::none_of(access.coordinates, [&](const Coordinate& one) {
        return std::ranges::any_of(one.terms,
                                   [&](const Term& term) { return term.dimension == static_cast<int>(dimension); });
    });
}

}  // namespace

Iterations all_iterations(const Einsum& einsum) {
    Iterations all;
    for (const Dimension& dimension : einsum.dimensions) all.push_back({0, dimension.extent - 1});
    return all;
}

std::vector<std::int64_t> extents_of(const Iterations& iterations) {
    std::vector<std::int64_t> extents;
    for (const Interval& one : iterations) extents.push_back(one.high - one.low + 1);
    return extents;
}

std::optional<Box> touched(const CascadeEinsum& einsum, int operand, const Iterations& iterations,
                           const CascadeTensor& tensor) {
    const Access& access = einsum.accesses[operand];
    Box box{};
    box.fill({0, 0});
    for (std::size_t a = 0; a < tensor.shape.size(); ++a) {
        box.at(a) = access.anywhere ? Interval{0, tensor.shape[a] - 1}
                                    : touched_along(access.coordinates[a], iterations, tensor.shape[a]);
        if (box.at(a).empty()) return std::nullopt;
    }
    return box;
}

Box touched_without_borders(const CascadeEinsum& einsum, int operand, const Iterations& iterations,
                            const CascadeTensor& tensor) {
    const Access& access = einsum.accesses[operand];
    Box box{};
    box.fill({0, 0});
    for (std::size_t a = 0; a < tensor.shape.size(); ++a) {
        if (access.anywhere) {
            box.at(a) = {0, tensor.shape[a] - 1};
            continue;
        }
        const Coordinate& coordinate = access.coordinates[a];
        Interval reach{coordinate.offset, coordinate.offset};
        for (const Term& term : coordinate.terms) {
            const Interval& moved = iterations[term.dimension];
            const std::int64_t first = checked_mul(term.coefficient, moved.low);
            const std::int64_t last = checked_mul(term.coefficient, moved.high);
            reach.low = checked_add(reach.low, std::min(first, last));
            reach.high = checked_add(reach.high, std::max(first, last));
        }
        box.at(a) = reach;
    }
    return box;
}

Iterations iterations_for(const CascadeEinsum& einsum, int operand, const Box& words, bool borders) {
    Iterations box = all_iterations(einsum.einsum);
    const Access& access = einsum.accesses[operand];
    for (std::size_t a = 0; a < access.coordinates.size(); ++a)
        solve(access.coordinates[a], einsum.einsum, words[a], borders, box);
    return box;
}

bool is_resumed(const CascadeEinsum& einsum, int operand, const Iterations& iterations) {
    for (std::size_t d = 0; d < iterations.size(); ++d)
        if (iterations[d].low > 0 && is_summed(einsum.accesses[operand], d)) return true;
    return false;
}

bool is_finished(const CascadeEinsum& einsum, int operand, const Iterations& iterations) {
    for (std::size_t d = 0; d < iterations.size(); ++d)
        if (iterations[d].high + 1 < einsum.einsum.dimensions[d].extent && is_summed(einsum.accesses[operand], d))
            return false;
    return true;
}

}  // namespace tilewright::fused
