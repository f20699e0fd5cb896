// How transfers through the ports of memories hold up the computation, and what loading before and after it costs.
// ZigZag 3.8.5: calc_latency of cost_model.py and what it calls. Pure functions without allocation: the full account
// and the order evaluator share them.
#pragma once

#include <cstdint>
#include <span>

namespace tilewright::zigzag {

/// One stream through a port: `count` transfers of `real` cycles each, one every `period` cycles, for which the first
/// `allowed` cycles of the period are free.
struct Activity {
    std::int64_t real_cycles = 0;
    std::int64_t allowed_cycles = 0;
    std::int64_t period_cycles = 1;
    std::int64_t count = 1;
};

/// Throws OverflowError where sums over the streams of a port might not stay within 64 bits.
Activity checked_activity(const Activity& activity);

/// Cycles in which at least one of the streams may transfer. Requires streams; periods that divide each other, as
/// products of the inner loops of one nest do; 0 <= allowed <= period.
std::int64_t cycles_with_a_window(std::span<const Activity> activities);

/// Cycles by which a port is late (negative: early). 0 without activities.
std::int64_t port_stall(std::span<const Activity> activities);

/// Transfers before or after the computation, of which at least `least` cycles cannot be hidden in `surplus` free
/// cycles of the port. Reduces `remaining` in place, the longest first. As ZigZag has it, a transfer can become
/// negative.
void hide_in_surplus(std::span<double> remaining, std::span<const double> least, double surplus);

/// The loading of one input, by whether the ports on both sides of a boundary between memories serve both inputs, one
/// side only, or neither.
struct Onloading {
    double shared = 0.0;
    double half_shared = 0.0;  ///< ZigZag: of the last such boundary only
    double separate = 0.0;

    void add_boundary(double cycles, bool upper_shared, bool lower_shared);
};

/// Cycles until both inputs are loaded.
double onloading_cycles(const Onloading& one, const Onloading& other);

}  // namespace tilewright::zigzag
