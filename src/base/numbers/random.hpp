// Random numbers independent of the platform and the number of threads.
//
// A search splits its seed into one stream per unit of work (never per thread).
#pragma once

#include <cstdint>

namespace tilewright {

/// SplitMix64: one word of state, passes BigCrush, and any 64-bit value is a good seed. (Steele, Lea, Flood: Fast
/// splittable pseudorandom number generators, OOPSLA 2014.)
class Random {
   public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ULL;
        return mixed(state_);
    }

    /// Uniform in [0, bound). Requires bound > 0. Unbiased (Lemire's multiply-and-reject).
    std::uint64_t below(std::uint64_t bound) {
        Wide product = static_cast<Wide>(next()) * bound;
        if (static_cast<std::uint64_t>(product) < bound) {
            const std::uint64_t threshold = (0 - bound) % bound;
            while (static_cast<std::uint64_t>(product) < threshold) product = static_cast<Wide>(next()) * bound;
        }
        return static_cast<std::uint64_t>(product >> 64);
    }

    /// Uniform in [low, high], both included.
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
    }

    /// Uniform in [0, 1).
    double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    bool chance(double probability) { return unit() < probability; }

    /// The seed of stream `index` of a family, independent of the number of streams.
    static std::uint64_t split(std::uint64_t seed, std::uint64_t index) {
        return mixed(seed ^ mixed(index + 0x632be59bd9b4e019ULL));
    }

   private:
    __extension__ typedef unsigned __int128 Wide;

    static std::uint64_t mixed(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }

    std::uint64_t state_;
};

}  // namespace tilewright
