// The program by visiting every memory instance in the elements, step by step.
#include <algorithm>
#include <map>

#include "base/numbers/checked.hpp"
#include "sim/dram/device.hpp"
#include "sim/machine/builder.hpp"
#include "sim/machine/loops.hpp"

namespace tilewright::sim {
namespace {

/// Cuts the region along a loop.
template <typename Visit>
void for_each_step(const SizedLoop& loop, const Region& region, Visit visit) {
    const Interval whole = region[at(loop.dimension)];
    Region step = region;
    for (std::int64_t low = whole.low; low < whole.high; low += loop.points) {
        step[at(loop.dimension)] = {low, std::min(low + loop.points, whole.high)};
        visit(step);
    }
}

/// All words of a result written so far.
class Seen {
   public:
    explicit Seen(const Box& whole) : whole_(whole), marks_(static_cast<std::size_t>(words_of(whole))) {}

    /// Marks a set; returns its new words.
    std::int64_t add(const Words& words) {
        if (!words.box) return 0;
        RankIndices place{};
        return mark(words, 0, 0, place);
    }

   private:
    using RankIndices = std::array<std::int64_t, kMaxRanks>;

    std::int64_t mark(const Words& words, std::size_t rank, std::int64_t offset, RankIndices& place) {
        if (rank == whole_.size()) {
            if (in_hole(words, place) || marks_[offset]) return 0;
            marks_[offset] = true;
            return 1;
        }
        std::int64_t added = 0;
        for (std::int64_t i = (*words.box)[rank].low; i < (*words.box)[rank].high; ++i) {
            place[rank] = i;
            added += mark(words, rank + 1, offset * whole_[rank].size() + i - whole_[rank].low, place);
        }
        return added;
    }
    static bool in_hole(const Words& words, const RankIndices& place) {
        if (!words.hole) return false;
        for (std::size_t r = 0; r < place.size(); ++r) {
            if (place[r] < (*words.hole)[r].low || place[r] >= (*words.hole)[r].high) return false;
        }
        return true;
    }

    Box whole_;
    std::vector<bool> marks_;
};

class MachineWalk {
   public:
    MachineWalk(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping, const StopSource* stop)
        : einsum_(einsum),
          architecture_(architecture),
          levels_(sized_levels(mapping, architecture.memory_count())),
          floor_(floor_of(architecture)),
          flows_(flows_of(einsum, levels_, floor_)),
          builder_(floor_, flows_),
          stop_(stop) {
        const Region everything = whole_region(einsum);
        holdings_.resize(flows_.size());
        for (const Flow& flow : flows_) {
            const Tensor& tensor = einsum.tensors[at(flow.tensor)];
            seen_.emplace_back(flow.result ? box_of(tensor, everything) : Box{});
        }
    }

    Program run() {
        descend(0, 0, whole_region(einsum_));
        return builder_.finish();
    }

   private:
    /// One visit of an inner-level instance of a flow.
    struct Visit {
        std::int64_t instance;
        int element;
        Region region;
    };
    /// By time within the step: equal temporal indices, equal time.
    using Moments = std::map<std::int64_t, std::vector<Visit>>;
    struct Path {
        std::int64_t instance = 0;
        int x = 0;
        int y = 0;
        std::int64_t moment = 0;
    };

    void descend(int m, std::size_t position, const Region& region) {
        const SizedLevel& level = levels_[at(m)];
        if (position < level.temporal.size()) {
            for_each_step(level.temporal[position], region,
                          [&](const Region& step) { descend(m, position + 1, step); });
            return;
        }
        if (m == floor_.spreads_from) {
            step(region);
            return;
        }
        entered_.push_back({m + 1, region});
        descend(m + 1, 0, region);
    }

    void step(const Region& region) {
        if (stop_ != nullptr && stop_->requested()) throw Interrupted{};
        builder_.begin_step(element_cycles(levels_, floor_, region, einsum_.dimension_count()), working(region));
        for (const auto& [memory, tile] : entered_) enter(memory, tile);
        entered_.clear();
        for (std::size_t f = 0; f < flows_.size(); ++f) {
            if (!flows_[f].into_array) continue;
            Moments moments;
            gather(static_cast<int>(f), floor_.spreads_from, 0, false, region, {}, moments);
            for (const auto& [moment, visits] : moments) deliver(f, visits);
        }
    }

    /// Elements with work in a step.
    int working(const Region& region) {
        Moments moments;
        const Flow everything{0, 0, floor_.element, false, true};
        gather_to(everything.inner, floor_.spreads_from, 0, false, region, {}, moments);
        std::vector<int> elements;
        for (const auto& [moment, visits] : moments) {
            for (const Visit& visit : visits) elements.push_back(visit.element);
        }
        std::sort(elements.begin(), elements.end());
        elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
        return builder_.group(elements);
    }

    void enter(int memory, const Region& region) {
        for (std::size_t f = 0; f < flows_.size(); ++f) {
            if (flows_[f].inner == memory && !flows_[f].into_array) deliver(f, {{0, 0, region}});
        }
    }

    void gather(int flow, int m, std::size_t position, bool spatial, const Region& region, Path path,
                Moments& moments) {
        gather_to(flows_[at(flow)].inner, m, position, spatial, region, path, moments);
    }

    /// Visits of level `target` inside a region of memory `m`, from the given loop on.
    void gather_to(int target, int m, std::size_t position, bool spatial, const Region& region, Path path,
                   Moments& moments) {
        if (m == target) {
            moments[path.moment].push_back({path.instance, path.y * floor_.elements_x + path.x, region});
            return;
        }
        const SizedLevel& level = levels_[at(m)];
        if (!spatial && m != floor_.spreads_from && position < level.temporal.size()) {
            std::int64_t index = 0;
            for_each_step(level.temporal[position], region, [&](const Region& step) {
                Path inside = path;
                inside.moment = path.moment * level.temporal[position].extent + index++;
                gather_to(target, m, position + 1, false, step, inside, moments);
            });
            return;
        }
        std::vector<Region> block;
        spread(m, 0, region, block);
        for (std::size_t i = 0; i < block.size(); ++i) {
            gather_to(target, m + 1, 0, false, block[i], neighbour(m, path, static_cast<std::int64_t>(i)), moments);
        }
    }

    void spread(int m, std::size_t position, const Region& region, std::vector<Region>& block) const {
        const SizedLevel& level = levels_[at(m)];
        if (position == level.spatial.size()) {
            block.push_back(region);
            return;
        }
        for_each_step(level.spatial[position], region,
                      [&](const Region& step) { spread(m, position + 1, step, block); });
    }

    /// Neighbour `number` below memory `m` (docs/model.md, rule 7).
    Path neighbour(int m, Path path, std::int64_t number) const {
        const tilewright::Mesh fanout = architecture_.fanout(m);
        path.instance = path.instance * fanout.size() + number;
        if (m < floor_.element) {
            path.x = path.x * static_cast<int>(fanout.x) + static_cast<int>(number % fanout.x);
            path.y = path.y * static_cast<int>(fanout.y) + static_cast<int>(number / fanout.x);
        }
        return path;
    }

    /// Missing words of the visited instances, one transfer per group with equal needs.
    void deliver(std::size_t f, const std::vector<Visit>& visits) {
        const Flow& flow = flows_[f];
        const Tensor& tensor = einsum_.tensors[at(flow.tensor)];
        std::map<Words, std::vector<int>> lacks;
        for (const Visit& visit : visits) {
            const Box tile = box_of(tensor, visit.region);
            const bool unit = flow.inner == static_cast<int>(levels_.size());
            const Words words = unit ? Words{tile, std::nullopt} : holdings_[f][visit.instance].receive(tile);
            if (words.count() > 0) lacks[words].push_back(visit.element);
        }
        for (auto& [words, elements] : lacks) {
            const auto copies = static_cast<std::int64_t>(elements.size());
            std::sort(elements.begin(), elements.end());
            elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
            const int group = flow.into_array ? builder_.group(elements) : 0;
            if (flow.result) {
                builder_.result(static_cast<int>(f), group, words.count(), seen_[f].add(words), copies);
            } else {
                builder_.operand(static_cast<int>(f), group, words.count(), copies);
            }
        }
    }

    const Einsum& einsum_;
    const Architecture& architecture_;
    std::vector<SizedLevel> levels_;
    Floor floor_;
    std::vector<Flow> flows_;
    ProgramBuilder builder_;
    const StopSource* stop_;
    std::vector<std::map<std::int64_t, Holding>> holdings_;  ///< [flow][instance]
    std::vector<Seen> seen_;                                 ///< [flow]
    std::vector<std::pair<int, Region>> entered_;            ///< memories outside the array with a new tile
};

}  // namespace

Program walked_program(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                       const StopSource* stop) {
    return MachineWalk(einsum, architecture, mapping, stop).run();
}

}  // namespace tilewright::sim
