// Machines as JSON.
#include <limits>

#include "native/problem_json.hpp"

namespace tilewright {

// Found by the archives through the values' namespace.
void fields(yaml::Archive& archive, Mesh& mesh) {
    archive("x", mesh.x);
    archive("y", mesh.y);
}

yaml::Choice<NetworkKind> choice_of(NetworkKind& kind) {
    return {kind,
            {{NetworkKind::legacy, "legacy"},
             {NetworkKind::simple_multicast, "simple_multicast"},
             {NetworkKind::reduction_tree, "reduction_tree"}}};
}

void fields(yaml::Archive& archive, Passage& passage) {
    archive("name", passage.name);
    archive("tensor", passage.tensor);
    archive("energy_pj", passage.energy_pj.value);
    archive("actions_per_word", passage.actions_per_word);
}

void fields(yaml::Archive& archive, Link& link) {
    archive("kind", choice_of(link.kind));
    archive("word_bits", link.word_bits);
    archive("energy_per_hop_pj", link.energy_per_hop_pj);
    archive("wire_energy_pj_per_bit_mm", link.wire_energy_pj_per_bit_mm);
    archive("router_energy_pj", link.router_energy_pj);
    archive("tile_width_um", link.tile_width_um);
    archive("adder_energy_pj", link.adder_energy_pj);
    archive("multicast_energy_pj", link.multicast_energy_pj);
    archive.where_any("tensor_multicast_energy_pj", link.tensor_multicast_energy_pj);
    archive.where_any("passages", link.passages);
    archive("fill_latency_cycles", link.fill_latency_cycles);
    archive("drain_latency_cycles", link.drain_latency_cycles);
}

void fields(yaml::Archive& archive, TileRule& rule) {
    archive("multiple_of", rule.multiple_of);
    archive("at_least", rule.at_least);
    archive("at_most", rule.at_most);
}

void fields(yaml::Archive& archive, Memory& memory) {
    archive("name", memory.name);
    archive("spreads_only", memory.spreads_only);
    archive("word_bits", memory.word_bits);
    archive("block_words", memory.block_words);
    archive("cluster_size", memory.cluster_size);
    archive("capacity_words", memory.capacity_words);
    archive("multiple_buffering", memory.multiple_buffering);
    archive.where(memory.reserved_words > 0, "reserved_words", memory.reserved_words);
    archive.where(memory.alignment_words != 1, "alignment_words", memory.alignment_words);
    archive.where(!memory.buffers.empty(), "buffers", memory.buffers);
    archive.where(!memory.tile.empty(), "tile", memory.tile);
    archive("min_utilization", memory.min_utilization);
    archive.where(!memory.holds_scales, "holds_scales", memory.holds_scales);
    archive("read_words_per_cycle", memory.read_words_per_cycle);
    archive("write_words_per_cycle", memory.write_words_per_cycle);
    archive("shared_words_per_cycle", memory.shared_words_per_cycle);
    archive.where(memory.write_stall_cycles > 0.0, "write_stall_cycles", memory.write_stall_cycles);
    archive("bandwidth_scale", memory.bandwidth_scale);
    archive("instances", memory.instances);
    archive("mesh", memory.mesh);
    archive("read_pj", memory.energy.read_pj.value);
    archive("fill_pj", memory.energy.fill_pj.value);
    archive("update_pj", memory.energy.update_pj.value);
    archive("leak_pj_per_cycle", memory.energy.leak_pj_per_cycle.value);
    archive("address_energy_pj", memory.address_energy_pj);
    archive("area_um2", memory.area_um2.value);
    archive("reduces", memory.reduces);
    archive("power_gated_at", memory.power_gated_at);
    archive("link", memory.link);
    archive("update_link", memory.update_link);
}

void fields(yaml::Archive& archive, Compute& compute) {
    archive("name", compute.name);
    archive("word_bits", compute.word_bits);
    archive("instances", compute.instances);
    archive("mesh", compute.mesh);
    archive("energy_pj", compute.energy_pj.value);
    archive("leak_pj_per_cycle", compute.leak_pj_per_cycle.value);
    archive("area_um2", compute.area_um2.value);
}

void fields(yaml::Archive& archive, Architecture& architecture) {
    archive("name", architecture.name);
    archive("cycle_seconds", architecture.cycle_seconds);
    archive("memories", architecture.memories);
    archive("compute", architecture.compute);
}

}  // namespace tilewright

namespace tilewright::native {
namespace {

void refuse_zero_bandwidth(const yaml::Node& memory) {
    for (const char* key : {"read_words_per_cycle", "write_words_per_cycle", "shared_words_per_cycle"}) {
        const std::optional<double> words = memory.at(key).is_scalar() ? memory.at(key).try_real() : std::nullopt;
        if (words == 0.0) memory.at(key).fail(ErrorCode::bad_value, "a bandwidth of 0 words");
    }
}

// Refuses meshes whose product overflows.
void refuse_large_mesh(const yaml::Node& component) {
    for (const char* key : {"x", "y"})
        if (component.at("mesh").at(key).integer() > std::numeric_limits<std::int32_t>::max())
            component.at("mesh").at(key).fail(ErrorCode::overflow, "a mesh of 2^31 or more");
}

}  // namespace

Json json_of(const Architecture& architecture) { return Writer::write(architecture); }

Json json_of(const Memory& memory) { return Writer::write(memory); }

Memory memory_of(const yaml::Node& node) {
    Memory memory;
    Reader::read(node, memory);
    refuse_large_mesh(node);
    refuse_zero_bandwidth(node);
    return memory;
}

Json json_of(const Compute& compute) { return Writer::write(compute); }

Compute compute_of(const yaml::Node& node) {
    Compute compute;
    Reader::read(node, compute);
    refuse_large_mesh(node);
    return compute;
}

Json json_of(const std::vector<Mesh>& meshes) { return Writer::write(meshes); }

std::vector<Mesh> meshes_of(const yaml::Node& node) {
    std::vector<Mesh> meshes;
    Reader::read(node, meshes);
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    for (const Mesh& mesh : meshes)
        if (mesh.x > kMost || mesh.y > kMost) node.fail(ErrorCode::overflow, "a mesh of 2^31 or more");
    return meshes;
}

Architecture architecture_of(const yaml::Node& node) {
    Architecture architecture;
    Reader::read(node, architecture);
    refuse_large_mesh(node.at("compute"));
    for (const yaml::Node& memory : list_of(node.at("memories"))) {
        refuse_large_mesh(memory);
        refuse_zero_bandwidth(memory);
    }
    if (const std::string problem = problem_with(architecture); !problem.empty())
        node.fail(ErrorCode::bad_value, problem);
    return architecture;
}

}  // namespace tilewright::native
