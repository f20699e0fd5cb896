#include "certificate/perfect/to_come.hpp"

#include <algorithm>
#include <utility>

#include "certificate/perfect/nests.hpp"

namespace tilewright::certificate {

// Energy first: it settles most.
std::optional<ToCome> look_at_tiles(const Charges& charges, TileNumbers& tiles, Storage storage, double least_cycles,
                                    const Goal& goal) {
    const auto out_of_reach = [&](double pj) { return goal.is_out_of_reach(cost_of(charges, pj, least_cycles)); };
    std::optional<Completion> completion = completion_pj(charges, tiles, storage, out_of_reach);
    if (!completion) return std::nullopt;
    ToCome to_come{std::move(*completion), std::nullopt, least_cycles};
    if (!bandwidth_counts(charges, goal)) return to_come;
    to_come.loads.emplace(charges, tiles, to_come.completion.stages, storage);
    to_come.least_cycles = std::max(least_cycles, to_come.loads->least_cycles());
    const double least_pj = tiles.inside_pj(charges) + to_come.completion.pj.front().front();
    if (goal.is_out_of_reach(cost_of(charges, least_pj, to_come.least_cycles))) return std::nullopt;
    return to_come;
}

}  // namespace tilewright::certificate
