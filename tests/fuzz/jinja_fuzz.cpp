// Templates of Jinja from any bytes: an InputError, or text that the YAML reader takes or refuses. No file is there to
// include but those of the folder the program runs in.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "libfyaml_leaks.hpp"
#include "yaml/jinja/jinja.hpp"
#include "yaml/node.hpp"

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const jinja::Settings settings{{{"architecture", "eyeriss_like"}, {"bits", "8"}}, {}};
        const yaml::Source source = jinja::expand({reinterpret_cast<const char*>(data), size}, "fuzz.yaml", settings);
        (void)yaml::parse(source);
    } catch (const InputError&) {
    }
    return 0;
}
