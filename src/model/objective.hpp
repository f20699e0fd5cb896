// Objective: what a search minimises. Ties are broken by what the objective leaves out, so that of two equally fast
// mappings the frugal one wins; those of products by energy, or by latency where that was asked for.
#pragma once

#include <cmath>
#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright {

/// pareto: all mappings of which no other has both less energy and less latency.
enum class ObjectiveKind { energy, latency, edp, weighted, pareto };

/// Smaller is better; `tie` only counts between equal values.
struct Score {
    double value = std::numeric_limits<double>::infinity();
    double tie = std::numeric_limits<double>::infinity();

    auto operator<=>(const Score&) const = default;
};

struct Objective {
    ObjectiveKind kind = ObjectiveKind::edp;
    /// Weighted: energy^energy_weight * latency^latency_weight. (1, 1) is the energy-delay product, (1, 2) its square
    /// in delay.
    double energy_weight = 1.0;
    double latency_weight = 1.0;
    /// Of mappings with equal products the fastest counts, not the one of least energy.
    bool faster_of_equals = false;

    Score score(double energy_pj, std::integral auto cycles) const {
        return score(energy_pj, static_cast<double>(cycles));
    }
    Score score(double energy_pj, double latency) const {
        switch (kind) {
            case ObjectiveKind::energy: return {energy_pj, latency};
            case ObjectiveKind::latency: return {latency, energy_pj};
            case ObjectiveKind::edp:
            case ObjectiveKind::pareto: return {energy_pj * latency, faster_of_equals ? latency : energy_pj};
            case ObjectiveKind::weighted:
                return {std::pow(energy_pj, energy_weight) * std::pow(latency, latency_weight),
                        faster_of_equals ? latency : energy_pj};
        }
        return {};
    }
};

/// "energy", "latency", "edp", "weighted", "pareto".
std::string_view objective_name(ObjectiveKind kind);

/// Reads "energy", "latency" (or "delay"), "edp", "ed2p", "pareto", or "energy^a*latency^b" with non-negative a and b,
/// not both 0. All but "pareto" may be followed by what breaks ties: "edp,latency", "latency,energy".
std::optional<Objective> parse_objective(std::string_view text);

}  // namespace tilewright
