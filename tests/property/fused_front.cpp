#include "fused_front.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mapping/fused/text.hpp"
#include "model/fused/model.hpp"

namespace tilewright::property {
namespace {

constexpr double kClose = 1e-7;
constexpr double kParallel = 1e-5;  // where lines that are nearly parallel meet is less exact

// How much pJ and cycles cost.
struct Prices {
    double energy = 0.0;
    double cycles = 0.0;

    double of(const FusedCost& cost) const { return energy * cost.energy_pj + cycles * cost.cycles; }
    double least(const std::vector<FusedCost>& all) const {
        double best = std::numeric_limits<double>::infinity();
        for (const FusedCost& cost : all) best = std::min(best, of(cost));
        return best;
    }
};

std::string numbers(const std::string& what, double one, double other) {
    return "front: " + what + ": " + std::to_string(one) + ", " + std::to_string(other) + "\n";
}

// Of each pair of points, and each kind by itself: prices at which the cheapest of a set changes are among them.
std::vector<Prices> prices_of(const std::vector<FusedCost>& all) {
    std::vector<Prices> prices{{1.0, 0.0}, {0.0, 1.0}};
    for (const FusedCost& a : all)
        for (const FusedCost& b : all)
            if (a.energy_pj < b.energy_pj && a.cycles > b.cycles)
                prices.push_back({a.cycles - b.cycles, b.energy_pj - a.energy_pj});
    return prices;
}

// Corners of the lower left hull: cheaper than all others at some of these prices, half way from one to the next.
std::uint64_t corners_of(const std::vector<FusedCost>& all) {
    std::uint64_t corners = 0;
    for (const FusedCost& one : all) {
        double most = std::numeric_limits<double>::infinity(), least = 0.0;  // pJ a cycle
        for (const FusedCost& other : all) {
            if (other.cycles > one.cycles)
                most = std::min(most, (one.energy_pj - other.energy_pj) / (other.cycles - one.cycles));
            if (other.cycles < one.cycles)
                least = std::max(least, (other.energy_pj - one.energy_pj) / (one.cycles - other.cycles));
        }
        corners += least < most;
    }
    return corners;
}

// What lines leave open: where any two of them meet under no other, against the cheapest of what was found.
double open_above(const std::vector<fusion::Line>& lines, const std::vector<FusedCost>& found) {
    std::vector<FusedCost> corners;
    for (const fusion::Line& a : lines)
        for (const fusion::Line& b : lines) {
            const auto [ae, ac] = std::pair(a.weights.energy, a.weights.cycles);
            const auto [be, bc] = std::pair(b.weights.energy, b.weights.cycles);
            const double turn = ae * bc - be * ac;
            if (turn <= 0.0) continue;
            const FusedCost corner{(a.value * bc - b.value * ac) / turn, (ae * b.value - be * a.value) / turn};
            if (std::ranges::all_of(lines, [&](const fusion::Line& line) {
                    return Prices{line.weights.energy, line.weights.cycles}.of(corner) >= line.value * (1.0 - 1e-9);
                }))
                corners.push_back(corner);
        }
    double open = 0.0;
    for (const Prices& prices : prices_of(found))
        open = std::max(open, prices.least(found) / prices.least(corners) - 1.0);
    return open;
}

std::string differences_of_points(const fusion::Answer& answer, const std::vector<FusedCost>& all,
                                  const Cascade& cascade, const Architecture& architecture, const PartialBits& partial,
                                  FrontTally& tally) {
    std::string differ;
    const FusedCost* before = nullptr;
    std::vector<FusedCost> costs;
    for (const fusion::FrontPoint& point : answer.front)
        costs.push_back({point.mapped.evaluation.energy_pj, static_cast<double>(point.mapped.evaluation.cycles)});
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const FusedCost& cost = costs[i];
        const fusion::FrontPoint& point = answer.front[i];
        if (before != nullptr && !(cost.energy_pj > before->energy_pj && cost.cycles < before->cycles))
            differ += numbers("a point beats the next one, cycles", before->cycles, cost.cycles);
        before = &cost;
        const auto is_no_worse = [&](const FusedCost& one) {
            return one.energy_pj <= cost.energy_pj * (1.0 + kClose) && one.cycles <= cost.cycles;
        };
        if (std::ranges::none_of(all, is_no_worse)) differ += numbers("not enumerated", cost.energy_pj, cost.cycles);
        const std::string text = to_text(point.mapped.mapping, cascade, architecture);
        const fused::Answer again = fused::evaluate(
            cascade, architecture, parse_fused_mapping(text, cascade, architecture).mapping, nullptr, partial);
        if (!again.evaluation || again.evaluation->energy_pj != cost.energy_pj ||
            static_cast<double>(again.evaluation->cycles) != cost.cycles)
            differ += numbers("evaluate says something else", cost.energy_pj, cost.cycles);
        if (!point.proven) continue;
        ++tally.proven;
        tally.inner += point.proven->first.cycles > 0.0 && point.proven->second.energy > 0.0;
        for (const fusion::Weights& weights : {point.proven->first, point.proven->second}) {
            const Prices prices{weights.energy, weights.cycles};
            if (prices.least(all) < prices.of(cost) * (1.0 - kClose))
                differ += numbers("proven, and another is cheaper", prices.of(cost), prices.least(all));
        }
    }
    tally.points += costs.size();
    return differ;
}

}  // namespace

void make_contrary(Architecture& machine, Random& random) {
    const auto set = [&](Memory& memory, std::int64_t least_pj, std::int64_t most_pj, double words_per_cycle) {
        for (Sourced* one : {&memory.energy.read_pj, &memory.energy.fill_pj, &memory.energy.update_pj})
            one->value = static_cast<double>(random.between(least_pj, most_pj));
        memory.shared_words_per_cycle = words_per_cycle;
    };
    set(machine.memories[0], 1, 6, 0.125 * static_cast<double>(random.between(1, 8)));
    set(machine.memories[1], 2, 24, static_cast<double>(random.between(2, 8)));
}

std::string differences_of_front(const fusion::Answer& answer, const std::vector<FusedCost>& all,
                                 const Cascade& cascade, const Architecture& architecture, const PartialBits& partial,
                                 FrontTally& tally) {
    if (answer.front.empty()) return "front: no mapping, though there are some\n";
    std::string differ = differences_of_points(answer, all, cascade, architecture, partial, tally);
    for (const fusion::Line& line : answer.lines) {
        const double least = Prices{line.weights.energy, line.weights.cycles}.least(all);
        if (line.value > least * (1.0 + kClose)) differ += numbers("a line above a mapping", line.value, least);
    }
    std::vector<FusedCost> found;
    for (const fusion::FrontPoint& point : answer.front)
        found.push_back({point.mapped.evaluation.energy_pj, static_cast<double>(point.mapped.evaluation.cycles)});
    if (const double open = open_above(answer.lines, found); std::abs(open - answer.gap) > kParallel)
        differ += numbers("another gap than its lines leave", open, answer.gap);
    std::vector<FusedCost> both = all;
    both.insert(both.end(), found.begin(), found.end());
    for (const Prices& prices : prices_of(both))
        if (prices.least(found) > prices.least(all) * (1.0 + answer.gap) * (1.0 + kClose))
            differ += numbers("wider open than its gap", prices.least(found), prices.least(all));
    if (answer.proven != (answer.gap == 0.0)) differ += "front: proven with a gap\n";
    ++tally.fronts;
    tally.several += answer.front.size() > 1;
    tally.whole += answer.proven;
    tally.corners += corners_of(all);
    tally.lines += answer.lines.size();
    return differ;
}

void declare_front(Harness& harness, const FrontTally& tally) {
    harness.least("fronts", "fronts that were compared", &tally.fronts);
    harness.least("several", "fronts of several points", &tally.several);
    harness.least("whole", "fronts with nothing open", &tally.whole);
    harness.least("corners-proven", "points that are proven", &tally.proven);
    harness.least("inner", "points that are proven by energy and cycles together", &tally.inner);
}

std::string to_text(const FrontTally& tally) {
    const auto shown = [](std::uint64_t count) { return std::to_string(count); };
    return shown(tally.fronts) + " fronts, " + shown(tally.several) + " of several points, " + shown(tally.whole) +
           " with nothing open; " + shown(tally.points) + " points, " + shown(tally.proven) + " proven, " +
           shown(tally.inner) + " by energy and cycles together; " + shown(tally.lines) + " lines; " +
           shown(tally.corners) + " corners of all mappings";
}

}  // namespace tilewright::property
