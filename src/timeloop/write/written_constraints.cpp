#include "timeloop/write/written_constraints.hpp"

#include <algorithm>
#include <set>

#include "timeloop/machine/architecture.hpp"
#include "timeloop/machine/machine.hpp"
#include "timeloop/write/component_text.hpp"
#include "workload/shapes.hpp"
#include "yaml/write.hpp"

namespace tilewright::timeloop {
namespace {

using yaml::Node;

// The problem of version 0.3: a convolution without groups.
const Einsum& usual_layer() {
    static const Einsum kLayer = conv2d(64, 64, 64, 64, 1, 64);
    return kLayer;
}

bool is_of_usual_layer(const Einsum& named) {
    return std::ranges::all_of(named.dimensions,
                               [](const Dimension& one) { return find_dimension(usual_layer(), one.name) >= 0; }) &&
           std::ranges::all_of(named.tensors,
                               [](const Tensor& one) { return find_tensor(usual_layer(), one.name) >= 0; });
}

bool asks_for_nothing(const Node& node) {
    return node.is_null() || (node.is_sequence() && node.items().empty()) || (node.is_map() && node.entries().empty());
}

std::string joined_words(const std::vector<std::string>& words, const char* between) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
    return text;
}

std::vector<std::string> words_of(const Node& node) {
    std::vector<std::string> words;
    if (node.is_scalar()) return {node.text()};
    for (const Node& item : node.items()) words.push_back(item.text());
    return words;
}

// "R=1" -> "R"; else "".
std::string dimension_of_one(const std::string& factor) {
    const std::size_t equals = factor.find('=');
    const bool one = equals != std::string::npos && factor.substr(equals + 1) == "1";
    return one ? factor.substr(0, equals) : "";
}

constexpr const char* kShared = "no_iteration_over_dataspaces";

// With a factor of 1 for dimensions of tensors shared by neighbours, for lack of a version 0.3 keyword.
std::vector<std::string> factors_of(const Node& constraint) {
    const Node* given = constraint.find("factors");
    std::vector<std::string> factors =
        given == nullptr || asks_for_nothing(*given) ? std::vector<std::string>{} : words_of(*given);
    const Node* shared = constraint.find(kShared);
    if (shared == nullptr || asks_for_nothing(*shared)) return factors;
    for (const std::string& tensor : words_of(*shared))
        for (int d = 0; d < usual_layer().dimension_count(); ++d) {
            const std::string one = usual_layer().dimensions[d].name + "=1";
            const bool moves = is_relevant(usual_layer().tensors[find_tensor(usual_layer(), tensor)], d);
            if (moves && std::ranges::find(factors, one) == factors.end()) factors.push_back(one);
        }
    return factors;
}

// Version 0.4 puts dimensions of factor 1 in front, version 0.3 leaves them in place.
std::vector<std::string> with_ones_first(std::vector<std::string> order, const std::vector<std::string>& factors) {
    for (const std::string& factor : factors) {
        const std::string name = dimension_of_one(factor);
        if (!name.empty() && std::find(order.begin(), order.end(), name) == order.end())
            order.insert(order.begin(), name);
    }
    return order;
}

std::string order_text(const std::vector<std::string>& order) {
    const bool letters = std::all_of(order.begin(), order.end(), [](const auto& name) { return name.size() == 1; });
    return yaml::scalar_text(joined_words(order, letters ? "" : ","));
}

// One level's constraint in version 0.3's list.
std::string target_text(const std::string& level, const char* type, const Node& constraint) {
    Fields fields{{"target", yaml::scalar_text(level)}, {"type", type}};
    const std::vector<std::string> factors = factors_of(constraint);
    if (!factors.empty()) fields.emplace_back("factors", '"' + joined_words(factors, " ") + '"');
    const Node* order = constraint.find("permutation");
    if (order != nullptr && order->is_sequence() && !order->items().empty())
        fields.emplace_back("permutation", order_text(with_ones_first(words_of(*order), factors)));
    else if (order != nullptr && order->is_scalar())
        fields.emplace_back("permutation", yaml::flow_text(*order));
    for (const char* key : {"split", "keep", "bypass"})
        if (const Node* given = constraint.find(key); given != nullptr && !asks_for_nothing(*given))
            fields.emplace_back(key, yaml::flow_text(*given));
    return "- " + fields_text(fields) + "\n";
}

WrittenGroup group_of(const ParallelGroup& parallel) {
    WrittenGroup group;
    for (const ParallelBranch& branch : parallel.branches) {
        WrittenBranch written;
        written.memories = branch.memories;
        written.nothing = "{}";
        if (branch.memories.empty() && !branch.constraints.empty())
            written.nothing = "{constraints: " + yaml::flow_text(branch.constraints.front()) + "}";
        group.branches.push_back(std::move(written));
    }
    return group;
}

std::set<std::string> kept_in(const ParallelBranch& branch) {
    std::set<std::string> names;
    for (const Node& constraints : branch.constraints)
        if (const Node* dataspace = constraints.find("dataspace"))
            if (const Node* keep = dataspace->find("keep"))
                for (std::string& name : words_of(*keep)) names.insert(std::move(name));
    return names;
}

// Implied by the hierarchy's groups: a tensor of one branch bypasses the others.
std::string group_bypasses(const MachineFile& machine) {
    std::string text;
    for (const ParallelGroup& group : machine.parallels)
        for (const ParallelBranch& branch : group.branches)
            for (const std::string& memory : branch.memories) {
                const std::set<std::string> own = kept_in(branch);
                std::vector<std::string> others;
                for (const ParallelBranch& other : group.branches)
                    for (const std::string& name : kept_in(other))
                        if (!own.contains(name)) others.push_back(yaml::scalar_text(name));
                if (others.empty()) continue;
                text += "- {target: " + yaml::scalar_text(memory) + ", type: bypass, bypass: [" +
                        joined_words(others, ", ") + "]}\n";
            }
    return text;
}

bool is_said_by_factors(const Node::Entry& entry) {
    return entry.key == kShared && std::ranges::all_of(words_of(entry.value), [](const std::string& tensor) {
               return find_tensor(usual_layer(), tensor) >= 0;
           });
}

// Loops of one iteration have no constraint.
LoopConstraint without_ones(LoopConstraint loops) {
    const auto is_one = [&](int d) { return !loops.factors.empty() && loops.factors[d].exactly == 1; };
    std::erase_if(loops.inner, is_one);
    std::erase_if(loops.outer, is_one);
    return loops;
}

}  // namespace

int WrittenGroup::memory_count() const {
    std::size_t count = 0;
    for (const WrittenBranch& branch : branches) count += branch.memories.size();
    return static_cast<int>(count);
}

bool is_constraint_section(const std::string& key) {
    static const std::set<std::string> kSections{"arch_constraints",     "architecture_constraints",  "constraints",
                                                 "mapspace_constraints", "extra_mapping_constraints", "mapspace"};
    return kSections.contains(key);
}

WrittenConstraints::WrittenConstraints(const Node& root, const Architecture& architecture, MachineForm form)
    : form_(form) {
    take_in_place(root);
    take_sections(root);
    for (const Dimension& dimension : names_in_constraints(root, architecture).dimensions)
        dimensions_.push_back(dimension.name);
    if (dimensions_.empty())
        for (const Dimension& dimension : usual_layer().dimensions) dimensions_.push_back(dimension.name);
}

void WrittenConstraints::take_in_place(const Node& root) {
    const MachineFile machine = read_machine(root);
    from_hierarchy_ = machine.form == Form::hierarchy;
    for (const ParallelGroup& parallel : machine.parallels) groups_.push_back(timeloop::group_of(parallel));
    for (const PlacedConstraints& placed : machine.constraints)
        for (const Node::Entry& entry : placed.node.entries()) {
            const std::string& level = entry.key == "spatial" ? placed.spatial_memory : placed.memory;
            if (asks_for_nothing(entry.value) || level.empty()) continue;
            if (form_ == MachineForm::tree) refuse_newer_words(level, entry.value);
            if (!placed_.contains(level)) order_.push_back(level);
            placed_[level].emplace(entry.key, entry.value);
        }
    if (form_ == MachineForm::tree) bypasses_ = group_bypasses(machine);
}

void WrittenConstraints::take_sections(const Node& root) {
    const Node* inside = find_architecture(root)->find("constraints");
    if (inside != nullptr && !asks_for_nothing(*inside)) sections_.emplace_back("arch_constraints", *inside);
    for (const Node::Entry& entry : root.entries()) {
        if (!is_constraint_section(entry.key) || asks_for_nothing(entry.value)) continue;
        const bool taken = std::any_of(sections_.begin(), sections_.end(),
                                       [&](const auto& section) { return section.first == entry.key; });
        sections_.emplace_back(taken ? "architecture_constraints" : entry.key, entry.value);
    }
}

// Other keys came with version 0.4.
void WrittenConstraints::refuse_newer_words(const std::string& level, const Node& constraint) {
    static const std::set<std::string> kOld{"factors", "permutation", "split", "keep", "bypass"};
    for (const Node::Entry& entry : constraint.entries())
        if (!kOld.contains(entry.key) && !asks_for_nothing(entry.value) && !is_said_by_factors(entry))
            refuse_to_write(level, "version 0.3 has no word for the constraint '" + entry.key + "'");
    const Node* split = constraint.find("split");
    if (split == nullptr || split->text() == "0" || split->text().size() >= 3) return;
    refuse_to_write(level, "version 0.3 counts '" + split->text() +
                               "' of 'split' without the dimensions of one iteration, which version 0.4 counts");
}

const WrittenGroup* WrittenConstraints::group_of(const std::string& memory) const {
    for (const WrittenGroup& group : groups_)
        for (const WrittenBranch& branch : group.branches)
            if (!branch.memories.empty()) {
                if (branch.memories.front() == memory) return &group;
                break;
            }
    return nullptr;
}

std::string WrittenConstraints::in_place(const std::string& memory, const std::string& spreader) const {
    Fields fields;
    const auto add = [&](const std::string& level, bool spatial) {
        const auto found = placed_.find(level);
        if (level.empty() || found == placed_.end()) return;
        for (const auto& [what, constraint] : found->second)
            if ((what == "spatial") == spatial) fields.emplace_back(what, yaml::flow_text(constraint));
    };
    add(memory, false);
    add(spreader, true);
    return fields.empty() ? "" : fields_text(fields);
}

std::string WrittenConstraints::sections(const Architecture& architecture) const {
    std::string targets;
    if (form_ == MachineForm::tree && from_hierarchy_) {
        for (const Memory& memory : architecture.memories)
            if (memory.spreads_only) targets += still_text(memory.name);
        for (const std::string& level : order_)
            for (const auto& [what, constraint] : placed_.at(level))
                targets += target_text(level, what == "dataspace" ? "bypass" : what.c_str(), constraint);
        targets += bypasses_;
    }
    std::string text;
    if (!targets.empty()) {
        std::string indented;
        for (std::size_t begin = 0; begin < targets.size(); begin = targets.find('\n', begin) + 1)
            indented += "  " + targets.substr(begin, targets.find('\n', begin) + 1 - begin);
        text += "\nmapspace_constraints:\n  version: 0.3\n  targets:\n" + indented;
    }
    for (const auto& [key, section] : sections_) {
        if (!section.is_map()) {
            text += "\n" + key + ":" + yaml::block_text(section, "  ");
            continue;
        }
        text += "\n" + key + ":\n";
        for (const Node::Entry& entry : section.entries())
            text += "  " + yaml::scalar_text(entry.key) + ":" + yaml::block_text(entry.value, "  ");
    }
    return text;
}

std::string WrittenConstraints::still_text(const std::string& spreader) const {
    std::vector<std::string> ones;
    for (const std::string& name : dimensions_) ones.push_back(name + "=1");
    return "- {target: " + yaml::scalar_text(spreader) + ", type: temporal, factors: \"" + joined_words(ones, " ") +
           "\"}\n";
}

std::string constraint_difference(const Node& root, const Node& written, const Architecture& architecture,
                                  MachineForm form) {
    Einsum einsum = names_in_constraints(root, architecture);
    if (is_of_usual_layer(einsum)) einsum = usual_layer();
    for (Dimension& dimension : einsum.dimensions) dimension.extent = 64;
    const Constraints a = read_constraints(root, architecture, einsum, Unnamed::ignore);
    const Constraints b = read_constraints(written, architecture, einsum, Unnamed::ignore);
    const bool same_rules = (read_machine(root).form == Form::hierarchy) == (form == MachineForm::hierarchy);
    for (int i = 0; i < architecture.memory_count(); ++i) {
        LevelConstraint one = a.levels[i];
        LevelConstraint other = b.levels[i];
        if (!same_rules)
            for (LevelConstraint* level : {&one, &other}) {
                level->temporal = without_ones(level->temporal);
                level->spatial = without_ones(level->spatial);
            }
        if (!(one == other)) return "'" + architecture.memories[i].name + "': its constraints";
    }
    return a.min_parallelism == b.min_parallelism ? "" : "the least parallelism";
}

}  // namespace tilewright::timeloop
