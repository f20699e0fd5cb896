#include "report/json_parts.hpp"

namespace tilewright::report {
namespace {

template <typename T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json json_of(const Sourced& number, const std::string& unit_key) {
    return {{unit_key, number.value}, {"source", number.source}};
}

Json json_of(const Memory& memory) {
    Json json;
    json["name"] = memory.name;
    json["class"] = memory.component_class;
    json["spreads_only"] = memory.spreads_only;
    json["instances"] = memory.instances;
    json["mesh_x"] = memory.mesh.x;
    json["mesh_y"] = memory.mesh.y;
    json["word_bits"] = memory.word_bits;
    json["block_words"] = memory.block_words;
    json["cluster_size"] = memory.cluster_size;
    json["capacity_words"] = or_null(memory.capacity_words);
    json["usable_words"] = or_null(memory.usable_words());
    json["read_words_per_cycle"] = or_null(memory.read_words_per_cycle);
    json["write_words_per_cycle"] = or_null(memory.write_words_per_cycle);
    json["shared_words_per_cycle"] = or_null(memory.shared_words_per_cycle);
    json["read_energy"] = json_of(memory.energy.read_pj, "pj_per_block");
    json["fill_energy"] = json_of(memory.energy.fill_pj, "pj_per_block");
    json["update_energy"] = json_of(memory.energy.update_pj, "pj_per_block");
    json["leakage"] = json_of(memory.energy.leak_pj_per_cycle, "pj_per_cycle");
    json["area"] = json_of(memory.area_um2, "um2_per_instance");
    return json;
}

Json json_of(const Compute& compute) {
    Json json;
    json["name"] = compute.name;
    json["class"] = compute.component_class;
    json["instances"] = compute.instances;
    json["mesh_x"] = compute.mesh.x;
    json["mesh_y"] = compute.mesh.y;
    json["word_bits"] = compute.word_bits;
    json["energy"] = json_of(compute.energy_pj, "pj_per_operation");
    json["leakage"] = json_of(compute.leak_pj_per_cycle, "pj_per_cycle");
    json["area"] = json_of(compute.area_um2, "um2_per_instance");
    return json;
}

const char* kind_name(LoopKind kind) {
    switch (kind) {
        case LoopKind::temporal: return "temporal";
        case LoopKind::spatial_x: return "spatial_x";
        case LoopKind::spatial_y: return "spatial_y";
    }
    return "temporal";
}

const char* bound_key(Bound bound) {
    switch (bound) {
        case Bound::compute: return "compute";
        case Bound::read_bandwidth: return "read_bandwidth";
        case Bound::write_bandwidth: return "write_bandwidth";
        case Bound::shared_bandwidth: return "shared_bandwidth";
    }
    return "compute";
}

Json json_of(const TensorTraffic& traffic, const std::string& tensor) {
    Json json;
    json["tensor"] = tensor;
    json["tile_words"] = traffic.tile_words;
    json["instances"] = traffic.instances;
    json["read_words"] = traffic.reads;
    json["fill_words"] = traffic.fills;
    json["update_words"] = traffic.updates;
    json["address_generations"] = traffic.address_generations;
    json["energy_pj"] = traffic.energy_pj;
    json["address_energy_pj"] = traffic.address_energy_pj;
    json["read_words_per_cycle"] = traffic.read_words_per_cycle;
    json["write_words_per_cycle"] = traffic.write_words_per_cycle;
    if (traffic.bandwidth_share != 1.0) json["bandwidth_share"] = traffic.bandwidth_share;
    return json;
}

Json json_of(const LinkTraffic& link, const std::string& tensor) {
    Json json;
    json["tensor"] = tensor;
    json["words"] = link.words;
    json["delivered_words"] = link.delivered;
    json["multicast"] = link.multicast();
    json["link_transfer_words"] = link.link_transfers;
    json["spatial_reductions"] = link.spatial_reductions;
    json["hops"] = link.hops;
    json["energy_pj"] = link.energy_pj;
    return json;
}

Json json_of(const MemoryEvaluation& memory, const Einsum& einsum) {
    Json json;
    json["name"] = memory.name;
    json["used_words"] = memory.used_words;
    json["cycles"] = memory.cycles;
    json["slowdown"] = memory.slowdown;
    json["bound"] = bound_key(memory.bound);
    json["energy_pj"] = memory.energy_pj;
    json["leakage_pj"] = memory.leakage_pj;
    json["link_energy_pj"] = memory.link_energy_pj;
    json["area_um2"] = memory.area_um2;
    json["tensors"] = Json::array();
    for (std::size_t t = 0; t < memory.tensors.size(); ++t)
        if (memory.tensors[t].kept) json["tensors"].push_back(json_of(memory.tensors[t], einsum.tensors[t].name));
    json["link"] = Json::array();
    for (std::size_t t = 0; t < memory.link.size(); ++t)
        json["link"].push_back(json_of(memory.link[t], einsum.tensors[t].name));
    return json;
}

}  // namespace

Json json_of(const Einsum& einsum) {
    Json json;
    json["text"] = to_text(einsum);
    json["dimensions"] = Json::array();
    for (const Dimension& dimension : einsum.dimensions)
        json["dimensions"].push_back({{"name", dimension.name}, {"extent", dimension.extent}});
    json["tensors"] = Json::array();
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        const Tensor& tensor = einsum.tensors[t];
        Json one{{"name", tensor.name}, {"words", tensor_words(einsum, t)}, {"written", tensor.written}};
        if (tensor.bits > 0) one["bits"] = tensor.bits;
        json["tensors"].push_back(std::move(one));
    }
    return json;
}

Json json_of(const Architecture& architecture) {
    Json json;
    json["name"] = architecture.name;
    json["technology"] = architecture.technology;
    json["cycle_seconds"] = architecture.cycle_seconds;
    json["area_um2"] = total_area_um2(architecture);
    json["memories"] = Json::array();
    for (const Memory& memory : architecture.memories) json["memories"].push_back(json_of(memory));
    json["compute"] = json_of(architecture.compute);
    return json;
}

Json json_of(const Mapping& mapping, const Einsum& einsum, const Architecture& architecture) {
    Json nest = Json::array();
    for (const Node& node : mapping.nodes) {
        if (const Store* store = std::get_if<Store>(&node)) {
            Json tensors = Json::array();
            for (int t = 0; t < einsum.tensor_count(); ++t)
                if (store->tensors.has(t)) tensors.push_back(einsum.tensors[t].name);
            nest.push_back({{"store", architecture.memories[store->memory].name}, {"tensors", tensors}});
            continue;
        }
        const Loop& loop = std::get<Loop>(node);
        nest.push_back({{"loop", einsum.dimensions[loop.dimension].name},
                        {"extent", loop.extent},
                        {"remainder", loop.remainder},
                        {"kind", kind_name(loop.kind)}});
    }
    return nest;
}

Json json_of(const Evaluation& evaluation, const Einsum& einsum) {
    const bool by_memory = evaluation.bounding_memory >= 0;
    Json json;
    json["computes"] = evaluation.computes;
    json["compute_cycles"] = evaluation.compute_cycles;
    json["cycles"] = evaluation.cycles;
    json["utilization"] = evaluation.utilization;
    json["compute_units_used"] = evaluation.compute_units_used;
    json["energy_pj"] = evaluation.energy_pj;
    json["edp_pj_cycles"] = evaluation.edp_pj_cycles();
    json["compute_energy_pj"] = evaluation.compute_energy_pj;
    json["compute_leakage_pj"] = evaluation.compute_leakage_pj;
    json["area_um2"] = evaluation.area_um2;
    json["link_latency_cycles"] = evaluation.link_latency_cycles;
    json["bound"] = {{"memory", by_memory ? Json(evaluation.memories[evaluation.bounding_memory].name) : Json(nullptr)},
                     {"by", by_memory ? bound_key(evaluation.memories[evaluation.bounding_memory].bound) : "compute"},
                     {"text", bound_sentence(evaluation)}};
    json["memories"] = Json::array();
    for (const MemoryEvaluation& memory : evaluation.memories) json["memories"].push_back(json_of(memory, einsum));
    return json;
}

Json json_of(const Provenance& provenance) {
    Json json;
    json["command"] = provenance.command;
    json["accounting"] = provenance.accounting;
    json["inputs"] = Json::array();
    for (const Input& input : provenance.inputs)
        json["inputs"].push_back({{"name", input.name}, {"xxh3_128", input.xxh3}});
    json["seed"] = or_null(provenance.seed);
    json["options"] = Json::object();
    for (const auto& [name, value] : provenance.options) json["options"][name] = value;
    return json;
}

Json json_of(const std::vector<UnmappedOperator>& unmapped) {
    Json json = Json::array();
    for (const UnmappedOperator& op : unmapped)
        json.push_back({{"name", op.name}, {"operator", op.op}, {"reason", op.reason}});
    return json;
}

Json document(const std::string& schema, const Provenance& provenance) {
    Json json;
    json["schema"] = schema;
    json["tool"] = {{"name", "tilewright"}, {"version", provenance.tool_version}};
    json["provenance"] = json_of(provenance);
    return json;
}

std::string dumped(const Json& json) {
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::report
