#include "base/numbers/count.hpp"

#include <algorithm>

namespace tilewright {

std::string to_text(Count count) {
    std::string digits;
    do digits.push_back(static_cast<char>('0' + static_cast<int>(count % 10)));
    while ((count /= 10) != 0);
    std::ranges::reverse(digits);
    return digits;
}

Count draw_below(Random& random, Count bound) {
    const auto low = static_cast<std::uint64_t>(bound);
    const auto high = static_cast<std::uint64_t>(bound >> 64);
    if (high == 0) return random.below(low);
    while (true) {  // at most two rounds on average: the high word is drawn from [0, high]
        const Count drawn = (static_cast<Count>(random.below(high + 1)) << 64) | random.next();
        if (drawn < bound) return drawn;
    }
}

}  // namespace tilewright
