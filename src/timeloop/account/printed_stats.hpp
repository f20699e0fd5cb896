// What Timeloop printed about a mapping (timeloop-model.stats.txt), held against what is counted here, and the
// convention of its versions that fits best.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "timeloop/account/timeloop.hpp"

namespace tilewright::account {

/// One tensor at one memory as printed: words per instance, energy of all instances.
struct PrintedTensor {
    std::string name;
    std::optional<double> reads;
    std::optional<double> fills;
    std::optional<double> updates;
    std::optional<double> energy_pj;
};

/// A memory, or (without tensors) the compute units.
struct PrintedLevel {
    std::string name;
    std::optional<double> energy_pj;  ///< of compute units
    std::vector<PrintedTensor> tensors;
};

struct PrintedStats {
    std::vector<PrintedLevel> levels;
    std::optional<double> cycles;
    std::optional<double> energy_uj;
};

/// One number, counted here and printed there.
struct PrintedFigure {
    std::string level;   ///< "" for the whole
    std::string tensor;  ///< "" for a level
    std::string what;    ///< "reads", "fills", "updates", "energy (pJ)", "cycles", "energy (uJ)"
    double counted = 0.0;
    double printed = 0.0;
    bool equal = false;  ///< to the digits that are printed
};

struct ConventionFit {
    TimeloopOptions options;
    std::vector<PrintedFigure> figures;
    std::vector<std::string> unknown_levels;  ///< printed there, without a memory of that name here
    std::optional<Violation> refusal;

    std::size_t differences() const;
    /// Sum of the relative differences.
    double distance() const;
};

/// Counts under `options` and compares all that is printed.
ConventionFit compare_with_stats(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                 const TimeloopOptions& options, const PrintedStats& printed);

/// Of all ways to set link transfers, first-read elision, reuse after a pause, first fills and dearest action, the one
/// with the fewest differences; of several the one with the least distance, then the one nearest to `options`, whose
/// extrapolation is kept.
ConventionFit best_convention(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                              const TimeloopOptions& options, const PrintedStats& printed);

/// The switches of the command line that set these options: "--first-fills --no-reuse-after-pause"; "" for none.
std::string switches_of(const TimeloopOptions& options);

/// How well they fit: "--first-fills: 39 of 39 figures are equal", "no switches: 30 of 35 figures are equal".
std::string summary_of(const ConventionFit& fit);

}  // namespace tilewright::account
