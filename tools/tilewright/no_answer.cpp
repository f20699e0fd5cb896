#include "no_answer.hpp"

#include <fmt/format.h>

#include <set>

namespace tilewright::cli {

std::string why_there_is_no_layer(const std::string& network, std::span<const UnmappedOperator> unmapped) {
    std::set<std::string> reasons;
    for (const UnmappedOperator& one : unmapped) reasons.insert(one.op + ": " + one.reason);
    constexpr std::size_t kMost = 5;
    std::string text;
    std::size_t told = 0;
    for (const std::string& reason : reasons)
        if (told++ < kMost) text += (text.empty() ? " (" : "; ") + reason;
    if (reasons.size() > kMost) text += "; ...";
    return fmt::format("error: network '{}' has no layer to map: {} operators, of which none is one{}", network,
                       unmapped.size(), text.empty() ? "" : text + ")");
}

}  // namespace tilewright::cli
