#include "mapping/fused/places.hpp"

namespace tilewright {

std::string placed_text(const FusedViolation& violation, const PlacedFusedMapping& placed) {
    const bool known = violation.node >= 0 && violation.node < static_cast<int>(placed.nodes.size());
    const Location& at = known ? placed.nodes[violation.node] : placed.whole;
    if (at.file.empty()) return violation.message;
    std::string text = at.file;
    if (at.line > 0) text += ":" + std::to_string(at.line);
    if (at.line > 0 && at.column > 0) text += ":" + std::to_string(at.column);
    return text + ": " + violation.message;
}

}  // namespace tilewright
