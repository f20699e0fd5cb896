#include "cim/gates.hpp"

#include <cmath>

namespace tilewright::cim::gates {
namespace {

/// Levels of a tree.
double depth_of(double inputs) { return std::floor(std::log2(inputs)); }

double adders_of(double inputs, double bits) { return inputs * (bits + 1) - (bits + depth_of(inputs) + 1); }

}  // namespace

double adc_pj(double bits, double v2) {
    return bits > 0 ? (100 * bits + 0.001 * std::pow(4.0, bits)) * v2 / 1000 : 0.0;
}

double adc_mm2(double bits) {
    return bits <= 1 ? 0.0 : std::pow(10.0, -0.0369 * bits + 1.206) * std::exp2(bits) * 1e-6;
}

double adc_ns(double bits, double rows) { return bits > 0 ? bits * (0.00653 * rows + 0.640) : 0.0; }

double dac_pj(double bits, double v2) { return bits == 1 ? 0.0 : 50e-3 * bits * v2; }

AdderTree sum_tree(double inputs, double bits) {
    const double out_bits = bits + depth_of(inputs);
    const double delay_ns = (depth_of(inputs) - 1) * kInputToSumNs + kInputToCarryNs + (out_bits - 2) * kCarryToCarryNs;
    return {adders_of(inputs, bits), out_bits, delay_ns};
}

AdderTree place_value_tree(double inputs, double bits) {
    if (inputs == 1) return {0.0, bits, 0.0};
    const double delay_ns = (depth_of(inputs) - 1) * kInputToSumNs + kInputToCarryNs + (inputs - 1) * kCarryToCarryNs;
    return {bits * (inputs - 1) + inputs * (std::log2(inputs) - 0.5), inputs + bits, delay_ns};
}

// The tree is halved from its root. The row of adders that joins two halves is full if both have numbers; a half
// without an idle input is full itself; the other half is halved again.
double partly_idle_tree_pj(double inputs, double bits, std::int64_t active, double v2) {
    if (active < 1) return 0.0;
    auto left = static_cast<double>(active);
    if (left >= inputs) return adders_of(inputs, bits) * adder_pj(v2);
    double full = 0.0;
    double half_idle = 0.0;
    for (double half = inputs / 2; left > 0; half /= 2) {
        const double depth = depth_of(half);
        if (left > half) {
            full += adders_of(half, bits) + (bits + depth);
            left -= half;
        } else if (left == half) {
            full += half == 1 ? 0.0 : adders_of(half, bits);
            half_idle += bits + depth;
            left = 0;
        } else {
            half_idle += bits + depth;
        }
    }
    return full * adder_pj(v2) + half_idle * half_idle_adder_pj(v2);
}

}  // namespace tilewright::cim::gates
