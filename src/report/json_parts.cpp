#include "report/json_parts.hpp"

#include "report/document.hpp"
#include "report/fields.hpp"
#include "yaml/node.hpp"

namespace tilewright {

void fields(yaml::Archive& archive, UnmappedOperator& op) {
    archive.name("UnmappedOperator");
    archive("name", op.name);
    archive("operator", op.op);
    archive("reason", op.reason);
}

}  // namespace tilewright

namespace tilewright::report {

void fields(yaml::Archive& archive, Input& input) {
    archive.name("Input");
    archive("name", input.name, "file, or \"zoo:NAME\"");
    archive("xxh3_128", input.xxh3, "hash of its bytes");
}

void fields(yaml::Archive& archive, Provenance& provenance) {
    archive.name("Provenance");
    archive("command", provenance.command, "the verb");
    archive("accounting", provenance.accounting, "\"exact\", \"exact as built\", \"timeloop\"");
    archive("inputs", provenance.inputs);
    archive.also("seed", provenance.seed);
    archive("options", provenance.options, "options with an effect on the result");
}

}  // namespace tilewright::report

namespace tilewright::document {

void begin(yaml::Archive& archive, const char* schema, report::Provenance& provenance) {
    archive.constant("schema", schema);
    archive.group("tool", [&](auto& tool) {
        tool.constant("name", "tilewright");
        tool("version", provenance.tool_version);
    });
    archive("provenance", provenance);
}

/// A number with its source; `unit` is its key.
template <typename S>
void priced(yaml::Archive& archive, const char* key, const char* unit, S& number, const char* about = "") {
    if (archive.node() != nullptr && !archive.node()->has(key)) return;  // pictures do without
    archive.group(
        key,
        [&](auto& price) {
            price(unit, number.value);
            price("source", number.source, "origin of the number");
        },
        about);
}

void fields(yaml::Archive& archive, ShownMemory& memory) {
    auto& of = memory.of;
    archive.name("Memory");
    archive("name", of.name);
    archive.also("class", of.component_class, "component class as written in the architecture");
    archive.also("spreads_only", of.spreads_only, "a fan-out without storage");
    archive("instances", yaml::Positive{of.instances});
    archive.also("mesh_x", yaml::Positive{of.mesh.x});
    archive.also("mesh_y", yaml::Positive{of.mesh.y});
    archive.also("word_bits", yaml::Positive{of.word_bits});
    archive.also("block_words", yaml::Positive{of.block_words}, "words per access");
    archive.also("cluster_size", yaml::Positive{of.cluster_size}, "instances sharing an access");
    archive.also("capacity_words", of.capacity_words, "per instance; null: unlimited");
    archive.derived("usable_words", of.usable_words(), "of capacity_words, what one tile may use (multiple buffering)");
    archive.also("read_words_per_cycle", of.read_words_per_cycle, "per instance; null: never binds");
    archive.also("write_words_per_cycle", of.write_words_per_cycle);
    archive.also("shared_words_per_cycle", of.shared_words_per_cycle, "reads and writes together");
    constexpr const char* kAccess = "of one access of block_words words";
    priced(archive, "read_energy", "pj_per_block", of.energy.read_pj, kAccess);
    priced(archive, "fill_energy", "pj_per_block", of.energy.fill_pj, kAccess);
    priced(archive, "update_energy", "pj_per_block", of.energy.update_pj, kAccess);
    priced(archive, "leakage", "pj_per_cycle", of.energy.leak_pj_per_cycle, "of one instance");
    priced(archive, "area", "um2_per_instance", of.area_um2);
}

void fields(yaml::Archive& archive, ShownCompute& compute) {
    auto& of = compute.of;
    archive.also("name", of.name);
    archive.also("class", of.component_class);
    archive("instances", yaml::Positive{of.instances});
    archive.also("mesh_x", yaml::Positive{of.mesh.x});
    archive.also("mesh_y", yaml::Positive{of.mesh.y});
    archive.also("word_bits", yaml::Positive{of.word_bits});
    priced(archive, "energy", "pj_per_operation", of.energy_pj);
    priced(archive, "leakage", "pj_per_cycle", of.leak_pj_per_cycle, "of one instance");
    priced(archive, "area", "um2_per_instance", of.area_um2);
}

void fields(yaml::Archive& archive, ShownMachine& machine) {
    archive.name("Machine");
    archive("name", machine.name);
    archive("technology", machine.technology, "\"45nm\"; \"\" when not known");
    archive("cycle_seconds", machine.cycle_seconds);
    archive("area_um2", machine.area_um2, "of all instances of everything");
    archive("memories", machine.memories, "outermost first");
    archive("compute", machine.compute);
}

}  // namespace tilewright::document

namespace tilewright::report {

Json json_of(const Provenance& provenance) { return yaml::Writer::write(provenance); }

Json document(const std::string& schema, const Provenance& provenance) {
    Provenance written = provenance;
    return yaml::Writer::listed([&](yaml::Archive& archive) { document::begin(archive, schema.c_str(), written); });
}

std::string dumped(const yaml::Ref& document) { return dumped(yaml::Writer::write_ref(document)); }

std::string dumped(const Json& json) {
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace tilewright::report
