#include "zigzag/accounting/rounding.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/numbers/checked.hpp"

namespace tilewright::zigzag {
namespace {

std::int64_t whole(double x) {
    constexpr double kBeyond = 9223372036854775808.0;  // 2^63
    if (!(std::abs(x) < kBeyond)) throw OverflowError();
    return static_cast<std::int64_t>(x);
}

}  // namespace

std::int64_t round_to_even(double x) { return whole(std::nearbyint(x)); }

double round_to_thousandths(double x) {
    constexpr double kWholeAnyway = 4503599627370496.0;  // 2^52: no fraction beyond
    if (!(std::abs(x) < kWholeAnyway)) return x;
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.3f", x);
    return std::strtod(text.data(), nullptr);
}

std::int64_t truncated(double x) { return whole(x); }

std::int64_t rounded_up(double x) { return whole(std::ceil(x)); }

}  // namespace tilewright::zigzag
