#include "mapper/cosa/padding.hpp"

#include <array>
#include <cstdio>

#include "base/numbers/factors.hpp"

namespace tilewright::cosa {

std::int64_t padded(std::int64_t extent) {
    for (std::int64_t n = extent;; ++n) {
        const std::vector<PrimePower> powers = prime_factors(n);
        if (powers.empty() || powers.back().prime <= kLargestPrime) return n;
    }
}

std::vector<std::int64_t> extents_to_factorise(const Einsum& einsum, bool pad) {
    std::vector<std::int64_t> extents;
    for (const Dimension& dimension : einsum.dimensions)
        extents.push_back(pad ? padded(dimension.extent) : dimension.extent);
    return extents;
}

std::string padding_text(const Einsum& einsum, const std::vector<std::int64_t>& extents) {
    std::string text;
    double cost = 1.0;
    for (std::size_t d = 0; d < extents.size(); ++d) {
        const Dimension& dimension = einsum.dimensions[d];
        if (extents[d] == dimension.extent) continue;
        text += (text.empty() ? "" : ", ") + dimension.name + " " + std::to_string(dimension.extent) + " -> " +
                std::to_string(extents[d]);
        cost *= static_cast<double>(extents[d]) / static_cast<double>(dimension.extent);
    }
    if (text.empty()) return text;
    std::array<char, 64> number{};
    std::snprintf(number.data(), number.size(), "%.2f", cost);
    return text + ": " + number.data() + " times the iterations";
}

}  // namespace tilewright::cosa
