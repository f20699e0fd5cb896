#include "certificate/package/reading.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace tilewright::certificate::package_proof {
namespace {

constexpr std::int64_t kMostWords = std::int64_t{1} << 40;  // of a tensor; of iterations of an einsum 2^52
constexpr std::int64_t kMostPoints = std::int64_t{1} << 52;
constexpr double kMostReach = 1 << 22;  // along an axis

/// Of a sum of terms: which of the values from `low` on there are. None is padding.
struct Values {
    std::int64_t low = 0;
    std::vector<bool> is_there;
};

Values values_of(const Coordinate& at, const Region& iterations, std::int64_t extent) {
    std::int64_t low = at.offset;
    std::int64_t high = at.offset;
    for (const Term& term : at.terms) {
        const std::int64_t reach = term.coefficient * (iterations[term.dimension].size() - 1);
        const std::int64_t begin = term.coefficient * iterations[term.dimension].low;
        low += begin + std::min<std::int64_t>(reach, 0);
        high += begin + std::max<std::int64_t>(reach, 0);
    }
    std::vector<bool> all(high - low + 1, false);
    std::int64_t start = at.offset - low;
    for (const Term& term : at.terms)
        start += term.coefficient *
                 (term.coefficient > 0 ? iterations[term.dimension].low : iterations[term.dimension].high - 1);
    all[start] = true;
    for (const Term& term : at.terms) {
        const std::int64_t step = std::abs(term.coefficient);
        std::vector<std::int64_t> turns(all.size(),
                                        iterations[term.dimension].size());  // since a value without the term
        for (std::size_t v = 0; v < all.size(); ++v) {
            const auto before = static_cast<std::int64_t>(v) - step;
            if (all[v])
                turns[v] = 0;
            else if (before >= 0)
                turns[v] = turns[before] + 1;
        }
        for (std::size_t v = 0; v < all.size(); ++v) all[v] = turns[v] < iterations[term.dimension].size();
    }
    for (std::size_t v = 0; v < all.size(); ++v) {
        const std::int64_t at_value = low + static_cast<std::int64_t>(v);
        all[v] = all[v] && at_value >= 0 && at_value < extent;
    }
    return {low, std::move(all)};
}

Range range_of(const Coordinate& at, const Region& iterations, std::int64_t extent) {
    std::int64_t low = at.offset;
    std::int64_t high = at.offset;
    for (const Term& term : at.terms) {
        const std::int64_t begin = term.coefficient * iterations[term.dimension].low;
        const std::int64_t end = term.coefficient * (iterations[term.dimension].high - 1);
        low += std::min(begin, end);
        high += std::max(begin, end);
    }
    if (high < 0 || low >= extent) return {};
    if (low >= 0 && high < extent) return {low, high + 1};
    const Values values = values_of(at, iterations, extent);
    const auto first = std::ranges::find(values.is_there, true);
    if (first == values.is_there.end()) return {};
    const auto last = std::find(values.is_there.rbegin(), values.is_there.rend(), true);
    return {values.low + (first - values.is_there.begin()), values.low + (values.is_there.rend() - last)};
}

std::string problem_with_result(const CascadeEinsum& one, const Cascade& cascade) {
    std::vector<int> axes;
    for (int operand = 0; operand < one.einsum.tensor_count(); ++operand) {
        if (!one.einsum.tensors[operand].written) continue;
        std::vector<int> now;
        for (const Coordinate& at : one.accesses[operand].coordinates) {
            if (at.offset != 0 || at.terms.size() != 1 || at.terms.front().coefficient != 1)
                return "writes at other places than its dimensions";
            now.push_back(at.terms.front().dimension);
            const std::vector<std::int64_t>& shape = cascade.tensors[one.accesses[operand].tensor].shape;
            if (one.einsum.dimensions[now.back()].extent > shape[now.size() - 1]) return "writes outside its result";
        }
        if (now.empty()) return "has a result without axes";
        if (std::set<int>(now.begin(), now.end()).size() != now.size()) return "writes along one dimension twice";
        if (!axes.empty() && now != axes) return "has results with different axes";
        axes = now;
    }
    return axes.empty() ? "has no result" : "";
}

bool is_too_large(const std::vector<std::int64_t>& extents, std::int64_t most) {
    std::int64_t product = 1;
    for (const std::int64_t extent : extents) {
        if (extent < 1 || extent > most / product) return true;
        product *= extent;
    }
    return false;
}

bool reaches_too_far(const CascadeEinsum& one) {
    for (const Access& access : one.accesses)
        for (const Coordinate& at : access.coordinates) {
            double reach = std::abs(static_cast<double>(at.offset));
            for (const Term& term : at.terms)
                reach += std::abs(static_cast<double>(term.coefficient)) *
                         static_cast<double>(one.einsum.dimensions[term.dimension].extent);
            if (reach > kMostReach) return true;
        }
    return false;
}

bool can_run(const package::CoreKind& kind, const CascadeEinsum& einsum) {
    if (kind.excluded.contains(einsum.name)) return false;
    return kind.only_kinds.empty() || kind.only_kinds.contains(std::string(to_text(einsum.kind)));
}

}  // namespace

std::int64_t size_of(const Region& region) {
    std::int64_t size = 1;
    for (const Range& range : region) size *= range.size();
    return size;
}

bool is_nothing(const Region& region) {
    return std::ranges::any_of(region, [](const Range& range) { return range.size() == 0; });
}

Region around(const Region& a, const Region& b) {
    if (is_nothing(a)) return b;
    if (is_nothing(b)) return a;
    Region both = a;
    for (std::size_t i = 0; i < a.size(); ++i) both[i] = {std::min(a[i].low, b[i].low), std::max(a[i].high, b[i].high)};
    return both;
}

Range share_of(const Range& whole, std::int64_t index, std::int64_t parts) {
    return {whole.low + whole.size() * index / parts, whole.low + whole.size() * (index + 1) / parts};
}

Extents extents_of(const Region& region) {
    Extents extents;
    for (const Range& range : region) extents.push_back(range.size());
    return extents;
}

Reading::Reading(const Cascade& cascade, const package::Package& package)
    : cascade_(cascade),
      package_(package),
      makers_(cascade.tensors.size(), -1),
      readers_(cascade.tensors.size()),
      operands_(cascade.einsums.size()),
      results_(cascade.einsums.size()),
      axes_(cascade.einsums.size()),
      repeats_(cascade.einsums.size(), 1),
      blocks_(cascade.einsums.size(), -1) {
    for (int e = 0; e < count(); ++e)
        for (int operand = 0; operand < einsum(e).einsum.tensor_count(); ++operand) {
            const Access& access = einsum(e).accesses[operand];
            if (!einsum(e).einsum.tensors[operand].written) {
                operands_[e].push_back({operand, access.tensor});
                std::vector<int>& readers = readers_[access.tensor];
                if (readers.empty() || readers.back() != e) readers.push_back(e);
                continue;
            }
            makers_[access.tensor] = e;
            if (results_[e].empty())
                for (const Coordinate& at : access.coordinates) axes_[e].push_back(at.terms.front().dimension);
            results_[e].push_back(access.tensor);
        }
    for (std::size_t b = 0; b < cascade.blocks.size(); ++b)
        for (int e = cascade.blocks[b].first; e < cascade.blocks[b].end; ++e) {
            blocks_[e] = static_cast<int>(b);
            repeats_[e] = cascade.blocks[b].count;
        }
}

bool Reading::is_summed(int e, int dimension) const { return std::ranges::count(axes_[e], dimension) == 0; }

bool Reading::runs_on(int e, int kind) const { return can_run(package_.kinds[kind], einsum(e)); }

bool Reading::is_wanted(int tensor, int last) const {
    const TensorRole role = cascade_.tensors[tensor].role;
    if (role == TensorRole::output || role == TensorRole::cache) return true;
    if (std::ranges::any_of(cascade_.tensors,
                            [tensor](const CascadeTensor& other) { return other.carried_from == tensor; }))
        return true;
    return !readers_[tensor].empty() && readers_[tensor].back() > last;
}

bool Reading::is_run(int first, int last) const {
    for (int e = first; e < last; ++e) {
        if (blocks_[e] != blocks_[last]) return false;
        bool is_read = false;
        for (const int tensor : results_[e]) {
            if (is_wanted(tensor, last)) return false;
            is_read = is_read || !readers_[tensor].empty();
        }
        if (!is_read) return false;
    }
    return true;
}

Region Reading::whole_result(int e) const {
    Region whole;
    for (const int dimension : axes_[e]) whole.push_back({0, einsum(e).einsum.dimensions[dimension].extent});
    return whole;
}

Region Reading::iterations(int e, const Region& result) const {
    Region all;
    for (const Dimension& dimension : einsum(e).einsum.dimensions) all.push_back({0, dimension.extent});
    for (std::size_t axis = 0; axis < result.size(); ++axis) all[axes_[e][axis]] = result[axis];
    return all;
}

Region Reading::result_of(int e, const Region& iterations) const {
    Region result;
    for (const int dimension : axes_[e]) result.push_back(iterations[dimension]);
    return result;
}

Region Reading::touched(int e, const Operand& operand, const Region& iterations) const {
    const Access& access = einsum(e).accesses[operand.operand];
    Region region;
    const std::vector<std::int64_t>& shape = cascade_.tensors[operand.tensor].shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        region.push_back(access.anywhere ? Range{0, shape[axis]}
                                         : range_of(access.coordinates[axis], iterations, shape[axis]));
    return region;
}

std::int64_t Reading::least_touched(int e, const Operand& operand, const Region& iterations) const {
    const Access& access = einsum(e).accesses[operand.operand];
    const std::vector<std::int64_t>& shape = cascade_.tensors[operand.tensor].shape;
    return access.anywhere ? size_of(touched(e, operand, iterations))
                           : least_reached(access.coordinates, shape, iterations);
}

// Axes that share no dimension are independent: their values multiply. Else the axis with the most.
std::int64_t least_reached(const std::vector<Coordinate>& axes, const std::vector<std::int64_t>& shape,
                           const Region& iterations) {
    std::set<int> seen;
    bool is_shared = false;
    std::int64_t product = 1;
    std::int64_t most = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        for (const Term& term : axes[axis].terms)
            is_shared = is_shared || (iterations[term.dimension].size() > 1 && !seen.insert(term.dimension).second);
        const auto values = std::ranges::count(values_of(axes[axis], iterations, shape[axis]).is_there, true);
        product *= values;
        most = std::max<std::int64_t>(most, values);
    }
    return is_shared ? std::min(most, product) : product;
}

std::string problem_with(const Cascade& cascade, const package::Package& package) {
    if (std::string why = package::problem_with(package); !why.empty()) return why;
    std::vector<int> writers(cascade.tensors.size(), 0);
    for (const CascadeEinsum& one : cascade.einsums) {
        const std::string of = "'" + one.name + "' ";
        if (std::string why = problem_with_result(one, cascade); !why.empty()) return of + why;
        if (std::ranges::none_of(package.kinds, [&](const package::CoreKind& kind) { return can_run(kind, one); }))
            return of + "runs on no core of the package";
        std::vector<std::int64_t> extents;
        for (const Dimension& dimension : one.einsum.dimensions) extents.push_back(dimension.extent);
        if (is_too_large(extents, kMostPoints) || reaches_too_far(one)) return of + "has too many iterations";
        for (int operand = 0; operand < one.einsum.tensor_count(); ++operand)
            if (one.einsum.tensors[operand].written) ++writers[one.accesses[operand].tensor];
    }
    for (std::size_t t = 0; t < writers.size(); ++t) {
        if (writers[t] > 1) return "'" + cascade.tensors[t].name + "' has several makers";
        if (is_too_large(cascade.tensors[t].shape, kMostWords)) return "'" + cascade.tensors[t].name + "' is too large";
    }
    return "";
}

namespace {

bool do_overlap(const Region& a, const Region& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i].low >= b[i].high || b[i].low >= a[i].high) return false;
    return true;
}

// Around what is in `need` and in none of `made`: cell by cell between all of their borders.
class Missing {
   public:
    Missing(const Region& need, const std::vector<Region>& made) : missing_(need.size()), cell_(need) {
        if (is_nothing(need)) return;
        for (const Region& one : made)
            if (do_overlap(one, need)) made_.push_back(&one);
        for (std::size_t axis = 0; axis < need.size(); ++axis) {
            std::set<std::int64_t> cuts{need[axis].low, need[axis].high};
            for (const Region* one : made_)
                for (const std::int64_t cut : {(*one)[axis].low, (*one)[axis].high})
                    if (cut > need[axis].low && cut < need[axis].high) cuts.insert(cut);
            cuts_.emplace_back(cuts.begin(), cuts.end());
        }
        visit(0);
    }
    const Region& region() const { return missing_; }

   private:
    void visit(std::size_t axis) {
        if (axis == cell_.size()) {
            if (std::ranges::none_of(made_, [this](const Region* one) { return do_overlap(*one, cell_); }))
                missing_ = around(missing_, cell_);
            return;
        }
        for (std::size_t c = 0; c + 1 < cuts_[axis].size(); ++c) {
            cell_[axis] = {cuts_[axis][c], cuts_[axis][c + 1]};
            visit(axis + 1);
        }
    }

    std::vector<const Region*> made_;
    std::vector<std::vector<std::int64_t>> cuts_;
    Region missing_;
    Region cell_;
};

// What goes on where the last one ended, along one axis, is one region with it.
void add_made(std::vector<Region>& made, const Region& next) {
    std::size_t axis = next.size();
    std::size_t others = 0;
    for (std::size_t a = 0; a < next.size() && !made.empty(); ++a) {
        if (made.back()[a] == next[a]) continue;
        axis = a;
        ++others;
    }
    if (others == 1 && (made.back()[axis].high == next[axis].low || next[axis].high == made.back()[axis].low))
        made.back() = around(made.back(), next);
    else
        made.push_back(next);
}

Region need_of(const Reading& reading, const Makings& makings, int first, int last, int e, std::size_t step) {
    Region need(reading.axes(e).size());
    for (int reader = e + 1; reader <= last; ++reader) {
        const Region& made = makings[reader - first][step];
        if (is_nothing(made)) continue;
        const Region iterations = reading.iterations(reader, made);
        for (const Operand& operand : reading.operands(reader))
            if (reading.maker(operand.tensor) == e) need = around(need, reading.touched(reader, operand, iterations));
    }
    return need;
}

}  // namespace

Makings makings_of(const Reading& reading, int first, int last, const Step& step) {
    const Region whole = reading.whole_result(last);
    const auto steps = static_cast<std::size_t>((whole[step.axis].high + step.size - 1) / step.size);
    Makings makings(last - first + 1);
    for (std::size_t i = 0; i < steps; ++i) {
        Region made = whole;
        const auto low = static_cast<std::int64_t>(i) * step.size;
        made[step.axis] = {low, std::min(low + step.size, whole[step.axis].high)};
        makings.back().push_back(std::move(made));
    }
    for (int e = last - 1; e >= first; --e) {
        std::vector<Region> before;
        for (std::size_t i = 0; i < steps; ++i) {
            Region missing = Missing(need_of(reading, makings, first, last, e, i), before).region();
            if (!is_nothing(missing)) {
                if (std::ranges::any_of(before, [&](const Region& one) { return do_overlap(one, missing); })) return {};
                add_made(before, missing);
            }
            makings[e - first].push_back(std::move(missing));
        }
    }
    return makings;
}

}  // namespace tilewright::certificate::package_proof
