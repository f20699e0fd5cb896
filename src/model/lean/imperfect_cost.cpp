// Energy and cycles of a mapping with remainders, from the flows of its tensors.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "model/exact/model.hpp"
#include "model/exact/traffic.hpp"
#include "model/lean/imperfect.hpp"

namespace tilewright::lean {
namespace {

// Requires factors that cover the extents, as those of a valid point do.
Mapping full_mapping(const Setup& setup, const TilingPoint& point) {
    std::optional<Mapping> mapping = mapping_of(point, setup.einsum);
    if (!mapping) throw std::logic_error("factors that do not cover an extent were taken for valid");
    return *std::move(mapping);
}

// The nest of the exact model, made if a closed form is missing.
class ExactNest {
   public:
    ExactNest(const Setup& setup, const TilingPoint& point, const StopSource* stop)
        : setup_(setup), point_(point), stop_(stop) {}

    Flow flow(int level, int asking, int tensor) {
        const std::vector<Traffic> traffic = imperfect_traffic(nest(), level, asking, tensor);
        return {static_cast<double>(traffic.front().words), static_cast<double>(traffic.back().delivered)};
    }

    double distinct_words(int level, int inner, int tensor) {
        return static_cast<double>(arriving_words(nest(), level, inner, tensor));
    }

    void count_use(ImperfectNest& nest) {
        for (std::size_t l = 0; l < setup_.levels.size(); ++l)
            nest.in_use[l] = static_cast<double>(this->nest().levels[l].instances);
        nest.in_use[setup_.levels.size()] = static_cast<double>(this->nest().units);
    }

   private:
    const tilewright::Nest& nest() {
        if (!nest_)
            nest_ = std::make_unique<tilewright::Nest>(
                flatten(setup_.einsum, setup_.architecture, full_mapping(setup_, point_), stop_));
        return *nest_;
    }

    const Setup& setup_;
    const TilingPoint& point_;
    const StopSource* const stop_;
    std::unique_ptr<tilewright::Nest> nest_;
};

// Of time steps that may take no cycle.
std::int64_t priced_cycles(const Setup& setup, double steps) {
    return static_cast<std::int64_t>(fast_ceil(steps * setup.busy * kNoMore));
}

/// What an evaluation's words cost at prices.
class PricedWords {
   public:
    PricedWords(const Setup& setup, const TilingPoint& point, const Evaluation& full)
        : setup_(setup), point_(point), full_(full) {}

    LeanCost run() const {
        const auto all_steps = static_cast<double>(full_.compute_cycles);
        double steps = all_steps;
        double energy_pj = setup_.compute_energy_pj;
        double leak_pj = full_.compute_leakage_pj;
        double addressed = 1.0;
        for (int l = 0; l < point_.level_count(); ++l) {
            Demand demand;
            for (int t = 0; t < static_cast<int>(setup_.tensors.size()); ++t)
                energy_pj += words_pj(l, t, addressed, all_steps, demand);
            if (setup_.levels[l].throttles)
                steps = std::max(steps, all_steps / throttle(setup_.levels[l].rates, demand).slowdown);
            leak_pj += full_.memories[l].leakage_pj;
            for (int d = 0; d < point_.dimension_count(); ++d)
                addressed *= static_cast<double>(point_[l].along_x[d]) * static_cast<double>(point_[l].along_y[d]);
        }
        LeanCost cost;
        const std::int64_t cycles = priced_cycles(setup_, steps);
        const auto before = static_cast<double>(full_.cycles - full_.link_latency_cycles);
        cost.energy_pj = energy_pj + (before > 0.0 ? leak_pj * static_cast<double>(cycles) / before : 0.0);
        cost.cycles = cycles + setup_.link_latency_cycles;
        return cost;
    }

   private:
    double words_pj(int level, int tensor, double addressed, double steps, Demand& demand) const {
        const LevelForm& form = setup_.levels[level];
        const TensorPrices& prices = (*form.prices)[tensor];
        const MemoryEvaluation& memory = full_.memories[level];
        const double link_pj = memory.link[tensor].energy_pj * prices.on_link;
        const TensorTraffic& traffic = memory.tensors[tensor];
        if (!traffic.kept) return link_pj;
        const Accesses each{traffic.reads / traffic.instances, traffic.fills / traffic.instances,
                            traffic.updates / traffic.instances};
        const double word = bandwidth_share(setup_.einsum.tensors[tensor], setup_.architecture.memories[level]);
        const Demand more = prices.demand(each, word / steps);
        demand.read += more.read;
        demand.write += more.write;
        const double sharing = std::max(1.0, addressed / static_cast<double>(form.rates.clusters));
        return link_pj + traffic.instances / sharing * prices.pj(each);
    }

    const Setup& setup_;
    const TilingPoint& point_;
    const Evaluation& full_;
};

class ImperfectCost {
   public:
    ImperfectCost(const Setup& setup, const TilingPoint& point, ImperfectNest& nest, bool with_wires, LinkCache* cache,
                  const StopSource* stop)
        : setup_(setup),
          point_(point),
          nest_(nest),
          with_wires_(with_wires),
          cache_(cache),
          exact_(setup, point, stop) {
        count_use(setup, point, nest);
        // Of two loops, an instance idle in the first step never works.
        const auto deep = [](const Repack& repack) { return repack.deep && repack.loops > 2; };
        if (std::any_of(nest.repack.begin(), nest.repack.begin() + point.level_count(), deep)) exact_.count_use(nest);
    }

    /// Nothing if some wires exceed the fixed sizes. Returns the partial cost once above the limit.
    std::optional<LeanCost> run(const CostLimit& limit) {
        const std::int64_t compute_cycles = static_cast<std::int64_t>(nest_.steps);
        const std::int64_t least_cycles = setup_.prices ? priced_cycles(setup_, nest_.steps) : compute_cycles;
        const double leakage = leakage_pj(least_cycles);
        for (int t = 0; t < static_cast<int>(setup_.tensors.size()); ++t) {
            if (!add_tensor(t)) return std::nullopt;
            const LeanCost least{std::nullopt, setup_.compute_energy_pj + energy_pj_ + leakage,
                                 least_cycles + setup_.link_latency_cycles};
            if (limit.is_exceeded(least.energy_pj, static_cast<double>(least.cycles))) return least;
        }
        std::int64_t cycles = compute_cycles;
        double steps = nest_.steps;
        for (int l = 0; l < point_.level_count(); ++l) {
            if (!setup_.levels[l].throttles) continue;
            const Throttle slowest = throttle(setup_.levels[l].rates, demand_[l]);
            steps = std::max(steps, nest_.steps / slowest.slowdown);
            if (slowest.bound != Bound::compute)
                cycles = std::max(cycles, throttled_cycles(compute_cycles, slowest.slowdown));
        }
        if (setup_.prices) cycles = priced_cycles(setup_, steps);
        LeanCost cost;
        cost.energy_pj = setup_.compute_energy_pj + energy_pj_ + leakage_pj(cycles);
        cost.cycles = cycles + setup_.link_latency_cycles;
        return cost;
    }

   private:
    Flow flow_between(int level, int asking, int tensor) {
        const bool plain = setup_.tensors[tensor].plain;
        if (const auto flow = (plain ? plain_flow : window_flow)(setup_, nest_, level, asking, tensor)) return *flow;
        if (asking == level + 1) {
            if (const auto flow = joint_flow(setup_, nest_, level, tensor)) return *flow;
        } else if (passes_evenly(level, tensor)) {
            Flow flow = flow_between(level + 1, asking, tensor);
            flow.words = passed_on(level, tensor, flow.words);
            return flow;
        }
        return exact_.flow(level, asking, tensor);
    }

    double distinct_words(int level, int inner, int tensor) {
        if (const auto words = plain_distinct_words(setup_, nest_, level, inner, tensor)) return *words;
        if (inner == level)
            if (const auto words = joint_distinct_words(setup_, nest_, level, tensor)) return *words;
        return exact_.distinct_words(level, inner, tensor);
    }

    bool pays_wires(int level) const { return with_wires_ && !setup_.levels[level].link_is_free; }

    double operands(int level, int tensor) {
        if (const auto words = operand_words(setup_, nest_, level, tensor)) return *words;
        if (level + 1 < point_.level_count() && passes_evenly(level, tensor))
            return passed_on(level, tensor, operands(level + 1, tensor));
        return exact_.flow(level, point_.level_count(), tensor).words;
    }

    // Requests of memory `asking`, or the units, to memory `level` past all between.
    double asked_of(int level, int asking, int tensor) {
        return asking == point_.level_count() ? operands(level, tensor) : flow_between(level, asking, tensor).words;
    }

    // Equally many of the neighbours below a memory share each word passed on to it.
    bool passes_evenly(int level, int tensor) const {
        return shares_by_index(level, tensor) || neighbours_are_alike(nest_, level);
    }

    // Neighbours sharing words differ only in indices that always have work.
    bool shares_by_index(int level, int tensor) const {
        const TensorForm& form = setup_.tensors[tensor];
        if (spreads_a_rank_twice(form, nest_, level)) return false;
        for (int l = 0; l < point_.level_count(); ++l)
            if (nest_.repack[l].imperfect != 0) return false;
        for (int j = nest_.outside[level + 1]; j < nest_.temporal[level]; ++j) {
            const ImperfectLoop& loop = nest_.loops[j];
            const int d = loop.dimension;
            if ((form.relevant >> d & 1U) != 0) continue;
            if (loop.remainder != loop.extent || nest_.full[level + 1][d] != nest_.last[level + 1][d]) return false;
        }
        return true;
    }

    // Of evenly passing words, those requested of the memory.
    double passed_on(int level, int tensor, double asked) {
        if (!shares_by_index(level, tensor)) {
            const Flow all = flow_between(level, level + 1, tensor);
            return asked * all.words / all.delivered;  // exact for whole numbers
        }
        for (int j = nest_.outside[level + 1]; j < nest_.temporal[level]; ++j)
            if ((setup_.tensors[tensor].relevant >> nest_.loops[j].dimension & 1U) == 0) asked /= nest_.loops[j].extent;
        return asked;
    }

    // Directly below the memory, for requests of memory `asking`.
    std::optional<Multicasts> multicasts_below(int level, int asking, int tensor) {
        const bool innermost = level + 1 == point_.level_count();
        if (neighbours_are_alike(nest_, level)) {
            const double words = asked_of(level, asking, tensor);
            return alike_multicasts(setup_, nest_, level, tensor, words, cache_);
        }
        if (asking > level + 1) return std::nullopt;
        return innermost ? operand_multicasts(setup_, nest_, tensor) : joint_multicasts(setup_, nest_, level, tensor);
    }

    // From the inside out. False if wires exceed the fixed sizes.
    bool add_tensor(int tensor) {
        int outermost = 0;
        while (!point_[outermost].keep.has(tensor)) ++outermost;
        int asking = point_.level_count();
        double asked = 0.0;  // of memory `asking`
        for (int l = asking - 1; l >= outermost; --l) {
            if (pays_wires(l) && !add_wires(l, asking, tensor)) return false;
            if (!point_[l].keep.has(tensor)) continue;
            Flow flow;
            if (asking == point_.level_count()) {
                flow.words = operands(l, tensor);
            } else {
                flow = flow_between(l, asking, tensor);
                add_accesses(asking, tensor, asked, true, flow.delivered);
            }
            asked = flow.words;
            asking = l;
        }
        add_accesses(asking, tensor, asked, false, 0.0);
        return true;
    }

    // `asking`: the next inner memory keeping the tensor.
    bool add_wires(int level, int asking, int tensor) {
        const std::optional<Multicasts> multicasts = multicasts_below(level, asking, tensor);
        if (!multicasts) return false;
        energy_pj_ += link_energy_pj(level, tensor, *multicasts);
        return true;
    }

    double link_energy_pj(int level, int tensor, const Multicasts& multicasts) {
        double arriving = 0.0;
        if (setup_.tensors[tensor].written)
            arriving = distinct_words(
                level, setup_.tensors[tensor].gapless ? level : asking_level(point_, level, tensor), tensor);
        return imperfect_link_energy_pj(setup_, nest_, level, tensor, multicasts, arriving);
    }

    void add_accesses(int level, int tensor, double words, bool fills, double arriving) {
        const LevelForm& form = setup_.levels[level];
        const bool written = setup_.tensors[tensor].written;
        double held = 0.0;      // first arrivals from outside
        double arrivals = 0.0;  // and from inside
        if (written) {
            held = arrivals = distinct_words(level, level, tensor);
            if (!setup_.tensors[tensor].gapless)
                arrivals = distinct_words(level, asking_level(point_, level, tensor), tensor);
        }
        const double instances = nest_.in_use[level];
        const Accesses each{(words - arrivals) / instances, (fills ? arriving - held : 0.0) / instances,
                            (written ? words : 0.0) / instances};
        if (form.prices != nullptr) return add_priced(level, tensor, each);
        const std::int64_t addressed = static_cast<std::int64_t>(nest_.addressed(level));
        energy_pj_ += access_energy_pj(form.rates, form.rows[tensor], each, addressed, instances);
        if (form.rates.address_pj != 0.0)
            energy_pj_ += address_generations(each, written) * form.rates.address_pj *
                          address_generators(form.rates, addressed, instances);
        if (!form.throttles) return;
        const Demand more = demand_of(each, 1.0, static_cast<std::int64_t>(nest_.steps), form.bandwidth_share[tensor]);
        demand_[level].read += more.read;
        demand_[level].write += more.write;
    }

    void add_priced(int level, int tensor, const Accesses& each) {
        const LevelForm& form = setup_.levels[level];
        const TensorPrices& prices = (*form.prices)[tensor];
        const double sharing = std::max(1.0, nest_.addressed(level) / static_cast<double>(form.rates.clusters));
        energy_pj_ += nest_.in_use[level] / sharing * prices.pj(each);
        if (!form.throttles) return;
        const double word = bandwidth_share(setup_.einsum.tensors[tensor], setup_.architecture.memories[level]);
        const Demand more = prices.demand(each, word / nest_.steps);
        demand_[level].read += more.read;
        demand_[level].write += more.write;
    }

    double leakage_pj(std::int64_t cycles) const {
        if (!setup_.leaks) return 0.0;
        double per_cycle_pj = setup_.compute_leak_pj_per_cycle * nest_.in_use[point_.level_count()];
        for (int l = 0; l < point_.level_count(); ++l) {
            const LevelForm& form = setup_.levels[l];
            const double leaking = form.under_gate > 1.0 ? form.under_gate * nest_.in_use[form.gate] : nest_.in_use[l];
            per_cycle_pj += form.rates.leak_pj_per_cycle * leaking;
        }
        return per_cycle_pj * static_cast<double>(cycles);
    }

    const Setup& setup_;
    const TilingPoint& point_;
    const ImperfectNest& nest_;
    const bool with_wires_;
    LinkCache* const cache_;
    ExactNest exact_;
    double energy_pj_ = 0.0;
    std::array<Demand, kMaxMemories> demand_;
};

// Cases outside the fixed-size forms.
bool has_result_windows(const Setup& setup) {
    return std::any_of(setup.tensors.begin(), setup.tensors.end(),
                       [](const TensorForm& tensor) { return tensor.written && !tensor.plain; });
}

}  // namespace

LeanCost imperfect_cost(const Setup& setup, const TilingPoint& point, LinkCache* cache, const StopSource* stop,
                        const CostLimit& limit) {
    LeanCost cost;
    ImperfectNest nest;
    cost.violation = imperfect_violation(setup, point, nest);
    if (cost.violation) return cost;
    if (!has_result_windows(setup) && !nest.divided)
        if (const auto lean = ImperfectCost(setup, point, nest, setup.links_cost, cache, stop).run(limit)) return *lean;
    const Evaluation full = evaluate(setup.einsum, setup.architecture, full_mapping(setup, point), stop);
    if (setup.prices) return PricedWords(setup, point, full).run();
    cost.energy_pj = full.energy_pj;
    cost.cycles = full.cycles;
    return cost;
}

std::optional<LeanCost> imperfect_cost_without_wires(const Setup& setup, const TilingPoint& point,
                                                     const StopSource* stop) {
    if (has_result_windows(setup)) return std::nullopt;
    LeanCost cost;
    ImperfectNest nest;
    cost.violation = imperfect_violation(setup, point, nest);
    if (cost.violation) return cost;
    return nest.divided ? std::nullopt : ImperfectCost(setup, point, nest, false, nullptr, stop).run({});
}

std::optional<ViolationKind> imperfect_violation(const Setup& setup, const TilingPoint& point) {
    ImperfectNest nest;
    return imperfect_violation(setup, point, nest);
}

}  // namespace tilewright::lean
