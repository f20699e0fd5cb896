#include "timeloop/files/foreign.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tilewright::timeloop {
namespace {

std::string_view first_line(std::string_view text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    return line.substr(0, line.find('\r'));
}

std::string without_spaces(std::string_view line) {
    std::string kept(line);
    std::erase(kept, ' ');
    return kept;
}

bool has_key(std::string_view text, std::string_view key) {
    return text.find("\"" + std::string(key) + "\"") != std::string_view::npos;
}

// {"device": {"compute_chiplet": {...}, "io": {...}}, "interconnect": ...}
bool is_llmcompass(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    return begin != std::string_view::npos && text[begin] == '{' && has_key(text, "device") &&
           has_key(text, "compute_chiplet");
}

}  // namespace

void refuse_foreign(std::string_view text, const std::string& file) {
    const auto refuse = [&](const std::string& message) {
        throw InputError(ErrorCode::unsupported, {file, 1, 1}, message, first_line(text));
    };
    if (without_spaces(first_line(text)).starts_with("K,C,Y,X,R,S"))
        refuse(
            "a CSV file of GAMMA's, a layer in each row; it is not read: give the layers in MAESTRO's notation (*.m, "
            "docs/maestro.md)");
    if (text.find("\nSummary Stats") != std::string_view::npos && text.find("\n=== ") != std::string_view::npos)
        refuse("Timeloop's report of a mapping, no input: --against FILE compares with it");
    if (file.ends_with(".csv")) refuse("a CSV file of no known format (docs/cli.md)");
    if (is_llmcompass(text))
        refuse("a machine of LLMCompass: describe it in Timeloop's format (docs/timeloop-inputs.md)");
}

}  // namespace tilewright::timeloop
