#include "base/numbers/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include "base/numbers/checked.hpp"

namespace tilewright {
namespace {

std::string grouped(std::string digits) {
    const int first = digits.starts_with('-') ? 1 : 0;
    for (int at = static_cast<int>(digits.size()) - 3; at > first; at -= 3) digits.insert(at, ",");
    return digits;
}

struct Prefix {
    double size;
    const char* name;
};

constexpr std::array kPrefixes = {Prefix{1e12, "T"},  Prefix{1e9, "G"},   Prefix{1e6, "M"},  Prefix{1e3, "k"},
                                  Prefix{1.0, ""},    Prefix{1e-3, "m"},  Prefix{1e-6, "u"}, Prefix{1e-9, "n"},
                                  Prefix{1e-12, "p"}, Prefix{1e-15, "f"}, Prefix{1e-18, "a"}};

}  // namespace

std::string count_text(std::int64_t count) { return grouped(std::to_string(count)); }

std::string count_text(double count) {
    if (!std::isfinite(count) || std::abs(count) > kMostExact) return fmt::format("{:.6e}", count);
    const double whole = std::trunc(count);
    const std::string fraction = fmt::format("{:.2f}", std::abs(count - whole));
    if (fraction == "0.00") return count_text(static_cast<std::int64_t>(whole));
    if (fraction == "1.00") return count_text(static_cast<std::int64_t>(std::round(count)));
    return count_text(static_cast<std::int64_t>(whole)) + fraction.substr(1);
}

std::string figure_text(double value) {
    if (value == 0.0 || !std::isfinite(value)) return fmt::format("{:g}", value);
    const double size = std::abs(value);
    // 999.95 would print as "1000.".
    return size < 1e-3 || size >= 999.95 ? fmt::format("{:.3e}", value) : fmt::format("{:#.4g}", value);
}

std::string si_text(double value, const std::string& unit) {
    if (value == 0.0 || !std::isfinite(value)) return fmt::format("{:g} {}", value, unit);
    for (const Prefix& prefix : kPrefixes)
        // 0.99995 would print as 1000 of the next smaller prefix.
        if (std::abs(value) >= prefix.size * 0.99995 || &prefix == &kPrefixes.back())
            return fmt::format("{:#.4g} {}{}", value / prefix.size, prefix.name, unit);
    return "";
}

std::string energy_text(double energy_pj) { return si_text(energy_pj * 1e-12, "J"); }

std::string area_text(double area_um2) {
    if (area_um2 >= 1e5) return figure_text(area_um2 / 1e6) + " mm2";
    return fmt::format("{:.0f} um2", area_um2);
}

std::string share_text(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

std::string bar(double share, int width) {
    if (!(share > 0.0)) return "";
    const int length = static_cast<int>(std::lround(std::min(share, 1.0) * width));
    return std::string(std::max(length, 1), '#');
}

std::string short_number(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4g", value);
    return text.data();
}

std::string size_text(double bytes) {
    const char* unit = " B";
    for (const char* larger : {" KiB", " MiB", " GiB"}) {
        if (bytes < 1024.0) break;
        bytes /= 1024.0;
        unit = larger;
    }
    return short_number(bytes) + unit;
}

}  // namespace tilewright
