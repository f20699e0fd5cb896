#include "native/problem.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "arch/widths.hpp"
#include "base/numbers/hash.hpp"
#include "native/problem_json.hpp"
#include "sparse/density.hpp"

namespace tilewright::native {
namespace {

std::string numbered(const char* what, std::size_t number) { return what + std::to_string(number); }

void rename_memories(const LayerProblem& from, Architecture& machine) {
    machine.name.clear();
    machine.compute.name = "compute";
    for (std::size_t m = 0; m < machine.memories.size(); ++m) {
        Memory& memory = machine.memories[m];
        memory.name = numbered("m", m);
        if (memory.power_gated_at) {
            const int gate = find_memory(from.architecture, *memory.power_gated_at);
            memory.power_gated_at = numbered("m", static_cast<std::size_t>(gate));
        }
        std::map<std::string, double> scale;
        for (std::size_t t = 0; t < from.einsum.tensors.size(); ++t)
            if (const std::optional<double> found = bandwidth_scale(from.einsum.tensors[t], memory))
                scale[numbered("t", t)] = *found;
        std::map<std::string, std::int64_t> buffers;
        for (int t = 0; t < from.einsum.tensor_count(); ++t)
            if (const std::int64_t count = buffers_of(memory, from.einsum, t); count != 1)
                buffers[numbered("t", static_cast<std::size_t>(t))] = count;
        std::map<std::string, TileRule> tile;
        for (const TileBound& bound : tile_bounds(memory, from.einsum))
            tile[numbered("d", static_cast<std::size_t>(bound.dimension))] = bound.rule;
        memory.tile = std::move(tile);
        memory.bandwidth_scale = std::move(scale);
        memory.buffers = std::move(buffers);
    }
}

// A key of one side only compares with nothing.
std::string difference(const Json& left, const Json& right) {
    const Json mine = left.flatten();
    const Json others = right.flatten();
    const auto value = [](const Json& values, const std::string& path) {
        return values.contains(path) ? text_of(values[path]) : std::string("nothing");
    };
    std::set<std::string> paths;
    for (const Json& values : {mine, others})
        for (const auto& [path, ignored] : values.items()) paths.insert(path);
    for (const std::string& path : paths) {
        if (value(mine, path) == value(others, path)) continue;
        std::string name = path.substr(std::min<std::size_t>(1, path.size()));
        std::replace(name.begin(), name.end(), '/', '.');
        return name + ": " + value(mine, path) + ", not " + value(others, path);
    }
    return "";
}

}  // namespace

std::string text_of(const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string sealed_text(Json json) {
    json["seal"] = content_hash(text_of(json));
    return text_of(json, 1) + "\n";
}

bool seal_holds(const yaml::Node& root, const Json& unsealed) {
    return root.at("seal").text() == content_hash(text_of(unsealed));
}

int model_version_of(const yaml::Node& root) {
    return static_cast<int>(std::min<std::int64_t>(root.at("model").positive(), std::numeric_limits<int>::max()));
}

void note_places(const yaml::Node& node, const std::string& path, int levels, std::map<std::string, Location>& places) {
    if (!path.empty()) places[path] = node.where();
    if (levels == 0) return;
    const std::string prefix = path.empty() ? "" : path + ".";
    if (node.is_map())
        for (const yaml::Node::Entry& entry : node.entries())
            note_places(entry.value, prefix + entry.key, levels - 1, places);
    if (node.is_sequence())
        for (std::size_t i = 0; i < node.items().size(); ++i)
            note_places(node.items()[i], prefix + std::to_string(i), levels - 1, places);
}

std::string hash_of(const Architecture& machine) { return content_hash(text_of(json_of(machine))); }

std::string difference(const Architecture& machine, const Architecture& other) {
    return difference(json_of(machine), json_of(other));
}

std::string difference(const Einsum& einsum, const Einsum& other) {
    return difference(json_of(einsum), json_of(other));
}

std::string difference(const Constraints& constraints, const Constraints& other, const Einsum& einsum) {
    return difference(json_of(constraints, einsum), json_of(other, einsum));
}

LayerProblem without_names(const LayerProblem& problem) {
    LayerProblem plain = problem;
    plain.einsum.name.clear();
    for (std::size_t d = 0; d < plain.einsum.dimensions.size(); ++d) plain.einsum.dimensions[d].name = numbered("d", d);
    for (std::size_t t = 0; t < plain.einsum.tensors.size(); ++t) plain.einsum.tensors[t].name = numbered("t", t);
    rename_memories(problem, plain.architecture);
    return plain;
}

std::string to_text(const LayerProblem& problem) {
    const Json json{{"einsum", json_of(problem.einsum)},
                    {"machine", json_of(problem.architecture)},
                    {"constraints", json_of(problem.constraints, problem.einsum)}};
    return text_of(json);
}

}  // namespace tilewright::native

namespace tilewright::sparse {
namespace {

// Numbers of tensors or dimensions. Range checks are the caller's.
constexpr std::int64_t kMostNumbers = 64;

void add_numbers(yaml::Archive& archive, const char* key, std::vector<int>& numbers) {
    archive(key, numbers);
    if (archive.node() == nullptr) return;
    for (const int number : numbers)
        if (number >= kMostNumbers)
            archive.node()->fail(ErrorCode::bad_value, "a number in '" + std::string(key) + "' is too large");
}

}  // namespace

// Found by the archives through the values' namespace.
yaml::Choice<RankFormat> choice_of(RankFormat& format) {
    return {format,
            {{RankFormat::uop, "uop"},
             {RankFormat::cp, "cp"},
             {RankFormat::rle, "rle"},
             {RankFormat::b, "b"},
             {RankFormat::ub, "ub"}}};
}

void fields(yaml::Archive& archive, FormatRank& rank) {
    archive("format", choice_of(rank.format));
    archive("metadata_bits", rank.metadata_bits);
    archive("payload_bits", rank.payload_bits);
    archive("flattened", rank.flattened);
}

void fields(yaml::Archive& archive, TensorFormat& format) {
    archive("ranks", format.ranks);
    archive("inner_to_outer", format.inner_to_outer);
}

void fields(yaml::Archive& archive, Option& option) {
    archive("target", option.target);
    add_numbers(archive, "conditions", option.conditions);
}

void fields(yaml::Archive& archive, AccessEnergies& energies) {
    archive("read_pj", energies.read_pj);
    archive("fill_pj", energies.fill_pj);
    archive("update_pj", energies.update_pj);
}

void fields(yaml::Archive& archive, MemoryDesign& memory) {
    archive("formats", memory.formats);
    archive("gating", memory.gating);
    archive("skipping", memory.skipping);
    archive("spatial_skipping", memory.spatial_skipping);
    archive("metadata_word_bits", memory.metadata_word_bits);
    archive("metadata_width_bits", memory.metadata_width_bits);
    archive("metadata_depth", memory.metadata_depth);
    archive("decompresses", memory.decompresses);
    archive("compresses", memory.compresses);
    archive("gated", memory.gated);
    archive("skipped", memory.skipped);
    archive("metadata", memory.metadata);
    archive("gated_metadata", memory.gated_metadata);
    archive("skipped_metadata", memory.skipped_metadata);
    archive("decompression_pj", memory.decompression_pj);
    archive("compression_pj", memory.compression_pj);
}

void fields(yaml::Archive& archive, Design& design) {
    archive("memories", design.memories);
    archive("gates_computes", design.gates_computes);
    archive("skips_computes", design.skips_computes);
    archive("gated_compute_pj", design.gated_compute_pj);
    archive("skipped_compute_pj", design.skipped_compute_pj);
}

}  // namespace tilewright::sparse

namespace tilewright::native {
namespace {

std::string hash_of_places(const sparse::Measured& measured) {
    Hasher hasher;
    for (const std::int64_t place : *measured.places) hasher.add(std::to_string(place) + " ");
    return hasher.digest();
}

struct DensityJson {
    Json operator()(const sparse::FixedStructured& fixed) const {
        return {{"model", "fixed_structured"}, {"density", fixed.density}};
    }
    Json operator()(const sparse::UniformRandom& random) const {
        return {{"model", "hypergeometric"}, {"density", random.density}};
    }
    Json operator()(const sparse::Banded& band) const { return {{"model", "banded"}, {"half_width", band.half_width}}; }
    Json operator()(const sparse::Pattern& pattern) const {
        return {{"model", "n:m"}, {"kept", pattern.kept}, {"of", pattern.of}, {"rank", pattern.rank}};
    }
    Json operator()(const sparse::Measured& measured) const {
        return {
            {"model", "measured"}, {"extents", Writer::write(measured.extents)}, {"hash", hash_of_places(measured)}};
    }
};

sparse::Density density_of(const yaml::Node& node, const sparse::Tile& tensor) {
    const std::string& model = node.at("model").text();
    sparse::Density density;
    if (model == "fixed_structured") {
        node.expect_keys({"model", "density"});
        sparse::FixedStructured fixed;
        Reader::read(node.at("density"), fixed.density);
        density = fixed;
    } else if (model == "hypergeometric") {
        node.expect_keys({"model", "density"});
        sparse::UniformRandom random;
        Reader::read(node.at("density"), random.density);
        density = random;
    } else if (model == "n:m") {
        node.expect_keys({"model", "kept", "of", "rank"});
        sparse::Pattern pattern;
        Reader::read(node.at("kept"), pattern.kept);
        Reader::read(node.at("of"), pattern.of);
        std::int64_t rank = 0;
        Reader::read(node.at("rank"), rank);
        pattern.rank = static_cast<int>(std::min<std::int64_t>(rank, kMaxRanks));
        density = pattern;
    } else {
        node.at("model").fail(ErrorCode::bad_value,
                              "expected fixed_structured, hypergeometric or n:m, found '" + model + "'");
    }
    if (const std::string problem = sparse::problem_with(density, tensor); !problem.empty())
        node.fail(ErrorCode::bad_value, problem);
    return density;
}

template <typename Values>
void expect_count(const yaml::Node& node, const Values& values, std::size_t count, const std::string& of) {
    if (values.size() != count)
        node.fail(ErrorCode::bad_value, "expected " + std::to_string(count) + ", one for each " + of + ", found " +
                                            std::to_string(values.size()));
}

void check_options(const yaml::Node& node, const std::vector<sparse::OptionGroup>& groups, int tensors) {
    const auto is_tensor = [tensors](int number) { return number >= 0 && number < tensors; };
    for (const sparse::OptionGroup& group : groups) {
        if (group.empty()) node.fail(ErrorCode::bad_value, "expected at least one option in each group");
        for (const sparse::Option& option : group)
            if (!is_tensor(option.target) || !std::ranges::all_of(option.conditions, is_tensor))
                node.fail(ErrorCode::bad_value, "an option is about a tensor that the layer lacks");
    }
}

void check_memory(const yaml::Node& node, const sparse::MemoryDesign& memory, int tensors) {
    expect_count(node.at("formats"), memory.formats, static_cast<std::size_t>(tensors), "tensor");
    for (const auto& format : memory.formats)
        if (format && format->ranks.empty())
            node.at("formats").fail(ErrorCode::bad_value, "expected at least one rank in a format");
    check_options(node.at("gating"), memory.gating, tensors);
    check_options(node.at("skipping"), memory.skipping, tensors);
    check_options(node.at("spatial_skipping"), memory.spatial_skipping, tensors);
}

}  // namespace

Json json_of(const sparse::Design& design) {
    Json json;
    json["densities"] = Json::array();
    for (const sparse::Density& density : design.densities)
        json["densities"].push_back(std::visit(DensityJson{}, density));
    json.update(Writer::write(design));
    return json;
}

sparse::Design design_of(const yaml::Node& node, const Einsum& einsum, int memories) {
    const yaml::Node& densities = node.at("densities");
    node.expect_keys(
        {"densities", "memories", "gates_computes", "skips_computes", "gated_compute_pj", "skipped_compute_pj"});
    sparse::Design design;
    Reader::read(node.at("memories"), design.memories);
    Reader::read(node.at("gates_computes"), design.gates_computes);
    Reader::read(node.at("skips_computes"), design.skips_computes);
    Reader::read(node.at("gated_compute_pj"), design.gated_compute_pj);
    Reader::read(node.at("skipped_compute_pj"), design.skipped_compute_pj);
    expect_count(densities, list_of(densities), einsum.tensors.size(), "tensor");
    for (int t = 0; t < einsum.tensor_count(); ++t)
        design.densities.push_back(density_of(densities.items()[t], sparse::extents_of(einsum, t)));
    expect_count(node.at("memories"), design.memories, static_cast<std::size_t>(memories), "memory");
    for (std::size_t m = 0; m < design.memories.size(); ++m)
        check_memory(node.at("memories").items()[m], design.memories[m], einsum.tensor_count());
    return design;
}

std::string to_text(const sparse::Design& design) { return text_of(json_of(design)); }

}  // namespace tilewright::native
