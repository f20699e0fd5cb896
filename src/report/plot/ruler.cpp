#include "report/plot/ruler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace tilewright::plot {
namespace {

struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = 0.0;
};

// 1, 2 or 5 times a power of ten, on this side of `value`.
double round_down(double value) {
    const double ten = std::pow(10.0, std::floor(std::log10(value) + 1e-9));
    double round = ten;
    for (const double factor : {2.0, 5.0})
        if (factor * ten <= value * (1.0 + 1e-9)) round = factor * ten;
    return round;
}

double next_round(double round) {
    const double ten = std::pow(10.0, std::floor(std::log10(round) + 1e-9));
    const double digit = round / ten;
    return digit < 1.5 ? 2.0 * ten : digit < 3.0 ? 5.0 * ten : 10.0 * ten;
}

void set_logarithmic(const Range& range, Ruler& ruler) {
    constexpr double kFine = 600.0;  // up to there 1, 2 and 5 of every power of ten
    ruler.low = round_down(range.least);
    ruler.high = round_down(range.most);
    if (ruler.high < range.most * (1.0 - 1e-9) || ruler.high <= ruler.low) ruler.high = next_round(ruler.high);
    if (ruler.high / ruler.low <= kFine) {
        for (double tick = ruler.low; tick <= ruler.high * (1.0 + 1e-9); tick = next_round(tick))
            ruler.ticks.push_back(tick);
        return;
    }
    for (const double tick : decades(ruler.low, ruler.high))
        if (tick >= ruler.low * (1.0 - 1e-9) && tick <= ruler.high * (1.0 + 1e-9)) ruler.ticks.push_back(tick);
}

void set_linear(const Range& range, Ruler& ruler) {
    const bool narrow = range.least > 0.5 * range.most && range.least < range.most * (1.0 - 1e-12);
    if (!narrow) {
        ruler.ticks = linear_ticks(range.most, 6);
    } else {
        const std::vector<double> steps = linear_ticks(range.most - range.least, 5);
        const double step = steps[1] - steps[0];
        const double first = std::floor(range.least / step * (1.0 + 1e-12));
        for (double tick = first; ruler.ticks.size() < 2 || ruler.ticks.back() < range.most * (1.0 - 1e-12); ++tick)
            ruler.ticks.push_back(tick * step);
    }
    ruler.low = ruler.ticks.front();
    ruler.high = ruler.ticks.back();
    const double step = ruler.ticks[1] - ruler.ticks[0];
    // A step of 2.5 has one digit more than its power of ten.
    ruler.digits = std::clamp(static_cast<int>(std::log10(ruler.high / step)) + 3, 4, 15);
}

Ruler named_ruler(const Axis& axis) {
    Ruler ruler{axis, {}, 1.0, std::max(2.0, static_cast<double>(axis.names.size())), {}};
    for (std::size_t i = 0; i < axis.names.size(); ++i) ruler.ticks.push_back(static_cast<double>(i + 1));
    return ruler;
}

}  // namespace

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

std::string Ruler::text(double tick) const {
    std::string plain = fmt::format("{:.{}g}", tick / prefix.factor, digits);
    const std::size_t e = plain.find('e');  // "2e+05"
    if (e == std::string::npos) return plain;
    const std::string power = power_text(std::stoi(plain.substr(e + 1)));
    return plain.substr(0, e) == "1" ? power : plain.substr(0, e) + "·" + power;
}

Ruler ruler_of(const Axis& axis, const std::vector<Series>& series, double Mark::* coordinate) {
    if (!axis.names.empty()) return named_ruler(axis);
    Ruler ruler{axis, {}, 0.0, 1.0, {}};
    Range range;
    for (const Series& one : series)
        for (const Mark& mark : one.marks) {
            if (!ruler.holds(mark.*coordinate)) continue;
            range.least = std::min(range.least, mark.*coordinate);
            range.most = std::max(range.most, mark.*coordinate);
        }
    if (!(range.most > 0.0)) range.least = range.most = 1.0;
    // Within a factor of two a logarithmic axis would have hardly any ticks.
    if (range.most < 2.0 * range.least && range.most > range.least) ruler.axis.logarithmic = false;
    ruler.axis.logarithmic ? set_logarithmic(range, ruler) : set_linear(range, ruler);
    // Beside powers of ten only a prefix of a letter reads well: "mJ", but not "10^3 cycles".
    if (!axis.unit.empty() && (!ruler.axis.logarithmic || axis.unit.size() <= 2)) ruler.prefix = prefix_for(range.most);
    return ruler;
}

}  // namespace tilewright::plot
