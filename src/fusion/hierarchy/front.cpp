#include "fusion/hierarchy/front.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace tilewright::fusion {
namespace {

Cost cost_of(const Mapped& one) { return {one.plan.energy_pj, one.plan.cycles}; }

// But for sums in another order.
bool is_as_good(const Mapped& a, const Mapped& b) {
    constexpr double kClose = 1e-9;
    return a.plan.energy_pj <= b.plan.energy_pj * (1.0 + kClose) && a.plan.cycles <= b.plan.cycles;
}

// Energy by itself, cycles by themselves, or energy and so many pJ a cycle.
Weights in_pj(const Weights& weights) {
    return weights.energy > 0.0 ? Weights{1.0, weights.cycles / weights.energy} : Weights{0.0, 1.0};
}

}  // namespace

void Front::offer(const Mapped& one) {
    if (std::ranges::any_of(points_, [&](const Mapped& other) { return is_as_good(other, one); })) return;
    std::erase_if(points_, [&](const Mapped& other) { return is_as_good(one, other); });
    const auto more =
        std::ranges::find_if(points_, [&](const Mapped& other) { return other.plan.energy_pj > one.plan.energy_pj; });
    points_.insert(more, one);
}

void Front::prove(Line line) {
    lines_->add(std::move(line));
    for (const Mapped& one : points_) lines_->see(cost_of(one));
}

const Mapped* Front::cheapest(const std::optional<Weights>& weights) const {
    const auto score = [&](const Mapped& one) {
        const Cost cost = cost_of(one);
        return weights ? weights->score(cost.energy_pj, cost.cycles)
                       : std::pair(cost.energy_pj * cost.cycles, cost.energy_pj);
    };
    const auto least = std::ranges::min_element(points_, {}, score);
    return least == points_.end() ? nullptr : &*least;
}

Hull Front::hull() const {
    std::vector<Cost> all;
    for (const Mapped& one : points_) all.push_back(cost_of(one));
    return hull_of(std::move(all));
}

std::optional<std::pair<Weights, Weights>> Front::proof_of(const Mapped& one) const {
    std::optional<std::pair<Weights, Weights>> proof;
    for (const Line& line : lines_->all()) {
        const double value = line.weights.value(one.plan.energy_pj, one.plan.cycles);
        if (value < line.value * (1.0 - tolerance_))
            throw std::logic_error("a fused mapping costs " + std::to_string(value) + ", less than a line of all, " +
                                   std::to_string(line.value));
        if (line.has(cost_of(one), tolerance_))
            proof = {proof ? proof->first : in_pj(line.weights), in_pj(line.weights)};
    }
    return proof;
}

void Front::write(Answer& answer) const {
    for (const Mapped& one : points_) answer.front.push_back({one, proof_of(one)});
    for (const Line& line : lines_->all()) {
        const Weights weights = in_pj(line.weights);
        const double scale = weights.energy > 0.0 ? line.weights.energy : line.weights.cycles;
        answer.lines.push_back({weights, line.value / scale});
    }
    const Mapped* least = cheapest({});
    if (least == nullptr) {
        answer.bound = lines_->least_product(std::numeric_limits<double>::infinity(), tolerance_);
        return;
    }
    answer.fused = *least;
    answer.bound = lines_->least_product(least->plan.energy_pj * least->plan.cycles, tolerance_);
    answer.gap = lines_->gap(hull(), tolerance_);
}

}  // namespace tilewright::fusion
