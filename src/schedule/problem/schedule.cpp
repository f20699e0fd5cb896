#include "schedule/problem/schedule.hpp"

#include <charconv>

namespace tilewright::schedule {
namespace {

// "latency^2" adds 2 to the weight of latency. False for any other word.
bool add_factor(std::string_view text, Objective& objective) {
    const std::size_t hat = text.find('^');
    double power = 1.0;
    if (hat != std::string_view::npos) {
        const std::string_view digits = text.substr(hat + 1);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), power);
        if (error != std::errc{} || end != digits.data() + digits.size() || !(power >= 0.0) || power > 100.0)
            return false;
    }
    const std::string_view name = text.substr(0, hat);
    if (name == "latency") objective.latency_weight += power;
    if (name == "traffic") objective.traffic_weight += power;
    return name == "latency" || name == "traffic";
}

std::string factor_text(const char* name, double power) {
    if (power == 0.0) return "";
    if (power == 1.0) return name;
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), power).ptr;
    return std::string(name) + "^" + std::string(digits.data(), end);
}

}  // namespace

std::optional<Objective> parse_objective(std::string_view text) {
    Objective objective{0.0, 0.0};
    while (true) {
        const std::size_t star = text.find('*');
        if (!add_factor(text.substr(0, star), objective)) return std::nullopt;
        if (star == std::string_view::npos) break;
        text.remove_prefix(star + 1);
    }
    if (objective.latency_weight == 0.0 && objective.traffic_weight == 0.0) return std::nullopt;
    return objective;
}

std::string to_text(const Objective& objective) {
    const std::string latency = factor_text("latency", objective.latency_weight);
    const std::string traffic = factor_text("traffic", objective.traffic_weight);
    return latency + (latency.empty() || traffic.empty() ? "" : "*") + traffic;
}

Score score_of(const Objective& objective, const Schedule& schedule) {
    return {objective.value(static_cast<double>(schedule.latency_cycles), static_cast<double>(schedule.traffic_bytes)),
            schedule.latency_cycles, schedule.traffic_bytes};
}

}  // namespace tilewright::schedule
