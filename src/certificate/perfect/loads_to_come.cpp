#include "certificate/perfect/loads_to_come.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "certificate/perfect/nests.hpp"

namespace tilewright::certificate {
namespace {

constexpr double kNoTile = std::numeric_limits<double>::infinity();

}  // namespace

LoadsToCome::LoadsToCome(const Charges& charges, TileNumbers& tiles, const std::vector<Stage>& stages, Storage storage)
    : charges_(charges) {
    list_flows();
    const ByPoint none(static_cast<std::size_t>(tiles.lattice().size()), 0.0);
    words_.assign(stages.size(), std::vector<ByPoint>(flows_.size(), none));
    if (storage == Storage::even) {
        look_at_even(tiles, stages);
    } else {
        look_at_uneven(tiles, stages);
    }
    Loads inside{};
    tiles.add_inside_loads(charges, inside);
    least_cycles_ = cycles(0, 0, inside);
}

void LoadsToCome::list_flows() {
    for (std::size_t l = 0; l < static_cast<std::size_t>(charges_.level_count()); ++l) {
        const MemoryRates& rates = charges_.ground().rates[l];
        if (std::isfinite(rates.read_words_per_cycle)) flows_.push_back({l, true, false, rates.read_words_per_cycle});
        if (std::isfinite(rates.write_words_per_cycle)) flows_.push_back({l, false, true, rates.write_words_per_cycle});
        if (std::isfinite(rates.shared_words_per_cycle))
            flows_.push_back({l, true, true, rates.shared_words_per_cycle});
        if (rates.write_stall_cycles > 0.0)
            flows_.push_back({l, false, true, 1.0 / rates.write_stall_cycles, charges_.compute_cycles()});
    }
}

bool LoadsToCome::Flow::is_moved_by(const Charges& charges, int t, int level) const {
    if (!charges.delivers(t, level)) return false;
    const auto to = static_cast<std::size_t>(level);
    const auto from = static_cast<std::size_t>(charges.parent(t, level));
    return from == memory || (to == memory && writes);
}

double LoadsToCome::cycles(std::size_t stage, int point, const Loads& loads) const {
    double cycles = 0.0;
    for (std::size_t f = 0; f < flows_.size(); ++f) {
        const double more = words_[stage][f][point];
        if (more == kNoTile) continue;  // no tile fits: the bound on energy says so
        cycles = std::max(cycles, flows_[f].before + (flows_[f].words(loads) + more) / flows_[f].words_per_cycle);
    }
    return cycles;
}

bool LoadsToCome::sends(int level) const {
    for (int t = 0; t < charges_.tensor_count(); ++t)
        if (charges_.delivers(t, level)) return true;
    return false;
}

void LoadsToCome::look_at_even(TileNumbers& tiles, const std::vector<Stage>& stages) {
    const Lattice& lattice = tiles.lattice();
    const std::uint32_t all = (1U << charges_.dimension_count()) - 1U;
    std::vector<ByPoint> outside(flows_.size(), ByPoint(static_cast<std::size_t>(lattice.size()), 0.0));
    for (int l = 0; l < charges_.level_count(); ++l) {
        const bool any_tile = !sends(l) && charges_.assignment()[l].keep.bits() == 0;
        for (int point = 0; point < lattice.size() && !any_tile; ++point) add_least(tiles, l, point, outside);
        for (ByPoint& words : outside) lattice.look_outwards(all, words);
        for (std::size_t i = 0; i < stages.size(); ++i)
            if (stages[i].reached.front() == l + 1) words_[i] = outside;
    }
}

// Minimum of this memory's flow over the dimension of the first loop outside its tile.
void LoadsToCome::add_least(TileNumbers& tiles, int level, int point, std::vector<ByPoint>& outside) const {
    const auto at = static_cast<std::size_t>(point);
    if (!tiles.fits(charges_, level, point)) {
        for (ByPoint& words : outside) words[at] = kNoTile;
        return;
    }
    if (!sends(level) || outside.empty() || outside.front()[at] == kNoTile) return;
    std::array<Loads, kMaxDimensions> along{};
    Loads staying{};
    for (int t = 0; t < charges_.tensor_count(); ++t) {
        if (!charges_.delivers(t, level)) continue;
        const LoadsByFirstLoop loads = tiles.loads_by_first_loop(charges_, t, level, point);
        for (std::size_t i = 0; i < staying.size(); ++i) staying[i] += loads.staying[i];
        for (int d = 0; d < charges_.dimension_count(); ++d) {
            const int rank = tiles.rank_moved(t, d);
            const Loads& more = rank < 0 ? loads.staying : loads.moving[rank];
            for (std::size_t i = 0; i < more.size(); ++i) along[d][i] += more[i];
        }
    }
    for (std::size_t f = 0; f < flows_.size(); ++f) {
        double least = kNoTile;
        for (int d = 0; d < charges_.dimension_count(); ++d)
            if (tiles.lattice().loops(point)[d] < charges_.rest()[d])
                least = std::min(least, flows_[f].words(along[d]));
        outside[f][at] += least < kNoTile ? least : flows_[f].words(staying);  // no loop is left
    }
}

void LoadsToCome::look_at_uneven(TileNumbers& tiles, const std::vector<Stage>& stages) {
    const Lattice& lattice = tiles.lattice();
    for (int l = 0; l < charges_.level_count(); ++l)
        for (int t = 0; t < charges_.tensor_count(); ++t)
            for (std::size_t f = 0; f < flows_.size(); ++f) {
                if (!flows_[f].is_moved_by(charges_, t, l)) continue;
                ByPoint words(static_cast<std::size_t>(lattice.size()), kNoTile);
                for (int point = 0; point < lattice.size(); ++point) {
                    if (!charges_.has_room(l, charges_.room(t, l, tiles.words(t, l, point)))) continue;
                    Loads loads{};
                    tiles.add_least_loads(charges_, t, l, point, loads);
                    words[point] = flows_[f].words(loads);
                }
                lattice.look_outwards((1U << charges_.dimension_count()) - 1U, words);
                for (std::size_t i = 0; i < stages.size(); ++i)
                    if (stages[i].reached[t] > l)
                        for (std::size_t point = 0; point < words.size(); ++point) words_[i][f][point] += words[point];
            }
}

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
