#include "timeloop/tileflow/account.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "base/numbers/checked.hpp"
#include "timeloop/tileflow/plan.hpp"

namespace tilewright::tileflow {
namespace {

using account::BoxSet;
using account::Iteration;
using Kind = TreeNode::Kind;

constexpr int kMostVisits = 2'000'000;

/// Words leaving the outer memory for its instances: by sharers per read, and number of groups.
using Deliveries = std::map<std::pair<std::int64_t, std::int64_t>, double>;

struct TileTraffic {
    std::vector<TensorCounts> tensors;
    std::vector<double> from_neighbours;
    std::int64_t words = 0;   ///< its size
    std::int64_t copies = 1;  ///< instances with the same traffic
    std::int64_t fanout = 1;  ///< instances available
};

/// Result of a visit for the outer nodes.
struct Visit {
    HeldByInstance held;
    HeldByInstance missing;  ///< the held words absent before
    std::vector<Deliveries> deliveries;
    std::int64_t cycles = 0;
    std::optional<TileTraffic> traffic;
};

class Counter {
   public:
    Counter(const Problem& problem, const TreeNode& tree, const Architecture& architecture, const Rules& rules)
        : architecture_(architecture), where_(tree.where), rules_(rules), tensors_(problem.tensors.size()) {
        for (std::size_t t = 0; t < tensors_; ++t) {
            Tensor tensor = problem.tensors[t];
            if (rules.axes_as_listed) tensor.ranks = problem.listed_ranks[t];
            projections_.emplace_back(tensor, static_cast<int>(problem.dimensions.size()));
        }
        for (const Memory& memory : architecture.memories)
            counts_.memories.push_back({memory.name, std::vector<TensorCounts>(tensors_)});
    }

    Counts count(const PlanNode& root) {
        counts_.cycles = visit(root, 1, {}, {}).cycles;
        return std::move(counts_);
    }

   private:
    Visit visit(const PlanNode& node, std::int64_t times, const Iteration& at, const HeldByInstance& before);
    Visit visit_operation(const PlanNode& node, std::int64_t times, const Iteration& at);
    Visit visit_scope(const PlanNode& node, std::int64_t times, const Iteration& at, HeldByInstance before);
    Visit visit_temporal(const PlanNode& node, std::int64_t times, const Iteration& at, const HeldByInstance& before);
    Visit visit_spatial(const PlanNode& node, std::int64_t times, const Iteration& at, HeldByInstance before);
    Visit walk(const PlanNode& node, std::int64_t times, const Iteration& at, const HeldByInstance& before);
    void spread(const PlanNode& node, const Visit& first, Visit& all) const;
    std::vector<double> deliver(const PlanNode& node, std::int64_t times, const HeldByInstance& before,
                                Visit& all) const;
    bool comes_from_neighbour(const PlanNode& node, std::int64_t instance, std::size_t tensor, const BoxSet& wanted,
                              const HeldByInstance& before) const;
    void finish(const PlanNode& node, int memory, Visit& visit);
    std::int64_t stretched(const Memory& memory, const TileTraffic& traffic, std::int64_t cycles) const;
    HeldSets sets_at(const std::set<int>& a, const std::set<int>& b, const Iteration& at,
                     const Iteration& extents) const;
    void add(std::vector<Deliveries>& into, const std::set<int>& tensors, const std::vector<Deliveries>& more) const;
    std::vector<Deliveries> none() const { return std::vector<Deliveries>(tensors_); }
    int ranks(std::size_t tensor) const { return projections_[tensor].ranks(); }

    const Architecture& architecture_;
    Location where_;
    const Rules& rules_;
    std::size_t tensors_;
    std::vector<account::Projection> projections_;
    Counts counts_;
    int visits_ = 0;
};

std::set<int> both(std::set<int> a, const std::set<int>& b) {
    a.insert(b.begin(), b.end());
    return a;
}

void Counter::add(std::vector<Deliveries>& into, const std::set<int>& tensors,
                  const std::vector<Deliveries>& more) const {
    for (const int tensor : tensors)
        for (const auto& [how, words] : more[tensor]) into[tensor][how] += words;
}

HeldSets Counter::sets_at(const std::set<int>& a, const std::set<int>& b, const Iteration& at,
                          const Iteration& extents) const {
    Iteration reach = extents;
    for (std::int64_t& one : reach) one -= 1;
    HeldSets sets(tensors_);
    for (const int tensor : both(a, b)) sets[tensor] = {projections_[tensor].box(at, reach)};
    return sets;
}

Visit Counter::visit(const PlanNode& node, std::int64_t times, const Iteration& at, const HeldByInstance& before) {
    if (++visits_ > kMostVisits)
        throw InputError(ErrorCode::unsupported, where_, "the tree is too deep to be counted: 2,000,000 visits");
    switch (node.kind) {
        case Kind::operation: return visit_operation(node, times, at);
        case Kind::temporal: return visit_temporal(node, times, at, before);
        case Kind::spatial: return visit_spatial(node, times, at, before);
        default: return visit_scope(node, times, at, before);
    }
}

Visit Counter::visit_operation(const PlanNode& node, std::int64_t times, const Iteration& at) {
    Visit made;
    made.deliveries = none();
    if (times == 0) return made;
    Iteration one;
    one.fill(1);
    made.held[0] = sets_at(node.filled, node.written_back, at, one);
    made.missing = made.held;
    for (const int tensor : both(node.filled, node.written_back))
        made.deliveries[tensor][{1, 1}] = static_cast<double>(times);
    made.cycles = times;
    counts_.operations +=
        static_cast<double>(times) * (rules_.operations_of_one_unit ? 1.0 : static_cast<double>(node.copies));
    return made;
}

Visit Counter::visit_scope(const PlanNode& node, std::int64_t times, const Iteration& at, HeldByInstance before) {
    const bool hands_on = node.kind == Kind::sequential || node.kind == Kind::pipeline;
    const bool in_turn = node.kind == Kind::sequential || node.kind == Kind::sharing;
    const std::set<int> moved_on = both(node.filled, node.written_back);
    Visit made;
    made.deliveries = none();
    for (const std::unique_ptr<PlanNode>& child : node.inside) {
        const Visit branch = visit(*child, times, at, before);
        add(made.deliveries, moved_on, branch.deliveries);
        made.cycles = in_turn ? checked_add(made.cycles, branch.cycles) : std::max(made.cycles, branch.cycles);
        if (hands_on) {
            before = branch.held;
            continue;
        }
        for (const auto& [instance, sets] : branch.held) {
            HeldSets& all = made.held.try_emplace(instance, HeldSets(tensors_)).first->second;
            for (std::size_t t = 0; t < tensors_; ++t)
                if (!sets[t].empty()) all[t] = sets[t];
        }
    }
    if (hands_on) made.held = std::move(before);
    return made;
}

// The child from scratch, then the change per step of each loop.
Visit Counter::walk(const PlanNode& node, std::int64_t times, const Iteration& at, const HeldByInstance& before) {
    const PlanNode& child = *node.inside.front();
    const std::set<int> moved_here = both(node.read, node.updated);
    Visit all;
    all.deliveries = none();
    const auto take = [&](const Visit& step) {
        add(all.deliveries, moved_here, step.deliveries);
        all.cycles = checked_add(all.cycles, step.cycles);
    };
    take(visit(child, times, at, {}));
    std::int64_t trips = 1;
    for (std::size_t i = 0; i < node.loops.size(); ++i) {
        const std::int64_t more = checked_mul(trips, node.loops[i].count);
        Iteration last = at;
        for (std::size_t j = i + 1; j < node.loops.size(); ++j)
            last[node.loops[j].dimension] += node.steps[j] * (node.loops[j].count - 1);
        Iteration next = at;
        next[node.loops[i].dimension] += node.steps[i];
        const HeldByInstance left = visit(child, 0, last, before).held;
        take(visit(child, checked_mul(times, more - trips), next, left));
        trips = more;
    }
    return all;
}

Visit Counter::visit_temporal(const PlanNode& node, std::int64_t times, const Iteration& at,
                              const HeldByInstance& before) {
    Visit made;
    made.deliveries = none();
    made.held[0] = sets_at(node.read, node.updated, at, node.extents);
    if (times == 0) return made;
    const Visit below = walk(node, times, at, before);
    made.cycles = below.cycles;
    TileTraffic traffic{std::vector<TensorCounts>(tensors_), std::vector<double>(tensors_), 0, node.copies, 1};
    for (std::size_t t = 0; t < tensors_; ++t) {
        double words = 0.0;
        for (const auto& [how, one] : below.deliveries[t]) words += one;
        if (node.read.contains(static_cast<int>(t))) traffic.tensors[t].reads = std::round(words);
        if (node.updated.contains(static_cast<int>(t))) traffic.tensors[t].updates = std::round(words);
        traffic.words = checked_add(traffic.words, words_of(made.held[0][t], ranks(t)));
    }
    made.traffic = std::move(traffic);
    const auto old = before.find(0);
    HeldSets& missing = made.missing[0] = made.held[0];
    if (old != before.end())
        for (std::size_t t = 0; t < tensors_; ++t) missing[t] = without(missing[t], old->second[t], ranks(t));
    deliver(node, times, before, made);
    if (!node.is_below_spatial()) finish(node, node.memory, made);
    return made;
}

std::int64_t instance_at(const PlanNode& node, std::int64_t place) {
    const std::int64_t x = place / node.used.y + node.first_x;
    return place % node.used.y + node.first_y + x * node.fanout.y;
}

// Other instances hold the first one's words, displaced.
void Counter::spread(const PlanNode& node, const Visit& first, Visit& all) const {
    const auto put = [&](const HeldByInstance& from, std::int64_t instance, const std::vector<account::Point>& by,
                         HeldByInstance& into) {
        const auto sets = from.find(0);
        HeldSets& made = into[instance] = HeldSets(tensors_);
        if (sets == from.end()) return;
        for (std::size_t t = 0; t < tensors_; ++t) made[t] = moved(sets->second[t], by[t]);
    };
    for (std::int64_t place = 0; place < node.used.size(); ++place) {
        std::vector<account::Point> by(tensors_);
        std::int64_t rest = place;
        for (std::size_t i = node.loops.size(); i-- > 0; rest /= node.loops[i].count) {
            const std::int64_t distance = rest % node.loops[i].count * node.steps[i];
            for (std::size_t t = 0; t < tensors_; ++t)
                by[t] = account::sum(by[t], projections_[t].move(node.loops[i].dimension, distance));
        }
        put(first.held, instance_at(node, place), by, all.held);
        if (!first.missing.empty()) put(first.missing, instance_at(node, place), by, all.missing);
    }
}

Visit Counter::visit_spatial(const PlanNode& node, std::int64_t times, const Iteration& at, HeldByInstance before) {
    const PlanNode& child = *node.inside.front();
    HeldByInstance first_before;
    first_before[0] = before.try_emplace(instance_at(node, 0), HeldSets(tensors_)).first->second;
    Visit first = visit(child, times, at, first_before);
    Visit all;
    all.deliveries = none();
    all.cycles = first.cycles;
    spread(node, first, all);
    if (times == 0) return all;
    all.traffic = std::move(first.traffic);
    all.traffic->fanout = node.fanout.size();
    all.traffic->from_neighbours = deliver(node, times, before, all);
    for (std::size_t t = 0; t < tensors_; ++t) all.traffic->tensors[t].reads += all.traffic->from_neighbours[t];
    if (!node.is_below_spatial()) finish(node, child.memory, all);
    return all;
}

// Instances are numbered along columns; TileFlow looks for neighbours as if along rows.
bool Counter::comes_from_neighbour(const PlanNode& node, std::int64_t instance, std::size_t tensor,
                                   const BoxSet& wanted, const HeldByInstance& before) const {
    const std::int64_t width = node.fanout.x;
    const std::int64_t x = instance % width;
    const std::int64_t y = instance / width;
    constexpr std::array<std::pair<int, int>, 4> kSteps{{{-1, 0}, {0, -1}, {0, 1}, {1, 0}}};
    return std::ranges::any_of(kSteps, [&](const std::pair<int, int>& step) {
        const std::int64_t nx = x + step.first;
        const std::int64_t ny = y + step.second;
        if (nx < 0 || nx >= width || ny < 0 || ny >= node.fanout.y) return false;
        const auto held = before.find(ny * width + nx);
        return held != before.end() && held->second[tensor] == wanted;
    });
}

// Sets `all.deliveries`; returns each instance's average words from neighbours.
std::vector<double> Counter::deliver(const PlanNode& node, std::int64_t times, const HeldByInstance& before,
                                     Visit& all) const {
    std::vector<double> from_neighbours(tensors_);
    for (std::size_t t = 0; t < tensors_; ++t) {
        std::map<BoxSet, std::int64_t> wanted;  // by how many
        double passed = 0.0;
        for (const auto& [instance, sets] : all.missing) {
            if (sets[t].empty()) continue;
            if (node.kind == Kind::spatial && comes_from_neighbour(node, instance, t, sets[t], before))
                passed += static_cast<double>(words_of(sets[t], ranks(t))) * static_cast<double>(times);
            else
                ++wanted[sets[t]];
        }
        from_neighbours[t] = std::floor(passed / static_cast<double>(node.used.size()));
        std::map<std::int64_t, std::pair<std::int64_t, double>> groups;  // by sharers: how many, words
        for (const auto& [set, sharers] : wanted) {
            auto& [count, words] = groups[sharers];
            ++count;
            words += static_cast<double>(words_of(set, ranks(t))) * static_cast<double>(times);
        }
        for (const auto& [sharers, group] : groups) {
            if (node.multicasts)
                all.deliveries[t][{sharers, group.first}] += group.second;
            else
                all.deliveries[t][{1, group.first}] += group.second * static_cast<double>(sharers);
        }
    }
    return from_neighbours;
}

std::int64_t Counter::stretched(const Memory& memory, const TileTraffic& traffic, std::int64_t cycles) const {
    double reads = 0.0;
    double writes = 0.0;
    for (const TensorCounts& one : traffic.tensors) {
        reads += one.reads;
        writes += one.fills + one.updates;
    }
    const auto all = static_cast<double>(cycles);
    double speed = 1.0;
    const auto limit = [&](const std::optional<double>& rate, double words) {
        if (rate && words / all > *rate) speed = std::min(speed, *rate / (words / all));
    };
    limit(memory.read_words_per_cycle, reads);
    limit(memory.write_words_per_cycle, writes);
    limit(memory.shared_words_per_cycle, reads + writes);
    constexpr double kRounding = 1e-9;
    return static_cast<std::int64_t>(std::ceil(all / speed - kRounding));
}

// The tile is complete: its words from the outer memory are whole words per instance.
void Counter::finish(const PlanNode& node, int memory, Visit& visit) {
    TileTraffic& traffic = *visit.traffic;
    double accesses = 0.0;
    MemoryCounts& counts = counts_.memories[memory];
    for (std::size_t t = 0; t < tensors_; ++t) {
        double filled = 0.0;
        if (node.filled.contains(static_cast<int>(t)))
            for (const auto& [how, words] : visit.deliveries[t])
                filled =
                    std::floor(filled + words * static_cast<double>(how.first) / static_cast<double>(traffic.fanout));
        TensorCounts& one = traffic.tensors[t];
        one.fills = filled + traffic.from_neighbours[t];
        counts.tensors[t].reads += one.reads;
        counts.tensors[t].fills += one.fills;
        counts.tensors[t].updates += one.updates;
        accesses += one.reads + one.fills + one.updates;
    }
    const Memory& there = architecture_.memories[memory];
    const double share = static_cast<double>(traffic.copies) / static_cast<double>(there.instances);
    const std::int64_t cycles = stretched(there, traffic, visit.cycles);
    counts.accesses += accesses * static_cast<double>(traffic.copies);
    counts.slow_down = std::max(counts.slow_down, static_cast<double>(cycles) / static_cast<double>(visit.cycles));
    counts.instances_share = std::max(counts.instances_share, share);
    if (there.capacity_words)
        counts.capacity_share = std::max(counts.capacity_share, static_cast<double>(traffic.words) /
                                                                    static_cast<double>(*there.capacity_words) * share);
    visit.cycles = cycles;
    visit.traffic.reset();
}

}  // namespace

Counts count(const Problem& problem, const TreeNode& tree, const Architecture& architecture, const Rules& rules) {
    const std::unique_ptr<PlanNode> root = plan_of(problem, tree, architecture, rules);
    return Counter(problem, tree, architecture, rules).count(*root);
}

}  // namespace tilewright::tileflow
