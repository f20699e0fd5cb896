#include "report/plot/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tilewright::plot {

Prefix prefix_for(double largest) {
    constexpr std::array kSymbols{"y", "z", "a", "f", "p", "n", "u", "m", "", "k", "M", "G", "T", "P", "E", "Z", "Y"};
    if (!(largest >= 1e-24 && largest < 1e27)) return {};
    const int three = std::clamp(static_cast<int>(std::floor(std::log10(largest) / 3.0 + 1e-12)), -8, 8);
    return {std::pow(10.0, 3.0 * three), kSymbols[three + 8]};
}

std::string axis_title(const std::string& label, const std::string& unit, const Prefix& prefix) {
    if (prefix.symbol.empty() && (unit.empty() || unit == label)) return label;
    // A prefix before a word reads badly: "latency [million cycles]" is clearer than "[Mcycles]".
    if (unit.size() > 2 && !prefix.symbol.empty()) {
        const std::string many = power_text(static_cast<int>(std::lround(std::log10(prefix.factor)))) + " " + unit;
        return unit == label ? many : fmt::format("{} [{}]", label, many);
    }
    return fmt::format("{} [{}{}]", label, prefix.symbol, unit);
}

std::string power_text(int power) {
    constexpr std::array kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text = power < 0 ? "10⁻" : "10";
    for (const char digit : std::to_string(std::abs(power))) text += kDigits.at(static_cast<std::size_t>(digit - '0'));
    return text;
}

std::string tick_text(double value) { return fmt::format("{:.4g}", value); }

std::vector<double> linear_ticks(double largest, int wanted) {
    const double rough = largest / static_cast<double>(wanted);
    const double ten = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10.0 * ten;
    for (const double round : {5.0, 2.5, 2.0, 1.0})
        if (round * ten >= rough * (1.0 - 1e-9)) step = round * ten;
    const int count = static_cast<int>(std::ceil(largest / step * (1.0 - 1e-9)));
    std::vector<double> ticks;
    for (int i = 0; i <= std::max(count, 1); ++i) ticks.push_back(step * i);
    return ticks;
}

std::vector<double> decades(double smallest, double largest) {
    const int low = static_cast<int>(std::floor(std::log10(smallest) + 1e-9));
    const int high = std::max(low + 1, static_cast<int>(std::ceil(std::log10(largest) - 1e-9)));
    const int step = (high - low + 9) / 10;
    std::vector<double> ticks;
    for (int power = low; power < high + step; power += step) ticks.push_back(std::pow(10.0, power));
    return ticks;
}

}  // namespace tilewright::plot
