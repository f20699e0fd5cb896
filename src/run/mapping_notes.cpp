#include "run/mapping_notes.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "mapping/uneven.hpp"

namespace tilewright {
namespace {

// Timeloop's mappings may bypass the outermost memory; what is outside of the first one that keeps a tensor then costs
// nothing.
std::vector<std::string> homeless_notes(const Einsum& einsum, const Architecture& architecture,
                                        const Mapping& mapping) {
    std::vector<std::string> notes;
    const std::vector<MappingLevel> levels = owned_levels(mapping, architecture.memory_count());
    const auto outermost = std::find_if(architecture.memories.begin(), architecture.memories.end(),
                                        [](const Memory& memory) { return !memory.spreads_only; });
    if (outermost == architecture.memories.end()) return notes;
    const MappingLevel& level = levels[outermost - architecture.memories.begin()];
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (!level.keep.has(t))
            notes.push_back("'" + outermost->name + "', the outermost memory, bypasses '" + einsum.tensors[t].name +
                            "': its way from there is not counted");
    return notes;
}

}  // namespace

std::vector<std::string> spread_notes(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                      const Constraints& constraints) {
    std::vector<std::string> notes;
    const std::vector<MappingLevel> levels = owned_levels(mapping, architecture.memory_count());
    for (std::size_t m = 0; m < constraints.levels.size(); ++m) {
        const std::vector<FactorConstraint>& factors = constraints.levels[m].spatial.factors;
        for (std::size_t d = 0; d < factors.size(); ++d) {
            std::int64_t spread = 1;
            for (const Loop& loop : levels[m].spatial)
                if (loop.dimension == static_cast<int>(d)) spread *= loop.extent;
            const std::optional<std::int64_t> most = factors[d].exactly ? factors[d].exactly : factors[d].at_most;
            if (most && spread > *most)
                notes.push_back("the mapping spreads " + einsum.dimensions[d].name + " over " + std::to_string(spread) +
                                " neighbours below '" + architecture.memories[m].name +
                                "'; the constraints of the machine allow " + std::to_string(*most));
        }
    }
    return notes;
}

std::vector<std::string> mapping_notes(const Layer& layer, const Architecture& architecture, const Mapping& mapping,
                                       Rules rules, const ConstraintsOf& constraints) {
    std::vector<std::string> notes;
    if (rules == Rules::exact && !mapping.options.empty())
        notes.emplace_back("the exact accounting ignores the switches of the mapping (no_multicast and the like)");
    for (std::string& note : homeless_notes(layer.einsum, architecture, mapping)) notes.push_back(std::move(note));
    try {
        for (std::string& note : spread_notes(layer.einsum, architecture, mapping, constraints(layer.einsum)))
            notes.push_back(std::move(note));
    } catch (const InputError& error) {
        const Location& where = error.where();
        notes.push_back(where.file + ":" + std::to_string(where.line) +
                        ": the constraints do not fit this layer: " + error.message());
    }
    return notes;
}

}  // namespace tilewright
