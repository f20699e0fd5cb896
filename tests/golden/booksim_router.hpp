// The routers of the recorded BookSim runs, by name (tests/golden/noc/README.md).
#pragma once

#include <string>

#include "sim/noc/mesh.hpp"

namespace tilewright::golden {

inline sim::RouterOptions booksim_router(const std::string& name) {
    const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
    sim::RouterOptions options;
    options.virtual_channels = name.at(1) - '0';
    options.buffer_flits = name.at(3) - '0';
    options.lookahead = has("lookahead");
    options.speculative = has("spec");
    options.wait_for_tail_credit = has("tailcredit");
    options.hold_switch = has("hold");
    options.credit_cycles = has("cd1") ? 1 : 0;
    if (has("rr")) {
        options.virtual_channel_matching = sim::Matching::separable_input_first;
        options.switch_matching = sim::Matching::separable_input_first;
    }
    return options;
}

}  // namespace tilewright::golden
