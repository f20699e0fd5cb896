// What there is to say where a layer, or a whole network, has no mapping.
#include <fmt/format.h>

#include <set>

#include "report/report.hpp"

namespace tilewright::report {

std::string failure_text(const LayerResult& layer) {
    std::string text =
        "layer '" + layer.names.front() + "': " + (layer.mapping ? "the mapping is not legal" : "there is no mapping");
    for (const std::string& failure : layer.failures) text += "\n    " + failure;
    return text;
}

std::string no_layer_text(const std::string& network, std::span<const UnmappedOperator> unmapped) {
    std::set<std::string> reasons;
    for (const UnmappedOperator& one : unmapped) reasons.insert(one.op + ": " + one.reason);
    constexpr std::size_t kMost = 5;
    std::string text;
    std::size_t told = 0;
    for (const std::string& reason : reasons)
        if (told++ < kMost) text += (text.empty() ? " (" : "; ") + reason;
    if (reasons.size() > kMost) text += "; ...";
    return fmt::format("network '{}' has no layer to map: {} operators, of which none is one{}", network,
                       unmapped.size(), text.empty() ? "" : text + ")");
}

}  // namespace tilewright::report
