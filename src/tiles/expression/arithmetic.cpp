#include "tiles/expression/arithmetic.hpp"

#include <algorithm>
#include <array>

namespace tilewright::tiles {
namespace {

constexpr int kBanks = 32;

struct Load {
    int threads;
    std::int64_t stride;
    int width;
};

Load load_of(double threads, double stride, double width) {
    refuse_unless(threads >= 1 && threads <= 1024 && width >= 1 && width <= 64 && stride >= 0 && stride <= 1e9,
                  ErrorCode::bad_value, "a load is of 1 to 1,024 threads, 1 to 64 words each");
    return {static_cast<int>(threads), static_cast<std::int64_t>(stride), static_cast<int>(width)};
}

// Addresses ascend from thread to thread, but overlap where the stride is below the width: each is counted once.
template <typename Visit>
void each_address(const Load& load, Visit visit) {
    std::int64_t next = 0;
    for (int thread = 0; thread < load.threads; ++thread) {
        const std::int64_t begin = thread * load.stride;
        for (std::int64_t at = std::max(begin, next); at < begin + load.width; ++at) visit(at);
        next = std::max(next, begin + load.width);
    }
}

}  // namespace

std::int64_t raised(std::int64_t base, std::int64_t exponent) {
    refuse_unless(exponent >= 0, ErrorCode::bad_value, "a negative exponent");
    std::int64_t value = 1;
    if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    for (std::int64_t i = 0; i < exponent; ++i) value = product(value, base);
    return value;
}

double bank_conflicts(double threads, double stride, double width) {
    std::array<int, kBanks> passes{};
    each_address(load_of(threads, stride, width), [&](std::int64_t at) { ++passes[at % kBanks]; });
    return *std::ranges::max_element(passes);
}

double bank_lines(double threads, double stride, double width) {
    std::int64_t last = -1;
    int lines = 0;
    each_address(load_of(threads, stride, width), [&](std::int64_t at) {
        if (at / kBanks != last) ++lines;
        last = at / kBanks;
    });
    return lines;
}

}  // namespace tilewright::tiles
