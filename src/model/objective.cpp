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

std::optional<Objective> parse_one(std::string_view text) {
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

// Of mappings with equal energy (or latency), the one with less latency (or energy) has the smaller product as well.
bool break_ties(Objective& objective, ObjectiveKind by) {
    if (objective.kind == ObjectiveKind::pareto || by == objective.kind) return false;
    if (by != ObjectiveKind::energy && by != ObjectiveKind::latency && by != ObjectiveKind::edp) return false;
    if (objective.kind == ObjectiveKind::energy || objective.kind == ObjectiveKind::latency) return true;
    objective.faster_of_equals = by == ObjectiveKind::latency;
    return by != ObjectiveKind::edp;
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
    const std::size_t comma = text.find(',');
    std::optional<Objective> objective = parse_one(text.substr(0, comma));
    if (!objective || comma == std::string_view::npos) return objective;
    const std::optional<Objective> next = parse_one(text.substr(comma + 1));
    if (!next || !break_ties(*objective, next->kind)) return std::nullopt;
    return objective;
}

}  // namespace tilewright
