#include "base/numbers/count.hpp"

#include <algorithm>
#include <array>

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

namespace {

using Repeats = std::array<int, 256>;

Repeats repeats_of(std::span<const std::uint8_t> order) {
    Repeats repeats{};
    for (const std::uint8_t kind : order) ++repeats[kind];
    return repeats;
}

// n over k
Count binomial(int n, int k) {
    const int fewer = std::min(k, n - k);
    Count result = 1;
    for (int i = 1; i <= fewer; ++i) {
        const int factor = n - fewer + i;
        result = checked_mul(result, static_cast<Count>(factor)) / static_cast<Count>(i);
    }
    return result;
}

Count count(const Repeats& repeats) {
    Count result = 1;
    int placed = 0;
    for (const int times : repeats) {
        placed += times;
        result = checked_mul(result, binomial(placed, times));
    }
    return result;
}

}  // namespace

Count count_orders(std::span<const std::uint8_t> order) { return count(repeats_of(order)); }

bool next_order(std::span<std::uint8_t> order) { return std::next_permutation(order.begin(), order.end()); }

void make_order(std::span<std::uint8_t> order, Count index) {
    Repeats left = repeats_of(order);
    for (std::uint8_t& place : order) {
        for (std::size_t kind = 0; kind < left.size(); ++kind) {
            if (left[kind] == 0) continue;
            --left[kind];
            const Count orders = count(left);
            if (index < orders) {
                place = static_cast<std::uint8_t>(kind);
                break;
            }
            index -= orders;
            ++left[kind];
        }
    }
}

}  // namespace tilewright
