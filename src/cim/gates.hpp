// Circuits of arrays that compute in their memory cells: gates, adder trees and converters at 28 nm.
//
// Figures of ZigZag 3.8.5 (zigzag/hardware/architecture/imc_unit.py), in units of a two-input NAND; area mm2, delay ns,
// capacitance pF. Energies are pJ of one operation at `v2`, the square of the supply in volts. Pure functions.
#pragma once

#include <cstdint>

namespace tilewright::cim::gates {

inline constexpr double kSupplyVolts = 0.9;

inline constexpr double kNandPf = 0.7e-3;
inline constexpr double kNandMm2 = 0.614e-6;
inline constexpr double kNandNs = 0.0478;
inline constexpr double kXorPf = 1.5 * kNandPf;
inline constexpr double kXorNs = 2.4 * kNandNs;
inline constexpr double kLinePf = kNandPf / 2;  ///< of a wordline or bitline, a cell

inline constexpr double kMultiplierMm2 = kNandMm2;
inline constexpr double kMultiplierNs = kNandNs;
inline constexpr double kAdderMm2 = 3 * kNandMm2 + 2 * (2.4 * kNandMm2);
inline constexpr double kRegisterMm2 = 6 * kNandMm2;
inline constexpr double kInputToSumNs = 2 * kXorNs;
inline constexpr double kInputToCarryNs = kXorNs + 2 * kNandNs;
inline constexpr double kCarryToCarryNs = 2 * kNandNs;

inline double multiplier_pj(double v2) { return 0.5 * kNandPf * v2; }
inline double adder_pj(double v2) { return (3 * kNandPf + 2 * kXorPf) * v2; }
/// One of its inputs stays 0.
inline double half_idle_adder_pj(double v2) { return 2 * kXorPf * v2; }
inline double register_pj(double v2) { return 3 * kNandPf * v2; }

/// An analog-to-digital converter of `bits`; none with 0 bits.
double adc_pj(double bits, double v2);
/// 0 up to one bit, as in ZigZag.
double adc_mm2(double bits);
double adc_ns(double bits, double rows);
/// A digital-to-analog converter. Of one bit: a driver, free.
double dac_pj(double bits, double v2);

/// Full adders of a tree, and the bits of its result.
struct AdderTree {
    double adders = 0.0;
    double out_bits = 0.0;
    double delay_ns = 0.0;
};
/// Adds `inputs` numbers of `bits`.
AdderTree sum_tree(double inputs, double bits);
/// Adds `inputs` numbers of `bits`, each shifted by one place more than the last; one number passes.
AdderTree place_value_tree(double inputs, double bits);
/// Energy of a sum_tree() with numbers at the first `active` of its inputs, the others 0.
double partly_idle_tree_pj(double inputs, double bits, std::int64_t active, double v2);

}  // namespace tilewright::cim::gates
