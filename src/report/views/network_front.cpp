#include "report/views/network_front.hpp"

#include <algorithm>

namespace tilewright::views {
namespace {

struct FrontChoice {
    double cycles = 0.0;
    double energy_pj = 0.0;
    std::size_t mapping = 0;
};

/// One layer takes the next mapping of its hull: slower, and of less energy.
struct FrontStep {
    std::size_t layer = 0;
    std::string name;
    FrontChoice from;
    FrontChoice to;

    double gain() const { return (from.energy_pj - to.energy_pj) / (to.cycles - from.cycles); }
};

// `middle` lies on or above the line from `left` to `right`: it is best for no weighting alone.
bool above(const FrontChoice& left, const FrontChoice& middle, const FrontChoice& right) {
    return (middle.energy_pj - left.energy_pj) * (right.cycles - left.cycles) >=
           (right.energy_pj - left.energy_pj) * (middle.cycles - left.cycles);
}

std::vector<FrontChoice> choices_of(const Layer& layer) {
    if (layer.front.empty()) return {{layer.costs->cycles * layer.repeats, layer.costs->energy_pj * layer.repeats, 0}};
    std::vector<FrontChoice> choices;
    for (std::size_t i = 0; i < layer.front.size(); ++i)
        choices.push_back(
            {static_cast<double>(layer.front[i].cycles) * layer.repeats, layer.front[i].energy_pj * layer.repeats, i});
    std::ranges::stable_sort(choices, [](const FrontChoice& a, const FrontChoice& b) {
        return a.cycles != b.cycles ? a.cycles < b.cycles : a.energy_pj < b.energy_pj;
    });
    return choices;
}

// The lower left hull, from the fastest on, each of less energy than the one before it.
std::vector<FrontChoice> hull_of(const Layer& layer) {
    std::vector<FrontChoice> hull;
    for (const FrontChoice& choice : choices_of(layer)) {
        if (!hull.empty() && choice.energy_pj >= hull.back().energy_pj) continue;
        while (hull.size() > 1 && above(hull[hull.size() - 2], hull.back(), choice)) hull.pop_back();
        hull.push_back(choice);
    }
    return hull;
}

}  // namespace

std::vector<NetworkChoice> network_front(const Run& run) {
    if (std::ranges::none_of(run.layers, [](const Layer& layer) { return layer.costs && !layer.front.empty(); }))
        return {};
    NetworkChoice now{0.0, 0.0, {}, "the fastest"};
    std::vector<FrontStep> steps;
    for (const Layer& layer : run.layers) {
        if (!layer.costs) continue;
        const std::vector<FrontChoice> hull = hull_of(layer);
        for (std::size_t i = 1; i < hull.size(); ++i)
            steps.push_back({now.mappings.size(), layer.name, hull[i - 1], hull[i]});
        now.cycles += hull.front().cycles;
        now.energy_pj += hull.front().energy_pj;
        now.mappings.push_back(hull.front().mapping);
    }
    // Within a layer gains fall from step to step, so a stable order takes its steps in turn.
    std::ranges::stable_sort(steps, [](const FrontStep& a, const FrontStep& b) { return a.gain() > b.gain(); });
    std::vector<NetworkChoice> front{now};
    for (const FrontStep& step : steps) {
        now.cycles += step.to.cycles - step.from.cycles;
        now.energy_pj += step.to.energy_pj - step.from.energy_pj;
        now.mappings[step.layer] = step.to.mapping;
        now.change = step.name + " takes mapping " + std::to_string(step.to.mapping + 1);
        front.push_back(now);
    }
    return front;
}

}  // namespace tilewright::views
