#include "colour.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

namespace tilewright::cli {
namespace {

bool is_wanted() {
    const char* const refused = std::getenv("NO_COLOR");
    const char* const terminal = std::getenv("TERM");
    return isatty(STDERR_FILENO) != 0 && (refused == nullptr || *refused == '\0') && terminal != nullptr &&
           std::string_view(terminal) != "dumb";
}

struct Word {
    std::string_view text;
    std::string_view colour;
};
constexpr std::array<Word, 2> kWords{{{"error:", "\x1b[1;31m"}, {"note:", "\x1b[1;34m"}}};

}  // namespace

std::string coloured(const std::string& text) {
    if (!is_wanted()) return text;
    const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
    for (const Word& word : kWords)
        if (const std::size_t at = line.find(word.text); at != std::string_view::npos)
            return text.substr(0, at) + std::string(word.colour) + std::string(word.text) + "\x1b[0m" +
                   text.substr(at + word.text.size());
    return text;
}

}  // namespace tilewright::cli
