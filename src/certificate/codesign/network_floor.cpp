#include "certificate/codesign/network_floor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "certificate/common/goal.hpp"

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

}  // namespace tilewright::certificate
