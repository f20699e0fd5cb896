#include "sparse/design.hpp"

#include <algorithm>
#include <array>

namespace tilewright::sparse {

std::string_view name_of(RankFormat format) {
    static constexpr std::array<std::string_view, 5> kNames{"uop", "cp", "rle", "b", "ub"};
    return kNames[static_cast<std::size_t>(format)];
}

bool compresses(RankFormat format) { return format != RankFormat::uop && format != RankFormat::ub; }

bool TensorFormat::is_compressed() const {
    return std::any_of(ranks.begin(), ranks.end(), [](const FormatRank& rank) { return compresses(rank.format); });
}

bool Design::has_formats() const {
    return std::any_of(memories.begin(), memories.end(), [](const MemoryDesign& memory) {
        return std::any_of(memory.formats.begin(), memory.formats.end(),
                           [](const std::optional<TensorFormat>& format) { return format.has_value(); });
    });
}

bool Design::acts() const {
    return gates_computes || skips_computes || has_formats() ||
           std::any_of(memories.begin(), memories.end(), [](const MemoryDesign& memory) {
               return !memory.gating.empty() || !memory.skipping.empty() || !memory.spatial_skipping.empty();
           });
}

}  // namespace tilewright::sparse
