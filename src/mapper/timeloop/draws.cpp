#include "mapper/timeloop/draws.hpp"

#include <limits>

#include "base/numbers/random.hpp"

namespace tilewright::timeloop_search {
namespace {

// The "minimal standard" engine of Lewis, Goodman and Miller: states 1 .. 2^31 - 2.
constexpr std::uint64_t kMultiplier = 16807;
constexpr std::uint64_t kModulus = 2147483647;
constexpr std::uint64_t kEngineRange = kModulus - 2;  // between its least and its largest number
constexpr std::uint64_t kMost64 = std::numeric_limits<std::uint64_t>::max();

std::uint64_t state_of(std::uint64_t seed) {
    constexpr std::uint64_t kTimeloops = 1;
    return seed == kTimeloops ? 1 : 1 + Random::split(seed, 0) % (kModulus - 1);
}

}  // namespace

Draws::Draws(Number bound, std::uint64_t seed) : bound_(bound), state_(state_of(seed)) {}

std::uint32_t Draws::engine() {
    state_ = state_ * kMultiplier % kModulus;
    return static_cast<std::uint32_t>(state_ - 1);
}

// As the GNU C++ library draws evenly from 0 .. most: too large numbers are rejected; a range beyond the engine's is
// drawn digit by digit, the highest first.
std::uint64_t Draws::up_to(std::uint64_t most) {
    if (most == kEngineRange) return engine();
    if (most < kEngineRange) {
        const std::uint64_t scale = kEngineRange / (most + 1);
        std::uint64_t drawn = engine();
        while (drawn >= scale * (most + 1)) drawn = engine();
        return drawn / scale;
    }
    constexpr std::uint64_t kBase = kEngineRange + 1;
    while (true) {
        const std::uint64_t high = kBase * up_to(most / kBase);
        const std::uint64_t drawn = high + engine();
        if (drawn <= most && drawn >= high) return drawn;
    }
}

// Of two draws the second counts multiples of 2^64 - 1, and the last such multiple is never reached, as in Timeloop.
Number Draws::next() {
    if (bound_ <= kMost64) return up_to(static_cast<std::uint64_t>(bound_ - 1));
    const Number low = up_to(kMost64);
    return low + static_cast<Number>(up_to(static_cast<std::uint64_t>(bound_ / kMost64 - 1))) * kMost64;
}

}  // namespace tilewright::timeloop_search
