// Any bytes as explore.yaml: a space, or an InputError.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "explore/space.hpp"
#include "libfyaml_leaks.hpp"
#include "native/exploration.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tilewright;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const native::Exploration file = native::read_exploration(yaml::parse_text(text, "explore.yaml"));
        std::vector<explore::Knob> knobs;
        for (const std::vector<native::PlacedKnob>& part : {file.let, file.set})
            for (const native::PlacedKnob& knob : part)
                knobs.push_back({knob.name, explore::parse_values(knob.values, knob.where), knob.where});
        const explore::Space space(std::move(knobs));
        static_cast<void>(point_text(space, space.size() - 1));
    } catch (const InputError&) {
    }
    return 0;
}
