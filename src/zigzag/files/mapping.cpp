#include "zigzag/files/mapping.hpp"

#include <algorithm>

#include "zigzag/accounting/nest.hpp"
#include "zigzag/files/words.hpp"
#include "zigzag/forms/uneven_text.hpp"

namespace tilewright::zigzag {
namespace {

using yaml::Node;

std::vector<std::string> dimension_names(const Layer& layer) {
    std::vector<std::string> names;
    for (const Dimension& dimension : layer.dimensions) names.push_back(dimension.name);
    return names;
}

int array_dimension(const Node::Entry& entry, const Accelerator& accelerator) {
    const int found = find_array_dimension(accelerator, entry.key);
    if (found >= 0) return found;
    std::vector<std::string> names;
    for (const ArrayDimension& dimension : accelerator.array) names.push_back(dimension.name);
    entry.key_node.fail(ErrorCode::unknown_name,
                        "the array has no dimension '" + entry.key + "'" + known_names(entry.key, names));
}

/// "K, 32" items, or a map {K: 32}.
std::vector<NamedFactor> read_factors(const Node& node) {
    std::vector<NamedFactor> factors;
    const auto add = [&](const std::string& name, const std::string& factor, const Node& place) {
        NamedFactor one{upper_case(name), positive_number(factor, place)};
        const bool twice = std::any_of(factors.begin(), factors.end(),
                                       [&](const NamedFactor& other) { return other.dimension == one.dimension; });
        if (twice) place.fail(ErrorCode::duplicate_key, "dimension '" + one.dimension + "' is listed twice");
        factors.push_back(std::move(one));
    };
    if (node.is_map())
        for (const Node::Entry& entry : node.entries()) add(entry.key, entry.value.text(), entry.value);
    else
        for (const Node& item : node.items()) {
            const std::vector<std::string> words = words_of(item, 2, "a dimension and a factor, such as 'K, 32'");
            add(words[0], words[1], item);
        }
    return factors;
}

void read_spatial(const Node& node, const Accelerator& accelerator, MappingEntry& entry) {
    for (const Node::Entry& row : node.entries())
        entry.spatial[array_dimension(row, accelerator)] = read_factors(row.value);
}

void read_hints(const Node& node, const Accelerator& accelerator, MappingEntry& entry) {
    for (const Node::Entry& row : node.entries()) {
        // ZigZag's own files hint at other machines' dimensions; absent ones have no effect.
        const int dimension = find_array_dimension(accelerator, row.key);
        for (const Node& item : row.value.items())
            if (dimension >= 0) entry.hints[dimension].push_back(upper_case(item.text()));
    }
}

void read_ordering(const Node& node, MappingEntry& entry) {
    bool has_gap = false;
    for (const Node& item : node.items()) {
        const std::vector<std::string> words = words_of(item, 2, "a dimension and an extent, such as [K, 4]");
        OrderedLoop loop{upper_case(words[0]), std::nullopt, item};
        if (words[1] != "*") loop.size = positive_number(words[1], item);
        if (loop.dimension == kBetween) {
            if (loop.size) item.fail(ErrorCode::bad_value, "'*' stands for all other loops: its size is '*', too");
            if (has_gap) item.fail(ErrorCode::bad_value, "a second [*, *]; one place is left to the other loops");
            has_gap = true;
        }
        entry.ordering.push_back(std::move(loop));
    }
}

MappingEntry read_entry(const Node& node, const Accelerator& accelerator) {
    node.expect_keys({"name", "spatial_mapping", "spatial_mapping_hint", "temporal_ordering", "memory_operand_links",
                      "temporal_mapping"});
    MappingEntry entry;
    entry.where = node;
    entry.name = node.at("name").text();
    if (!node.has("spatial_mapping") && !node.has("spatial_mapping_hint") && !node.has("temporal_mapping") &&
        !node.has("memory_operand_links"))  // an entry of links alone leaves the array open
        node.fail(ErrorCode::missing_key,
                  "entry '" + entry.name + "' gives no spatial_mapping (nor a spatial_mapping_hint)");
    entry.spatial.resize(accelerator.array.size());
    entry.hints.resize(accelerator.array.size());
    if (node.has("spatial_mapping")) read_spatial(node.at("spatial_mapping"), accelerator, entry);
    if (node.has("spatial_mapping_hint")) read_hints(node.at("spatial_mapping_hint"), accelerator, entry);
    if (node.has("temporal_ordering")) read_ordering(node.at("temporal_ordering"), entry);
    if (node.has("temporal_mapping")) entry.temporal = node.at("temporal_mapping");
    if (node.has("memory_operand_links"))
        for (const Node::Entry& link : node.at("memory_operand_links").entries())
            entry.links.emplace_back(link.key, memory_operand(link.value.text(), link.value));
    return entry;
}

int layer_dimension(const std::string& name, const Layer& layer, const Node& place) {
    const int dimension = find_dimension(layer, name);
    if (dimension < 0)
        place.fail(ErrorCode::unknown_name, "layer '" + layer.name + "' has no dimension '" + name + "'" +
                                                known_names(name, dimension_names(layer)));
    return dimension;
}

LevelLoops read_level(const Node& node, const Layer& layer) {
    LevelLoops loops;
    for (const Node& item : node.items()) {
        const std::vector<std::string> words = words_of(item, 2, "a dimension and an extent, such as [K, 4]");
        loops.push_back({layer_dimension(upper_case(words[0]), layer, item), positive_number(words[1], item)});
    }
    return loops;
}

std::vector<LevelLoops> read_levels(const Node& node, const Accelerator& accelerator, const Layer& layer, int operand) {
    if (node.is_scalar()) {
        try {
            return parse_levels(accelerator, layer, operand, node.text());
        } catch (const InputError& error) {
            node.fail(error.code(), "column " + std::to_string(error.where().column) + " of it: " + error.message());
        }
    }
    std::vector<LevelLoops> levels;
    for (const Node& level : node.items()) levels.push_back(read_level(level, layer));
    return levels;
}

// The placeholder of unordered loops, or, in an entry for many layers, a dimension absent from this one.
bool says_nothing(const OrderedLoop& loop, const MappingEntry& entry, const Layer& layer) {
    if (loop.dimension == kBetween) return true;
    return !loop.size && entry.name != layer.name && find_dimension(layer, loop.dimension) < 0;
}

void take(const OrderedLoop& loop, std::int64_t size, std::int64_t& left) {
    if (left % size != 0)
        loop.where.fail(ErrorCode::factor_product, "the " + std::to_string(left) + " iterations of " + loop.dimension +
                                                       " that are left do not divide by " + std::to_string(size));
    left /= size;
}

/// Iterations left per dimension by the spatial mapping.
std::vector<std::int64_t> temporal_extents(const Layer& layer, const SpatialMapping& fractional) {
    std::vector<std::int64_t> extents(layer.dimensions.size(), 1);
    for (const TemporalLoop& loop : temporal_loops(layer, fractional)) extents[loop.dimension] = loop.size;
    return extents;
}

/// Quoted: names come from foreign files.
std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("\'\'") : std::string(1, c == '\n' ? ' ' : c);
    return out + "'";
}

std::string spatial_yaml(const Accelerator& accelerator, const Layer& layer, const ArrayUnrolling& unrolling) {
    std::string text = "  spatial_mapping:\n";
    for (std::size_t a = 0; a < unrolling.size(); ++a) {
        text += "    " + accelerator.array[a].name + ":" + (unrolling[a].empty() ? " []" : "") + "\n";
        for (const Unrolling& one : unrolling[a])
            text += "    - " + layer.dimensions[one.dimension].name + ", " + std::to_string(one.factor) + "\n";
    }
    return text;
}

}  // namespace

bool is_mapping(const Node& root) {
    return root.is_sequence() && !root.items().empty() && root.items()[0].is_map() &&
           (root.items()[0].has("spatial_mapping") || root.items()[0].has("spatial_mapping_hint") ||
            root.items()[0].has("memory_operand_links") || root.items()[0].has("temporal_mapping") ||
            root.items()[0].has("temporal_ordering") || root.items()[0].has("core_allocation"));
}

std::vector<MappingEntry> read_mappings(const Node& root, const Accelerator& accelerator) {
    if (!root.is_sequence()) root.fail(ErrorCode::wrong_type, "a mapping file is a sequence of entries");
    std::vector<MappingEntry> entries;
    for (const Node& item : root.items()) {
        MappingEntry entry = read_entry(item, accelerator);
        for (const MappingEntry& other : entries)
            if (other.name == entry.name)
                item.fail(ErrorCode::duplicate_key, "there are two entries named '" + entry.name + "'");
        entries.push_back(std::move(entry));
    }
    return entries;
}

const MappingEntry* entry_for(const std::vector<MappingEntry>& entries, const Layer& layer) {
    for (const std::string& name : {layer.name, layer.operator_type, std::string("default")})
        for (const MappingEntry& entry : entries)
            if (entry.name == name) return &entry;
    return nullptr;
}

void link_operands(const MappingEntry& entry, Layer& layer) {
    if (entry.links.empty()) return;
    for (Operand& operand : layer.operands) {
        const auto link = std::find_if(entry.links.begin(), entry.links.end(),
                                       [&](const auto& one) { return one.first == operand.name; });
        if (link == entry.links.end())
            entry.where.fail(ErrorCode::missing_key, "memory_operand_links of '" + entry.name +
                                                         "' does not link operand '" + operand.name + "'");
        operand.memory = link->second;
    }
    if (const std::string problem = problem_with(layer); !problem.empty())
        entry.where.fail(ErrorCode::bad_value, "linked so, layer '" + layer.name + "' cannot run: " + problem);
}

UnrollingRequest requested_unrolling(const MappingEntry& entry, const Layer& layer) {
    UnrollingRequest request;
    for (const auto& row : entry.spatial) {
        auto& loops = request.rows.emplace_back();
        if (!row) continue;
        loops.emplace();
        for (const NamedFactor& one : *row)
            if (const int dimension = find_dimension(layer, one.dimension); dimension >= 0)
                loops->push_back({dimension, one.factor});
    }
    for (const std::vector<std::string>& names : entry.hints) {
        std::vector<int>& hints = request.hints.emplace_back();
        for (const std::string& name : names)
            if (const int dimension = find_dimension(layer, name); dimension >= 0) hints.push_back(dimension);
    }
    return request;
}

std::optional<UnevenMapping> temporal_mapping(const MappingEntry& entry, const Accelerator& accelerator,
                                              const Layer& layer) {
    if (!entry.temporal) return std::nullopt;
    std::vector<std::string> names;
    for (const Operand& operand : layer.operands) names.push_back(operand.name);
    entry.temporal->expect_keys(names);
    UnevenMapping mapping;
    for (int i = 0; i < layer.operand_count(); ++i)
        mapping.operands.push_back(read_levels(entry.temporal->at(layer.operands[i].name), accelerator, layer, i));
    if (const std::string problem = problem_with(accelerator, layer, mapping); !problem.empty())
        entry.temporal->fail(ErrorCode::bad_value, "this is no mapping of layer '" + layer.name + "': " + problem);
    return mapping;
}

std::optional<LevelLoops> complete_ordering(const MappingEntry& entry, const Layer& layer,
                                            const SpatialMapping& fractional) {
    if (entry.ordering.empty()) return std::nullopt;
    std::vector<std::int64_t> left = temporal_extents(layer, fractional);
    LevelLoops order;
    for (const OrderedLoop& loop : entry.ordering) {
        if (says_nothing(loop, entry, layer)) continue;
        const int dimension = layer_dimension(loop.dimension, layer, loop.where);
        const std::int64_t size = loop.size.value_or(left[dimension]);
        take(loop, size, left[dimension]);
        if (size > 1) order.push_back({dimension, size});
    }
    const bool all = std::all_of(left.begin(), left.end(), [](std::int64_t extent) { return extent == 1; });
    if (!all) return std::nullopt;
    if (order.empty()) order.push_back({0, 1});
    return order;
}

bool leaves_sizes_open(const MappingEntry& entry) {
    return std::any_of(entry.ordering.begin(), entry.ordering.end(),
                       [](const OrderedLoop& loop) { return !loop.size && loop.dimension != kBetween; });
}

GivenOrder given_order(const MappingEntry& entry, const Layer& layer, const SpatialMapping& fractional) {
    std::vector<std::int64_t> left = temporal_extents(layer, fractional);
    GivenOrder given;
    std::vector<GivenLoop>* side = &given.inner;
    for (const OrderedLoop& loop : entry.ordering) {
        if (loop.dimension == kBetween) side = &given.outer;
        if (says_nothing(loop, entry, layer)) continue;
        const int dimension = layer_dimension(loop.dimension, layer, loop.where);
        if (loop.size) take(loop, *loop.size, left[dimension]);
        if (loop.size.value_or(0) != 1) side->push_back({dimension, loop.size});
    }
    for (std::vector<GivenLoop>* loops : {&given.inner, &given.outer})
        std::erase_if(*loops, [&](const GivenLoop& loop) { return !loop.size && left[loop.dimension] == 1; });
    return given;
}

std::string write_mapping(const Accelerator& accelerator, const Layer& layer, const ArrayUnrolling& unrolling,
                          const UnevenMapping& mapping) {
    std::string text = "- name: " + quoted(layer.name) + "\n" + spatial_yaml(accelerator, layer, unrolling);
    text += "  temporal_mapping:\n";
    for (int i = 0; i < layer.operand_count(); ++i)
        text +=
            "    " + layer.operands[i].name + ": '" + levels_text(accelerator, layer, i, mapping.operands[i]) + "'\n";
    text += "  memory_operand_links:\n";
    for (const Operand& operand : layer.operands)
        text += "    " + operand.name + ": " + std::string(name_of(operand.memory)) + "\n";
    return text;
}

}  // namespace tilewright::zigzag
