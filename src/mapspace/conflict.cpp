#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "mapspace/feasibility.hpp"

namespace tilewright {
namespace {

// A layer's problem, and the demands dropped from its machine.
struct Relaxed {
    LayerProblem problem;
    Relaxation relaxation;
};

Feasibility judge(const Relaxed& relaxed) {
    const LayerProblem& problem = relaxed.problem;
    const Mapspace mapspace(problem.einsum, problem.architecture, problem.constraints);
    return feasibility(problem.einsum, problem.architecture, mapspace, relaxed.relaxation);
}

// A demand on mappings, and its relaxation.
struct Needed {
    std::string text;
    std::function<void(Relaxed&)> drop;
    int capacity_of = -1;  // the memory whose capacity this is
};

std::string bounds_text(const FactorConstraint& factor) {
    if (factor.exactly) return fmt::format("={}", *factor.exactly);
    if (factor.at_most && factor.at_least > 1) return fmt::format(" from {} to {}", factor.at_least, *factor.at_most);
    return factor.at_most ? fmt::format("<={}", *factor.at_most) : fmt::format(">={}", factor.at_least);
}

// Lists the demands of a layer's machine and constraints. The first are dropped first: the rest tends to be sizes or
// factors, more familiar than orders or a tensor's place.
class Demands {
   public:
    explicit Demands(const LayerProblem& problem) : problem_(problem) {}

    std::vector<Needed> list() {
        if (problem_.constraints.min_parallelism > 0.0)
            add(fmt::format("at least {:.4g} of the compute units in use", problem_.constraints.min_parallelism),
                [](Relaxed& relaxed) { relaxed.problem.constraints.min_parallelism = 0.0; });
        const int levels = problem_.constraints.levels.empty() ? 0 : problem_.architecture.memory_count();
        for (int l = 0; l < levels; ++l) add_axes(l);
        for (int l = 0; l < problem_.architecture.memory_count(); ++l) add_mesh(l);
        for (int l = 0; l < levels; ++l) add_tensors(l);
        for (int l = 0; l < levels; ++l) {
            add_factors(l, &LevelConstraint::spatial, "spatial");
            add_factors(l, &LevelConstraint::temporal, "temporal");
        }
        for (int l = 0; l < problem_.architecture.memory_count(); ++l) add_capacity(l);
        for (int l = 0; l < problem_.architecture.memory_count(); ++l) add_tiles(l);
        return std::move(demands_);
    }

   private:
    void add(const std::string& text, std::function<void(Relaxed&)> drop) {
        demands_.push_back({text, std::move(drop), -1});
    }

    const std::string& name(int level) const { return problem_.architecture.memories[level].name; }

    void add_axes(int level) {
        const LoopConstraint& spatial = problem_.constraints.levels[level].spatial;
        if (!spatial.split || problem_.architecture.fanout(level).size() == 1) return;
        add(fmt::format("{}: the axes that split={} gives to spatial loops", name(level), *spatial.split),
            [level](Relaxed& relaxed) { relaxed.problem.constraints.levels[level].spatial.split.reset(); });
    }

    void add_mesh(int level) {
        const Mesh mesh = problem_.architecture.fanout(level);
        if (mesh.size() == 1) return;
        add(fmt::format("{}: a mesh of {} x {} below it", name(level), mesh.x, mesh.y),
            [level](Relaxed& relaxed) { relaxed.relaxation.mesh[level] = true; });
    }

    void add_tensors(int level) {
        const LevelConstraint& constraint = problem_.constraints.levels[level];
        for (int t = 0; t < problem_.einsum.tensor_count(); ++t) {
            const std::string& tensor = problem_.einsum.tensors[t].name;
            if (constraint.must_keep.has(t))
                add(fmt::format("{}: keep {}", name(level), tensor),
                    [level, t](Relaxed& relaxed) { relaxed.problem.constraints.levels[level].must_keep.remove(t); });
            if (constraint.must_bypass.has(t))
                add(fmt::format("{}: bypass {}", name(level), tensor),
                    [level, t](Relaxed& relaxed) { relaxed.problem.constraints.levels[level].must_bypass.remove(t); });
        }
    }

    void add_factors(int level, LoopConstraint LevelConstraint::* loops, const char* kind) {
        const LoopConstraint& constraint = problem_.constraints.levels[level].*loops;
        for (std::size_t d = 0; d < constraint.factors.size(); ++d) {
            if (constraint.factors[d] == FactorConstraint{}) continue;
            add(fmt::format("{}: {} {}{}", name(level), kind, problem_.einsum.dimensions[d].name,
                            bounds_text(constraint.factors[d])),
                [level, loops, d](Relaxed& relaxed) {
                    (relaxed.problem.constraints.levels[level].*loops).factors[d] = {};
                });
        }
    }

    void add_capacity(int level) {
        const Memory& memory = problem_.architecture.memories[level];
        if (memory.spreads_only || !memory.usable_words()) return;
        const bool whole = memory.multiple_buffering == 1.0;
        add(fmt::format("{}: capacity of {} word{}{}", memory.name, *memory.usable_words(),
                        *memory.usable_words() == 1 ? "" : "s", whole ? "" : " for one of several buffers"),
            [level](Relaxed& relaxed) { relaxed.relaxation.capacity[level] = true; });
        demands_.back().capacity_of = level;
    }

    void add_tiles(int level) {
        const Memory& memory = problem_.architecture.memories[level];
        for (const auto& [dimension, rule] : memory.tile)
            if (find_dimension(problem_.einsum, dimension) >= 0)
                add(fmt::format("{}: a tile with {} {}", memory.name, dimension, rule_text(rule)),
                    [level, dimension](Relaxed& relaxed) {
                        relaxed.problem.architecture.memories[level].tile.erase(dimension);
                    });
    }

    const LayerProblem& problem_;
    std::vector<Needed> demands_;
};

// The words a memory needs for a mapping that meets the rest, or 0 if no number suffices.
std::int64_t least_capacity(const Relaxed& relaxed, int level) {
    const auto fits = [&](std::int64_t words) {
        Relaxed larger = relaxed;
        larger.problem.architecture.memories[level].set_usable_words(words);
        return judge(larger) == Feasibility::feasible;
    };
    std::int64_t too_small = *relaxed.problem.architecture.memories[level].usable_words();
    std::int64_t enough = std::max<std::int64_t>(1, too_small);
    do {
        if (__builtin_mul_overflow(enough, 2, &enough)) return 0;
    } while (!fits(enough));
    while (enough - too_small > 1) {
        const std::int64_t middle = too_small + (enough - too_small) / 2;
        (fits(middle) ? enough : too_small) = middle;
    }
    return enough;
}

}  // namespace

std::vector<std::string> conflict_of(const LayerProblem& problem) {
    Relaxed relaxed{problem, {}};
    const auto memories = static_cast<std::size_t>(problem.architecture.memory_count());
    relaxed.relaxation = {std::vector<bool>(memories), std::vector<bool>(memories)};
    if (judge(relaxed) != Feasibility::infeasible) return {};
    std::vector<Needed> needed;
    for (Needed& demand : Demands(problem).list()) {
        Relaxed without = relaxed;
        demand.drop(without);
        const Feasibility now = judge(without);
        if (now == Feasibility::undecided) return {};
        if (now == Feasibility::infeasible)
            relaxed = std::move(without);
        else
            needed.push_back(std::move(demand));
    }
    std::vector<std::string> texts;
    for (const Needed& demand : needed) {
        texts.push_back(demand.text);
        if (demand.capacity_of < 0) continue;
        if (const std::int64_t words = least_capacity(relaxed, demand.capacity_of); words > 0)
            texts.back() += fmt::format(" (the others need {})", words);
    }
    return texts;
}

std::vector<std::string> conflict_lines(const LayerProblem& problem) {
    std::vector<std::string> lines = conflict_of(problem);
    for (std::string& line : lines) line.insert(0, "- ");
    if (!lines.empty())
        lines.insert(lines.begin(),
                     lines.size() == 1
                         ? "there is none; without this demand there would be:"
                         : "there is none: these exclude each other, and without any one there would be:");
    return lines;
}

}  // namespace tilewright
