#include "llm/serving.hpp"

#include <algorithm>

namespace tilewright::llm {

Cascade cascade_at(const std::string& model, const Point& point) {
    std::map<std::string, std::int64_t> extents{{"batch", point.batch}, {"sequence", point.tokens}};
    const std::vector<ZooEntry> entries = zoo_cascades();
    const auto entry = std::ranges::find(entries, model, &ZooEntry::name);
    const bool has_context = entry == entries.end() || std::ranges::count(entry->dimensions, "context") > 0;
    if (has_context) extents["context"] = point.context;
    return zoo_cascade(model, extents, point.phase);
}

}  // namespace tilewright::llm
