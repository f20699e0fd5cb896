#include "certificate/perfect/families.hpp"

#include <algorithm>
#include <map>

namespace tilewright::certificate {

Families::Families(const Mapspace& mapspace, const Architecture& architecture)
    : mapspace_(mapspace), innermost_(static_cast<std::size_t>(architecture.memory_count())) {
    for (int l = architecture.memory_count() - 1; l >= 0; --l) {
        const bool last = l + 1 == architecture.memory_count() || !architecture.memories[l + 1].spreads_only;
        innermost_[l] = last ? l : innermost_[static_cast<std::size_t>(l) + 1];
    }
    std::map<Code, std::size_t> numbers;
    mapspace.enumerate_spatial([&](const TilingPoint& point) {
        Code code = code_of(point);
        const auto [at, is_new] = numbers.try_emplace(code, codes_.size());
        if (is_new) {
            codes_.push_back(std::move(code));
            has_several_.push_back(false);
        }
        if (!is_combined(point)) has_several_[at->second] = true;
        return true;
    });
    for (const auto& [code, number] : numbers) by_code_.push_back(number);
}

Families::Code Families::code_of(const TilingPoint& point) const {
    const int dimensions = point.dimension_count();
    Code code(static_cast<std::size_t>(point.level_count() * dimensions), 1);
    for (int l = 0; l < point.level_count(); ++l)
        for (int d = 0; d < dimensions; ++d) code[innermost_[l] * dimensions + d] *= point[l].spatial[d];
    return code;
}

bool Families::is_combined(const TilingPoint& point) const {
    for (int l = 0; l < point.level_count(); ++l) {
        if (innermost_[l] == l) continue;
        for (int d = 0; d < point.dimension_count(); ++d)
            if (point[l].spatial[d] > 1) return false;
    }
    return true;
}

TilingPoint Families::combined(std::size_t family) const {
    TilingPoint point = mapspace_.first_point();
    auto factor = codes_[family].begin();
    for (int l = 0; l < point.level_count(); ++l)
        for (int d = 0; d < point.dimension_count(); ++d) point[l].spread(d, *factor++, 1);
    return point;
}

std::string Families::text(std::size_t family) const {
    std::string text;
    auto factor = codes_[family].begin();
    for (int l = 0; l < mapspace_.level_count(); ++l) {
        std::string loops;
        for (int d = 0; d < mapspace_.dimension_count(); ++d, ++factor)
            if (*factor > 1) loops += (loops.empty() ? "s" : ".") + std::to_string(d) + "*" + std::to_string(*factor);
        if (innermost_[l] == l) text += (text.empty() ? "" : " ") + (loops.empty() ? std::string("-") : loops);
    }
    return text;
}

void Families::visit_members(const std::vector<bool>& wanted, const Visit& visit) const {
    mapspace_.enumerate_spatial([&](const TilingPoint& point) {
        const Code code = code_of(point);
        const auto code_of_family = [&](std::size_t family) -> const Code& { return codes_[family]; };
        const auto at = std::ranges::lower_bound(by_code_, code, {}, code_of_family);
        return !wanted[*at] || visit(*at, point);
    });
}

}  // namespace tilewright::certificate
