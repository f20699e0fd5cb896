#include "width_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "options.hpp"

namespace tilewright::cli {
namespace {

std::optional<std::int64_t> bits_in(const std::string& text) {
    std::int64_t bits = 0;
    const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
    if (error != std::errc{} || stopped != text.data() + text.size() || bits < 0 || bits > kMaxWordBits)
        return std::nullopt;
    return bits;
}

[[noreturn]] void refuse(const std::string& verb, const std::string& text) {
    const bool has_two = text.find('/') != std::string::npos;
    fail_usage(verb,
               fmt::format("--bits takes TENSOR=BITS or LAYERS:TENSOR=BITS with 1 to {} bits, or 0 for as many as "
                           "the words of each memory have{}; found '{}'",
                           kMaxWordBits, has_two ? ", or FINAL/PARTIAL bits of results" : "", text));
}

}  // namespace

Widths read_widths(const std::string& verb, const std::vector<std::string>& texts) {
    Widths widths;
    for (const std::string& text : texts) {
        const std::size_t colon = text.rfind(':');
        const std::string layers = colon == std::string::npos ? "*" : text.substr(0, colon);
        const std::string rest = colon == std::string::npos ? text : text.substr(colon + 1);
        const std::size_t equals = rest.find('=');
        if (layers.empty() || equals == 0 || equals == std::string::npos) refuse(verb, text);
        const std::string number = rest.substr(equals + 1);
        const std::size_t slash = number.find('/');
        const std::optional<std::int64_t> words = bits_in(number.substr(0, slash));
        const std::optional<std::int64_t> partial =
            slash == std::string::npos ? std::optional<std::int64_t>(0) : bits_in(number.substr(slash + 1));
        if (!words || !partial || (slash != std::string::npos && *partial == 0)) refuse(verb, text);
        const std::string tensor = rest.substr(0, equals);
        widths.words.push_back({layers, tensor, *words});
        widths.partial_sums.push_back({layers, tensor, *partial});
        widths.have_partial_sums = widths.have_partial_sums || *partial > 0;
    }
    return widths;
}

}  // namespace tilewright::cli
