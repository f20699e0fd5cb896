#include "certificate/fused/loop_orders.hpp"

#include <algorithm>

#include "certificate/fused/place.hpp"

namespace tilewright::certificate::fused_proof {

LoopOrders::LoopOrders(std::vector<std::uint32_t> moves, std::uint32_t held, int operands)
    : moves_(std::move(moves)), held_(held), operands_(operands) {}

const LoopOrders::Known& LoopOrders::of(std::uint32_t loops) {
    const auto [entry, is_new] = known_.try_emplace(loops);
    Known& known = entry->second;
    if (!is_new) return known;
    std::vector<unsigned> order;
    for (unsigned i = 0; i < moves_.size(); ++i)
        if ((loops >> i & 1U) != 0) order.push_back(i);
    do known.all.push_back(order_of(order));
    while (std::ranges::next_permutation(order).found);
    std::ranges::sort(known.all);
    known.all.erase(std::ranges::unique(known.all).begin(), known.all.end());
    for (const LoopOrder& one : known.all) {
        if (std::ranges::any_of(known.best, [&](const LoopOrder& other) { return is_no_worse(other, one); })) continue;
        std::erase_if(known.best, [&](const LoopOrder& other) { return is_no_worse(one, other); });
        known.best.push_back(one);
    }
    return known;
}

// An operand's tile comes again for every step of the loops down to the innermost one that moves it.
LoopOrder LoopOrders::order_of(const std::vector<unsigned>& outermost_first) const {
    LoopOrder comes{};
    std::uint32_t outside = 0;
    for (const unsigned loop : outermost_first) {
        outside |= 1U << loop;
        for (int t = 0; t < operands_; ++t)
            if ((moves_[loop] >> static_cast<unsigned>(t) & 1U) != 0) comes[place(t)] = outside;
    }
    return comes;
}

// More loops, more often: each has a step at least.
bool LoopOrders::is_no_worse(const LoopOrder& a, const LoopOrder& b) const {
    for (int t = 0; t < operands_; ++t)
        if ((held_ >> static_cast<unsigned>(t) & 1U) == 0 && (a[place(t)] & ~b[place(t)]) != 0) return false;
    return true;
}

}  // namespace tilewright::certificate::fused_proof
