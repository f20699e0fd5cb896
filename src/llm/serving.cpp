#include "llm/serving.hpp"

#include <algorithm>
#include <utility>

#include "base/numbers/checked.hpp"

namespace tilewright::llm {

Cascade cascade_at(const std::string& model, const Point& point) {
    std::map<std::string, std::int64_t> extents{{"batch", point.batch}, {"sequence", point.tokens}};
    const std::vector<ZooEntry> entries = zoo_cascades();
    const auto entry = std::ranges::find(entries, model, &ZooEntry::name);
    const bool has_context = entry == entries.end() || std::ranges::count(entry->dimensions, "context") > 0;
    if (has_context) extents["context"] = point.context;
    return zoo_cascade(model, extents, point.phase);
}

std::string at_point(std::string text, const Point& point) {
    const std::pair<std::string_view, std::int64_t> numbers[] = {{"@batch", point.batch},
                                                                 {"@tokens", point.tokens},
                                                                 {"@context", point.context},
                                                                 {"@all", checked_add(point.context, point.tokens)},
                                                                 {"@last", point.tokens - 1}};
    for (const auto& [mark, number] : numbers)
        for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
            text.replace(at, mark.size(), std::to_string(number));
    return text;
}

}  // namespace tilewright::llm
