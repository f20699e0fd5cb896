#include "sim/machine/cosa/cosa_program.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "mapping/tile.hpp"
#include "mapping/tiling_point.hpp"
#include "sim/dram/device.hpp"

namespace tilewright::sim {
namespace cosa {
namespace {

constexpr std::int64_t kPacketBits = 256;

struct CountedLoop {
    int dimension = 0;
    std::int64_t extent = 1;
};

// Loops, innermost first.
struct Nest {
    std::vector<CountedLoop> loops;

    std::int64_t trips() const {
        std::int64_t product = 1;
        for (const CountedLoop& loop : loops) product *= loop.extent;
        return product;
    }
    // Identity of a step's words of a tensor: equal numbers, equal words.
    std::int64_t address(std::int64_t step, const std::vector<bool>& moves) const {
        std::int64_t number = 0;
        std::int64_t stride = 1;
        for (const CountedLoop& loop : loops) {
            if (moves[at(loop.dimension)]) number += stride * (step % loop.extent);
            stride *= loop.extent;
            step /= loop.extent;
        }
        return number;
    }
};

void add_temporal(const TilingLevel& level, int dimensions, Nest& nest) {
    for (int k = 0; k < dimensions; ++k) {
        const int d = level.order[at(k)];
        if (level.temporal[at(d)] > 1) nest.loops.push_back({d, level.temporal[at(d)]});
    }
}

// CoSA's matrix A: kernel loops are irrelevant to the sliding tensor.
std::vector<bool> moves(const Einsum& einsum, const Tensor& tensor) {
    const auto written = std::ranges::find_if(einsum.tensors, &Tensor::written);
    std::vector<bool> result;
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        bool moved = false;
        for (const Rank& rank : tensor.ranks) {
            const bool here = std::ranges::any_of(rank.terms, [d](const Term& term) { return term.dimension == d; });
            moved = moved || (here && (rank.terms.size() == 1 || is_relevant(*written, d)));
        }
        result.push_back(moved);
    }
    return result;
}

// The loops of a mapping for CoSA's simulator.
struct Schedule {
    Nest outermost;
    Nest hub;
    Nest spread;  ///< over the elements, innermost loop fastest
    Extents in_element{};
    Extents in_hub{};
    std::int64_t computing = 1;  ///< cycles of an element per step
};

Schedule schedule_of(const Einsum& einsum, const TilingPoint& point, const Floor& floor) {
    const int dimensions = einsum.dimension_count();
    Schedule schedule;
    schedule.in_element.fill(1);
    for (int m = point.level_count() - 1; m >= floor.element; --m)
        for (std::size_t d = 0; d < at(dimensions); ++d) {
            schedule.in_element[d] *= std::int64_t{point[m].temporal[d]} * point[m].spatial[d];
            schedule.computing *= point[m].temporal[d];
        }
    for (int m = floor.element - 1; m >= 1; --m) {
        visit_spatial_loops(point[m], dimensions, [&](const SpatialLoop& loop, std::int32_t extent) {
            schedule.spread.loops.push_back({loop.dimension, extent});
        });
        add_temporal(point[m], dimensions, schedule.hub);
    }
    schedule.in_hub = schedule.in_element;
    for (const Nest* nest : {&schedule.spread, &schedule.hub})
        for (const CountedLoop& loop : nest->loops) schedule.in_hub[at(loop.dimension)] *= loop.extent;
    add_temporal(point[0], dimensions, schedule.outermost);
    return schedule;
}

using Group = std::vector<int>;

struct Words {
    bool written = false;
    bool in_hub = false;
    std::vector<bool> moves;
    std::int64_t to_hub = 0;  ///< packets
    std::int64_t to_element = 0;
    std::vector<Group> groups;  ///< elements with the same words
};

std::vector<Group> groups_of(const Nest& spread, const std::vector<bool>& moves) {
    std::vector<Group> groups;
    std::map<std::int64_t, std::size_t> number_of;
    for (int element = 0; element < static_cast<int>(spread.trips()); ++element) {
        const auto [found, is_new] = number_of.emplace(spread.address(element, moves), groups.size());
        if (is_new) groups.emplace_back();
        groups[found->second].push_back(element);
    }
    return groups;
}

int hub_of(const TilingPoint& point, const Floor& floor) {
    int hub = -1;
    for (int m = 1; m < floor.element && m < point.level_count(); ++m) {
        if (point[m].keep.empty()) continue;
        if (hub >= 0) return -1;
        hub = m;
    }
    return hub;
}

std::vector<Words> words_of(const Einsum& einsum, const Architecture& architecture, const TilingPoint& point,
                            const Floor& floor, const Schedule& schedule) {
    std::vector<Words> all;
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        const Tensor& tensor = einsum.tensors[at(t)];
        int home = 0;
        for (int m = 0; m < point.level_count(); ++m)
            if (point[m].keep.has(t)) home = m;
        const std::int64_t bits = tensor.bits > 0 ? tensor.bits : architecture.memories[at(home)].word_bits;
        const auto packets = [&](const Extents& extents) {
            return (box_words(tensor, extents) * bits + kPacketBits - 1) / kPacketBits;
        };
        Words words;
        words.written = tensor.written;
        words.in_hub = point[hub_of(point, floor)].keep.has(t);
        words.moves = moves(einsum, tensor);
        words.to_hub = packets(schedule.in_hub);
        words.to_element = packets(schedule.in_element);
        words.groups = groups_of(schedule.spread, words.moves);
        all.push_back(std::move(words));
    }
    return all;
}

class Builder {
   public:
    Builder(Schedule schedule, std::vector<Words> words, const Floor& floor)
        : schedule_(std::move(schedule)), words_(std::move(words)), floor_(floor), last_(words_.size(), {-1, -1}) {
        program_.hub = floor.mesh.nodes() - 1;
        program_.dram = floor.mesh.nodes() + floor.mesh.columns + floor.mesh.rows;
        program_.working = static_cast<int>(schedule_.spread.trips());
    }

    CosaProgram build() {
        const std::int64_t steps = schedule_.outermost.trips();
        for (std::int64_t step = 0; step < steps; ++step) {
            load(step);
            for (std::int64_t inner = 0; inner < schedule_.hub.trips(); ++inner) run(step, inner);
            store(step, step + 1 == steps);
            older_ = std::exchange(newer_, computing_);
        }
        return std::move(program_);
    }

   private:
    using Ids = std::vector<int>;

    int add(int actor, TransactionKind kind, std::int64_t size, Group destinations, Ids after) {
        program_.transactions.push_back({actor, kind, size, std::move(destinations), std::move(after)});
        return static_cast<int>(program_.transactions.size()) - 1;
    }

    static bool changes(const Nest& nest, std::int64_t step, const Words& words) {
        return step == 0 || nest.address(step, words.moves) != nest.address(step - 1, words.moves);
    }

    // Into the hub: earlier partial sums, then operands.
    void load(std::int64_t step) {
        for (const bool written : {true, false})
            for (std::size_t t = 0; t < words_.size(); ++t) {
                const Words& words = words_[t];
                if (!words.in_hub || words.written != written || !changes(schedule_.outermost, step, words)) continue;
                if (written && seen_.insert(schedule_.outermost.address(step, words.moves)).second) continue;
                const int id = add(program_.dram, TransactionKind::unicast, words.to_hub, {program_.hub}, older_);
                if (!written) loaded_[t] = {id};  // partial sums are not waited for there
            }
        seen_inside_.clear();
    }

    void run(std::int64_t step, std::int64_t inner) {
        arrived_.assign(static_cast<std::size_t>(floor_.elements()), {});
        for (std::size_t t = 0; t < words_.size(); ++t)
            if (words_[t].written) send_sums(t, inner);
        for (const bool in_hub : {true, false})
            for (std::size_t t = 0; t < words_.size(); ++t)
                if (!words_[t].written && words_[t].in_hub == in_hub) send(t, step, inner);
        computing_.clear();
        for (int element = 0; element < floor_.elements(); ++element)
            computing_.push_back(add(element, TransactionKind::count, schedule_.computing, {}, arrived_[at(element)]));
        for (const Words& words : words_)
            if (words.written) reduce(words, inner);
    }

    void deliver(int sender, const Words& words, const Ids& after) {
        for (const Group& group : words.groups) {
            const TransactionKind kind = group.size() > 1 ? TransactionKind::multicast : TransactionKind::unicast;
            const int id = add(sender, kind, words.to_element, group, after);
            for (const int element : group) arrived_[at(element)].push_back(id);
        }
    }

    void send_sums(std::size_t t, std::int64_t inner) {
        if (!changes(schedule_.hub, inner, words_[t])) return;
        const auto seen = seen_inside_.find(schedule_.hub.address(inner, words_[t].moves));
        if (seen != seen_inside_.end()) deliver(program_.hub, words_[t], seen->second);
    }

    // From the hub at the start of each of its rounds; from the outermost memory only new words.
    void send(std::size_t t, std::int64_t step, std::int64_t inner) {
        const Words& words = words_[t];
        if (words.in_hub) {
            if (changes(schedule_.hub, inner, words)) deliver(program_.hub, words, loaded_[t]);
            return;
        }
        const std::pair<std::int64_t, std::int64_t> now{schedule_.outermost.address(step, words.moves),
                                                        schedule_.hub.address(inner, words.moves)};
        if (std::exchange(last_[t], now) != now) deliver(program_.dram, words, {});
    }

    // Along the rows of the mesh, then down their ends; the rest of each group goes to the hub.
    void reduce(const Words& words, std::int64_t inner) {
        const bool last = inner + 1 == schedule_.hub.trips();
        if (!last && !changes(schedule_.hub, inner + 1, words)) return;
        Ids done = computing_;
        Group ends;
        std::map<int, Ids> into;
        const auto pass = [&](int from, int to) {
            Ids after = into[from];
            after.push_back(computing_[at(from)]);
            const int id = add(from, TransactionKind::unicast, words.to_element, {to}, std::move(after));
            into[to].push_back(id);
            done.push_back(id);
        };
        for (const Group& group : words.groups) {
            Group row_ends;
            for (std::size_t i = 0; i < group.size(); ++i) {
                const bool row_goes_on = i + 1 < group.size() && row(group[i]) == row(group[i + 1]);
                if (row_goes_on)
                    pass(group[i], group[i + 1]);
                else
                    row_ends.push_back(group[i]);
            }
            for (std::size_t i = 0; i + 1 < row_ends.size(); ++i) pass(row_ends[i], row_ends[i + 1]);
            ends.push_back(row_ends.back());
        }
        Ids stores;
        for (const int end : ends)
            stores.push_back(add(end, TransactionKind::unicast, words.to_element, {program_.hub}, done));
        stored_.insert(stored_.end(), stores.begin(), stores.end());
        seen_inside_[schedule_.hub.address(inner, words.moves)] = std::move(stores);
    }

    int row(int element) const { return element / floor_.placed_x; }

    // Out of the hub, if the next step has other results.
    void store(std::int64_t step, bool last) {
        for (const Words& words : words_)
            if (words.written && (last || changes(schedule_.outermost, step + 1, words)))
                add(program_.hub, TransactionKind::unicast, words.to_hub, {program_.dram}, stored_);
        stored_.clear();
    }

    Schedule schedule_;
    std::vector<Words> words_;
    Floor floor_;
    CosaProgram program_;
    std::vector<Ids> loaded_ = std::vector<Ids>(words_.size());  ///< by tensor: its last transfers into the hub
    std::vector<std::pair<std::int64_t, std::int64_t>> last_;    ///< by tensor bypassing the hub: last transfers
    std::vector<Ids> arrived_;                                   ///< by element, in this step
    Ids computing_;                                              ///< of this step
    Ids newer_, older_;            ///< last ones of the previous and the second-last step of the outermost loops
    Ids stored_;                   ///< into the hub, in this step of the outermost loops
    std::set<std::int64_t> seen_;  ///< results, by address
    std::map<std::int64_t, Ids> seen_inside_;  ///< results stored in this step of the outermost loops, by address
};

}  // namespace
}  // namespace cosa

std::string problem_with_cosa_program(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                      const Floor& floor) {
    constexpr int kMostRouters = 64;
    if (floor.mesh.nodes() > kMostRouters)
        return "CoSA's network has " + std::to_string(kMostRouters) + " routers at most, and this mesh has " +
               std::to_string(floor.mesh.nodes());
    if (floor.placed_x != floor.mesh.columns) return "CoSA's network has an element in every column";
    const std::optional<TilingPoint> point = perfect_point_of(mapping, einsum, architecture);
    if (!point) return "CoSA's simulator runs even mappings of factors that divide";
    const int hub = cosa::hub_of(*point, floor);
    if (hub < 0) return "CoSA's simulator has one memory between the outermost one and the array";
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (einsum.tensors[at(t)].written && !(*point)[hub].keep.has(t))
            return "CoSA's simulator stores results in the memory above the array, and the mapping does not";
    const cosa::Schedule schedule = cosa::schedule_of(einsum, *point, floor);
    const double steps = static_cast<double>(schedule.outermost.trips()) * static_cast<double>(schedule.hub.trips());
    if (steps > static_cast<double>(kMostCosaSteps))
        return "the loops outside the array have more than " + std::to_string(kMostCosaSteps) +
               " steps, too many to make transactions of";
    return "";
}

CosaProgram cosa_program(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                         const Floor& floor) {
    const TilingPoint point = *perfect_point_of(mapping, einsum, architecture);
    const cosa::Schedule schedule = cosa::schedule_of(einsum, point, floor);
    return cosa::Builder(schedule, cosa::words_of(einsum, architecture, point, floor, schedule), floor).build();
}

}  // namespace tilewright::sim
