#include "certificate/codesign/network_floor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "certificate/claim/certificate.hpp"
#include "certificate/common/proof.hpp"
#include "certificate/prove/prove.hpp"

namespace tilewright::certificate {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

/// A layer's share of (t E + C / t) / 2 is least for t from `low` to `high` and grows away from there.
struct Valley {
    double repeats = 1.0;
    double energy = 0.0;
    double cycles = 1.0;
    double product = 0.0;  ///< lower bound
    double low = 0.0;
    double high = 0.0;
};

Valley valley_of(const RepeatedFloor& layer) {
    Valley valley{
        layer.repeats, layer.floor.energy_pj, std::max(layer.floor.cycles, 1.0), layer.floor.objective, 0.0, 0.0};
    valley.product = std::max(valley.product, valley.energy * valley.cycles);
    const double root = std::sqrt(valley.product);
    valley.low = root > 0.0 ? valley.cycles / root : kEndless;
    valley.high = valley.energy > 0.0 ? std::max(valley.low, root / valley.energy) : kEndless;
    return valley;
}

// Outside of the valley the least energy, or the least cycles, is cheapest.
double at(const Valley& layer, double t) {
    const double root = std::sqrt(layer.product);
    if (t >= layer.low && t <= layer.high) return root;
    if (t > layer.high) return (t * layer.energy + std::max(layer.cycles, layer.product / layer.energy) / t) / 2.0;
    return (t * std::max(layer.energy, layer.product / layer.cycles) + layer.cycles / t) / 2.0;
}

double least_between(const std::vector<Valley>& layers, double from, double to) {
    double sum = 0.0;
    for (const Valley& layer : layers) {
        const double best = std::clamp(from, std::min(layer.low, to), std::max(layer.high, from));
        sum += layer.repeats * at(layer, std::clamp(best, from, to));
    }
    return sum;
}

/// Cuts intervals of t until all have a high enough floor.
class Cutting {
   public:
    Cutting(const std::vector<Valley>& layers, double root) : layers_(layers), root_(root) {}

    bool all_high(double from, double to) {
        if (least_between(layers_, from, to) >= root_) return true;
        constexpr int kMost = 1'000'000;
        constexpr double kNarrow = 1.0 + 1e-13;
        if (++cuts_ > kMost || to <= from * kNarrow) return false;
        const double middle = std::sqrt(from) * std::sqrt(to);
        return all_high(from, middle) && all_high(middle, to);
    }

   private:
    const std::vector<Valley>& layers_;
    double root_;
    int cuts_ = 0;
};

bool product_comes_to(const std::vector<RepeatedFloor>& floors, double value) {
    std::vector<Valley> layers;
    double from = kEndless;
    double to = 0.0;
    for (const RepeatedFloor& floor : floors) {
        const Valley valley = valley_of(floor);
        if (!(valley.product > 0.0)) continue;  // its share may be nearly nothing
        layers.push_back(valley);
        from = std::min(from, valley.low);
        to = std::max(to, std::isfinite(valley.high) ? valley.high : valley.low);
    }
    if (layers.empty()) return value <= 0.0;
    // Below and above all valleys every layer's share exceeds that at their ends.
    return Cutting(layers, std::sqrt(value * (1.0 - kTolerance))).all_high(from, to);
}

double sum_of(const std::vector<RepeatedFloor>& layers, double ProvenFloor::* part, bool with_objective) {
    double sum = 0.0;
    for (const RepeatedFloor& layer : layers)
        sum +=
            layer.repeats * (with_objective ? std::max(layer.floor.*part, layer.floor.objective) : layer.floor.*part);
    return sum;
}

// Doubt that nothing falls short of the goal.
std::string doubt_of_goal(const PlacedLayer& layer, const std::string& factors, const Goal& goal,
                          const std::function<bool()>& stop) {
    const std::optional<FactorRule> rule = factor_rule_named(factors);
    const Space space{"even", factors};
    if (!rule || !space.is_known()) return "nothing is known here of " + factors + " factors";
    const Mapspace mapspace(layer.einsum, layer.machine, layer.constraints, *rule);
    if (!mapspace.problem().empty()) return "";
    if (!can_be_proven(mapspace, space)) return "the constraints allow remainders that are not known here";
    if (is_too_long_to_prove(layer.einsum, layer.machine, mapspace))
        return "there are too many assignments to go through";
    const Proof proof = prove(layer.einsum, layer.machine, mapspace, goal, Storage::even, stop);
    if (stop && stop()) return "the check was interrupted";
    if (proof.doubts.empty()) return "";
    const Doubt& doubt = proof.doubts.front();
    return "mappings of " + doubt.what + " may take as little as " + in_digits(doubt.bound.energy_pj) + " pJ and " +
           in_digits(doubt.bound.cycles) + " cycles" +
           (proof.too_many ? "; it has more nests than can be told apart here" : "");
}

Goal goal_of(const Objective& objective, double value) { return {objective, value, {}, {}}; }

// All at once: one pass over assignments and their tiles.
bool are_proven_together(const PlacedLayer& layer, const std::string& factors, const ProvenFloor& floor,
                         const std::function<bool()>& stop) {
    Goal goal = goal_of({.kind = ObjectiveKind::edp}, floor.objective);
    goal.least = {floor.energy_pj, floor.cycles};
    return doubt_of_goal(layer, factors, goal, stop).empty();
}

}  // namespace

double total_energy_pj(const std::vector<RepeatedFloor>& layers) {
    return sum_of(layers, &ProvenFloor::energy_pj, false);
}

double total_cycles(const std::vector<RepeatedFloor>& layers) { return sum_of(layers, &ProvenFloor::cycles, false); }

bool comes_to(const std::vector<RepeatedFloor>& layers, const std::string& objective, double value) {
    const double enough = value * (1.0 - kTolerance);
    if (objective == "energy") return sum_of(layers, &ProvenFloor::energy_pj, true) >= enough;
    if (objective == "latency") return sum_of(layers, &ProvenFloor::cycles, true) >= enough;
    return product_comes_to(layers, value);
}

std::string in_digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", value);
    return text;
}

std::string doubt_of_score(const PlacedLayer& layer, const std::string& factors, const std::string& objective,
                           double score, const std::function<bool()>& stop) {
    const std::optional<Objective> known = parse_objective(objective);
    if (!known) return "the objective '" + objective + "' is unknown";
    // Cycles are whole: a billionth less is a cycle less.
    const double value = known->kind == ObjectiveKind::latency ? score * (1.0 - kTolerance) : score;
    const std::string doubt = doubt_of_goal(layer, factors, goal_of(*known, value), stop);
    return doubt.empty() ? "" : "that no mapping has less " + objective + " than " + in_digits(score) + ": " + doubt;
}

std::string doubt_of_floor(const PlacedLayer& layer, const std::string& factors, const std::string& objective,
                           const ProvenFloor& floor, const std::function<bool()>& stop) {
    const double energy = objective == "energy" ? std::max(floor.energy_pj, floor.objective) : floor.energy_pj;
    const double cycles = objective == "latency" ? std::max(floor.cycles, floor.objective) : floor.cycles;
    const double edp = objective == "edp" ? floor.objective : 0.0;
    if (energy > 0.0 && cycles > 1.0 && are_proven_together(layer, factors, {energy, cycles, edp}, stop)) return "";
    // One by one, to name the one in doubt.
    std::string doubt;
    if (energy > 0.0) doubt = doubt_of_score(layer, factors, "energy", energy, stop);
    if (doubt.empty() && cycles > 1.0) doubt = doubt_of_score(layer, factors, "latency", cycles, stop);
    if (doubt.empty() && edp > energy * cycles) doubt = doubt_of_score(layer, factors, "edp", edp, stop);
    return doubt;
}

std::string doubt_of_emptiness(const PlacedLayer& layer, const std::string& factors,
                               const std::function<bool()>& stop) {
    const Goal nothing = goal_of({.kind = ObjectiveKind::energy}, std::numeric_limits<double>::max());
    const std::string doubt = doubt_of_goal(layer, factors, nothing, stop);
    return doubt.empty() ? "" : "that there is no mapping: " + doubt;
}

}  // namespace tilewright::certificate
