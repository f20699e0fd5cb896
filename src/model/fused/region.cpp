#include "model/fused/region.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::fused {
namespace {

// Appends what `box` has outside `hole`: two slabs per axis at most.
void subtract(Box box, const Box& hole, std::vector<Box>& rest) {
    if (!intersection(box, hole)) {
        rest.push_back(box);
        return;
    }
    for (std::size_t a = 0; a < box.size(); ++a) {
        if (box[a].low < hole[a].low) {
            rest.push_back(box);
            rest.back()[a].high = hole[a].low - 1;
            box[a].low = hole[a].low;
        }
        if (box[a].high > hole[a].high) {
            rest.push_back(box);
            rest.back()[a].low = hole[a].high + 1;
            box[a].high = hole[a].high;
        }
    }
}

// The axis along which two boxes touch while they agree in all others, -1: they make up no box.
int joining_axis(const Box& a, const Box& b) {
    int axis = -1;
    for (int i = 0; i < kMaxAxes; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (a[at] == b[at]) continue;
        if (axis >= 0 || (a[at].high + 1 != b[at].low && b[at].high + 1 != a[at].low)) return -1;
        axis = i;
    }
    return axis;
}

}  // namespace

std::optional<Box> box_of(const std::vector<Interval>& axes) {
    Box box{};
    box.fill({0, 0});
    for (std::size_t a = 0; a < axes.size(); ++a) {
        if (axes[a].empty()) return std::nullopt;
        box.at(a) = axes[a];
    }
    return box;
}

std::int64_t words(const Box& box) {
    std::int64_t product = 1;
    for (const Interval& axis : box) product = checked_mul(product, axis.high - axis.low + 1);
    return product;
}

std::optional<Box> intersection(const Box& a, const Box& b) {
    Box common{};
    for (std::size_t i = 0; i < common.size(); ++i) {
        common[i] = {std::max(a[i].low, b[i].low), std::min(a[i].high, b[i].high)};
        if (common[i].empty()) return std::nullopt;
    }
    return common;
}

Box hull(const Box& a, const Box& b) {
    Box around{};
    for (std::size_t i = 0; i < around.size(); ++i)
        around[i] = {std::min(a[i].low, b[i].low), std::max(a[i].high, b[i].high)};
    return around;
}

void extend(std::optional<Box>& around, const std::optional<Box>& more) {
    if (more) around = around ? hull(*around, *more) : *more;
}

Box moved(Box box, const Place& by, std::int64_t times) {
    for (std::size_t a = 0; a < box.size(); ++a) {
        box[a].low += times * by[a];
        box[a].high += times * by[a];
    }
    return box;
}

std::int64_t words(const std::vector<Box>& boxes) {
    std::int64_t sum = 0;
    for (const Box& box : boxes) sum = checked_add(sum, words(box));
    return sum;
}

std::int64_t Region::words() const { return fused::words(boxes_); }

void Region::insert(Box box) {
    for (std::size_t i = 0; i < boxes_.size();) {
        if (joining_axis(box, boxes_[i]) < 0) {
            ++i;
            continue;
        }
        box = hull(box, boxes_[i]);
        boxes_.erase(boxes_.begin() + static_cast<std::ptrdiff_t>(i));
        i = 0;
    }
    boxes_.push_back(box);
}

void Region::add(const Box& box) {
    for (const Box& piece : missing(box)) insert(piece);
}

void Region::keep_only(const Box& box) {
    std::vector<Box> kept;
    for (const Box& one : boxes_)
        if (const std::optional<Box> common = intersection(one, box)) kept.push_back(*common);
    boxes_ = std::move(kept);
}

void Region::move(const Place& by, std::int64_t times) {
    for (Box& box : boxes_) box = moved(box, by, times);
}

std::vector<Box> Region::missing(const Box& box) const {
    std::vector<Box> rest{box};
    for (const Box& known : boxes_) {
        std::vector<Box> next;
        for (const Box& one : rest) subtract(one, known, next);
        rest = std::move(next);
        if (rest.empty()) break;
    }
    return rest;
}

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
struct Multiple {
    std::int64_t size;
    Interval at;
};

// The largest sum of the steps from `i` on that is at most `most`; nothing: all sums are larger. Largest steps first.
std::optional<std::int64_t> largest_sum(const std::vector<Multiple>& steps, std::size_t i, std::int64_t most) {
    if (i == steps.size()) return most >= 0 ? std::optional<std::int64_t>(0) : std::nullopt;
    std::int64_t low = 0;  // of the steps inside
    std::int64_t high = 0;
    for (std::size_t k = i + 1; k < steps.size(); ++k) {
        low += steps[k].size * steps[k].at.low;
        high += steps[k].size * steps[k].at.high;
    }
    const Multiple& step = steps[i];
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
    std::vector<Multiple> steps;
    for (const Term& term : coordinate.terms) steps.push_back({std::abs(term.coefficient), iterations[term.dimension]});
    std::ranges::sort(steps, std::ranges::greater{}, &Multiple::size);
    const std::optional<std::int64_t> last = largest_sum(steps, 0, extent - 1 - offset);
    for (Multiple& step : steps) step.at = {-step.at.high, -step.at.low};
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
