#include "run/what_if/what_if.hpp"

#include <algorithm>
#include <utility>

#include "base/numbers/checked.hpp"
#include "mapspace/layer_problem.hpp"

namespace tilewright {
namespace {

void twice(std::optional<double>& words_per_cycle) {
    if (words_per_cycle) *words_per_cycle *= 2.0;
}

void with_twice_the_bandwidth(Memory& memory) {
    twice(memory.read_words_per_cycle);
    twice(memory.write_words_per_cycle);
    twice(memory.shared_words_per_cycle);
}

bool is_throttling(const Memory& memory) {
    return memory.read_words_per_cycle || memory.write_words_per_cycle || memory.shared_words_per_cycle;
}

class ShapeSum {
   public:
    void add(const Evaluation& evaluation, std::int64_t repeats) {
        energy_pj_ += evaluation.energy_pj * static_cast<double>(repeats);
        cycles_ = checked_add(cycles_, checked_mul(evaluation.cycles, repeats));
    }
    report::WhatIf as(std::string change, bool mapped_again) const {
        return {std::move(change), mapped_again, energy_pj_, cycles_, ""};
    }

   private:
    double energy_pj_ = 0.0;
    std::int64_t cycles_ = 0;
};

class Changes {
   public:
    Changes(const NetworkProblem& problem, const NetworkAnswer& answer) : problem_(problem), answer_(answer) {}

    report::WhatIf none() const {
        ShapeSum sum;
        for (std::size_t i = 0; i < problem_.shapes.size(); ++i)
            if (const auto& evaluation = answer_.layers[i].evaluation) sum.add(*evaluation, problem_.shapes[i].repeats);
        return sum.as("the machine as it is", false);
    }

    report::WhatIf bandwidth(std::size_t memory) const {
        ShapeSum sum;
        for (std::size_t i = 0; i < problem_.shapes.size(); ++i) {
            const LayerAnswer& layer = answer_.layers[i];
            if (!layer.evaluation) continue;
            LayerProblem changed = with_einsum(problem_.shapes[i].layer, layer.einsum);
            with_twice_the_bandwidth(changed.architecture.memories[memory]);
            sum.add(costs_of(changed, layer.mapping.value()).evaluation.value(), problem_.shapes[i].repeats);
        }
        return sum.as("twice the bandwidth of " + machine().memories[memory].name, false);
    }

    report::WhatIf capacity(std::size_t memory, const std::function<NetworkAnswer(const NetworkProblem&)>& map) const {
        const NetworkProblem changed = with_twice_the_capacity(memory);
        const std::string change = "twice the capacity of " + machine().memories[memory].name;
        const NetworkAnswer again = map(changed);
        if (again.interrupted) return {change, true, {}, {}, "interrupted"};
        ShapeSum sum;
        for (std::size_t i = 0; i < changed.shapes.size(); ++i) {
            const auto& evaluation = again.layers[i].evaluation;
            if (!evaluation) return {change, true, {}, {}, "no mapping of " + changed.shapes[i].names.front()};
            sum.add(*evaluation, changed.shapes[i].repeats);
        }
        return sum.as(change, true);
    }

    const Architecture& machine() const { return problem_.shapes.front().layer.architecture; }

   private:
    // Of the layers that have a mapping on the machine as it is.
    NetworkProblem with_twice_the_capacity(std::size_t memory) const {
        NetworkProblem changed{problem_.name, {}};
        for (std::size_t i = 0; i < problem_.shapes.size(); ++i) {
            if (!answer_.layers[i].evaluation) continue;
            ShapeProblem& shape = changed.shapes.emplace_back(problem_.shapes[i]);
            std::int64_t& words = shape.layer.architecture.memories[memory].capacity_words.value();
            words = checked_mul(words, 2);
        }
        return changed;
    }

    const NetworkProblem& problem_;
    const NetworkAnswer& answer_;
};

}  // namespace

std::vector<report::WhatIf> what_if(const NetworkProblem& problem, const NetworkAnswer& answer,
                                    const std::function<NetworkAnswer(const NetworkProblem&)>& map) {
    const bool any = std::ranges::any_of(answer.layers, [](const LayerAnswer& one) { return one.mapping.has_value(); });
    if (!any) return {};
    const Changes changes(problem, answer);
    std::vector<report::WhatIf> answers{changes.none()};
    const std::vector<Memory>& memories = changes.machine().memories;
    const auto outermost = std::ranges::find(memories, false, &Memory::spreads_only);
    if (outermost != memories.end() && is_throttling(*outermost))
        answers.push_back(changes.bandwidth(static_cast<std::size_t>(outermost - memories.begin())));
    for (std::size_t m = 0; m < memories.size(); ++m)
        if (memories[m].capacity_words && !memories[m].spreads_only) answers.push_back(changes.capacity(m, map));
    return answers;
}

}  // namespace tilewright
