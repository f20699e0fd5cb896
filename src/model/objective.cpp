#include "model/objective.hpp"

#include <charconv>

namespace tilewright {
namespace {

// Reads "name^weight" at the start of `text` and removes it.
std::optional<double> take_power(std::string_view& text, std::string_view name) {
    if (!text.starts_with(name)) return std::nullopt;
    text.remove_prefix(name.size());
    if (!text.starts_with('^')) return 1.0;
    text.remove_prefix(1);
    double weight = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
    if (error != std::errc{} || !std::isfinite(weight) || weight < 0.0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return weight;
}

}  // namespace

std::string_view objective_name(ObjectiveKind kind) {
    switch (kind) {
        case ObjectiveKind::energy: return "energy";
        case ObjectiveKind::latency: return "latency";
        case ObjectiveKind::edp: return "edp";
        case ObjectiveKind::weighted: return "weighted";
        case ObjectiveKind::pareto: return "pareto";
    }
    return "";
}

std::optional<Objective> parse_objective(std::string_view text) {
    if (text == "energy") return Objective{ObjectiveKind::energy};
    if (text == "latency" || text == "delay") return Objective{ObjectiveKind::latency};
    if (text == "edp") return Objective{ObjectiveKind::edp};
    if (text == "pareto") return Objective{ObjectiveKind::pareto};
    if (text == "ed2p") return Objective{ObjectiveKind::weighted, 1.0, 2.0};
    const std::optional<double> energy = take_power(text, "energy");
    if (!energy || !text.starts_with('*')) return std::nullopt;
    text.remove_prefix(1);
    const std::optional<double> latency = take_power(text, "latency");
    if (!latency || !text.empty() || *energy + *latency == 0.0) return std::nullopt;
    return Objective{ObjectiveKind::weighted, *energy, *latency};
}

}  // namespace tilewright
