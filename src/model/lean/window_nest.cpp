#include "model/lean/window_nest.hpp"

#include <cmath>

namespace tilewright::lean {

WindowNest::WindowNest(const Setup& problem, const ImperfectNest& loop_nest, int memory, int asking, int number)
    : setup(problem),
      nest(loop_nest),
      level(memory),
      child(asking),
      form(problem.tensors[number]),
      tensor(problem.einsum.tensors[number]) {}

void WindowNest::choose_ranks() {
    rank_of.fill(-1);
    std::int64_t next_unit = 1;
    for (const Rank& one : tensor.ranks) {
        bool changes = false;
        double width = 1.0;
        double whole = 1.0;
        for (const tilewright::Term& term : one.terms) {
            const double reach = std::abs(static_cast<double>(term.coefficient));
            changes = changes || (nest.looped[child] >> term.dimension & 1U) != 0;
            width += reach * (nest.last[child][term.dimension] - 1.0);
            whole += reach * setup.extents[term.dimension];
        }
        if (!changes) {
            unchanging_words *= width;
            continue;
        }
        for (const tilewright::Term& term : one.terms) {
            rank_of[term.dimension] = ranks;
            coefficient[term.dimension] = term.coefficient;
        }
        rank[ranks] = &one;
        unit[ranks++] = next_unit;
        next_unit *= 8 * static_cast<std::int64_t>(whole);
    }
}

// Loops inside the innermost moving one only decide whether there is work.
bool WindowNest::choose_loops() {
    innermost = nest.outside[child];
    while (innermost < nest.loop_count &&
           (nest.loops[innermost].spatial || !is_relevant(nest.loops[innermost].dimension)))
        ++innermost;
    for (int j = innermost; j < nest.loop_count; ++j) {
        const ImperfectLoop& loop = nest.loops[j];
        if (loop.spatial) continue;
        if (loop_count == kMaxWalkLoops - 1) return false;
        const int moved = rank_of[loop.dimension];
        const std::int64_t step = static_cast<std::int64_t>(loop.step);
        loops[loop_count++] = {loop.dimension, moved, moved < 0 ? 0 : coefficient[loop.dimension] * step,
                               static_cast<std::int64_t>(loop.extent), false};
    }
    return true;
}

int WindowNest::walk_index(int j) const {
    int index = 0;
    for (int i = innermost; i < j; ++i) index += nest.loops[i].spatial ? 0 : 1;
    return index;
}

}  // namespace tilewright::lean
