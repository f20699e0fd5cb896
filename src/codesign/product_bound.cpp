#include "codesign/product_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::codesign {
namespace {

/// A layer with its objective taken to the power 1 / (a + b).
struct Layer {
    double repeats = 1.0;
    double energy = 0.0;
    double cycles = 0.0;
    double mean = 0.0;  ///< lower bound of energy^alpha cycles^beta
};

// Minimum of alpha t^beta E + beta t^-alpha C of one layer. On the curve of its least objective it is at C = t E.
double least_at(const Layer& layer, double log_t, double alpha, double beta) {
    const double by_energy = alpha * std::exp(beta * log_t);
    const double by_cycles = beta * std::exp(-alpha * log_t);
    if (std::pow(layer.energy, alpha) * std::pow(layer.cycles, beta) >= layer.mean)
        return by_energy * layer.energy + by_cycles * layer.cycles;
    // At least the least energy, but for rounding where it and the least cycles meet the curve.
    const double most = std::max(layer.energy, std::pow(layer.mean / std::pow(layer.cycles, beta), 1.0 / alpha));
    const double energy = std::clamp(layer.mean * std::exp(-beta * log_t), layer.energy, most);
    const double cycles = std::max(layer.cycles, std::pow(layer.mean / std::pow(energy, alpha), 1.0 / beta));
    return by_energy * energy + by_cycles * cycles;
}

double sum_at(const std::vector<Layer>& layers, double log_t, double alpha, double beta) {
    double sum = 0.0;
    for (const Layer& layer : layers) sum += layer.repeats * least_at(layer, log_t, alpha, beta);
    return sum;
}

// Golden section: the minimum of a convex function lies on the side of the smaller of two inner values.
double least_sum(const std::vector<Layer>& layers, double low, double high, double alpha, double beta) {
    constexpr double kGolden = 0.6180339887498949;
    constexpr int kSteps = 100;
    double left = high - kGolden * (high - low);
    double right = low + kGolden * (high - low);
    double at_left = sum_at(layers, left, alpha, beta);
    double at_right = sum_at(layers, right, alpha, beta);
    for (int step = 0; step < kSteps && high - low > 1e-12; ++step) {
        if (at_left <= at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - kGolden * (high - low);
            at_left = sum_at(layers, left, alpha, beta);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + kGolden * (high - low);
            at_right = sum_at(layers, right, alpha, beta);
        }
    }
    constexpr double kSectioned = 1.0 - 1e-10;
    return std::min(at_left, at_right) * kSectioned;
}

// Of one kind of cost alone.
double plain_sum(const std::vector<LayerFloor>& layers, double weight, bool energy) {
    double sum = 0.0;
    for (const LayerFloor& layer : layers) {
        const double own = std::pow(layer.objective, 1.0 / weight);
        sum += layer.repeats * std::max(own, energy ? layer.energy_pj : layer.cycles);
    }
    return std::pow(sum, weight);
}

}  // namespace

double least_product(const std::vector<LayerFloor>& layers, double a, double b) {
    if (layers.empty()) return 0.0;
    if (b == 0.0) return plain_sum(layers, a, true);
    if (a == 0.0) return plain_sum(layers, b, false);
    const double alpha = a / (a + b);
    const double beta = b / (a + b);
    // The sums of cycles and energies meet at their quotient t, between those of the layers.
    constexpr double kLeast = 1e-30;  // of what costs nothing
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    std::vector<Layer> all;
    for (const LayerFloor& layer : layers) {
        const Layer one{layer.repeats, std::max(layer.energy_pj, kLeast), std::max(layer.cycles, 1.0),
                        std::pow(layer.objective, 1.0 / (a + b))};
        const double most_energy = std::max(one.energy, std::pow(one.mean / std::pow(one.cycles, beta), 1.0 / alpha));
        const double most_cycles = std::max(one.cycles, std::pow(one.mean / std::pow(one.energy, alpha), 1.0 / beta));
        low = std::min(low, std::log(one.cycles / most_energy));
        high = std::max(high, std::log(most_cycles / one.energy));
        all.push_back(one);
    }
    if (high - low <= 0.0) high = low + 1e-9;
    return std::pow(least_sum(all, low, high, alpha, beta), a + b);
}

}  // namespace tilewright::codesign
