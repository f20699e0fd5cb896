// Einsums, constraints and mappings as JSON: dimensions, tensors and memories by name, not number.
#include <algorithm>

#include "native/problem_json.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

// Found by the archives through the values' namespace.
void fields(yaml::Archive& archive, FactorConstraint& factor) {
    archive("exactly", factor.exactly);
    archive("at_least", factor.at_least);
    archive("at_most", factor.at_most);
}

void fields(yaml::Archive& archive, Dimension& dimension) {
    archive("name", dimension.name);
    archive("extent", dimension.extent);
}

}  // namespace tilewright

namespace tilewright::native {
namespace {

int dimension_named(const yaml::Node& node, const Einsum& einsum) {
    const int dimension = find_dimension(einsum, node.text());
    if (dimension >= 0) return dimension;
    std::vector<std::string> names;
    for (const Dimension& one : einsum.dimensions) names.push_back(one.name);
    node.fail(ErrorCode::unknown_name,
              "there is no dimension '" + node.text() + "'" + did_you_mean(node.text(), names));
}

Json names_of(const std::vector<int>& dimensions, const Einsum& einsum) {
    Json json = Json::array();
    for (const int d : dimensions) json.push_back(einsum.dimensions[d].name);
    return json;
}

std::vector<int> dimensions_named(const yaml::Node& node, const Einsum& einsum) {
    std::vector<int> dimensions;
    for (const yaml::Node& item : list_of(node)) dimensions.push_back(dimension_named(item, einsum));
    return dimensions;
}

Json names_of(TensorSet tensors, const Einsum& einsum) {
    Json json = Json::array();
    for (int t = 0; t < einsum.tensor_count(); ++t)
        if (tensors.has(t)) json.push_back(einsum.tensors[t].name);
    return json;
}

TensorSet tensors_named(const yaml::Node& node, const Einsum& einsum) {
    std::vector<std::string> names;
    for (const Tensor& tensor : einsum.tensors) names.push_back(tensor.name);
    TensorSet tensors;
    for (const yaml::Node& item : list_of(node)) {
        const int tensor = find_tensor(einsum, item.text());
        if (tensor < 0)
            item.fail(ErrorCode::unknown_tensor,
                      "there is no tensor '" + item.text() + "'" + did_you_mean(item.text(), names));
        if (tensors.has(tensor)) item.fail(ErrorCode::duplicate_key, "tensor '" + item.text() + "' is named twice");
        tensors.add(tensor);
    }
    return tensors;
}

std::optional<std::int64_t> widened(const std::optional<int>& value) {
    return value ? std::optional<std::int64_t>(*value) : std::nullopt;
}

Json json_of(const LoopConstraint& loops, const Einsum& einsum) {
    Json json;
    json["factors"] = Writer::write(loops.factors);
    json["inner"] = names_of(loops.inner, einsum);
    json["outer"] = names_of(loops.outer, einsum);
    json["split"] = Writer::write(widened(loops.split));
    if (loops.one_axis) json["one_axis"] = true;
    json["remainders"] = Writer::write(loops.remainders);
    return json;
}

// Refuses bounds without a solution.
void refuse_contradiction(const yaml::Node& node, const FactorConstraint& factor, std::int64_t extent) {
    const std::int64_t most = std::min(factor.at_most.value_or(extent), extent);
    const auto fail = [&node](const std::string& message) { node.fail(ErrorCode::bad_value, message); };
    if (factor.at_least < 1) fail("a factor of less than 1");
    if (factor.at_most && *factor.at_most < 1) fail("a factor of at most 0");
    if (factor.at_least > most)
        fail("a factor of at least " + std::to_string(factor.at_least) + " and at most " + std::to_string(most));
    if (factor.exactly && (*factor.exactly < factor.at_least || *factor.exactly > most))
        fail("a factor of exactly " + std::to_string(*factor.exactly) + ", at least " +
             std::to_string(factor.at_least) + " and at most " + std::to_string(most));
}

LoopConstraint loop_constraint_of(const yaml::Node& node, const Einsum& einsum) {
    node.expect_keys({"factors", "inner", "outer", "split", "one_axis", "remainders"});
    LoopConstraint loops;
    Reader::read(node.at("factors"), loops.factors);
    if (!loops.factors.empty() && loops.factors.size() != einsum.dimensions.size())
        node.at("factors").fail(ErrorCode::bad_value, "expected one entry per dimension, or none, found " +
                                                          std::to_string(loops.factors.size()) + " for " +
                                                          std::to_string(einsum.dimensions.size()));
    for (std::size_t d = 0; d < loops.factors.size(); ++d)
        refuse_contradiction(node.at("factors").items()[d], loops.factors[d], einsum.dimensions[d].extent);
    loops.inner = dimensions_named(node.at("inner"), einsum);
    loops.outer = dimensions_named(node.at("outer"), einsum);
    std::uint32_t seen = 0;
    for (const std::vector<int>& part : {loops.inner, loops.outer})
        for (const int d : part) {
            if ((seen >> d & 1U) != 0)
                node.fail(ErrorCode::duplicate_key,
                          "dimension '" + einsum.dimensions[d].name + "' stands twice in one order");
            seen |= 1U << d;
        }
    std::optional<std::int64_t> split;
    Reader::read(node.at("split"), split);
    if (split && *split > 1'000'000) node.at("split").fail(ErrorCode::bad_value, "expected at most 1000000");
    if (split) loops.split = static_cast<int>(*split);
    if (const yaml::Node* one_axis = node.find("one_axis")) Reader::read(*one_axis, loops.one_axis);
    Reader::read(node.at("remainders"), loops.remainders);
    if (loops.remainders && *loops.remainders < 1)
        node.at("remainders").fail(ErrorCode::bad_value, "expected at least 1");
    return loops;
}

Json json_of(const Tensor& tensor, const Einsum& einsum) {
    Json json{{"name", tensor.name}, {"written", tensor.written}, {"ranks", Json::array()}};
    if (tensor.bits > 0) json["bits"] = tensor.bits;
    if (tensor.scale_bits > 0) json["scale_bits"] = tensor.scale_bits;
    for (const Rank& rank : tensor.ranks) {
        Json terms = Json::array();
        for (const Term& term : rank.terms)
            terms.push_back({{"coefficient", term.coefficient}, {"dimension", einsum.dimensions[term.dimension].name}});
        json["ranks"].push_back(terms);
    }
    return json;
}

Tensor tensor_of(const yaml::Node& node, const Einsum& einsum) {
    node.expect_keys({"name", "written", "ranks", "bits", "scale_bits"});
    Tensor tensor;
    tensor.name = node.at("name").text();
    tensor.written = node.at("written").boolean();
    if (const yaml::Node* bits = node.find("bits")) tensor.bits = bits->positive();
    if (const yaml::Node* scale = node.find("scale_bits")) {
        tensor.scale_bits = scale->positive();
        if (tensor.scale_bits >= tensor.bits) scale->fail(ErrorCode::bad_value, "expected fewer bits than a word has");
    }
    for (const yaml::Node& rank : list_of(node.at("ranks"))) {
        tensor.ranks.emplace_back();
        for (const yaml::Node& term : list_of(rank)) {
            term.expect_keys({"coefficient", "dimension"});
            constexpr std::int64_t kLargest = 0x7fffffff;
            const std::int64_t coefficient = term.at("coefficient").integer();
            if (coefficient > kLargest || coefficient < -kLargest)
                term.at("coefficient").fail(ErrorCode::overflow, "a coefficient of 2^31 or more");
            tensor.ranks.back().terms.push_back({dimension_named(term.at("dimension"), einsum), coefficient});
        }
    }
    return tensor;
}

const std::vector<std::pair<LoopKind, std::string>>& kind_names() {
    static const std::vector<std::pair<LoopKind, std::string>> kNames{
        {LoopKind::temporal, "temporal"}, {LoopKind::spatial_x, "spatial_x"}, {LoopKind::spatial_y, "spatial_y"}};
    return kNames;
}

Store store_of(const yaml::Node& node, const Einsum& einsum, const Architecture& architecture) {
    node.expect_keys({"store", "tensors"});
    const int memory = find_memory(architecture, node.at("store").text());
    if (memory < 0)
        node.at("store").fail(ErrorCode::unknown_level, "there is no memory '" + node.at("store").text() + "'");
    return {memory, tensors_named(node.at("tensors"), einsum)};
}

Loop loop_of(const yaml::Node& node, const Einsum& einsum) {
    node.expect_keys({"loop", "extent", "remainder", "kind"});
    Loop loop;
    loop.dimension = dimension_named(node.at("loop"), einsum);
    loop.extent = node.at("extent").positive();
    loop.remainder = node.at("remainder").positive();
    if (loop.remainder > loop.extent) node.at("remainder").fail(ErrorCode::bad_value, "larger than the extent");
    Choice<LoopKind> kind{loop.kind, kind_names()};
    Reader::read(node.at("kind"), kind);
    return loop;
}

}  // namespace

Json json_of(const Einsum& einsum) {
    Json json{{"name", einsum.name}, {"dimensions", Writer::write(einsum.dimensions)}, {"tensors", Json::array()}};
    for (const Tensor& tensor : einsum.tensors) json["tensors"].push_back(json_of(tensor, einsum));
    return json;
}

Einsum einsum_of(const yaml::Node& node) {
    node.expect_keys({"name", "dimensions", "tensors"});
    Einsum einsum;
    einsum.name = node.at("name").text();
    Reader::read(node.at("dimensions"), einsum.dimensions);
    for (const yaml::Node& tensor : list_of(node.at("tensors"))) einsum.tensors.push_back(tensor_of(tensor, einsum));
    if (const std::string problem = problem_with(einsum); !problem.empty()) node.fail(ErrorCode::bad_value, problem);
    return einsum;
}

Json json_of(const Constraints& constraints, const Einsum& einsum) {
    Json json{{"min_parallelism", constraints.min_parallelism}, {"levels", Json::array()}};
    for (const LevelConstraint& level : constraints.levels)
        json["levels"].push_back({{"temporal", json_of(level.temporal, einsum)},
                                  {"spatial", json_of(level.spatial, einsum)},
                                  {"must_keep", names_of(level.must_keep, einsum)},
                                  {"must_bypass", names_of(level.must_bypass, einsum)}});
    return json;
}

Constraints constraints_of(const yaml::Node& node, const Einsum& einsum, int levels) {
    node.expect_keys({"min_parallelism", "levels"});
    Constraints constraints;
    Reader::read(node.at("min_parallelism"), constraints.min_parallelism);
    if (constraints.min_parallelism > 1.0)
        node.at("min_parallelism").fail(ErrorCode::bad_value, "expected a share from 0 to 1");
    for (const yaml::Node& item : list_of(node.at("levels"))) {
        item.expect_keys({"temporal", "spatial", "must_keep", "must_bypass"});
        constraints.levels.push_back(
            {loop_constraint_of(item.at("temporal"), einsum), loop_constraint_of(item.at("spatial"), einsum),
             tensors_named(item.at("must_keep"), einsum), tensors_named(item.at("must_bypass"), einsum)});
        const LevelConstraint& level = constraints.levels.back();
        if ((level.must_keep.bits() & level.must_bypass.bits()) != 0)
            item.at("must_bypass").fail(ErrorCode::bad_value, "a tensor that has to be kept as well");
    }
    if (!constraints.levels.empty() && constraints.levels.size() != static_cast<std::size_t>(levels))
        node.at("levels").fail(ErrorCode::bad_value, "expected one entry per memory, or none, found " +
                                                         std::to_string(constraints.levels.size()) + " for " +
                                                         std::to_string(levels));
    return constraints;
}

Json json_of(const Mapping& mapping, const Einsum& einsum, const Architecture& architecture) {
    Json nest = Json::array();
    for (const Node& node : mapping.nodes) {
        if (const Store* store = std::get_if<Store>(&node)) {
            nest.push_back(
                {{"store", architecture.memories[store->memory].name}, {"tensors", names_of(store->tensors, einsum)}});
            continue;
        }
        const Loop& loop = std::get<Loop>(node);
        LoopKind kind = loop.kind;
        nest.push_back({{"loop", einsum.dimensions[loop.dimension].name},
                        {"extent", loop.extent},
                        {"remainder", loop.remainder},
                        {"kind", Writer::write(Choice<LoopKind>{kind, kind_names()})}});
    }
    return nest;
}

Mapping mapping_of(const yaml::Node& node, const Einsum& einsum, const Architecture& architecture) {
    Mapping mapping;
    for (const yaml::Node& item : list_of(node)) {
        if (item.has("store"))
            mapping.nodes.emplace_back(store_of(item, einsum, architecture));
        else
            mapping.nodes.emplace_back(loop_of(item, einsum));
    }
    return mapping;
}

}  // namespace tilewright::native
