#include "shrink.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "repair.hpp"

namespace tilewright::property {
namespace {

/// All nests that are one step smaller than a nest, the largest steps first.
class Smaller {
   public:
    explicit Smaller(const Nest& nest)
        : nest_(nest), levels_(levels_of(nest.mapping, nest.architecture.memory_count())) {
        without_memories();
        without_tensors();
        without_dimensions();
        smaller_extents();
        smaller_loops();
        simpler_tensors();
        simpler_keeps();
    }

    std::vector<Nest> take() { return std::move(found_); }

   private:
    void add(Nest nest, std::vector<MappingLevel> levels) {
        TensorSet somewhere;
        for (const MappingLevel& level : levels) somewhere = TensorSet::from_bits(somewhere.bits() | level.keep.bits());
        if (somewhere != TensorSet::all(nest.einsum.tensor_count()) || !problem_with(nest.einsum).empty()) return;
        repair(nest, std::move(levels));
        found_.push_back(std::move(nest));
    }

    /// The loops of a memory that goes away join those of the memory outside it.
    void without_memories() {
        for (std::size_t m = 1; m < levels_.size(); ++m) {
            Nest nest = nest_;
            nest.architecture.memories.erase(nest.architecture.memories.begin() + static_cast<std::ptrdiff_t>(m));
            std::vector<MappingLevel> levels = levels_;
            MappingLevel& outer = levels[m - 1];
            const MappingLevel& gone = levels[m];
            outer.temporal.insert(outer.temporal.end(), gone.temporal.begin(), gone.temporal.end());
            outer.spatial.insert(outer.spatial.end(), gone.spatial.begin(), gone.spatial.end());
            levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(m));
            add(std::move(nest), std::move(levels));
        }
        if (levels_.size() < 2 || !levels_[0].spatial.empty()) return;
        Nest nest = nest_;
        nest.architecture.memories.erase(nest.architecture.memories.begin());
        std::vector<MappingLevel> levels(levels_.begin() + 1, levels_.end());
        levels[0].temporal.insert(levels[0].temporal.begin(), levels_[0].temporal.begin(), levels_[0].temporal.end());
        add(std::move(nest), std::move(levels));
    }

    void without_tensors() {
        for (int t = 0; t < nest_.einsum.tensor_count(); ++t) {
            Nest nest = nest_;
            nest.einsum.tensors.erase(nest.einsum.tensors.begin() + t);
            std::vector<MappingLevel> levels = levels_;
            for (MappingLevel& level : levels) {
                const std::uint32_t below = level.keep.bits() & ((1U << t) - 1U);
                level.keep = TensorSet::from_bits(below | ((level.keep.bits() >> (t + 1)) << t));
            }
            add(std::move(nest), std::move(levels));
        }
    }

    template <typename Predicate>
    static void erase_loops(std::vector<MappingLevel>& levels, const Predicate& gone) {
        for (MappingLevel& level : levels) {
            std::erase_if(level.temporal, gone);
            std::erase_if(level.spatial, gone);
        }
    }

    void without_dimensions() {
        for (int d = 0; d < nest_.einsum.dimension_count() && nest_.einsum.dimension_count() > 1; ++d) {
            Nest nest = nest_;
            nest.einsum.dimensions.erase(nest.einsum.dimensions.begin() + d);
            for (Tensor& tensor : nest.einsum.tensors) {
                for (Rank& rank : tensor.ranks) {
                    std::erase_if(rank.terms, [&](const Term& term) { return term.dimension == d; });
                    for (Term& term : rank.terms) term.dimension -= term.dimension > d ? 1 : 0;
                }
            }
            std::vector<MappingLevel> levels = levels_;
            erase_loops(levels, [&](const Loop& loop) { return loop.dimension == d; });
            for (MappingLevel& level : levels)
                for (std::vector<Loop>* list : {&level.temporal, &level.spatial})
                    for (Loop& loop : *list) loop.dimension -= loop.dimension > d ? 1 : 0;
            add(std::move(nest), std::move(levels));
        }
    }

    void smaller_extents() {
        for (std::size_t d = 0; d < nest_.einsum.dimensions.size(); ++d) {
            const std::int64_t extent = nest_.einsum.dimensions[d].extent;
            for (const std::int64_t smaller : {extent / 2, extent - 1}) {
                if (smaller < 1 || smaller == extent) continue;
                Nest nest = nest_;
                nest.einsum.dimensions[d].extent = smaller;
                add(std::move(nest), levels_);
            }
        }
    }

    static std::vector<Loop>& list_of(MappingLevel& level, bool spatial) {
        return spatial ? level.spatial : level.temporal;
    }

    /// Without one loop, with one loop shorter, and with one spatial loop made temporal.
    void smaller_loops() {
        for (std::size_t m = 0; m < levels_.size(); ++m)
            for (const bool spatial : {true, false})
                for (std::size_t i = 0; i < list_of(levels_[m], spatial).size(); ++i) smaller_loop(m, spatial, i);
    }

    void smaller_loop(std::size_t m, bool spatial, std::size_t i) {
        const Loop loop = list_of(levels_[m], spatial)[i];
        const auto at = static_cast<std::ptrdiff_t>(i);
        std::vector<MappingLevel> levels = levels_;
        std::vector<Loop>& list = list_of(levels[m], spatial);
        list.erase(list.begin() + at);
        Nest shorter = nest_;
        std::int64_t& extent = shorter.einsum.dimensions[loop.dimension].extent;
        extent = (extent + loop.extent - 1) / loop.extent;
        add(std::move(shorter), levels);
        if (!is_outermost(loop, m, spatial, i)) add(nest_, levels);
        if (spatial) {
            levels[m].temporal.push_back(loop);
            levels[m].temporal.back().kind = LoopKind::temporal;
            add(nest_, levels);
        }
        if (loop.extent > 2) {
            levels = levels_;
            --list_of(levels[m], spatial)[i].extent;
            for (const std::int64_t less : {std::int64_t{1}, points_inside(loop, m, spatial, i)}) {
                shorter = nest_;
                shorter.einsum.dimensions[loop.dimension].extent -= less;
                add(std::move(shorter), levels);
            }
        }
        if (loop.extent > 2 && !is_outermost(loop, m, spatial, i)) {
            levels = levels_;
            --list_of(levels[m], spatial)[i].extent;
            add(nest_, std::move(levels));
        }
    }

    /// What one iteration of a loop covers of its dimension.
    std::int64_t points_inside(const Loop& loop, std::size_t m, bool spatial, std::size_t i) {
        std::int64_t points = 1;
        const auto multiply = [&](const std::vector<Loop>& loops, std::size_t from) {
            for (std::size_t k = from; k < loops.size(); ++k)
                if (loops[k].dimension == loop.dimension) points *= loops[k].extent;
        };
        if (!spatial) multiply(levels_[m].temporal, i + 1);
        multiply(levels_[m].spatial, spatial ? i + 1 : 0);
        for (std::size_t inner = m + 1; inner < levels_.size(); ++inner) {
            multiply(levels_[inner].temporal, 0);
            multiply(levels_[inner].spatial, 0);
        }
        return points;
    }

    /// repair() would put an outermost loop that is missing back.
    bool is_outermost(const Loop& loop, std::size_t m, bool spatial, std::size_t i) {
        const auto same = [&](const Loop& other) { return other.dimension == loop.dimension; };
        for (std::size_t outer = 0; outer < m; ++outer)
            if (std::ranges::any_of(levels_[outer].temporal, same) || std::ranges::any_of(levels_[outer].spatial, same))
                return false;
        if (spatial && std::ranges::any_of(levels_[m].temporal, same)) return false;
        const std::vector<Loop>& list = list_of(levels_[m], spatial);
        return std::none_of(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(i), same);
    }

    void simpler_tensors() {
        for (std::size_t t = 0; t < nest_.einsum.tensors.size(); ++t)
            for (std::size_t r = 0; r < nest_.einsum.tensors[t].ranks.size(); ++r) simpler_rank(t, r);
    }

    void simpler_rank(std::size_t t, std::size_t r) {
        const auto rank = static_cast<std::ptrdiff_t>(r);
        Nest without = nest_;
        std::vector<Rank>& ranks = without.einsum.tensors[t].ranks;
        ranks.erase(ranks.begin() + rank);
        add(std::move(without), levels_);
        for (std::size_t i = 0; i < nest_.einsum.tensors[t].ranks[r].terms.size(); ++i) {
            Nest nest = nest_;
            std::vector<Term>& terms = nest.einsum.tensors[t].ranks[r].terms;
            const std::int64_t coefficient = terms[i].coefficient;
            terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i));
            add(std::move(nest), levels_);
            for (const std::int64_t simpler : {std::int64_t{1}, coefficient - 1}) {
                if (simpler < 1 || simpler >= std::max<std::int64_t>(coefficient, 2)) continue;
                nest = nest_;
                nest.einsum.tensors[t].ranks[r].terms[i].coefficient = simpler;
                if (simpler != coefficient) add(std::move(nest), levels_);
            }
        }
    }

    void simpler_keeps() {
        const TensorSet all = TensorSet::all(nest_.einsum.tensor_count());
        for (std::size_t m = 0; m < levels_.size(); ++m) {
            if (levels_[m].keep == all) continue;
            Nest nest = nest_;
            nest.architecture.memories[m].spreads_only = false;
            std::vector<MappingLevel> levels = levels_;
            levels[m].keep = all;
            add(std::move(nest), std::move(levels));
        }
    }

    const Nest& nest_;
    std::vector<MappingLevel> levels_;
    std::vector<Nest> found_;
};

}  // namespace

Nest shrink(Nest nest, const std::function<bool(const Nest&)>& fails) {
    constexpr int kMostSteps = 2000;  // far more than any nest takes
    bool shrunk = true;
    for (int step = 0; shrunk && step < kMostSteps; ++step) {
        shrunk = false;
        for (Nest& smaller : Smaller(nest).take()) {
            if (!fails(smaller)) continue;
            nest = std::move(smaller);
            shrunk = true;
            break;
        }
    }
    return nest;
}

}  // namespace tilewright::property
