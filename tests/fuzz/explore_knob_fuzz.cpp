// Any bytes as a knob and as a condition: an InputError, or values that read back from their own text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "explore/metrics.hpp"
#include "explore/space.hpp"

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const Location where{"--set"};
    try {
        const explore::Knob knob = explore::parse_knob(text, where);
        std::string again = knob.name + "=" + knob.values.front();
        for (std::size_t i = 1; i < knob.values.size(); ++i) again += "," + knob.values[i];
        // Many values take long, and are of the same kinds.
        if (knob.values.size() < 1000 && knob.name.find('=') == std::string::npos &&
            explore::parse_knob(again, where) != knob)
            std::abort();
    } catch (const InputError&) {
    }
    const std::vector<explore::Metric> metrics{{"energy_pj", "energy", false}, {"utilization", "", true}};
    try {
        const explore::Condition condition = explore::parse_condition(text, metrics, nullptr, where);
        const explore::Condition again = explore::parse_condition(to_text(condition), metrics, nullptr, where);
        if (again.name != condition.name || again.relation != condition.relation) std::abort();
        if (again.bound != condition.bound && again.bound == again.bound) std::abort();  // NaN differs from itself
    } catch (const InputError&) {
    }
    return 0;
}
