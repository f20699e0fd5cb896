// Any bytes as rules of tiles, asked for a small shape: an answer or an InputError, nothing else.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "libfyaml_leaks.hpp"
#include "tiles/files/read_rules.hpp"
#include "tiles/search/ask.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tilewright;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const tiles::Problem problem = tiles::make_problem(tiles::read_rules(yaml::parse_text(text, "fuzz.yaml")), {});
        const std::vector<std::int64_t> given(problem.rules.given.size(), 64);
        tiles::AskOptions options;
        options.measures = tiles::measures_of(problem.rules, "");
        options.limits.most_tried = 2000;
        tiles::ask(problem, given, options);
    } catch (const InputError&) {
    }
    return 0;
}
