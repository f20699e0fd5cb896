#include "inputs/assignments.hpp"

#include <fmt/format.h>

#include <charconv>

#include "output/output.hpp"

namespace tilewright::cli {

std::pair<std::string, std::int64_t> assignment(const std::string& verb, const std::string& option,
                                                const std::string& text) {
    const std::size_t equals = text.find('=');
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const char* begin = equals == std::string::npos ? end : text.data() + equals + 1;
    const auto [stopped, error] = std::from_chars(begin, end, value);
    if (equals == 0 || begin == end || error != std::errc{} || stopped != end || value < 1)
        fail_usage(verb, fmt::format("{} takes NAME=EXTENT with an extent of at least 1, found '{}'", option, text));
    return {text.substr(0, equals), value};
}

std::map<std::string, std::int64_t> assignments(const std::string& verb, const std::string& option,
                                                const std::vector<std::string>& texts) {
    std::map<std::string, std::int64_t> all;
    for (const std::string& text : texts) {
        auto one = assignment(verb, option, text);
        if (all.contains(one.first)) fail_usage(verb, fmt::format("{} gives '{}' twice", option, one.first));
        all.insert(std::move(one));
    }
    return all;
}

}  // namespace tilewright::cli
