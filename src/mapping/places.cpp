#include "mapping/places.hpp"

#include "base/place_text.hpp"

namespace tilewright {

const Location& MappingPlaces::of(const Violation& violation) const {
    const auto node = static_cast<std::size_t>(violation.node);
    return violation.node >= 0 && node < nodes.size() ? nodes[node] : whole;
}

std::string placed_text(const Violation& violation, const MappingPlaces& places) {
    return place_text(places.of(violation)) + violation.message;
}

}  // namespace tilewright
