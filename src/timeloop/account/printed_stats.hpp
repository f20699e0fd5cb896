// Comparison of Timeloop's printed statistics (timeloop-model.stats.txt) with our counts, and the best-fitting version
// convention.
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

/// One number, counted and printed.
struct PrintedFigure {
    std::string level;   ///< "" for the whole
    std::string tensor;  ///< "" for a level
    std::string what;    ///< "reads", "fills", "updates", "energy (pJ)", "cycles", "energy (uJ)"
    double counted = 0.0;
    double printed = 0.0;
    bool equal = false;  ///< to the printed digits
};

struct ConventionFit {
    TimeloopOptions options;
    std::vector<PrintedFigure> figures;
    std::vector<std::string> unknown_levels;  ///< printed levels without a memory of that name
    std::optional<Violation> refusal;

    std::size_t differences() const;
    /// Sum of the relative differences.
    double distance() const;
};

/// Counts under `options` and compares every printed figure.
ConventionFit compare_with_stats(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                 const TimeloopOptions& options, const PrintedStats& printed);

/// Best combination of link transfers, first-read elision, reuse after a pause, first fills and dearest action: fewest
/// differences, then least distance, then nearest to `options`. Extrapolation stays as in `options`.
ConventionFit best_convention(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                              const TimeloopOptions& options, const PrintedStats& printed);

/// Command-line switches for these options: "--first-fills --no-reuse-after-pause"; "" for none.
std::string switches_of(const TimeloopOptions& options);

/// Quality of the fit: "--first-fills: 39 of 39 figures are equal", "no switches: 30 of 35 figures are equal".
std::string summary_of(const ConventionFit& fit);

}  // namespace tilewright::account
