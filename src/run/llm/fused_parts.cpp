#include "run/llm/fused_parts.hpp"

#include <fmt/format.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>

#include "base/deadline.hpp"
#include "base/error.hpp"
#include "llm/attention.hpp"
#include "mapping/fused/tree.hpp"
#include "run/fused/fusing.hpp"
#include "run/fused/map_fused.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

// Every memory takes at least the units' time, so that one above the least is what the part waits for.
std::string bound_of(const std::vector<fused::MemoryCost>& memories) {
    const auto [least, most] = std::ranges::minmax_element(memories, {}, &fused::MemoryCost::cycles);
    return most->cycles > least->cycles ? most->name : "compute";
}

// Leaves and stores run one at a time: the groups' times add up to that of the part.
class Groups {
   public:
    Groups(const Cascade& part, const fusion::Mapped& mapped, double cycle_seconds)
        : part_(part), tree_(part, mapped.mapping), attends_(llm::attention_einsums(part)), cycle_(cycle_seconds) {
        const std::string bound = bound_of(mapped.evaluation.memories);
        for (const fusion::GroupPlan& plan : mapped.plan.groups)
            groups_.push_back({plan.first, plan.last, 0.0, 0.0, 0.0, bound});
        for (const fused::LeafCost& leaf : mapped.evaluation.leaves) {
            const int einsum = tree_.leaf(leaf.leaf)->einsum;
            add(einsum, leaf.cycles, leaf.energy_pj, attends_[einsum]);
        }
        for (const fused::StoreCost& store : mapped.evaluation.stores)
            add(tree_.leaf(tree_.leaves(store.store).front())->einsum, store.cycles, store.energy_pj,
                is_read_by_attention(store.tensor));
    }

    std::vector<FusedGroup> take() { return std::move(groups_); }

   private:
    bool is_read_by_attention(int tensor) const {
        return std::ranges::any_of(part_.tensors[tensor].readers,
                                   [&](const TensorUse& use) { return attends_[use.einsum]; });
    }

    void add(int einsum, std::int64_t cycles, double energy_pj, bool attends) {
        const auto group = std::ranges::find_if(
            groups_, [&](const FusedGroup& one) { return one.first <= einsum && einsum <= one.last; });
        const double seconds = static_cast<double>(cycles) * cycle_;
        group->seconds += seconds;
        group->energy_pj += energy_pj;
        if (attends) group->attention_seconds += seconds;
    }

    const Cascade& part_;
    FusedTree tree_;
    std::vector<bool> attends_;
    double cycle_;
    std::vector<FusedGroup> groups_;
};

class Searches {
   public:
    Searches(const ServingPlan& plan, const ServingMachine& machine, const MapOptions& options, const StopSource* stop,
             const std::function<void(std::size_t)>& tell)
        : cascades_(plan.fusible),
          options_(options),
          stop_(stop),
          tell_(tell),
          threads_(options.threads > 0 ? options.threads : tbb::info::default_concurrency()),
          cycle_(machine.architecture.cycle_seconds) {
        found_.objective = options.objective;
        found_.parts.resize(cascades_.size());
        for (const Cascade& part : cascades_) {
            if (const std::string wrong = problem_with(part); !wrong.empty())
                throw InputError(ErrorCode::unsupported, {}, "'" + plan.problem.name + "' is not fused: " + wrong);
            machines_.push_back(with_room_for(part, machine.architecture));
            fusings_.push_back(
                fusing_for(part, machines_.back(), {.objective = options.objective}, machine.constraints));
        }
    }

    FusedParts run() {
        tbb::task_arena arena(threads_);
        arena.execute([&] {
            tbb::parallel_for(0, std::min(threads_, static_cast<int>(cascades_.size())), [&](int) {
                for (std::size_t i = begun_++; i < cascades_.size(); i = begun_++) search(i);
            });
        });
        found_.interrupted = stop_ != nullptr && stop_->requested();
        return std::move(found_);
    }

   private:
    // Of the time that is left: as many searches run side by side as there are threads.
    std::optional<double> share_of_time(std::size_t index) const {
        if (!options_.time_limit_seconds) return std::nullopt;
        const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
        const auto left = static_cast<double>(cascades_.size() - index);
        return std::max(*options_.time_limit_seconds - spent, 0.0) * std::min(left, static_cast<double>(threads_)) /
               left;
    }

    void search(std::size_t index) {
        StopSource stop;
        const TimeLimit limit(stop, share_of_time(index), stop_);
        const fusion::Answer answer =
            fuse(cascades_[index], machines_[index], fusings_[index], options_.objective, &stop);
        FusedPart& part = found_.parts[index];
        if (answer.fused) {
            part.groups = Groups(cascades_[index], *answer.fused, cycle_).take();
            const fused::Evaluation& costs = answer.fused->evaluation;
            part.value = options_.objective.score(costs.energy_pj, costs.cycles).value;
            part.bound = answer.proven ? part.value : std::min(answer.bound, part.value);
            part.proven = answer.proven;
        }
        const std::lock_guard lock(telling_);
        ++ended_;
        if (tell_) tell_(ended_);
    }

    const std::vector<Cascade>& cascades_;
    const MapOptions& options_;
    const StopSource* stop_;
    const std::function<void(std::size_t)>& tell_;
    const int threads_;
    const double cycle_;
    const Clock::time_point start_ = Clock::now();
    std::vector<Architecture> machines_;
    std::vector<Fusing> fusings_;
    FusedParts found_;
    std::atomic<std::size_t> begun_{0};
    std::size_t ended_ = 0;
    std::mutex telling_;
};

}  // namespace

FusedParts fuse_parts(const ServingPlan& plan, const ServingMachine& machine, const MapOptions& options,
                      const StopSource* stop, const std::function<void(std::size_t)>& tell) {
    return Searches(plan, machine, options, stop, tell).run();
}

std::string fusion_note(const FusedParts& fused, const std::vector<llm::PhaseCosts>& points) {
    if (fused.parts.empty()) return "";
    constexpr double kPercent = 100.0;
    std::size_t better = 0;
    double most = 0.0;
    for (const llm::PhaseCosts& one : points) {
        if (!one.fused) continue;
        const double with = fused.objective.score(one.energy_pj, one.seconds).value;
        const double without = fused.objective.score(one.fused->unfused_energy_pj, one.fused->unfused_seconds).value;
        if (!(with < without)) continue;
        ++better;
        most = std::max(most, 1.0 - with / without);
    }
    const auto proven = std::ranges::count_if(fused.parts, &FusedPart::proven);
    double widest = 0.0;
    for (const FusedPart& part : fused.parts)
        if (!part.groups.empty() && part.value > 0.0) widest = std::max(widest, 1.0 - part.bound / part.value);
    std::string text = fmt::format(
        "fusion: less {} at {} of {} points, by up to {:.1f} %; {} of {} distinct parts proven",
        objective_name(fused.objective.kind), better, points.size(), kPercent * most, proven, fused.parts.size());
    if (widest > 0.0)
        text += fmt::format(", the others at most {:.1f} % above what no fused mapping is below", kPercent * widest);
    return text;
}

}  // namespace tilewright
