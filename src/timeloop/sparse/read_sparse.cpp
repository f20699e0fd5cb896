#include "timeloop/sparse/read_sparse.hpp"

#include <algorithm>
#include <string>

#include "timeloop/files/sections.hpp"
#include "timeloop/machine/machine.hpp"
#include "timeloop/machine/tables.hpp"
#include "timeloop/mapping/nest.hpp"
#include "timeloop/sparse/read_parts.hpp"

namespace tilewright::timeloop {
namespace {

using yaml::Node;

/// One component's energies by action; of several entries the dearest.
class Actions {
   public:
    explicit Actions(const Node* table) : table_(table) {}

    std::optional<double> first_of(const std::vector<std::string>& names) const {
        if (table_ == nullptr) return std::nullopt;
        for (const std::string& name : names) {
            std::optional<double> found;
            for (const Node& entry : table_->at("actions").items()) {
                if (entry.at("name").text() != name) continue;
                const double energy = entry.at("energy").real();
                if (energy < 0.0) entry.at("energy").fail(ErrorCode::bad_value, "an energy cannot be negative");
                found = std::max(found.value_or(0.0), energy);
            }
            if (found) return found;
        }
        return std::nullopt;
    }

    double or_free(const std::vector<std::string>& names) const { return first_of(names).value_or(0.0); }

   private:
    const Node* table_;
};

/// "skipped_" and "metadata_": skipped_metadata_fill, skipped_metadata_write.
std::vector<std::string> written_names(const std::string& fate, const std::string& kind, const std::string& action) {
    return {fate + kind + action, fate + kind + "write"};
}

sparse::AccessEnergies avoided_energies(const Actions& actions, const std::string& fate, const std::string& kind) {
    const auto names = [&](const std::string& action) {
        std::vector<std::string> tried =
            action == "read" ? std::vector<std::string>{fate + kind + action} : written_names(fate, kind, action);
        if (fate != "skipped_") return tried;
        const std::vector<std::string> gated = action == "read" ? std::vector<std::string>{"gated_" + kind + action}
                                                                : written_names("gated_", kind, action);
        tried.insert(tried.end(), gated.begin(), gated.end());
        return tried;
    };
    return {actions.or_free(names("read")), actions.or_free(names("fill")), actions.or_free(names("update"))};
}

sparse::AccessEnergies metadata_energies(const Actions& actions) {
    const auto names = [](const std::string& action) {
        return std::vector<std::string>{"random_metadata_" + action, "random_metadata_write", "metadata_" + action,
                                        "metadata_write"};
    };
    return {actions.or_free({"random_metadata_read", "metadata_read"}), actions.or_free(names("fill")),
            actions.or_free(names("update"))};
}

void read_energies(const Actions& actions, sparse::MemoryDesign& built) {
    built.gated = avoided_energies(actions, "gated_", "");
    built.skipped = avoided_energies(actions, "skipped_", "");
    built.metadata = metadata_energies(actions);
    built.gated_metadata = avoided_energies(actions, "gated_", "metadata_");
    built.skipped_metadata = avoided_energies(actions, "skipped_", "metadata_");
    built.decompression_pj = actions.or_free({"decompression_count"});
    built.compression_pj = actions.or_free({"compression_count"});
}

/// Actions at the price of a compute unless the table has them.
void read_compute_energies(const Actions& actions, const Compute& compute, sparse::Design& design) {
    const std::vector<std::string> gated{"mac_gated", "mult_gated", "compute_gated", "mac", "mult", "compute"};
    std::vector<std::string> skipped{"mac_skipped", "mult_skipped", "compute_skipped"};
    skipped.insert(skipped.end(), gated.begin(), gated.end());
    design.gated_compute_pj = actions.first_of(gated).value_or(compute.energy_pj.value);
    design.skipped_compute_pj = actions.first_of(skipped).value_or(compute.energy_pj.value);
}

void refuse_where_true(const Attributes& attributes, const char* key, const std::string& why) {
    if (attributes.boolean({key}).value_or(false)) attributes.find({key})->fail(ErrorCode::unsupported, why);
}

void read_attributes(const Component& component, sparse::MemoryDesign& built) {
    const Attributes& attributes = component.attributes;
    built.metadata_word_bits = attributes.not_negative({"metadata_datawidth", "metadata_word_bits"}).value_or(0);
    built.metadata_width_bits = attributes.not_negative({"metadata_storage_width", "metadata_width"}).value_or(0);
    built.metadata_depth = attributes.not_negative({"metadata_storage_depth", "metadata_depth"});
    built.decompresses = attributes.boolean({"decompression_supported"}).value_or(false);
    built.compresses = attributes.boolean({"compression_supported"}).value_or(false);
    refuse_where_true(attributes, "tile_partition_supported", "parting tiles at run time is not supported");
    refuse_where_true(attributes, "allow_overbooking", "overbooked memories are not supported");
    const std::int64_t block = attributes.positive({"metadata_block_size"}).value_or(1);
    const std::int64_t words = built.metadata_word_bits * block;
    if (words > 0 && built.metadata_width_bits % words != 0)
        component.node.fail(ErrorCode::bad_value, "'" + component.name + "': metadata_storage_width (" +
                                                      std::to_string(built.metadata_width_bits) +
                                                      ") is no multiple of " + std::to_string(words) +
                                                      ", its words and blocks of metadata");
}

class SparseReader {
   public:
    SparseReader(const Node& root, const Einsum& einsum, const Architecture& architecture)
        : root_(root),
          einsum_(einsum),
          architecture_(architecture),
          names_(einsum),
          machine_(read_machine(root, Sparsity::read)) {}

    sparse::Design hardware() {
        for (const Component& memory : machine_.memories) add_memory(memory);
        while (static_cast<int>(design_.memories.size()) < architecture_.memory_count())  // levels of an array
            design_.memories.emplace_back().formats.resize(einsum_.tensors.size());
        const Actions compute(find_table(root_, "ERT", architecture_.compute.name));
        read_compute_energies(compute, architecture_.compute, design_);
        return std::move(design_);
    }

    sparse::Design run() {
        design_ = hardware();
        design_.densities = read_densities(root_, einsum_);
        for (const auto& [level, section] : machine_.sparse_sections) read_component(level, section);
        if (const Node* section = root_.find("sparse_optimizations"); section != nullptr && !section->is_null())
            read_targets(*section);
        return std::move(design_);
    }

    const VoidNamesByFile& found() const { return names_.found(); }

   private:
    void add_memory(const Component& component) {
        sparse::MemoryDesign built;
        built.formats.resize(einsum_.tensors.size());
        read_attributes(component, built);
        const bool own_energy = component.attributes.has({"vector_access_energy"});
        read_energies(Actions(own_energy ? nullptr : find_table(root_, "ERT", component.name)), built);
        design_.memories.push_back(std::move(built));
    }

    void read_component(const std::string& level, const Node& section) {
        section.expect_keys(
            {"name", "target", "version", "representation_format", "action_optimization", "compute_optimization"});
        read_target(level, section, section);
    }

    void read_targets(const Node& section) {
        if (section.is_map()) section.expect_keys({"version", "targets"});
        const Node* targets = section.is_map() ? section.find("targets") : &section;
        if (targets == nullptr || targets->is_null()) return;
        for (const Node& target : targets->items()) {
            target.expect_keys(
                {"name", "target", "version", "representation_format", "action_optimization", "compute_optimization"});
            const Node& name = target.has("name") ? target.at("name") : target.at("target");
            read_target(component_name(name.text()), target, name);
        }
    }

    void read_target(const std::string& level, const Node& section, const Node& place) {
        int memory = find_memory(architecture_, level);
        if (memory < 0) memory = find_memory(architecture_, "inter_" + level + "_spatial");
        const auto given = [&](const char* key) {
            const Node* found = section.find(key);
            return found == nullptr || found->is_null() ? nullptr : found;
        };
        const Node* computes = given("compute_optimization");
        if (computes != nullptr) read_compute_actions(*computes, design_);
        const Node* formats = given("representation_format");
        const Node* actions = given("action_optimization");
        if (memory >= 0) {
            if (formats != nullptr)
                read_formats(*formats, names_, 2 * architecture_.memory_count(), architecture_.memories[memory],
                             design_.memories[memory]);  // over its fan-out and over time
            if (actions != nullptr) read_actions(*actions, names_, design_.memories[memory]);
            return;
        }
        if (level == architecture_.compute.name) {
            if (formats != nullptr || actions != nullptr)
                (formats != nullptr ? *formats : *actions)
                    .fail(ErrorCode::bad_value,
                          "the compute units hold no tensors: only compute_optimization goes "
                          "there");
            return;
        }
        const std::vector<std::string> known = names_of(architecture_.memories);
        place.fail(ErrorCode::unknown_level,
                   "the architecture has no memory '" + level + "'" + did_you_mean(level, known));
    }

    const Node& root_;
    const Einsum& einsum_;
    const Architecture& architecture_;
    SparseNames names_;
    MachineFile machine_;
    sparse::Design design_;
};

bool asks_for_something(const Node& section) {
    if (section.is_sequence()) return !section.items().empty();
    if (!section.is_map()) return false;
    const Node* targets = section.find("targets");
    if (targets != nullptr) return targets->is_sequence() && !targets->items().empty();
    for (const Node::Entry& entry : section.entries())
        if (entry.key != "version" && !entry.value.is_null()) return true;
    return false;
}

/// Components lie at any depth below the architecture.
bool has_section(const Node& node, int depth) {
    constexpr int kMaxDepth = 200;
    if (depth > kMaxDepth) return false;
    if (node.is_sequence())
        return std::any_of(node.items().begin(), node.items().end(),
                           [&](const Node& item) { return has_section(item, depth + 1); });
    if (!node.is_map()) return false;
    const Node* section = node.find("sparse_optimizations");
    if (section != nullptr && asks_for_something(*section)) return true;
    return std::any_of(node.entries().begin(), node.entries().end(), [&](const Node::Entry& entry) {
        const bool nests = entry.key == "nodes" || entry.key == "subtree" || entry.key == "local" ||
                           entry.key == "storage" || entry.key == "arithmetic";
        return nests && has_section(entry.value, depth + 1);
    });
}

}  // namespace

bool is_sparse(const Node& root) {
    const Node* section = root.is_map() ? root.find("sparse_optimizations") : nullptr;
    if (section != nullptr && asks_for_something(*section)) return true;
    const Node* architecture = root.is_map() ? find_architecture(root) : nullptr;
    return architecture != nullptr && has_section(*architecture, 0);
}

sparse::Design read_sparse(const Node& root, const Einsum& einsum, const Architecture& architecture,
                           VoidNamesByFile* found) {
    SparseReader reader(root, einsum, architecture);
    sparse::Design design = reader.run();
    if (found != nullptr)
        for (const auto& [file, names] : reader.found())
            (*found)[file].remarks.insert(names.remarks.begin(), names.remarks.end());
    return design;
}

sparse::Design read_sparse_hardware(const Node& root, const Architecture& architecture) {
    const Einsum none;
    return SparseReader(root, none, architecture).hardware();
}

account::LoopOrders read_loop_orders(const Node& root, const Einsum& einsum, const Architecture& architecture) {
    const Node* mapping = root.is_map() ? root.find("mapping") : nullptr;
    if (mapping != nullptr && mapping->is_map()) mapping = mapping->find("mapping");
    if (mapping == nullptr || !mapping->is_sequence()) return {};
    account::LoopOrders orders(architecture.memories.size());
    for (const Node& directive : mapping->items()) {
        const Node* target = directive.is_map() ? directive.find("target") : nullptr;
        const Node* type = directive.is_map() ? directive.find("type") : nullptr;
        const Node* permutation = directive.is_map() ? directive.find("permutation") : nullptr;
        if (target == nullptr || type == nullptr || permutation == nullptr || permutation->is_null()) continue;
        int memory = find_memory(architecture, target->text());
        if (memory < 0) memory = find_memory(architecture, "inter_" + target->text() + "_spatial");
        if (memory < 0) continue;
        account::LevelOrder& order = orders[memory];
        if (type->text() == "temporal") order.temporal = read_permutation(*permutation, einsum);
        if (type->text() == "spatial") order.spatial = read_permutation(*permutation, einsum);
    }
    // Dimensions absent from a directive follow in the problem's order.
    for (account::LevelOrder& order : orders)
        for (std::vector<int>* one : {&order.temporal, &order.spatial})
            for (int d = 0; d < einsum.dimension_count(); ++d)
                if (std::find(one->begin(), one->end(), d) == one->end()) one->push_back(d);
    return orders;
}

}  // namespace tilewright::timeloop
