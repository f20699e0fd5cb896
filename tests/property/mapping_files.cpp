#include "mapping_files.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "base/numbers/checked.hpp"

namespace tilewright::property {
namespace {

/// What one memory does of one dimension.
struct Factors {
    std::int64_t temporal = 1;
    std::int64_t x = 1;
    std::int64_t y = 1;
    std::int64_t shared = 1;  ///< neighbours that get a part
};

using ByLevel = std::vector<Factors>;

class Files {
   public:
    Files(const Problem& problem, FactorRule rule, std::int64_t most, const std::function<bool(const Mapping&)>& visit)
        : problem_(problem), rule_(rule), most_(most), visit_(visit) {
        for (int d = 0; d < problem.einsum.dimension_count(); ++d) {
            ByLevel factors(static_cast<std::size_t>(memories()));
            list_factors(d, memories() - 1, problem.einsum.dimensions[d].extent, factors, ways_.emplace_back());
        }
        chosen_.resize(ways_.size());
        keep_.resize(static_cast<std::size_t>(memories()));
    }

    bool run() { return choose_factors(0); }

   private:
    int memories() const { return problem_.architecture.memory_count(); }
    int dimensions() const { return problem_.einsum.dimension_count(); }
    const LevelConstraint& constraint(int level) const {
        static const LevelConstraint none;
        return problem_.constraints.levels.empty() ? none : problem_.constraints.levels[level];
    }

    static bool within(const LoopConstraint& loops, int dimension, std::int64_t factor) {
        if (loops.factors.empty()) return true;
        const FactorConstraint& bounds = loops.factors[dimension];
        if (bounds.exactly) return factor == *bounds.exactly;
        return factor >= bounds.at_least && (!bounds.at_most || factor <= *bounds.at_most);
    }

    // From the innermost memory outwards, with `chunks` left to deal.
    void list_factors(int d, int level, std::int64_t chunks, ByLevel& factors, std::vector<ByLevel>& all) const {
        if (level < 0) {
            if (chunks == 1) all.push_back(factors);
            return;
        }
        const Mesh mesh = problem_.architecture.fanout(level);
        const bool imperfect = rule_ == FactorRule::ruby_s;
        for (std::int64_t x = 1; x <= std::min(mesh.x, chunks); ++x)
            for (std::int64_t y = 1; y <= std::min(mesh.y, chunks); ++y) {
                if (!imperfect && chunks % (x * y) != 0) continue;
                if (constraint(level).spatial.one_axis && x > 1 && y > 1) continue;
                const std::int64_t shared = std::min(chunks, x * y);
                if (mesh.size() > 1 && !within(constraint(level).spatial, d, shared)) continue;
                const std::int64_t left = ceil_div(chunks, x * y);
                for (std::int64_t temporal = 1; temporal <= left; ++temporal) {
                    if (left % temporal != 0 || !within(constraint(level).temporal, d, temporal)) continue;
                    factors[level] = {temporal, x, y, shared};
                    list_factors(d, level - 1, left / temporal, factors, all);
                }
            }
        factors[level] = {};
    }

    bool choose_factors(std::size_t d) {
        if (d == ways_.size()) return !has_room() || choose_keeps(0);
        for (const ByLevel& way : ways_[d]) {
            chosen_[d] = way;
            if (!choose_factors(d + 1)) return false;
        }
        return true;
    }

    bool has_room() const {
        double used = 1.0;
        for (int l = 0; l < memories(); ++l) {
            const Mesh mesh = problem_.architecture.fanout(l);
            Mesh mapped;
            for (const ByLevel& way : chosen_) {
                mapped.x *= way[l].x;
                mapped.y *= way[l].y;
                used *= static_cast<double>(way[l].shared);
            }
            if (mapped.x > mesh.x || mapped.y > mesh.y) return false;
        }
        const double least = problem_.constraints.min_parallelism;
        return least <= 0.0 || used >= least * static_cast<double>(problem_.architecture.compute.instances);
    }

    // The outermost memory keeps everything that it may.
    bool choose_keeps(int level) {
        const std::uint32_t all = TensorSet::all(problem_.einsum.tensor_count()).bits();
        if (level == memories()) {
            std::uint32_t kept = 0;
            for (const TensorSet& set : keep_) kept |= set.bits();
            return kept != all || order_loops(memories() - 1, {});
        }
        const Memory& memory = problem_.architecture.memories[level];
        const std::uint32_t must = constraint(level).must_keep.bits();
        std::uint32_t free = all & ~must & ~constraint(level).must_bypass.bits();
        if (memory.spreads_only || memory.usable_words() == 0) free = 0;
        for (std::uint32_t chosen = free;; chosen = (chosen - 1) & free) {
            keep_[level] = TensorSet::from_bits(must | chosen);
            if ((level > 0 || chosen == free) && !choose_keeps(level + 1)) return false;
            if (chosen == 0) return true;
        }
    }

    static bool is_named(const LoopConstraint& loops) { return !loops.inner.empty() || !loops.outer.empty(); }

    static int place_in(const LoopConstraint& loops, int dimension) {
        const auto inner = std::ranges::find(loops.inner, dimension);
        if (inner != loops.inner.end()) return static_cast<int>(inner - loops.inner.begin());
        const auto outer = std::ranges::find(loops.outer, dimension);
        return static_cast<int>(loops.inner.size() +
                                (outer == loops.outer.end() ? 0 : 1 + (outer - loops.outer.begin())));
    }

    // All orders of both kinds of loops of a memory; `inside`: the nodes further in, innermost first.
    bool order_loops(int level, const std::vector<Node>& inside) {
        if (level < 0) return give(inside);
        std::vector<Loop> spatial;
        std::vector<Loop> temporal;
        for (int d = 0; d < dimensions(); ++d) {
            const Factors& factors = chosen_[d][level];
            if (factors.x > 1) spatial.push_back({d, factors.x, factors.x, LoopKind::spatial_x});
            if (factors.y > 1) spatial.push_back({d, factors.y, factors.y, LoopKind::spatial_y});
            if (factors.temporal > 1) temporal.push_back({d, factors.temporal, factors.temporal, LoopKind::temporal});
        }
        return visit_orders(spatial, [&](const std::vector<Loop>& block) {
            return visit_orders(temporal, [&](const std::vector<Loop>& loops) {
                if (!in_order(constraint(level).temporal, loops)) return true;
                std::vector<Node> nodes = inside;
                nodes.insert(nodes.end(), block.begin(), block.end());
                nodes.insert(nodes.end(), loops.begin(), loops.end());
                nodes.emplace_back(Store{level, keep_[level]});
                return order_loops(level - 1, nodes);
            });
        });
    }

    template <class Visit>
    static bool visit_orders(const std::vector<Loop>& loops, Visit visit) {
        std::vector<std::size_t> order(loops.size());
        std::iota(order.begin(), order.end(), 0U);
        do {
            std::vector<Loop> ordered;
            for (const std::size_t i : order) ordered.push_back(loops[i]);
            if (!visit(ordered)) return false;
        } while (std::next_permutation(order.begin(), order.end()));
        return true;
    }

    // Innermost first.
    static bool in_order(const LoopConstraint& constraint, const std::vector<Loop>& loops) {
        return std::ranges::is_sorted(loops, {},
                                      [&](const Loop& loop) { return place_in(constraint, loop.dimension); });
    }

    // With their remainders, the loops of a block whose order is named: X inside Y; on either axis those that divide
    // inside those that do not, each kind in order.
    bool blocks_in_order(const Mapping& mapping) const {
        const std::vector<MappingLevel> levels = levels_of(mapping, memories());
        for (int l = 0; l < memories(); ++l) {
            const LoopConstraint& loops = constraint(l).spatial;
            if (!is_named(loops) && !loops.one_axis) continue;
            std::vector<Loop> block = levels[l].spatial;
            std::ranges::reverse(block);
            const auto is_along_y = [](const Loop& loop) { return loop.kind == LoopKind::spatial_y; };
            if (!std::ranges::is_sorted(block, {}, is_along_y)) return false;
            if (!is_named(loops)) continue;
            std::map<int, bool> leaves;  // dimensions that do not divide
            for (const Loop& loop : block) leaves[loop.dimension] = leaves_remainder(loop.dimension, l);
            const auto key = [&](const Loop& loop) {
                return std::tuple(loop.kind == LoopKind::spatial_y, leaves[loop.dimension],
                                  place_in(loops, loop.dimension));
            };
            if (!std::ranges::is_sorted(block, {}, key)) return false;
        }
        return true;
    }

    bool leaves_remainder(int dimension, int level) const {
        std::int64_t chunks = problem_.einsum.dimensions[dimension].extent;
        const ByLevel& factors = chosen_[dimension];
        for (int l = memories() - 1; l > level; --l) {
            const Factors& at = factors[l];
            chunks = ceil_div(ceil_div(chunks, at.shared), at.temporal);
        }
        return chunks % factors[level].shared != 0;
    }

    bool give(const std::vector<Node>& nodes) {
        Mapping mapping{{nodes.rbegin(), nodes.rend()}, {}};
        if (!restore_remainders(mapping, problem_.einsum) || !blocks_in_order(mapping)) return true;
        return --most_ >= 0 && visit_(mapping);
    }

    const Problem& problem_;
    FactorRule rule_;
    std::int64_t most_;
    const std::function<bool(const Mapping&)>& visit_;
    std::vector<std::vector<ByLevel>> ways_;  ///< by dimension
    std::vector<ByLevel> chosen_;
    std::vector<TensorSet> keep_;
};

}  // namespace

bool visit_mapping_files(const Problem& problem, FactorRule rule, std::int64_t most,
                         const std::function<bool(const Mapping&)>& visit) {
    return Files(problem, rule, most, visit).run();
}

}  // namespace tilewright::property
