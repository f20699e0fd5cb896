#include "multicore/problem.hpp"

#include <limits>
#include <set>

#include "package/plan_text.hpp"

namespace tilewright::multicore {
namespace {

bool can_run(const package::CoreKind& kind, const CascadeEinsum& einsum) {
    return !kind.excluded.contains(einsum.name) &&
           (kind.only_kinds.empty() || kind.only_kinds.contains(std::string(to_text(einsum.kind))));
}

std::string problem_with(const CascadeEinsum& einsum) {
    const std::string of = "'" + einsum.name + "' ";
    std::vector<int> axes;
    for (int operand = 0; operand < einsum.einsum.tensor_count(); ++operand) {
        if (!einsum.einsum.tensors[operand].written) continue;
        const Access& access = einsum.accesses[operand];
        if (access.anywhere) return of + "writes words in no order: packages need results along its dimensions";
        std::vector<int> now;
        for (const Coordinate& at : access.coordinates) {
            if (at.offset != 0 || at.terms.size() != 1 || at.terms.front().coefficient != 1)
                return of + "writes at sums or offsets of its dimensions: packages need results along its dimensions";
            now.push_back(at.terms.front().dimension);
        }
        if (std::set<int>(now.begin(), now.end()).size() != now.size()) return of + "writes along one dimension twice";
        if (!axes.empty() && now != axes) return of + "has results with different axes";
        axes = now;
    }
    if (axes.empty()) return of + "has a result of a single word: steps go along an axis of the result";
    return "";
}

// Sums of the terms over a box, as far as they are from 0 up to the extent: the least and the greatest.
class Touched {
   public:
    Touched(const Coordinate& at, const Box& points, std::int64_t extent) : at_(at), points_(points), extent_(extent) {}

    Span span() const {
        std::int64_t low = at_.offset;
        std::int64_t high = at_.offset;
        for (const Term& term : at_.terms) {
            const Span& span = points_[term.dimension];
            const std::int64_t a = term.coefficient * span.from;
            const std::int64_t b = term.coefficient * (span.to - 1);
            low += std::min(a, b);
            high += std::max(a, b);
        }
        if (high < 0 || low >= extent_) return {0, 0};
        if (low < 0) low = extreme(true);
        if (high >= extent_) high = extreme(false);
        return low > high || low >= extent_ || high < 0 ? Span{0, 0} : Span{low, high + 1};
    }

   private:
    // Borders alone come here: places outside are padding, and steps may leap over the first word.
    std::int64_t extreme(bool least) const {
        std::int64_t best = least ? std::numeric_limits<std::int64_t>::max() : -1;
        visit(0, at_.offset, least, best);
        return least && best == std::numeric_limits<std::int64_t>::max() ? extent_ : best;
    }
    void visit(std::size_t term, std::int64_t sum, bool least, std::int64_t& best) const {
        if (term == at_.terms.size()) {
            if (sum >= 0 && sum < extent_) best = least ? std::min(best, sum) : std::max(best, sum);
            return;
        }
        const auto& [dimension, coefficient] = at_.terms[term];
        for (std::int64_t i = points_[dimension].from; i < points_[dimension].to; ++i)
            visit(term + 1, sum + coefficient * i, least, best);
    }

    const Coordinate& at_;
    const Box& points_;
    std::int64_t extent_;
};

}  // namespace

Box hull(const Box& a, const Box& b) {
    if (is_empty(a)) return b;
    if (is_empty(b)) return a;
    Box around(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) around[i] = {std::min(a[i].from, b[i].from), std::max(a[i].to, b[i].to)};
    return around;
}

Box common(const Box& a, const Box& b) {
    Box both(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) both[i] = {std::max(a[i].from, b[i].from), std::min(a[i].to, b[i].to)};
    return both;
}

Problem::Problem(const Cascade& cascade, const package::Package& package)
    : cascade_(cascade),
      package_(package),
      kinds_(static_cast<int>(package.kinds.size())),
      makers_(cascade.tensors.size(), -1),
      readers_(cascade.tensors.size()),
      last_reader_(cascade.tensors.size(), -1) {
    for (int e = 0; e < count(); ++e) {
        const CascadeEinsum& einsum = cascade.einsums[e];
        Worker worker;
        worker.axes = package::result_dimensions(einsum);
        worker.axis_of.assign(einsum.einsum.dimensions.size(), -1);
        for (std::size_t axis = 0; axis < worker.axes.size(); ++axis)
            worker.axis_of[worker.axes[axis]] = static_cast<int>(axis);
        for (int operand = 0; operand < einsum.einsum.tensor_count(); ++operand) {
            const int tensor = einsum.accesses[operand].tensor;
            if (einsum.einsum.tensors[operand].written) {
                worker.results.push_back(tensor);
                makers_[tensor] = e;
                continue;
            }
            worker.reads.push_back({operand, tensor});
            if (readers_[tensor].empty() || readers_[tensor].back() != e) readers_[tensor].push_back(e);
            last_reader_[tensor] = e;
        }
        workers_.push_back(std::move(worker));
        for (int kind = 0; kind < kinds_; ++kind) may_run_.push_back(can_run(package.kinds[kind], einsum));
        repeats_.push_back(repeats_of(cascade, e));
    }
    blocks_.assign(cascade.einsums.size(), -1);
    for (std::size_t b = 0; b < cascade.blocks.size(); ++b)
        for (int e = cascade.blocks[b].first; e < cascade.blocks[b].end; ++e) blocks_[e] = static_cast<int>(b);
    for (const CascadeTensor& tensor : cascade.tensors)
        is_output_.push_back(tensor.role == TensorRole::output || tensor.role == TensorRole::cache);
    for (const CascadeTensor& tensor : cascade.tensors)
        if (tensor.carried_from >= 0) is_output_[tensor.carried_from] = true;
    depends_.assign(static_cast<std::size_t>(count()) * count(), false);
    for (int e = 0; e < count(); ++e)
        for (const Reading& reading : workers_[e].reads)
            if (makers_[reading.tensor] >= 0 && makers_[reading.tensor] < e)
                depends_[e * count() + makers_[reading.tensor]] = true;
}

bool Problem::reads(int einsum, int tensor) const {
    return std::ranges::any_of(workers_[einsum].reads, [&](const Reading& one) { return one.tensor == tensor; });
}

bool Problem::may_be_run(int first, int last) const {
    for (int e = first; e < last; ++e) {
        if (blocks_[e] != blocks_[last]) return false;
        bool is_read = false;
        for (const int tensor : workers_[e].results) {
            is_read |= !readers_[tensor].empty() && readers_[tensor].back() <= last;
            if (is_wanted(tensor, last)) return false;
        }
        if (!is_read) return false;
    }
    return true;
}

Box Problem::touched(int einsum, const Reading& reading, const Box& points) const {
    const Access& access = cascade_.einsums[einsum].accesses[reading.operand];
    const std::vector<std::int64_t>& shape = cascade_.tensors[reading.tensor].shape;
    Box box(shape.size());
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        box[axis] =
            access.anywhere ? Span{0, shape[axis]} : Touched(access.coordinates[axis], points, shape[axis]).span();
    return box;
}

Box Problem::points_behind(int einsum, const Box& result) const {
    const Worker& worker = workers_[einsum];
    Box points(worker.axis_of.size());
    for (std::size_t d = 0; d < points.size(); ++d)
        points[d] = worker.axis_of[d] >= 0 ? result[worker.axis_of[d]] : Span{0, extent(einsum, static_cast<int>(d))};
    return points;
}

Box Problem::result_of(int einsum, const Box& points) const {
    Box result;
    for (const int dimension : workers_[einsum].axes) result.push_back(points[dimension]);
    return result;
}

Box Problem::whole_result(int einsum) const {
    Box result;
    for (const int dimension : workers_[einsum].axes) result.push_back({0, extent(einsum, dimension)});
    return result;
}

std::string problem_with(const Cascade& cascade, const package::Package& package) {
    std::vector<int> writers(cascade.tensors.size(), 0);
    for (const CascadeEinsum& einsum : cascade.einsums) {
        if (std::string why = problem_with(einsum); !why.empty()) return why;
        if (std::ranges::none_of(package.kinds, [&](const package::CoreKind& kind) { return can_run(kind, einsum); }))
            return "no core of the package runs '" + einsum.name + "', a " + std::string(to_text(einsum.kind));
        for (int operand = 0; operand < einsum.einsum.tensor_count(); ++operand)
            if (einsum.einsum.tensors[operand].written) ++writers[einsum.accesses[operand].tensor];
    }
    for (std::size_t t = 0; t < writers.size(); ++t)
        if (writers[t] > 1)
            return "'" + cascade.tensors[t].name + "' is written in parts by several einsums: packages need one maker";
    return "";
}

}  // namespace tilewright::multicore
