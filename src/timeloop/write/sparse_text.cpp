#include "timeloop/write/sparse_text.hpp"

#include <algorithm>

#include "timeloop/machine/machine.hpp"
#include "timeloop/sparse/read_sparse.hpp"
#include "yaml/write.hpp"

namespace tilewright::timeloop {
namespace {

using sparse::AccessEnergies;
using sparse::MemoryDesign;
using yaml::Node;

/// A section about one level: all active entries, in file order.
struct LevelSection {
    std::string level;
    const Node* node;
};

std::vector<LevelSection> sections_of(const MachineFile& machine, const Node& root) {
    std::vector<LevelSection> sections;
    for (const auto& [level, node] : machine.sparse_sections) sections.push_back({level, &node});
    const Node* own = root.find("sparse_optimizations");
    const Node* targets = own == nullptr ? nullptr : own->is_map() ? own->find("targets") : own;
    if (targets == nullptr || targets->is_null()) return sections;
    for (const Node& target : targets->items())
        sections.push_back({(target.has("name") ? target.at("name") : target.at("target")).text(), &target});
    return sections;
}

std::string section_text(const LevelSection& section) {
    std::string text = "  - name: " + yaml::scalar_text(section.level) + "\n";
    for (const char* key : {"representation_format", "action_optimization", "compute_optimization"})
        if (const Node* given = section.node->find(key); given != nullptr && !given->is_null())
            text += std::string("    ") + key + ": " + yaml::flow_text(*given) + "\n";
    return text;
}

Fields metadata_fields(const MemoryDesign& built) {
    Fields fields;
    const auto add = [&](const char* key, std::int64_t value) {
        if (value != 0) fields.emplace_back(key, std::to_string(value));
    };
    add("metadata_datawidth", built.metadata_word_bits);
    add("metadata_storage_width", built.metadata_width_bits);
    if (built.metadata_depth) fields.emplace_back("metadata_storage_depth", std::to_string(*built.metadata_depth));
    if (built.decompresses) fields.emplace_back("decompression_supported", "True");
    if (built.compresses) fields.emplace_back("compression_supported", "True");
    return fields;
}

std::string priced(const std::string& action, double energy_pj) {
    return "{name: " + action + ", energy: " + yaml::number_text(energy_pj) + "}";
}

// A kind missing from an ERT would be gated, or free: once priced, a kind is written in full.
void add_priced(const std::string& kind, const AccessEnergies& energies, std::vector<std::string>& actions) {
    actions.push_back(priced(kind + "read", energies.read_pj));
    actions.push_back(priced(kind + "fill", energies.fill_pj));
    actions.push_back(priced(kind + "update", energies.update_pj));
}

std::vector<std::string> sparse_energies(const MemoryDesign& built) {
    std::vector<std::string> actions;
    const AccessEnergies free;
    if (built.gated != free || built.skipped != free) {
        add_priced("gated_", built.gated, actions);
        add_priced("skipped_", built.skipped, actions);
    }
    if (built.metadata != free) add_priced("metadata_", built.metadata, actions);
    if (built.gated_metadata != free || built.skipped_metadata != free) {
        add_priced("gated_metadata_", built.gated_metadata, actions);
        add_priced("skipped_metadata_", built.skipped_metadata, actions);
    }
    if (built.decompression_pj != 0.0) actions.push_back(priced("decompression_count", built.decompression_pj));
    if (built.compression_pj != 0.0) actions.push_back(priced("compression_count", built.compression_pj));
    return actions;
}

std::string texts_of(const std::vector<LevelSection>& sections) {
    std::string text;
    for (const LevelSection& section : sections) text += section_text(section);
    return text;
}

}  // namespace

SparseText sparse_text(const Node& root, const Architecture& architecture) {
    SparseText text;
    const sparse::Design built = read_sparse_hardware(root, architecture);
    for (std::size_t m = 0; m < built.memories.size(); ++m) {
        const std::string& name = architecture.memories[m].name;
        if (Fields fields = metadata_fields(built.memories[m]); !fields.empty()) text.attributes[name] = fields;
        if (std::vector<std::string> actions = sparse_energies(built.memories[m]); !actions.empty())
            text.energies[name] = actions;
    }
    const double whole_pj = architecture.compute.energy_pj.value;
    if (built.gated_compute_pj != whole_pj || built.skipped_compute_pj != whole_pj)
        text.energies[architecture.compute.name] = {priced("compute_gated", built.gated_compute_pj),
                                                    priced("compute_skipped", built.skipped_compute_pj)};
    const MachineFile machine = read_machine(root, Sparsity::read);
    const std::string sections = texts_of(sections_of(machine, root));
    if (!sections.empty()) text.section = "\nsparse_optimizations:\n  version: 0.4\n  targets:\n" + sections;
    return text;
}

std::string sparse_difference(const Node& a, const Node& b, const Architecture& architecture) {
    const sparse::Design first = read_sparse_hardware(a, architecture);
    const sparse::Design second = read_sparse_hardware(b, architecture);
    for (std::size_t m = 0; m < first.memories.size(); ++m)
        if (first.memories[m] != second.memories[m])
            return "'" + architecture.memories[m].name + "': metadata, or energies of what is gated or skipped";
    if (first != second) return "'" + architecture.compute.name + "': energies of computes that are gated or skipped";
    const MachineFile machine_a = read_machine(a, Sparsity::read);
    const MachineFile machine_b = read_machine(b, Sparsity::read);
    return texts_of(sections_of(machine_a, a)) == texts_of(sections_of(machine_b, b)) ? "" : "sparse_optimizations";
}

}  // namespace tilewright::timeloop
