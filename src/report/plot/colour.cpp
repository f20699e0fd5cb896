#include "report/plot/colour.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace tilewright::plot {
namespace {

using Rgb = std::array<int, 3>;

Rgb rgb_of(std::string_view colour) {
    Rgb rgb{};
    for (std::size_t i = 0; i < 3; ++i) rgb.at(i) = std::stoi(std::string(colour.substr(1 + 2 * i, 2)), nullptr, 16);
    return rgb;
}

std::string between(std::string_view from, std::string_view to, double share) {
    const Rgb a = rgb_of(from);
    const Rgb b = rgb_of(to);
    const auto mixed = [&](std::size_t i) {
        return static_cast<int>(std::lround(a.at(i) + (b.at(i) - a.at(i)) * share));
    };
    return fmt::format("#{:02x}{:02x}{:02x}", mixed(0), mixed(1), mixed(2));
}

constexpr const char* kWeight = "#3b6fb6";
constexpr const char* kInput = "#2a9d8f";
constexpr const char* kResult = "#e0a030";
constexpr const char* kPartialSum = "#8c5a2b";
constexpr const char* kArithmetic = "#6b7280";
constexpr const char* kVector = "#4f7f8c";
constexpr const char* kLeakage = "#a89f91";

using Named = std::pair<const char*, const char*>;

constexpr std::array kKnown{Named{"compute units", kArithmetic},
                            Named{"vector unit", kVector},
                            Named{"vector unit at work", kVector},
                            Named{"arithmetic", kArithmetic},
                            Named{"all units at work", kArithmetic},
                            Named{"ideal", kArithmetic},
                            Named{"operation", kArithmetic},
                            Named{"idle units", "#c3c8d0"},
                            Named{"waiting", "#b5533c"},
                            Named{"latency of the wires", "#8a6d3b"},
                            Named{"leakage", kLeakage},
                            Named{"tensors that stay", kLeakage},
                            Named{"operand 1", kWeight},
                            Named{"weight", kWeight},
                            Named{"load weight", kWeight},
                            Named{"weight, for the first time", kWeight},
                            Named{"operand 2", kInput},
                            Named{"input", kInput},
                            Named{"load input", kInput},
                            Named{"input, for the first time", kInput},
                            Named{"operand 3", kPartialSum},
                            Named{"spill partial sum", kPartialSum},
                            Named{"partial sums, out and back", kPartialSum},
                            Named{"result", kResult},
                            Named{"output", kResult},
                            Named{"store output", kResult},
                            Named{"output, stored", kResult}};

// Repeated work is lighter.
constexpr std::array kAgain{Named{"weight, again", kWeight}, Named{"input, again", kInput},
                            Named{"load partial sum", kPartialSum}};

}  // namespace

std::string known_colour(const std::string& name) {
    for (const auto& [known, colour] : kKnown)
        if (name == known) return colour;
    for (const auto& [known, colour] : kAgain)
        if (name == known) return tint(colour);
    return "";
}

std::string kind_colour(const std::vector<std::string>& kinds, std::size_t k) {
    const std::string known = known_colour(kinds[k]);
    return known.empty() ? colour_of(k) : known;
}

std::string colour_of(std::size_t k) {
    constexpr std::array<const char*, kColours> kAll{
        "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#695a1e", "#a5c34b", "#b40f3c", "#783ca5",
        "#f0b487", "#1e6900", "#b4a5ff", "#1e6969", "#874b4b", "#a5c396", "#a50069", "#5ad2d2", "#ff7869", "#694b78",
        "#f087f0", "#005ac3", "#4bd278", "#964b1e", "#968700", "#ff6996", "#3c693c", "#9696c3"};
    return kAll.at(k % kAll.size());
}

namespace {

using Stops = std::array<const char*, 4>;

std::string on_ramp(const Stops& stops, double place) {
    const double at = std::clamp(place, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
    const std::size_t stop = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    return between(stops.at(stop), stops.at(stop + 1), at - static_cast<double>(stop));
}

}  // namespace

std::string ramp_colour(double place) { return on_ramp({"#43388f", "#8750b0", "#c767a6", "#f0a3b4"}, place); }

std::string other_ramp_colour(double place) { return on_ramp({"#1d4d2b", "#4c8c3f", "#9ab54a", "#d8c98a"}, place); }

std::string tint(const std::string& colour) { return between(colour, "#ffffff", 0.5); }

}  // namespace tilewright::plot
