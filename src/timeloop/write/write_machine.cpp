#include "timeloop/write/write_machine.hpp"

#include <algorithm>
#include <set>

#include "base/notes.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/machine/machine.hpp"
#include "timeloop/machine/read_over.hpp"
#include "timeloop/write/component_text.hpp"
#include "timeloop/write/written_constraints.hpp"
#include "yaml/write.hpp"

namespace tilewright::timeloop {
namespace {

constexpr const char* kWrittenFile = "<what was written>";

// "inter_PE_spatial" -> "PE": the hierarchy's name of a spread-only level.
std::string spreader_owner(const Memory& memory) {
    static constexpr std::string_view kBefore = "inter_";
    static constexpr std::string_view kBehind = "_spatial";
    const std::string& name = memory.name;
    const bool named =
        name.size() > kBefore.size() + kBehind.size() && name.starts_with(kBefore) && name.ends_with(kBehind);
    if (!named || !memory.spreads_only || memory.component_class != "dummy_storage") return "";
    return name.substr(kBefore.size(), name.size() - kBefore.size() - kBehind.size());
}

std::string mesh_fields(const Mesh& mesh) {
    Fields fields;
    if (mesh.x != 1) fields.emplace_back("meshX", std::to_string(mesh.x));
    if (mesh.y != 1) fields.emplace_back("meshY", std::to_string(mesh.y));
    return fields_text(fields);
}

/// Common to both forms: components in sequence, networks between them, and tables.
class MachineWriter {
   public:
    MachineWriter(const Architecture& architecture, MachineForm form, const SparseText& zeros)
        : architecture_(architecture) {
        for (const Memory& memory : architecture.memories) add(memory, form, zeros);
        add(architecture.compute, form, zeros);
        connect();
    }
    virtual ~MachineWriter() = default;
    MachineWriter(const MachineWriter&) = delete;
    MachineWriter& operator=(const MachineWriter&) = delete;

    virtual std::string architecture() = 0;

    std::string tables() const {
        std::string energies;
        std::string areas;
        const auto add = [&](const ComponentText& component) {
            if (!component.energies.empty()) energies += "  - " + component.energies + "\n";
            if (!component.areas.empty()) areas += "  - " + component.areas + "\n";
        };
        for (const ComponentText& component : components_) add(component);
        for (const auto& [place, network] : networks_) add(network);
        std::string text;
        if (!energies.empty()) text += "\nERT:\n  version: 0.4\n  tables:\n" + energies;
        if (!areas.empty()) text += "\nART:\n  version: 0.4\n  tables:\n" + areas;
        const bool any_free = std::any_of(components_.begin(), components_.end(), [](const ComponentText& component) {
            return std::find(component.beside.begin(), component.beside.end(),
                             std::pair<std::string, std::string>{"subclass", kClassWithoutParts}) !=
                   component.beside.end();
        });
        if (any_free)
            text += std::string("\ncomponents:\n  version: 0.4\n  classes:\n  - {name: ") + kClassWithoutParts +
                    ", attributes: {}, subcomponents: [], actions: []}\n";
        return text;
    }

   protected:
    std::vector<const ComponentText*> networks_before(int index) const {
        std::vector<const ComponentText*> found;
        for (const auto& [place, network] : networks_)
            if (place == index) found.push_back(&network);
        return found;
    }

    static std::string lines(const ComponentText& component, const std::string& indent, const std::string& name,
                             const std::vector<std::string>& more = {}) {
        std::string text =
            "name: " + name + "\n" + indent + "class: " + yaml::scalar_text(component.component_class) + "\n";
        for (const auto& [key, value] : component.beside) text += indent + key + ": " + value + "\n";
        text += indent + "attributes: " + fields_text(component.attributes) + "\n";
        for (const std::string& line : more) text += indent + line + "\n";
        return text;
    }

    const Architecture& architecture_;
    std::vector<ComponentText> components_;  // the compute units last

   private:
    template <class Part>
    void add(const Part& part, MachineForm form, const SparseText& zeros) {
        const auto energies = zeros.energies.find(part.name);
        const auto fields = zeros.attributes.find(part.name);
        const std::vector<std::string> none;
        components_.push_back(component_text(part, form, energies == zeros.energies.end() ? none : energies->second));
        Fields& own = components_.back().attributes;
        if (fields != zeros.attributes.end()) own.insert(own.end(), fields->second.begin(), fields->second.end());
    }

    // User-defined networks are named at both ends.
    void connect() {
        for (int i = 0; i < architecture_.memory_count(); ++i) {
            const Memory& memory = architecture_.memories[i];
            const bool innermost = i + 1 == architecture_.memory_count();
            if (memory.link.user_defined)
                join(i, memory.link, "network_read", innermost ? "network_operand" : "network_fill");
            if (memory.update_link)
                join(i, *memory.update_link, "network_update", innermost ? "network_result" : "network_drain");
        }
    }

    void join(int outer, const Link& link, const char* outer_key, const char* inner_key) {
        components_[outer].attributes.emplace_back(outer_key, yaml::scalar_text(link.name));
        components_[outer + 1].attributes.emplace_back(inner_key, yaml::scalar_text(link.name));
        const bool known = std::any_of(networks_.begin(), networks_.end(),
                                       [&](const auto& one) { return one.second.name == link.name; });
        if (!known) networks_.emplace_back(outer + 1, network_text(link));
    }

    std::vector<std::pair<int, ComponentText>> networks_;  // with the index of the following component
};

/// Version 0.4.
class HierarchyWriter : public MachineWriter {
   public:
    HierarchyWriter(const Architecture& architecture, const WrittenConstraints& constraints, const SparseText& zeros)
        : MachineWriter(architecture, MachineForm::hierarchy, zeros), constraints_(constraints) {}

    std::string architecture() override {
        text_ = "architecture:\n  version: 0.4\n  nodes:\n";
        if (architecture_.name != "unnamed")
            text_ += "  - !Container {name: " + yaml::scalar_text(architecture_.name) + "}\n";
        refuse_first_mesh();
        const int count = architecture_.memory_count();
        for (int i = 0; i <= count; ++i) {
            const WrittenGroup* group = i < count ? constraints_.group_of(architecture_.memories[i].name) : nullptr;
            if (group != nullptr) {
                write_group(*group, i);
                i += group->memory_count() - 1;
                continue;
            }
            const std::string owner = i < count ? spreader_owner(architecture_.memories[i]) : "";
            if (owner.empty())
                write_component(i, "  ", "");
            else if (owner == components_[i + 1].name)
                write_component(i + 1, "  ", spread_below(i)), ++i;
            else
                write_container(owner, i);
        }
        return text_;
    }

   private:
    void refuse_first_mesh() const {
        if (architecture_.mesh(0).size() != 1)
            refuse_to_write(components_.front().name, "version 0.4 begins with one instance, not with " +
                                                          std::to_string(architecture_.mesh(0).size()));
    }

    std::string spread_below(int index) const { return mesh_fields(architecture_.fanout(index)); }

    // Only levels made by the form itself have more instances inside.
    void refuse_other_spread(int index) const {
        if (index >= architecture_.memory_count()) return;
        const Mesh fanout = architecture_.fanout(index);
        if (fanout.size() == 1) return;
        refuse_to_write(architecture_.memories[index].name,
                        "it spreads to " + std::to_string(fanout.x) + " x " + std::to_string(fanout.y) +
                            " inside it, which version 0.4 says with a level of its own between them "
                            "(inter_NAME_spatial): only version 0.3 can say this machine");
    }

    void write_component(int index, const std::string& indent, const std::string& spatial) {
        refuse_other_spread(index);
        for (const ComponentText* network : networks_before(index))
            text_ += indent + "- !Component\n" + indent + "  " +
                     lines(*network, indent + "  ", yaml::scalar_text(network->name));
        std::vector<std::string> more;
        if (!spatial.empty()) more.push_back("spatial: " + spatial);
        const std::string spreader = spatial.empty() ? "" : "inter_" + components_[index].name + "_spatial";
        const std::string said = constraints_.in_place(components_[index].name, spreader);
        if (!said.empty()) more.push_back("constraints: " + said);
        text_ += indent + "- !Component\n" + indent + "  " +
                 lines(components_[index], indent + "  ", yaml::scalar_text(components_[index].name), more);
    }

    void write_container(const std::string& owner, int index) {
        for (const ComponentText* network : networks_before(index))
            text_ += "  - !Component\n    " + lines(*network, "    ", yaml::scalar_text(network->name));
        text_ +=
            "  - !Container\n    name: " + yaml::scalar_text(owner) + "\n    spatial: " + spread_below(index) + "\n";
        // Members inherit the attributes a container gives to its level; they have their own.
        Fields own;
        for (const auto& [key, value] : components_[index].attributes)
            if (!is_of_spreader(key)) own.emplace_back(key, value);
        if (!own.empty()) text_ += "    attributes: " + fields_text(own) + "\n";
        const std::string said = constraints_.in_place("", components_[index].name);
        if (!said.empty()) text_ += "    constraints: " + said + "\n";
    }

    // Reader defaults of every such level, and statements without effect.
    static bool is_of_spreader(const std::string& key) {
        static const std::set<std::string> kGiven{"technology", "depth", "datawidth", "width", "n_banks"};
        return kGiven.contains(key);
    }

    void write_group(const WrittenGroup& group, int index) {
        text_ += "  - !Parallel\n    nodes:\n";
        for (const WrittenBranch& branch : group.branches) {
            if (branch.memories.empty()) text_ += "    - !Nothing " + branch.nothing + "\n";
            if (branch.memories.size() > 1) text_ += "    - !Hierarchical\n      nodes:\n";
            for (std::size_t m = 0; m < branch.memories.size(); ++m)
                write_component(index++, branch.memories.size() > 1 ? "      " : "    ", "");
        }
    }

    const WrittenConstraints& constraints_;
    std::string text_;
};

/// Version 0.3.
class TreeWriter : public MachineWriter {
   public:
    TreeWriter(const Architecture& architecture, const SparseText& zeros)
        : MachineWriter(architecture, MachineForm::tree, zeros) {}

    std::string architecture() override {
        std::string text = "architecture:\n  version: 0.3\n";
        std::string indent = "  ";
        std::int64_t copies = 1;
        for (int i = 0; i <= architecture_.memory_count(); ++i) {
            const std::int64_t instances = architecture_.mesh(i).size();
            if (i == 0 || instances != copies) {
                const std::string name = i == 0 ? architecture_.name : group_name(i);
                const std::int64_t times = i == 0 ? 1 : instances / copies;
                text +=
                    indent + "subtree:\n" + indent + "- name: " + ranged(name, times) + "\n" + indent + "  local:\n";
                if (i > 0) copies = instances;
                indent += "  ";
            }
            for (const ComponentText* network : networks_before(i))
                text += indent + "- " + lines(*network, indent + "  ", yaml::scalar_text(network->name));
            ComponentText component = components_[i];
            const Mesh& mesh = architecture_.mesh(i);
            if (mesh.y != 1) component.attributes.emplace_back("meshX", std::to_string(mesh.x));
            text += indent + "- " + lines(component, indent + "  ", ranged(component.name, i == 0 ? instances : 1));
            if (i == 0) copies = instances;
        }
        return text;
    }

   private:
    // The spread-only level is named after its contents.
    std::string group_name(int index) const {
        const std::string owner = index > 0 ? spreader_owner(architecture_.memories[index - 1]) : "";
        return owner.empty() || owner == components_[index].name ? components_[index].name + "_group" : owner;
    }

    static std::string ranged(const std::string& name, std::int64_t count) {
        return yaml::scalar_text(count == 1 ? name : name + "[0.." + std::to_string(count - 1) + "]");
    }
};

std::string variables_text(const yaml::Node& root, const Architecture& architecture) {
    std::string text =
        "variables:\n  version: 0.4\n  global_cycle_seconds: " + yaml::number_text(architecture.cycle_seconds) + "\n";
    bool technology = false;
    if (const yaml::Node* variables = root.find("variables"))
        for (const yaml::Node::Entry& entry : variables->entries()) {
            technology = technology || entry.key == "technology";
            if (entry.key != "version" && entry.key != "global_cycle_seconds")
                text += "  " + yaml::scalar_text(entry.key) + ": " + yaml::flow_text(entry.value) + "\n";
        }
    // The technology of DRAMs given by it alone.
    for (const Memory& memory : architecture.memories) {
        if (technology || !memory.is_dram || memory.component_class.find("DRAM") != std::string::npos) continue;
        if (memory.geometry.technology.empty()) continue;
        text += "  technology: \"" + memory.geometry.technology + "\"\n";
        technology = true;
    }
    return text + "\n";
}

// Sections not about a machine.
std::vector<std::string> left_out(const yaml::Node& root) {
    static const std::set<std::string> kMachine{"architecture",
                                                "arch",
                                                "variables",
                                                "components",
                                                "compound_components",
                                                "ERT",
                                                "ART",
                                                "version",
                                                "sparse_optimizations",
                                                "globals",
                                                "ERT_summary",
                                                "ART_summary",
                                                "dumped_by_timeloop_front_end"};
    std::vector<std::string> notes;
    for (const yaml::Node::Entry& entry : root.entries()) {
        if (kMachine.contains(entry.key) || is_constraint_section(entry.key)) continue;
        const Location where = entry.key_node.where();
        notes.push_back(where.file + ":" + std::to_string(where.line) + ": '" + entry.key +
                        "' is no part of a machine and is not written");
    }
    return notes;
}

yaml::Node without_zeros(const yaml::Node& root) {
    Notes unheard;
    return read_over(root, {.strict = true, .dense = true, .quiet = true}, unheard);
}

std::string difference_of(const std::string& text, const yaml::Node& root, const yaml::Node* sparse,
                          const Architecture& architecture, MachineForm form) {
    const yaml::Node whole = load_text(text, kWrittenFile, {});
    const yaml::Node dense = sparse == nullptr ? whole : without_zeros(whole);
    std::string difference = first_difference(architecture, read_architecture(dense));
    if (difference.empty()) difference = constraint_difference(root, dense, architecture, form);
    if (difference.empty() && sparse != nullptr) difference = sparse_difference(*sparse, whole, architecture);
    return difference;
}

void check_written(const std::string& text, const yaml::Node& root, const yaml::Node* sparse,
                   const Architecture& architecture, MachineForm form) {
    std::string difference;
    try {
        difference = difference_of(text, root, sparse, architecture, form);
    } catch (const InputError& error) {
        difference = error.message();
    }
    if (difference.empty()) return;
    throw InputError(ErrorCode::unsupported, {},
                     std::string("version ") + (form == MachineForm::hierarchy ? "0.4" : "0.3") +
                         " cannot say this machine: " + difference);
}

void refuse_ours(const Architecture& architecture) {
    for (const Memory& memory : architecture.memories) {
        if (memory.rules_tiles() || memory.reserved_words > 0)
            refuse_to_write(memory.name,
                            "it has rules for tiles (reserved_words, alignment_words, buffers, tile), and "
                            "no form of Timeloop's says so");
        if (memory.write_stall_cycles > 0.0)
            refuse_to_write(memory.name, "its writes stop the units, and no form of Timeloop's says so");
        if (!memory.link.passages.empty())
            refuse_to_write(memory.name, "the passage '" + memory.link.passages.front().name +
                                             "' inside it is a priced place that holds nothing, and no form of " +
                                             "Timeloop's says so");
    }
}

}  // namespace

WrittenMachine write_machine(const yaml::Node& root, const Architecture& architecture, MachineForm form,
                             const yaml::Node* sparse) {
    refuse_ours(architecture);
    const WrittenConstraints constraints(root, architecture, form);
    const SparseText zeros = sparse == nullptr ? SparseText{} : sparse_text(*sparse, architecture);
    std::string text = variables_text(root, architecture);
    if (form == MachineForm::hierarchy) {
        HierarchyWriter writer(architecture, constraints, zeros);
        text += writer.architecture() + writer.tables();
    } else {
        TreeWriter writer(architecture, zeros);
        text += writer.architecture() + writer.tables();
    }
    text += constraints.sections(architecture) + zeros.section;
    check_written(text, root, sparse, architecture, form);
    return {std::move(text), left_out(root)};
}

}  // namespace tilewright::timeloop
