#include "schedule/schedulers/staying.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "base/numbers/checked.hpp"

namespace tilewright::schedule {
namespace {

std::int64_t image_needed(std::int64_t positions, std::int64_t stride, std::int64_t kernel, std::int64_t dilation) {
    return (positions - 1) * stride + (kernel - 1) * dilation + 1;
}

// Whether an image of `made` columns (rows) may be the input: padding adds up to a kernel less one, and a stride may
// leave a rest.
bool may_be_whole(std::int64_t made, std::int64_t positions, std::int64_t stride, std::int64_t kernel,
                  std::int64_t dilation) {
    const std::int64_t needed = image_needed(positions, stride, kernel, dilation);
    return made >= needed - (kernel - 1) * dilation && made <= needed + stride - 1;
}

bool reads_exactly(const std::vector<NetworkStep>& steps, const NetworkStep& reader, const MultiNpu& machine) {
    std::int64_t channels = 0;
    const ConvLayer& l = reader.layer;
    for (const int source : reader.reads) {
        const NetworkStep& made = steps[source];
        if (word_bits(machine, made.layer).output != word_bits(machine, l).input) return false;
        if (made.images != reader.images || made.repeats != reader.repeats) return false;
        if (!may_be_whole(made.layer.out_w, l.out_w, l.stride_w, l.kernel_w, l.dilation_w)) return false;
        if (!may_be_whole(made.layer.out_h, l.out_h, l.stride_h, l.kernel_h, l.dilation_h)) return false;
        channels = checked_add(channels, checked_mul(made.layer.out_c, made.groups));
    }
    return channels == checked_mul(l.in_c, reader.groups);
}

// Sets of steps read together, by their least member.
class DisjointSets {
   public:
    explicit DisjointSets(std::size_t count) : of_(count) { std::iota(of_.begin(), of_.end(), 0); }
    int find(int one) const {
        while (of_[one] != one) one = of_[one];
        return one;
    }
    void join(int a, int b) {
        const int one = find(a);
        const int other = find(b);
        of_[static_cast<std::size_t>(std::max(one, other))] = std::min(one, other);
    }

   private:
    std::vector<int> of_;
};

struct LiveTensor {
    int tensor = 0;
    bool above = false;       ///< at the upper end of the scratchpad
    std::int64_t offset = 0;  ///< from this end

    auto operator<=>(const LiveTensor&) const = default;
};

// State for the remaining steps.
struct StayingState {
    std::vector<LiveTensor> live;  ///< by tensor
    std::vector<int> chosen;       ///< staying sets, as far as they recur; ascending

    auto operator<=>(const StayingState&) const = default;
};

// One way to run a step: kept tensors, and live ones after it.
struct StepWay {
    ConvLayer layer;     ///< as searched: Kept::below_bytes is 0
    Kept kept;           ///< with both ends
    StayingState after;  ///< its tensors needed later
};

class StayingWays {
   public:
    StayingWays(const std::vector<NetworkStep>& steps, const std::vector<StayingTensor>& tensors,
                const MultiNpu& machine)
        : steps_(steps), tensors_(tensors), machine_(machine), made_(steps.size(), -1), read_(steps.size(), -1) {
        for (std::size_t t = 0; t < tensors.size(); ++t) {
            const StayingTensor& one = tensors[t];
            made_[one.step] = static_cast<int>(t);
            for (const int reader : one.readers) read_[reader] = one.set;
            const auto [its, fresh] = span_.try_emplace(one.set, one.step, one.readers.back());
            if (fresh) continue;
            its->second.first = std::min(its->second.first, one.step);
            its->second.second = std::max(its->second.second, one.readers.back());
        }
    }

    std::vector<StepWay> ways(int step, const StayingState& before) const {
        const auto s = static_cast<std::size_t>(step);
        std::vector<StepWay> result;
        const int made = made_[s];
        if (made < 0) {
            add(step, before, result);
            return result;
        }
        const int set = tensors_[made].set;
        const bool chosen = contains(before.chosen, set);
        const bool begins = span_.at(set).first == step;
        if (!chosen) add(step, before, result);
        if (!chosen && !begins) return result;
        for (const bool above : {false, true}) {
            StayingState with = before;
            with.live.push_back({made, above, top(before, above)});
            if (!chosen) with.chosen.insert(std::lower_bound(with.chosen.begin(), with.chosen.end(), set), set);
            std::sort(with.live.begin(), with.live.end());
            add(step, with, result);
        }
        return result;
    }

    // Whether `a` and `b` hold the same tensors, and `a` never takes more of either end later (or of the other one: a
    // scratchpad is symmetric).
    bool leaves_as_much(const StayingState& a, const StayingState& b) const {
        const auto same = [](const LiveTensor& x, const LiveTensor& y) { return x.tensor == y.tensor; };
        if (a.chosen != b.chosen || !std::equal(a.live.begin(), a.live.end(), b.live.begin(), b.live.end(), same))
            return false;
        const auto within = [&](bool turned) {
            return std::all_of(a.live.begin(), a.live.end(), [&](const LiveTensor& one) {
                const int until = tensor(one.tensor).readers.back();
                return top_until(a, false, until) <= top_until(b, turned, until) &&
                       top_until(a, true, until) <= top_until(b, !turned, until);
            });
        };
        return within(false) || within(true);
    }

    int count() const { return static_cast<int>(steps_.size()); }
    const NetworkStep& step(int index) const { return steps_[index]; }
    const StayingTensor& tensor(int index) const { return tensors_[index]; }
    const MultiNpu& machine() const { return machine_; }

   private:
    static bool contains(const std::vector<int>& sorted, int value) {
        return std::binary_search(sorted.begin(), sorted.end(), value);
    }

    std::int64_t top(const StayingState& state, bool above) const {
        std::int64_t bytes = 0;
        for (const LiveTensor& one : state.live)
            if (one.above == above) bytes = std::max(bytes, one.offset + tensor(one.tensor).bytes);
        return bytes;
    }

    // Of tensors live up to this step.
    std::int64_t top_until(const StayingState& state, bool above, int step) const {
        std::int64_t bytes = 0;
        for (const LiveTensor& one : state.live)
            if (one.above == above && tensor(one.tensor).readers.back() >= step)
                bytes = std::max(bytes, one.offset + tensor(one.tensor).bytes);
        return bytes;
    }

    // `now`: live tensors during the step.
    void add(int step, const StayingState& now, std::vector<StepWay>& result) const {
        const auto s = static_cast<std::size_t>(step);
        StepWay way{steps_[s].layer, {}, {}};
        way.kept.input = read_[s] >= 0 && contains(now.chosen, read_[s]);
        for (const LiveTensor& one : now.live) way.kept.output = way.kept.output || tensor(one.tensor).step == step;
        way.kept.below_bytes = top(now, false);
        way.kept.above_bytes = top(now, true);
        const std::int64_t all = checked_add(way.kept.below_bytes, way.kept.above_bytes);
        if (all >= machine_.scratchpad_bytes) return;
        way.layer.kept = {way.kept.input, way.kept.output, 0, all};
        for (const LiveTensor& one : now.live)
            if (tensor(one.tensor).readers.back() > step) way.after.live.push_back(one);
        for (const int set : now.chosen)
            if (span_.at(set).second > step) way.after.chosen.push_back(set);
        result.push_back(std::move(way));
    }

    const std::vector<NetworkStep>& steps_;
    const std::vector<StayingTensor>& tensors_;
    const MultiNpu& machine_;
    std::vector<int> made_;                    ///< by step, its tensor that may stay; -1: none
    std::vector<int> read_;                    ///< by step, its input set; -1: none
    std::map<int, std::pair<int, int>> span_;  ///< of a set: its first producer, its last consumer
};

// Cost of some choices up to a step, and the path there.
struct StayingLabel {
    LayerCost cost;
    std::size_t before = 0;  ///< among all labels
    Kept kept;
    std::vector<LiveTensor> made;  ///< the step's own tensor, if it stays
};

using LabelFront = std::vector<std::size_t>;  ///< among all labels; by latency, traffic falling

class StayingSearch {
   public:
    StayingSearch(const StayingWays& ways, const LayerCosts& costs) : ways_(ways), costs_(costs) {}

    // The merged fronts of all choices after the last step.
    LabelFront run() {
        labels_.push_back({});
        std::map<StayingState, LabelFront> now{{StayingState{}, {0}}};
        for (int step = 0; step < ways_.count(); ++step) now = after(step, now);
        LabelFront all;
        for (const auto& [state, front] : now) all.insert(all.end(), front.begin(), front.end());
        prune(all);
        return all;
    }

    const StayingLabel& label(std::size_t index) const { return labels_[index]; }

   private:
    std::map<StayingState, LabelFront> after(int step, const std::map<StayingState, LabelFront>& now) {
        struct Move {
            const StayingState* from = nullptr;
            StepWay way;
            std::size_t layer = 0;
        };
        std::vector<Move> moves;
        std::vector<ConvLayer> layers;
        for (const auto& [state, front] : now)
            for (StepWay& way : ways_.ways(step, state)) {
                const auto found = std::find(layers.begin(), layers.end(), way.layer);
                const auto layer = static_cast<std::size_t>(found - layers.begin());
                if (found == layers.end()) layers.push_back(way.layer);
                moves.push_back({&state, std::move(way), layer});
            }
        const std::vector<std::optional<LayerCost>> costs = costs_(layers);
        std::map<StayingState, LabelFront> next;
        for (const Move& move : moves)
            if (const auto& cost = costs[move.layer]) extend(step, move.way, now.at(*move.from), *cost, next);
        for (auto& [state, front] : next) prune(front);
        drop_worse_places(next);
        return next;
    }

    void extend(int step, const StepWay& way, const LabelFront& front, const LayerCost& one,
                std::map<StayingState, LabelFront>& next) {
        const NetworkStep& its = ways_.step(step);
        const std::int64_t times = checked_mul(checked_mul(its.groups, its.images), its.repeats);
        const LayerCost add{checked_mul(one.latency_cycles, times), checked_mul(one.traffic_bytes, times)};
        std::vector<LiveTensor> made;
        for (const LiveTensor& live : way.after.live)
            if (ways_.tensor(live.tensor).step == step) made.push_back(live);
        LabelFront& to = next[way.after];
        for (const std::size_t from : front) {
            const LayerCost so_far = labels_[from].cost;
            to.push_back(labels_.size());
            labels_.push_back({{checked_add(so_far.latency_cycles, add.latency_cycles),
                                checked_add(so_far.traffic_bytes, add.traffic_bytes)},
                               from,
                               way.kept,
                               made});
        }
    }

    // Removes labels dominated by another state with the same tensors in better places.
    void drop_worse_places(std::map<StayingState, LabelFront>& states) const {
        for (auto& [state, front] : states)
            for (const auto& [other, better] : states) {
                if (&state == &other || !ways_.leaves_as_much(other, state)) continue;
                std::erase_if(front, [&](std::size_t label) {
                    return std::any_of(better.begin(), better.end(), [&](std::size_t one) {
                        return labels_[one].cost.latency_cycles <= labels_[label].cost.latency_cycles &&
                               labels_[one].cost.traffic_bytes <= labels_[label].cost.traffic_bytes;
                    });
                });
            }
        std::erase_if(states, [](const auto& one) { return one.second.empty(); });
    }

    // Keeps the Pareto front; thins out a very large one evenly, with the last.
    void prune(LabelFront& front) const {
        constexpr std::size_t kMost = 1024;
        std::stable_sort(front.begin(), front.end(), [&](std::size_t a, std::size_t b) {
            const LayerCost& x = labels_[a].cost;
            const LayerCost& y = labels_[b].cost;
            return std::tie(x.latency_cycles, x.traffic_bytes) < std::tie(y.latency_cycles, y.traffic_bytes);
        });
        LabelFront kept;
        for (const std::size_t one : front)
            if (kept.empty() || labels_[one].cost.traffic_bytes < labels_[kept.back()].cost.traffic_bytes)
                kept.push_back(one);
        front = std::move(kept);
        if (front.size() <= kMost) return;
        LabelFront thinned;
        for (std::size_t i = 0; i < kMost; ++i) thinned.push_back(front[i * (front.size() - 1) / (kMost - 1)]);
        front = std::move(thinned);
    }

    const StayingWays& ways_;
    const LayerCosts& costs_;
    std::vector<StayingLabel> labels_;
};

StayingPlan plan_of(const StayingWays& steps, const StayingSearch& search, std::size_t last) {
    StayingPlan plan;
    plan.cost = search.label(last).cost;
    for (std::size_t at = last; static_cast<int>(plan.kept.size()) < steps.count(); at = search.label(at).before) {
        const StayingLabel& label = search.label(at);
        plan.kept.push_back(label.kept);
        for (const LiveTensor& live : label.made) {
            StayingTensor tensor = steps.tensor(live.tensor);
            tensor.address = live.above ? steps.machine().scratchpad_bytes - live.offset - tensor.bytes : live.offset;
            plan.tensors.push_back(tensor);
        }
    }
    std::reverse(plan.kept.begin(), plan.kept.end());
    std::reverse(plan.tensors.begin(), plan.tensors.end());
    return plan;
}

}  // namespace

std::vector<StayingTensor> tensors_that_may_stay(const std::vector<NetworkStep>& steps, const MultiNpu& machine) {
    std::vector<std::vector<int>> readers(steps.size());
    DisjointSets sets(steps.size());
    std::vector<char> may_stay(steps.size(), 1);
    for (std::size_t i = 0; i < steps.size(); ++i)
        for (const int source : steps[i].reads) {
            readers[source].push_back(static_cast<int>(i));
            sets.join(source, steps[i].reads.front());
        }
    for (const NetworkStep& step : steps)
        if (!step.reads.empty() && !reads_exactly(steps, step, machine)) may_stay[sets.find(step.reads.front())] = 0;
    std::vector<StayingTensor> tensors;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const int set = sets.find(static_cast<int>(i));
        if (readers[i].empty() || may_stay[set] == 0) continue;
        const ConvLayer& l = steps[i].layer;
        std::int64_t words = steps[i].groups;
        for (const std::int64_t extent : {l.out_w, l.out_h, l.out_c}) words = checked_mul(words, extent);
        tensors.push_back({static_cast<int>(i), readers[i], packed_bytes(words, word_bits(machine, l).output), set});
    }
    // A set with one oversized tensor never stays.
    std::map<int, std::int64_t> largest;
    for (const StayingTensor& one : tensors) largest[one.set] = std::max(largest[one.set], one.bytes);
    std::erase_if(tensors, [&](const StayingTensor& one) { return largest[one.set] >= machine.scratchpad_bytes; });
    return tensors;
}

std::optional<StayingPlan> best_staying(const std::vector<NetworkStep>& steps,
                                        const std::vector<StayingTensor>& tensors, const MultiNpu& machine,
                                        const Objective& objective, const LayerCost& beside, const LayerCosts& costs) {
    const StayingWays all(steps, tensors, machine);
    StayingSearch search(all, costs);
    const LabelFront front = search.run();
    if (front.empty()) return std::nullopt;
    const auto value = [&](std::size_t label) {
        const LayerCost& one = search.label(label).cost;
        return objective.value(static_cast<double>(one.latency_cycles + beside.latency_cycles),
                               static_cast<double>(one.traffic_bytes + beside.traffic_bytes));
    };
    const auto best =
        std::min_element(front.begin(), front.end(), [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
    return plan_of(all, search, *best);
}

LayerCost least_staying(const std::vector<NetworkStep>& steps, const std::vector<StayingTensor>& tensors,
                        const MultiNpu& machine, const LayerCosts& bounds) {
    const StayingWays all(steps, tensors, machine);
    LayerCost least{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()};
    for (const bool latency : {true, false}) {
        const LayerCosts one = [&](const std::vector<ConvLayer>& layers) {
            std::vector<std::optional<LayerCost>> costs = bounds(layers);
            for (std::optional<LayerCost>& cost : costs)
                if (cost) (latency ? cost->traffic_bytes : cost->latency_cycles) = 0;
            return costs;
        };
        StayingSearch search(all, one);
        for (const std::size_t label : search.run()) {
            const LayerCost& cost = search.label(label).cost;
            if (latency) least.latency_cycles = std::min(least.latency_cycles, cost.latency_cycles);
            if (!latency) least.traffic_bytes = std::min(least.traffic_bytes, cost.traffic_bytes);
        }
    }
    return least;
}

Schedule moved_up(Schedule schedule, std::int64_t bytes) {
    for (Transfer& one : schedule.transfers) one.address += bytes;
    for (Execution& one : schedule.executions)
        for (std::int64_t& address : one.address)
            if (address != kNoBlock) address += bytes;
    return schedule;
}

}  // namespace tilewright::schedule
