#include "sim/noc/options.hpp"

namespace tilewright::sim {

std::string problem_with(const RouterOptions& options) {
    if (options.virtual_channels < 1 || options.virtual_channels > kMostVirtualChannels) {
        return "a router has 1 to 12 virtual channels, not " + std::to_string(options.virtual_channels);
    }
    if (options.buffer_flits < 1 || options.buffer_flits > 65535) {
        return "a buffer holds 1 to 65535 flits, not " + std::to_string(options.buffer_flits);
    }
    if (options.credit_cycles < 0 || options.credit_cycles > kMostCreditCycles) {
        return "a credit is delayed by 0 to 4 cycles, not " + std::to_string(options.credit_cycles);
    }
    return "";
}

std::int64_t idle_latency(const RouterOptions& options, int routers, int flits) {
    const int cycles_per_router = 5 - (options.lookahead ? 1 : 0) - (options.speculative ? 1 : 0);
    constexpr int kLinksOfTerminals = 2;
    return static_cast<std::int64_t>(cycles_per_router) * routers + kLinksOfTerminals + flits - 1;
}

}  // namespace tilewright::sim
