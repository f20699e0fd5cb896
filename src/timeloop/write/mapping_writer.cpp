#include <algorithm>
#include <stdexcept>

#include "timeloop/mapping/mapping.hpp"
#include "yaml/write.hpp"

namespace tilewright::timeloop {
namespace {

class Writer {
   public:
    Writer(const Mapping& mapping, const Einsum& einsum, const Architecture& architecture)
        : mapping_(mapping), einsum_(einsum), architecture_(architecture) {}

    std::string write() {
        const std::vector<MappingLevel> levels = levels_of(mapping_, architecture_.memory_count());
        text_ = "mapping:\n";
        for (int m = 0; m < architecture_.memory_count(); ++m) {
            options_ = mapping_.options.empty() ? LevelOptions{} : mapping_.options[m];
            write_bypass(m, levels[m].keep);
            write_temporal(m, levels[m].temporal);
            if (architecture_.fanout(m).size() > 1 || !levels[m].spatial.empty()) write_spatial(m, levels[m].spatial);
        }
        return text_;
    }

   private:
    void line(const std::string& key, const std::string& value) { text_ += "    " + key + ": " + value + "\n"; }

    void start(int memory, const char* type) {
        text_ += "  - target: " + yaml::scalar_text(architecture_.memories[memory].name) + "\n";
        line("type", type);
    }

    std::string tensors(TensorSet set) const {
        std::string list = "[";
        for (int t = 0; t < einsum_.tensor_count(); ++t)
            if (set.has(t)) list += (list.size() > 1 ? ", " : "") + yaml::scalar_text(einsum_.tensors[t].name);
        return list + "]";
    }

    void option(const std::string& key, TensorSet set) {
        if (!set.empty()) line(key, tensors(set));
    }

    void write_bypass(int memory, TensorSet keep) {
        TensorSet bypass = TensorSet::all(einsum_.tensor_count());
        for (int t = 0; t < einsum_.tensor_count(); ++t)
            if (keep.has(t)) bypass.remove(t);
        start(memory, "datatype");
        line("keep", tensors(keep));
        line("bypass", tensors(bypass));
        option("no_coalesce", options_.no_coalesce);
    }

    void write_temporal(int memory, const std::vector<Loop>& loops) {
        start(memory, "temporal");
        write_loops(loops);
        option("no_temporal_reuse", options_.no_temporal_reuse);
        option("rmw_first_update", options_.rmw_first_update);
    }

    void write_spatial(int memory, const std::vector<Loop>& loops) {
        std::vector<Loop> along_x;
        std::vector<Loop> ordered;
        for (const Loop& loop : loops) (loop.kind == LoopKind::spatial_y ? ordered : along_x).push_back(loop);
        ordered.insert(ordered.end(), along_x.begin(), along_x.end());
        start(memory, "spatial");
        write_loops(ordered);
        line("split", std::to_string(along_x.size()));
        option("no_link_transfer", options_.no_link_transfer);
        option("no_reuse", options_.no_multicast);
    }

    // Innermost first; dimensions without a loop follow, so that files are complete.
    void write_loops(const std::vector<Loop>& loops) {
        std::string factors;
        std::vector<int> permutation;
        for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
            if (std::find(permutation.begin(), permutation.end(), loop->dimension) != permutation.end())
                throw std::invalid_argument("Timeloop's mappings have one loop per dimension and level");
            permutation.push_back(loop->dimension);
            factors += (factors.empty() ? "" : " ") + einsum_.dimensions[loop->dimension].name + "=" +
                       std::to_string(loop->extent);
            if (!loop->is_perfect()) factors += "," + std::to_string(loop->remainder);
        }
        for (int d = 0; d < einsum_.dimension_count(); ++d)
            if (std::find(permutation.begin(), permutation.end(), d) == permutation.end()) {
                permutation.push_back(d);
                factors += (factors.empty() ? "" : " ") + einsum_.dimensions[d].name + "=1";
            }
        line("factors", factors);
        line("permutation", permutation_text(permutation));
    }

    // Timeloop reads one letter per dimension; longer names need a list (Tilewright only).
    std::string permutation_text(const std::vector<int>& permutation) const {
        const bool letters = std::all_of(einsum_.dimensions.begin(), einsum_.dimensions.end(),
                                         [](const Dimension& dimension) { return dimension.name.size() == 1; });
        std::string text;
        for (const int d : permutation)
            text += letters ? einsum_.dimensions[d].name
                            : (text.empty() ? "" : ", ") + yaml::scalar_text(einsum_.dimensions[d].name);
        return letters ? yaml::scalar_text(text) : "[" + text + "]";
    }

    const Mapping& mapping_;
    const Einsum& einsum_;
    const Architecture& architecture_;
    LevelOptions options_;
    std::string text_;
};

// A directive has one spatial loop per dimension, and those along X inside those along Y.
bool can_say(const MappingLevel& level) {
    std::uint32_t seen = 0;
    bool inside_x = false;
    for (const Loop& loop : level.spatial) {
        const std::uint32_t bit = 1U << loop.dimension;
        if ((seen & bit) != 0 || (inside_x && loop.kind == LoopKind::spatial_y)) return false;
        seen |= bit;
        inside_x = inside_x || loop.kind == LoopKind::spatial_x;
    }
    return true;
}

}  // namespace

bool directives_can_say(const Mapping& mapping, const Architecture& architecture) {
    const int memories = architecture.memory_count();
    return is_even(mapping, memories) && std::ranges::all_of(levels_of(mapping, memories), can_say);
}

std::string write_mapping(const Mapping& mapping, const Einsum& einsum, const Architecture& architecture) {
    if (!directives_can_say(mapping, architecture))
        throw std::invalid_argument("Timeloop's directives have no words for this mapping");
    return Writer(mapping, einsum, architecture).write();
}

void keep_to_directives(Constraints& constraints, int memory_count) {
    constraints.levels.resize(static_cast<std::size_t>(memory_count));
    for (LevelConstraint& level : constraints.levels) level.spatial.one_axis = true;
}

}  // namespace tilewright::timeloop
