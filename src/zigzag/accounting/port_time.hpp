// Stalls from transfers through memory ports, and the cost of loading and unloading. ZigZag 3.8.5: calc_latency of
// cost_model.py and its callees. Pure functions without allocation, shared by the full account and the order evaluator.
#pragma once

#include <cstdint>
#include <span>

namespace tilewright::zigzag {

/// One stream through a port: `count` transfers of `real` cycles, one per `period` cycles, free in the first `allowed`
/// cycles of the period.
struct Activity {
    std::int64_t real_cycles = 0;
    std::int64_t allowed_cycles = 0;
    std::int64_t period_cycles = 1;
    std::int64_t count = 1;
};

/// Throws OverflowError if sums over a port's streams might leave 64 bits.
Activity checked_activity(const Activity& activity);

/// Cycles in the window of at least one stream. Requires streams; periods dividing each other, as products of inner
/// loops do; 0 <= allowed <= period.
std::int64_t cycles_with_a_window(std::span<const Activity> activities);

/// Delay of a port in cycles (negative: early). 0 without activities.
std::int64_t port_stall(std::span<const Activity> activities);

/// Transfers before or after the computation; at least `least` cycles of each stay exposed beyond `surplus` free port
/// cycles. Reduces `remaining` in place, longest first. As in ZigZag, a transfer can become negative.
void hide_in_surplus(std::span<double> remaining, std::span<const double> least, double surplus);

/// Loading of one input, by whether the ports at both sides of a boundary serve both inputs, one side only, or neither.
struct Onloading {
    double shared = 0.0;
    double half_shared = 0.0;  ///< ZigZag: of the last such boundary only
    double separate = 0.0;

    void add_boundary(double cycles, bool upper_shared, bool lower_shared);
};

/// Cycles until both inputs are loaded.
double onloading_cycles(const Onloading& one, const Onloading& other);

}  // namespace tilewright::zigzag
