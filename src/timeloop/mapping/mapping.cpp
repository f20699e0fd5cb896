#include "timeloop/mapping/mapping.hpp"

#include <algorithm>
#include <optional>

#include "base/numbers/checked.hpp"
#include "timeloop/files/sections.hpp"
#include "timeloop/mapping/nest.hpp"

namespace tilewright::timeloop {
namespace {

using yaml::Node;

/// Temporal or spatial loops of one memory's directive.
struct Directive {
    Node directive;            // all of it
    Node place;                // of the factors
    std::vector<Node> places;  // by dimension: of its factor
    std::vector<std::optional<Factor>> factors;
    std::vector<int> permutation;  // innermost first, all dimensions
    std::int64_t split = 0;        // how many of them lie along X
};

struct Level {
    TensorSet keep;
    TensorSet decided;  // by a bypass directive
    std::optional<Directive> temporal;
    std::optional<Directive> spatial;
    std::optional<Node> kept;  // the directive of kept tensors
    LevelOptions options;
};

// Iterations of one dimension's loops: a mixed-radix number, outermost digit first.
std::int64_t covered_by(const Mapping& mapping, int dimension) {
    std::int64_t covered = 1;
    for (const tilewright::Node& node : mapping.nodes) {
        const Loop* loop = std::get_if<Loop>(&node);
        if (loop == nullptr || loop->dimension != dimension) continue;
        const std::int64_t full = saturating_mul(covered - 1, loop->extent);
        if (__builtin_add_overflow(full, loop->remainder, &covered)) covered = full;
    }
    return covered;
}

class MappingReader {
   public:
    MappingReader(const Einsum& einsum, const Architecture& architecture)
        : einsum_(einsum), architecture_(architecture), levels_(architecture.memories.size()) {
        for (int m = 0; m < architecture.memory_count(); ++m)
            if (!architecture.memories[m].spreads_only) levels_[m].keep = TensorSet::all(einsum.tensor_count());
    }

    void read(const Node& directives) {
        for (const Node& directive : directives.items()) read_directive(directive);
    }

    Mapping mapping() const {
        std::vector<MappingLevel> levels;
        std::vector<LevelOptions> options;
        levels.reserve(levels_.size());
        options.reserve(levels_.size());
        for (const Level& level : levels_) {
            levels.push_back({level.keep, loops_of(level.temporal, false), loops_of(level.spatial, true)});
            options.push_back(level.options);
        }
        Mapping mapping = mapping_of(levels);
        if (options != std::vector<LevelOptions>(options.size())) mapping.options = options;
        return mapping;
    }

    /// By node of mapping().
    std::vector<Location> places(const Node& directives) const {
        std::vector<Location> places;
        for (const Level& level : levels_) {
            places.push_back(place_of(level, directives).where());
            for (const auto* directive : {&level.temporal, &level.spatial})
                for (const Loop& loop : loops_of(*directive, directive == &level.spatial))
                    places.push_back((*directive)->places[loop.dimension].where());
        }
        return places;
    }

    bool has_remainders() const {
        for (const Level& level : levels_)
            for (const auto* directive : {&level.temporal, &level.spatial})
                if (*directive)
                    for (const std::optional<Factor>& factor : (*directive)->factors)
                        if (factor && factor->has_remainder) return true;
        return false;
    }

    /// Refuses the first dimension with loops short of its extent, at its outermost directive. `restorable`: some
    /// choice of remainders would fit.
    void check_factors(const Mapping& mapping, const Node& directives, bool restorable) const {
        for (int d = 0; d < einsum_.dimension_count(); ++d)
            if (const std::int64_t covered = covered_by(mapping, d); covered != einsum_.dimensions[d].extent)
                fail_factors(d, covered, directives, restorable);
    }

   private:
    void read_directive(const Node& node) {
        const int memory = read_target(node);
        const std::string& type = node.at("type").text();
        if (type == "temporal")
            read_temporal(node, memory);
        else if (type == "spatial")
            read_spatial(node, memory);
        else if (type == "bypass" || type == "datatype" || type == "dataspace")
            read_bypass(node, memory);
        else
            node.at("type").fail(ErrorCode::bad_value,
                                 "a directive's type is temporal, spatial or datatype (also called bypass), not '" +
                                     type + "'" + did_you_mean(type, {"temporal", "spatial", "bypass", "datatype"}));
    }

    // A v0.4 container may be named after its contents.
    int read_target(const Node& node) const {
        const Node& target = node.at("target");
        const std::string& name = target.text();
        if (const int m = find_memory(architecture_, name); m >= 0) return m;
        if (const int m = find_memory(architecture_, "inter_" + name + "_spatial"); m >= 0) return m;
        const std::vector<std::string> known = names_of(architecture_.memories);
        const std::string hint = did_you_mean(name, known);
        target.fail(ErrorCode::unknown_level, "the architecture has no memory '" + name + "'" +
                                                  (hint.empty() ? "; it has " + list_words(known) : hint));
    }

    // A split gives the spatial loops along X; Timeloop reads it from temporal ones too, without effect.
    void read_temporal(const Node& node, int memory) {
        node.expect_keys(
            {"target", "type", "factors", "permutation", "split", "no_reuse", "no_temporal_reuse", "rmw_first_update"});
        Level& level = levels_[memory];
        refuse_second(node, level.temporal, memory, "temporal");
        level.temporal = read_loops(node);
        if (node.has("no_reuse") && node.has("no_temporal_reuse"))
            node.at("no_reuse").fail(ErrorCode::duplicate_key, "no_reuse and no_temporal_reuse mean the same here");
        level.options.no_temporal_reuse = read_tensors(node, node.has("no_reuse") ? "no_reuse" : "no_temporal_reuse");
        level.options.rmw_first_update = read_tensors(node, "rmw_first_update");
    }

    void read_spatial(const Node& node, int memory) {
        node.expect_keys({"target", "type", "factors", "permutation", "split", "no_link_transfer", "no_reuse"});
        const std::string& name = architecture_.memories[memory].name;
        if (architecture_.fanout(memory).size() <= 1)
            node.at("target").fail(ErrorCode::no_fanout, "there is nothing to spread over below '" + name +
                                                             "': each of its instances has one inner neighbour");
        Level& level = levels_[memory];
        refuse_second(node, level.spatial, memory, "spatial");
        level.spatial = read_loops(node);
        level.options.no_link_transfer = read_tensors(node, "no_link_transfer");
        level.options.no_multicast = read_tensors(node, "no_reuse");
    }

    static const Node& place_of(const Level& level, const Node& directives) {
        if (level.kept) return *level.kept;
        if (level.temporal) return level.temporal->directive;
        return level.spatial ? level.spatial->directive : directives;
    }

    // A bypass of the outermost memory costs the same: tensors are streamed through it.
    void read_bypass(const Node& node, int memory) {
        Level& level = levels_[memory];
        node.expect_keys({"target", "type", "keep", "bypass", "no_coalesce", "stream"});
        level.kept = node;
        if (!read_tensors(node, "stream").empty() && memory != 0)
            node.at("stream").fail(ErrorCode::unsupported,
                                   "tensors to stream are not supported inside the outermost memory");
        const TensorSet keep = read_tensors(node, "keep");
        const TensorSet bypass = read_tensors(node, "bypass");
        for (int t = 0; t < einsum_.tensor_count(); ++t) {
            if (!keep.has(t) && !bypass.has(t)) continue;
            const std::string& name = einsum_.tensors[t].name;
            if ((keep.has(t) && bypass.has(t)) || (level.decided.has(t) && level.keep.has(t) != keep.has(t)))
                node.fail(ErrorCode::bad_value, "tensor '" + name + "' is both kept and bypassed here");
            level.decided.add(t);
            if (keep.has(t))
                level.keep.add(t);
            else
                level.keep.remove(t);
        }
        if (node.has("no_coalesce")) level.options.no_coalesce = read_tensors(node, "no_coalesce");
    }

    void refuse_second(const Node& node, const std::optional<Directive>& first, int memory,
                       const std::string& type) const {
        if (first)
            node.at("target").fail(ErrorCode::duplicate_key,
                                   "a second " + type + " directive for '" + architecture_.memories[memory].name + "'");
    }

    Directive read_loops(const Node& node) const {
        Directive loops;
        loops.directive = loops.place = node;
        loops.factors.resize(einsum_.dimensions.size());
        if (const Node* factors = node.find("factors")) {
            loops.place = *factors;
            loops.factors = read_factors(*factors, einsum_);
        }
        loops.places.assign(einsum_.dimensions.size(), loops.place);
        if (loops.place.is_sequence())
            for (const Node& item : loops.place.items()) take_place(item, loops.places);
        if (const Node* permutation = node.find("permutation"))
            loops.permutation = read_permutation(*permutation, einsum_);
        for (int d = 0; d < einsum_.dimension_count(); ++d)
            if (std::find(loops.permutation.begin(), loops.permutation.end(), d) == loops.permutation.end())
                loops.permutation.push_back(d);
        loops.split = einsum_.dimension_count();
        if (const Node* split = node.find("split")) {
            loops.split = split->integer();
            if (loops.split < 0) split->fail(ErrorCode::bad_value, "a split counts dimensions; it starts at 0");
        }
        return loops;
    }

    // Of the factors in a list item.
    void take_place(const Node& item, std::vector<Node>& places) const {
        const std::vector<std::optional<Factor>> factors = read_factors(item, einsum_);
        for (std::size_t d = 0; d < factors.size(); ++d)
            if (factors[d]) places[d] = item;
    }

    TensorSet read_tensors(const Node& node, const char* key) const {
        TensorSet tensors;
        const Node* list = node.find(key);
        if (list == nullptr) return tensors;
        for (const Node& item : list->items()) {
            const int t = find_tensor(einsum_, item.text());
            if (t < 0) fail_tensor(item);
            tensors.add(t);
        }
        return tensors;
    }

    [[noreturn]] void fail_tensor(const Node& item) const {
        const std::vector<std::string> known = names_of(einsum_.tensors);
        const std::string hint = did_you_mean(item.text(), known);
        item.fail(ErrorCode::unknown_tensor, "the problem has no tensor '" + item.text() + "'" +
                                                 (hint.empty() ? "; it has " + list_words(known) : hint));
    }

    // Outermost first, without loops of one iteration.
    static std::vector<Loop> loops_of(const std::optional<Directive>& directive, bool spatial) {
        std::vector<Loop> loops;
        if (!directive) return loops;
        for (std::size_t k = directive->permutation.size(); k-- > 0;) {
            const int d = directive->permutation[k];
            const Factor factor = directive->factors[d].value_or(Factor{});
            if (factor.extent == 1) continue;
            LoopKind kind = LoopKind::temporal;
            if (spatial)
                kind = static_cast<std::int64_t>(k) < directive->split ? LoopKind::spatial_x : LoopKind::spatial_y;
            loops.push_back({d, factor.extent, factor.remainder, kind});
        }
        return loops;
    }

    [[noreturn]] void fail_factors(int dimension, std::int64_t covered, const Node& directives, bool restorable) const {
        const Dimension& d = einsum_.dimensions[dimension];
        std::vector<std::string> parts;
        const Node* place = nullptr;
        for (std::size_t m = 0; m < levels_.size(); ++m)
            for (const auto* directive : {&levels_[m].temporal, &levels_[m].spatial}) {
                if (!*directive) continue;
                const std::optional<Factor>& given = (*directive)->factors[dimension];
                if (!given) continue;
                const Factor factor = *given;
                if (place == nullptr || (factor.extent > 1 && parts.empty())) place = &(*directive)->place;
                if (factor.extent > 1)
                    parts.push_back(std::to_string(factor.extent) +
                                    (factor.has_remainder ? "," + std::to_string(factor.remainder) : "") + " at " +
                                    architecture_.memories[m].name);
            }
        const std::string loops = parts.empty() ? "no loop runs over it" : list_words(parts);
        (place == nullptr ? directives : *place)
            .fail(ErrorCode::factor_product, "the factors of dimension " + d.name + " cover " +
                                                 std::to_string(covered) + ", but its extent is " +
                                                 std::to_string(d.extent) + " (" + loops + ")" +
                                                 (restorable ? "; with remainders (C=4,3) they would fit" : ""));
    }

    const Einsum& einsum_;
    const Architecture& architecture_;
    std::vector<Level> levels_;  // outermost first
};

// The list of directives: the file itself, or under `mapping` once or twice.
Node directives_in(const Node& root) {
    if (root.is_sequence()) return root;
    const Node& mapping = root.at("mapping");
    if (!mapping.is_map()) return mapping;
    mapping.expect_keys({"version", "mapping"});
    return mapping.at("mapping");
}

}  // namespace

PlacedMapping read_placed_mapping(const Node& root, const Einsum& einsum, const Architecture& architecture,
                                  Remainders remainders) {
    const Node directives = directives_in(root);
    if (is_nest(directives)) return {read_nest(directives, einsum, architecture), nest_places(directives)};
    MappingReader reader(einsum, architecture);
    reader.read(directives);
    PlacedMapping read{reader.mapping(), {directives.where(), reader.places(directives)}};
    Mapping restored = read.mapping;
    const bool restorable = !reader.has_remainders() && restore_remainders(restored, einsum);
    if (restorable && remainders == Remainders::restore)
        read.mapping = std::move(restored);
    else
        reader.check_factors(read.mapping, directives, restorable);
    return read;
}

Mapping read_mapping(const Node& root, const Einsum& einsum, const Architecture& architecture, Remainders remainders) {
    return read_placed_mapping(root, einsum, architecture, remainders).mapping;
}

}  // namespace tilewright::timeloop
